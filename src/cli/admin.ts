/**
 * The operator's command line: accounts, plans, keys, disabling links. `--local` (the default) uses the development
 * database, `--remote` the deployed one.
 */
import { parseArgs } from "node:util";

import { type Plan, PLANS, type Mode, MODES } from "../core/account.ts";
import { EMAIL_MAX_CHARS } from "../core/contract/dashboard.ts";
import { listAccountLinks } from "../store/links/operator-links.ts";
import { resumeAccount, suspendAccount } from "../store/accounts/account-states.ts";
import {
  type Account,
  changePlan,
  createAccount,
  findAccountByEmail,
  findAccountById,
  setOperator,
} from "../store/accounts/accounts.ts";
import { issueKeyText, listKeys, revokeKey, revokeAccountKey } from "../store/accounts/api-keys.ts";
import { HOUR_MS } from "../core/durations.ts";
import {
  OPERATOR_TOKEN_HOURS_MAX,
  type OperatorTokenPurpose,
  SETUP_TOKEN_TTL_MS,
  setupUrl,
} from "../core/operator-token.ts";
import { hasAccounts } from "../store/operators/first-account.ts";
import { issueOperatorToken } from "../store/operators/operator-tokens.ts";
import { parseShortUrl } from "../core/links/short-url.ts";
import { timestamp } from "../core/timestamp.ts";
import { closeAccount } from "../store/accounts/closed-accounts.ts";

import { setLinkDisabled } from "../store/links/operator-links.ts";
import { setPassword } from "../store/auth/passwords.ts";
import { raiseRevisions } from "../store/links/restored-links.ts";
import { backUp, type Deployment, exportTo, restore } from "./backup/commands.ts";
import { remoteDatabase, withLocalDatabase } from "./database.ts";
import { formatChecks, worstLevel } from "./deployment/check.ts";
import { examineLocal, examineRemote } from "./deployment/doctor.ts";
import { newPassword } from "./new-password.ts";
import { type Report, formatReport } from "./report.ts";

const USAGE = `Usage: npm run admin -- <command> [--local | --remote] [--persist-to DIR] [--json]

  account create --email E [--plan free|premium]   a new account with a live and a test key, shown once
  account plan --email E free|premium              change an account's plan
  account password --email E                       a new password for the dashboard, shown once; ends its sessions
  account suspend (--email E | --id ID)            its links answer 410 within ten seconds, its keys and sessions 403
  account resume (--email E | --id ID)             undo that
  account close (--email E | --id ID) --yes        delete it for ever, as its holder can in the dashboard: links answer 410,
                                                   clicks, codes and rules are erased
  account keys (--email E | --id ID)               its keys in use; with --revoke KEY_ID or --revoke all, end them
  account operator --email E [--revoke]            lets the account read the deployment's health; with --revoke, ends that
  key revoke KEY_ID                                end a key; its id is the 8 characters after svc_live_ or svc_test_
  link list --account (E | ID) [--mode live|test] [--limit 1..1000] [--cursor C]
                                                   its links of every state, newest first
  link disable SHORT_URL                           answer 410 from now on (everywhere within ten seconds)
  link enable SHORT_URL                            undo that
  operator setup [--url URL]                       a one-time address where the first account is made, for an hour; URL is
                                                   where the deployment is
  operator token [--backups] [--hours H]           a token that reads /health?deep, for 24 hours or H; shown once. With
                                                   --backups, one for backup, restore and export, as OPERATOR_TOKEN
  backup --to DIR [--url URL]                      a copy of everything in a folder; run again, it goes on where it was cut
  restore --from DIR [--url URL]                   puts a backup into an empty installation; goes on as well
  export --account (E | ID) --to DIR [--url URL]   an account's links and clicks as NDJSON and CSV, for a customer who leaves
  doctor [--url URL]                               a line for each part of the deployment, and what to run where one is
                                                   wrong; exit code 1 then. URL is where the development server is
  restored                                         after the database was set back (Time Travel): its links are believed
                                                   again, although what was served meanwhile had newer revisions

  --local           the development database (default)
  --persist-to DIR  where it is, as in npm run dev
  --remote          the deployed database`;

const LIST_LIMIT_MAX = 1_000;
const TOKEN_HOURS_DEFAULT = "24";
const DEVELOPMENT_URL = "http://localhost:8787";
/** `account keys --revoke KEY_ID` names a key, `account operator --revoke` names nothing. */
const REVOKE_TYPE = process.argv.includes("operator") ? "boolean" : "string";

