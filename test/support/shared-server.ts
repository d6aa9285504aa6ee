/**
 * One development server for all files of a project, and one Chromium for those of a process. Each file has its own
 * accounts, so that no file sees another's data. A file that needs other settings, or stops the server, starts its own
 * (dev-server.ts).
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { hashPassword } from "better-auth/crypto";
import type { Browser } from "playwright-core";
import { expect, inject } from "vitest";
import type { TestProject } from "vitest/node";

import { withLocalDatabase } from "../../src/cli/database.ts";
import { type Mode, SCOPES } from "../../src/core/account.ts";
import { KEY_RANDOM_WORDS, newApiKey } from "../../src/core/identifiers.ts";
import { newAccountId, PASSWORD_PROVIDER } from "../../src/store/accounts/accounts.ts";
import { newPassword } from "../../src/store/auth/passwords.ts";
import { insertRowsSql, prepareNamed } from "../../src/store/statements.ts";
import { startSharedChromium } from "./chromium.ts";
import { type Account, type DevServer, type Plan, startDevServer } from "./dev-server.ts";

interface Shared {
  server: Pick<DevServer, "port" | "base" | "folder" | "output">;
  /** Accounts by the file's path. */
  accounts: Record<string, Record<Plan, Account>>;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with `Shared` once all of it runs. */
    sharedUrl: string;
  }
}

/** The server starts while the tests of other projects run: Vitest begins no test before all set-ups end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { testFiles } = await project.globTestFiles();
  const starting = start(testFiles);
  const door = createServer((_, response) => {
    starting.then(
      ({ shared }) => response.end(JSON.stringify(shared)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(door.listen(0, "127.0.0.1"), "listening");
  project.provide("sharedUrl", `http://127.0.0.1:${(door.address() as AddressInfo).port}/`);
  return async () => {
    door.close();
    await (await starting).stop();
  };
}

async function start(testFiles: readonly string[]): Promise<{ shared: Shared; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-shared-"));
  const accounts = await createAccounts(folder, testFiles);
  const server = await startDevServer({}, folder);
  const { port, base, output } = server;
  const shared = { server: { port, base, folder, output }, accounts };
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { shared, stop };
}

async function readShared(): Promise<Shared> {
  const response = await fetch(inject("sharedUrl"));
  if (!response.ok) throw new Error(`the shared server does not run: ${await response.text()}`);
  return (await response.json()) as Shared;
}

/** The shared server, with the accounts of the running file. Only the run stops it. */
export async function sharedServer(): Promise<DevServer> {
  const { server, accounts } = await readShared();
  const file = expect.getState().testPath ?? "";
  const own = accounts[file];
  if (!own) throw new Error(`${file} has no accounts on the shared server`);
  return {
    ...server,
    accounts: own,
    stop: () => Promise.resolve(null),
    kill: () => {},
    remove: () => Promise.resolve(),
  };
}

let browser: Promise<Browser> | undefined;

/** The browser of this process, which ends with it. Files have separate contexts. */
export function sharedBrowser(): Promise<Browser> {
  return (browser ??= startSharedChromium());
}

const PLANS: readonly Plan[] = ["Premium", "Free"];

/** All have one password. One statement per table: for a hundred accounts, a statement each takes ten seconds. */
async function createAccounts(folder: string, files: readonly string[]): Promise<Shared["accounts"]> {
  const [password, now] = [newPassword(), Date.now()];
  const hash = await hashPassword(password);
  const made = files.flatMap((file, i) =>
    PLANS.map((plan) => {
      const email = `${plan.toLowerCase()}-${i}@demo.localhost`;
      const [live, test] = [newKey("live"), newKey("test")];
      return { file, plan, email, live, test, id: newAccountId(now) };
    }),
  );
  await withLocalDatabase(folder, async ({ DB }) => {
    const insert = (table: string, rows: readonly Record<string, unknown>[], expressions = {}) =>
      prepareNamed(DB, insertRowsSql(table, Object.keys(rows[0] ?? {}), expressions, []), {
        rows: JSON.stringify(rows.map((row) => Object.values(row))),
      });
    const accounts = made.map(({ id, email, plan }) => ({ id, email, plan: plan.toLowerCase(), created_at: now }));
    const at = new Date(now).toISOString();
    const credentials = made.map(({ id }) => ({
      id,
      account_id: id,
      provider: PASSWORD_PROVIDER,
      provider_account_id: id,
      password: hash,
      created_at: at,
      updated_at: at,
    }));
    const keys = made.flatMap(({ id: account_id, live, test }) =>
      [live, test].map(({ mode, id, secret }) => ({
        id,
        account_id,
        mode,
        name: "Demo",
        secret_hash: createHash("sha256").update(secret).digest("hex"),
        last_four: secret.slice(-4),
        scopes: JSON.stringify(SCOPES),
        created_at: now,
      })),
    );
    await DB.batch([
      insert("accounts", accounts),
      insert("credentials", credentials),
      insert("api_keys", keys, { secret_hash: "unhex(new.secret_hash)" }),
    ]);
  });
  const byFile = Map.groupBy(made, ({ file }) => file);
  const accountsOf = (of: typeof made) =>
    Object.fromEntries(
      of.map(({ plan, email, live, test }) => [plan, { email, password, live: live.text, test: test.text }]),
    );
  return Object.fromEntries([...byFile].map(([file, of]) => [file, accountsOf(of)])) as Shared["accounts"];
}

function newKey(mode: Mode) {
  return newApiKey(mode, crypto.getRandomValues(new Uint32Array(KEY_RANDOM_WORDS)));
}
