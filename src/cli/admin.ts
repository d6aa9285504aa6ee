/**
 * The operator's command: accounts, plans, keys, links taken out of service.
 * `--local` (the default) works on the development database, `--remote` on the deployed one.
 */
import { parseArgs } from "node:util";

import { EMAIL_MAX_CHARS } from "../core/dashboard-contract.ts";
import { createAccount, changePlan, createKey, revokeKey } from "../store/accounts.ts";
import { type Plan, PLANS } from "../store/caller.ts";
import { setLinkDisabled } from "../store/links.ts";
import { setPassword } from "../store/passwords.ts";
import { remoteDatabase, withLocalDatabase } from "./database.ts";
import { newPassword } from "./new-password.ts";

const USAGE = `Usage: npm run admin -- <command> [--local | --remote] [--persist-to DIR] [--json]

  account create --email E [--plan free|premium]   a new account with a live and a test key, shown once
  account plan --email E free|premium              change an account's plan
  account password --email E                       a new password for the dashboard, shown once; ends its sessions
  key revoke KEY_ID                                end a key; its id is the 8 characters after svc_live_ or svc_test_
  link disable SHORT_URL                           answer 410 from now on (everywhere within ten seconds)
  link enable SHORT_URL                            undo that

  --local           the development database (default)
  --persist-to DIR  where it is, as in npm run dev
  --remote          the deployed database`;

type Database = Pick<Env, "DB">;
type Report = Record<string, string>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    email: { type: "string" },
    plan: { type: "string", default: "free" },
    json: { type: "boolean", default: false },
    local: { type: "boolean", default: false },
    remote: { type: "boolean", default: false },
    "persist-to": { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const COMMANDS: Record<string, (database: Database, argument: string | undefined) => Promise<Report>> = {
  "account create": async (database) => newAccount(database, emailOption(), planOf(values.plan)),
  "account plan": async (database, plan) => {
    const account = await changePlan(database, emailOption(), planOf(plan));
    if (!account) throw new Error("No account has this e-mail address");
    return { account_id: account.id, email: account.email, plan: account.plan };
  },
  "account password": async (database) => {
    const password = newPassword();
    const id = await setPassword(database, emailOption(), password);
    if (!id) throw new Error("No account has this e-mail address");
    return { account_id: id, email: emailOption(), password };
  },
  "key revoke": async (database, id) => {
    if (!(await revokeKey(database, required(id, "the key's id")))) throw new Error("No such key in use");
    return { revoked: required(id, "the key's id") };
  },
  "link disable": (database, shortUrl) => switchLink(database, shortUrl, true),
  "link enable": (database, shortUrl) => switchLink(database, shortUrl, false),
};

/** An account with one key of each mode. */
async function newAccount(database: Database, email: string, plan: Plan): Promise<Report> {
  const account = await createAccount(database, email, plan);
  if (!account) throw new Error("An account has this e-mail address already");
  return {
    account_id: account.id,
    email: account.email,
    plan: account.plan,
    live_key: await createKey(database, account.id, "live", "First live key"),
    test_key: await createKey(database, account.id, "test", "First test key"),
  };
}

async function switchLink(database: Database, shortUrl: string | undefined, disabled: boolean): Promise<Report> {
  const url = new URL(required(shortUrl, "the short URL"));
  const id = await setLinkDisabled(database, url.host, url.pathname.slice(1), disabled);
  if (!id) throw new Error("No link has this short URL");
  return { id, short_url: url.href, state: disabled ? "disabled" : "enabled" };
}

function emailOption(): string {
  const email = required(values.email, "--email");
  if (email.length > EMAIL_MAX_CHARS || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new Error(`--email must be an e-mail address of at most ${EMAIL_MAX_CHARS} characters`);
  }
  return email;
}

function planOf(text: string | undefined): Plan {
  const plan = PLANS.find((known) => known === text);
  if (!plan) throw new Error(`The plan must be ${PLANS.join(" or ")}`);
  return plan;
}

function required(value: string | undefined, what: string): string {
  if (value === undefined) throw new Error(`Missing: ${what}`);
  return value;
}

async function main(): Promise<void> {
  const [area, verb, argument, ...rest] = positionals;
  const command = COMMANDS[`${area} ${verb}`];
  if (values.help || !command || rest.length > 0) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  if (values.remote && values.local) throw new Error("Choose --local or --remote");
  const report = values.remote ? await command(remoteDatabase(), argument) : await locally(command, argument);
  console.log(values.json ? JSON.stringify(report) : tabled(report));
}

function locally(command: (typeof COMMANDS)[string], argument: string | undefined): Promise<Report> {
  return withLocalDatabase(values["persist-to"], (database) => command(database, argument));
}

function tabled(report: Report): string {
  return Object.entries(report)
    .map(([name, value]) => `${name.padEnd(12)}${value}`)
    .join("\n");
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