type Database = Pick<Env, "DB">;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    email: { type: "string" },
    id: { type: "string" },
    plan: { type: "string", default: "free" },
    account: { type: "string" },
    mode: { type: "string", default: "live" },
    limit: { type: "string", default: "100" },
    cursor: { type: "string" },
    revoke: { type: REVOKE_TYPE },
    hours: { type: "string", default: TOKEN_HOURS_DEFAULT },
    url: { type: "string" },
    backups: { type: "boolean", default: false },
    to: { type: "string" },
    from: { type: "string" },
    yes: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    local: { type: "boolean", default: false },
    remote: { type: "boolean", default: false },
    "persist-to": { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const COMMANDS: Record<string, (database: Database, argument: string | undefined) => Promise<Report>> = {
  "account create": async (database) => createAccountWithKeys(database, emailOption(), parsePlan(values.plan)),
  "account plan": async (database, plan) => {
    const account = await changePlan(database, emailOption(), parsePlan(plan));
    if (!account) throw new Error("No account has this e-mail address");
    return { account_id: account.id, email: account.email, plan: account.plan };
  },
  "account password": async (database) => {
    const password = newPassword();
    const id = await setPassword(database, emailOption(), password);
    if (!id) throw new Error("No account has this e-mail address");
    return { account_id: id, email: emailOption(), password };
  },
  "account suspend": async (database) => {
    const account = await accountOption(database);
    await suspendAccount(database, account.id);
    return stateReport(account, "suspended");
  },
  "account resume": async (database) => {
    const account = await accountOption(database);
    await resumeAccount(database, account.id);
    return stateReport(account, "open");
  },
  "account close": async (database) => {
    const account = await accountOption(database);
    if (!values.yes) throw new Error("Nothing brings a closed account back: say --yes");
    // The deployment's cron job starts the erasure within a minute.
    await closeAccount(database, account.id);
    return stateReport(account, "closed");
  },
  "account keys": async (database) => {
    const account = await accountOption(database);
    return values.revoke === undefined
      ? reportKeys(database, account)
      : revokeKeys(database, account, String(values.revoke));
  },
  "account operator": async (database) => {
    const isOperator = values.revoke === undefined;
    const account = await setOperator(database, emailOption(), isOperator);
    if (!account) throw new Error("No account has this e-mail address");
    return { account_id: account.id, email: account.email, operator: isOperator };
  },
  "key revoke": async (database, id) => {
    if (!(await revokeKey(database, required(id, "the key's id")))) throw new Error("No such key in use");
    return { revoked: required(id, "the key's id") };
  },
  "link list": async (database) => reportLinks(database, required(values.account, "--account")),
  "link disable": (database, shortUrl) => setLinkState(database, shortUrl, true),
  "link enable": (database, shortUrl) => setLinkState(database, shortUrl, false),
  "operator setup": async (database) => {
    if (await hasAccounts(database)) throw new Error("There is an account already: account create makes another");
    const url = baseUrlOption();
    const { token, expires_at } = await issueToken(database, "setup", SETUP_TOKEN_TTL_MS);
    return { setup_url: setupUrl(url, token), expires_at };
  },
  "operator token": (database) => issueToken(database, values.backups ? "backup" : "operator", hoursOption() * HOUR_MS),
  restored: async (database) => ({ links: String(await raiseRevisions(database)) }),
};

/** Commands that speak with the running deployment. */
const DEPLOYMENT_COMMANDS: Record<string, () => Promise<Report | null>> = {
  backup: () => backUp(deploymentOption(), required(values.to, "--to")),
  doctor: () => examineDeployment(),
  export: () => exportTo(deploymentOption(), required(values.account, "--account"), required(values.to, "--to")),
  restore: () => restore(deploymentOption(), required(values.from, "--from")),
};

/** Prints its own lines, except as JSON. */
async function examineDeployment(): Promise<Report | null> {
  const checks = await (values.remote ? examineRemote() : examineLocal(values["persist-to"], baseUrlOption()));
  const status = worstLevel(checks);
  if (status === "failure") process.exitCode = 1;
  if (values.json) return { status, checks: checks.map((check) => ({ ...check })) };
  console.log(formatChecks(checks));
  return null;
}

function deploymentOption(): Deployment {
  const issue = async (database: Database) => ({ ...(await issueToken(database, "backup", HOUR_MS)) });
  const token = async () => process.env.OPERATOR_TOKEN ?? String((await withDatabase(issue)).token);
  return { url: baseUrlOption(), issueToken: token };
}

async function issueToken(database: Database, purpose: OperatorTokenPurpose, ttlMs: number) {
  const now = Date.now();
  const token = await issueOperatorToken(database, purpose, ttlMs, now);
  return { token, expires_at: timestamp(now + ttlMs) };
}

/** Creates an account with one key of each mode. */
async function createAccountWithKeys(database: Database, email: string, plan: Plan): Promise<Report> {
  const account = await createAccount(database, email, plan);
  if (!account) throw new Error("An account has this e-mail address already");
  return {
    account_id: account.id,
    email: account.email,
    plan: account.plan,
    live_key: await issueKeyText(database, account.id, "live", "First live key"),
    test_key: await issueKeyText(database, account.id, "test", "First test key"),
  };
}

async function reportKeys(database: Database, { id }: Account): Promise<Report> {
  const keys = await listKeys(database, id);
  return {
    account_id: id,
    data: keys.map((key) => ({
      id: key.id,
      mode: key.mode,
      name: key.name,
      scopes: key.scopes,
      last_four: key.lastFour,
      created_at: timestamp(key.createdAt),
      last_used_at: key.lastUsedAt === null ? null : timestamp(key.lastUsedAt),
    })),
  };
}

/** @param which  id of a key, or `all` */
async function revokeKeys(database: Database, { id }: Account, which: string): Promise<Report> {
  const wanted = which === "all" ? (await listKeys(database, id)).map((key) => key.id) : [which];
  const revoked: { id: string }[] = [];
  for (const key of wanted) if (await revokeAccountKey(database, id, key)) revoked.push({ id: key });
  if (revoked.length === 0) throw new Error("The account has no such key in use");
  return { account_id: id, data: revoked };
}

async function reportLinks(database: Database, emailOrId: string): Promise<Report> {
  const account = await (emailOrId.includes("@") ? findAccountByEmail : findAccountById)(database, emailOrId);
  // An id may be that of a closed account, whose links can still be listed.
  const id = account?.id ?? emailOrId;
  if (id.includes("@")) throw new Error("No account has this e-mail address");
  const page = { cursor: values.cursor ?? null, limit: limitOption() };
  const { links, hasMore } = await listAccountLinks(database, { id, mode: modeOption() }, page);
  return {
    account_id: id,
    data: links.map(({ domain, slug, createdAt, ...link }) => ({
      id: link.id,
      address: `${domain}/${slug}`,
      state: link.state,
      created_at: timestamp(createdAt),
      url: link.url,
    })),
    has_more: hasMore,
    next_cursor: (hasMore && links.at(-1)?.id) || null,
  };
}

/** @param shortUrl  with or without its scheme */
async function setLinkState(database: Database, shortUrl: string | undefined, disabled: boolean): Promise<Report> {
  const short_url = required(shortUrl, "the short URL");
  const address = parseShortUrl(short_url);
  const id = address && (await setLinkDisabled(database, address.domain, address.slug, disabled));
  if (!id) throw new Error("No link has this short URL");
  return { id, short_url, state: disabled ? "disabled" : "enabled" };
}

function stateReport({ id, email }: Account, state: string): Report {
  return { account_id: id, email, state };
}

async function accountOption(database: Database): Promise<Account> {
  const { email, id } = values;
  if ((email === undefined) === (id === undefined)) throw new Error("Name the account by --email or --id");
  const account = await (id === undefined
    ? findAccountByEmail(database, emailOption())
    : findAccountById(database, id));
  if (!account) throw new Error(`No account has this ${id === undefined ? "e-mail address" : "id"}`);
  return account;
}

function modeOption(): Mode {
  const mode = MODES.find((known) => known === values.mode);
  if (!mode) throw new Error(`--mode must be ${MODES.join(" or ")}`);
  return mode;
}

function limitOption(): number {
  const limit = Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_LIMIT_MAX)
    throw new Error(`--limit must be 1 to ${LIST_LIMIT_MAX}`);
  return limit;
}

