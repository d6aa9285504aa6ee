/**
 * The demo accounts of `npm run dev`: one per plan, created once and stored with the development data. Keys and
 * passwords are stored as hashes, so a file beside the database has their text. Development only.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

import { type Plan, PLANS } from "../../core/account.ts";
import { createAccount, findAccountByEmail } from "../../store/accounts/accounts.ts";
import { findCallerByKey, issueKeyText } from "../../store/accounts/api-keys.ts";

import { parseApiKey } from "../../core/identifiers.ts";
import { newPassword, setPassword } from "../../store/auth/passwords.ts";
import { stateFolder, withLocalDatabase } from "../database.ts";

const DemoAccount = z.object({
  email: z.string(),
  plan: z.enum(PLANS),
  password: z.string(),
  live_key: z.string(),
  test_key: z.string(),
});
type DemoAccount = z.infer<typeof DemoAccount>;

const DemoAccounts = z.object({ premium: DemoAccount, free: DemoAccount });
export type DemoAccounts = z.infer<typeof DemoAccounts>;

type Database = Pick<Env, "DB">;

export async function ensureDemoAccounts(persistTo: string | undefined): Promise<DemoAccounts> {
  const file = join(stateFolder(persistTo), "demo-accounts.json");
  return withLocalDatabase(persistTo, async (database) => {
    const text = await readFile(file, "utf8").catch(() => "null");
    const { data: stored } = DemoAccounts.safeParse(JSON.parse(text));
    if (stored && (await areKeysValid(database, stored))) return stored;
    const made = {
      premium: await createDemoAccount(database, "premium", "premium@demo.localhost"),
      free: await createDemoAccount(database, "free", "free@demo.localhost"),
    };
    await mkdir(stateFolder(persistTo), { recursive: true });
    await writeFile(file, JSON.stringify(made, null, 2), { mode: 0o600 });
    return made;
  });
}

/** The file may be older than the database: its keys are then unknown. */
async function areKeysValid(database: Database, { premium, free }: DemoAccounts): Promise<boolean> {
  const keys = [premium, free].flatMap(({ live_key, test_key }) => [live_key, test_key]);
  const afterwards: Promise<unknown>[] = [];
  const ctx = { waitUntil: (work: Promise<unknown>) => void afterwards.push(work) };
  const callers = await Promise.all(
    keys.map((text) => {
      const key = parseApiKey(text);
      return key && findCallerByKey(database, key, ctx);
    }),
  );
  await Promise.all(afterwards);
  return callers.every((caller) => caller !== null);
}

/** The account with this email address, created if it does not exist, with a new password and new keys. */
async function createDemoAccount(database: Database, plan: Plan, email: string): Promise<DemoAccount> {
  const account = (await findAccountByEmail(database, email)) ?? (await createAccount(database, email, plan));
  if (!account) throw new Error(`The demo account ${email} could not be created`);
  const password = newPassword();
  await setPassword(database, email, password);
  return {
    email,
    plan,
    password,
    live_key: await issueKeyText(database, account.id, "live", "Demo"),
    test_key: await issueKeyText(database, account.id, "test", "Demo"),
  };
}