function hoursOption(): number {
  const hours = Number(values.hours);
  if (!Number.isInteger(hours) || hours < 1 || hours > OPERATOR_TOKEN_HOURS_MAX)
    throw new Error(`--hours must be 1 to ${OPERATOR_TOKEN_HOURS_MAX}`);
  return hours;
}

/** @returns an origin: the address of the development server when none is given */
function baseUrlOption(): string {
  const text = values.url ?? (values.remote ? "" : DEVELOPMENT_URL);
  if (!/^https?:/i.test(text) || !URL.canParse(text)) throw new Error("--url must say where the deployment is");
  return new URL(text).origin;
}

function emailOption(): string {
  const email = required(values.email, "--email");
  if (email.length > EMAIL_MAX_CHARS || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new Error(`--email must be an e-mail address of at most ${EMAIL_MAX_CHARS} characters`);
  }
  return email;
}

function parsePlan(text: string | undefined): Plan {
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
  const name = [area, verb].filter((word) => word !== undefined).join(" ");
  const [command, deploymentCommand] = [COMMANDS[name], DEPLOYMENT_COMMANDS[name]];
  if (values.help || !(command ?? deploymentCommand) || rest.length > 0) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  if (values.remote && values.local) throw new Error("Choose --local or --remote");
  const report = command ? await withDatabase((database) => command(database, argument)) : await deploymentCommand?.();
  if (report) console.log(values.json ? JSON.stringify(report) : formatReport(report));
}

function withDatabase(work: (database: Database) => Promise<Report>): Promise<Report> {
  return values.remote ? work(remoteDatabase()) : withLocalDatabase(values["persist-to"], work);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
