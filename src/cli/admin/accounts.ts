/**
 * The operator's commands for accounts, their API keys, operators, their tokens and the first account: `admin account
 * …`, `key …` and `operator …`. How a command identifies an account.
 */
import { Argument, type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";

import { wholeNumber } from "../../client/cli/options.ts";
import { type Plan, PLANS } from "../../core/account.ts";
import { EMAIL_MAX_CHARS } from "../../core/contract/dashboard.ts";
import { OPERATOR_TOKEN_HOURS_MAX, RESET_KINDS, SETUP_TOKEN_TTL_MS, setupUrl } from "../../core/identifiers.ts";
import { HOUR_MS } from "../../core/time.ts";
import {
  type Account,
  changePlan,
  createAccount,
  findAccount,
  resumeAccount,
  setOperator,
  suspendAccount,
} from "../../store/accounts/accounts.ts";
import { issueKeyText, keyInfoOf, listKeys, revokeKey } from "../../store/accounts/api-keys.ts";
import { closeAccount } from "../../store/accounts/closed-accounts.ts";
import { issueReset, newPassword, setPassword } from "../../store/auth/passwords.ts";
import { hasAccounts } from "../../store/operators/first-account.ts";
import type { Report } from "../command.ts";
import { type Database, issueToken, type Target } from "./target.ts";

const SUSPEND = "Suspend an account: links return 410 within ten seconds, keys and sessions 403";
const CLOSE = "Delete an account permanently: links return 410; clicks, QR codes and rules are erased";
const EMAIL = ["--email <E>", "email address of the account", parseEmail] as const;

export function addAccountCommands(program: Command, target: Target): Command {
  const account = program
    .command("account")
    .description("Create, suspend and close accounts; manage their plans, passwords and keys");
  account
    .command("create")
    .description("Create an account with a live and a test key, which are shown once")
    .requiredOption(...EMAIL)
    .addOption(new Option("--plan <PLAN>", "plan of the account").choices(PLANS).default("free" as const))
    .action(({ email, plan }) => target.report((database) => createAccountWithKeys(database, email, plan)));
  account
    .command("plan")
    .description("Change the plan of an account")
    .addArgument(new Argument("<PLAN>", "new plan").choices(PLANS))
    .requiredOption(...EMAIL)
    .action((plan, chosen) =>
      change(target, chosen, { plan }, (database, { email }) => changePlan(database, email, plan)),
    );
  account
    .command("password")
    .description("Set a new dashboard password, which is shown once, and end the account's sessions")
    .requiredOption(...EMAIL)
    .action((chosen) => {
      const password = newPassword();
      return change(target, chosen, { password }, (database, { email }) => setPassword(database, email, password));
    });
  accountCommand(account, "reset", "Print a link that resets the password or removes the authenticator app, once")
    .addArgument(new Argument("<KIND>", "what the link resets").choices(RESET_KINDS))
    .option("--url <URL>", "URL of the deployment")
    .action((kind, { url, ...chosen }) =>
      target.report(async (database) => {
        const { id, email } = await findChosen(database, chosen);
        return {
          account_id: id,
          email,
          ...(await issueReset(database, target.baseUrl(url), { kind, accountId: id })),
        };
      }),
    );
  addStateCommands(account, target);
  return account;
}

function addStateCommands(account: Command, target: Target): void {
  accountCommand(account, "suspend", SUSPEND).action((chosen) =>
    change(target, chosen, { state: "suspended" }, (database, { id }) => suspendAccount(database, id)),
  );
  accountCommand(account, "resume", "Resume a suspended account").action((chosen) =>
    change(target, chosen, { state: "open" }, (database, { id }) => resumeAccount(database, id)),
  );
  accountCommand(account, "close", CLOSE)
    .option("--yes", "confirm the deletion (required), which cannot be undone")
    .action(({ yes, ...chosen }) =>
      change(target, chosen, { state: "closed" }, async (database, { id }) => {
        if (!yes) throw new Error("Closing an account cannot be undone. To confirm, pass --yes.");
        // The deployment's cron job starts the erasure within a minute.
        await closeAccount(database, id);
      }),
    );
}

/** Creates an account with one key per mode. */
async function createAccountWithKeys(database: Database, email: string, plan: Plan): Promise<Report> {
  const account = await createAccount(database, email, plan);
  if (!account) throw new Error("An account with this email address already exists");
  return {
    account_id: account.id,
    email: account.email,
    plan: account.plan,
    live_key: await issueKeyText(database, account.id, "live", "First live key"),
    test_key: await issueKeyText(database, account.id, "test", "First test key"),
  };
}

/** Changes an account and prints it. @param changed  printed with the ID and the email */
function change(
  target: Target,
  chosen: ChosenAccount,
  changed: Report,
  work: (database: Database, account: Account) => Promise<unknown>,
): Promise<void> {
  return target.report(async (database) => {
    const account = await findChosen(database, chosen);
    await work(database, account);
    return { account_id: account.id, email: account.email, ...changed };
  });
}

interface ChosenAccount {
  email?: string | undefined;
  id?: string | undefined;
}

/** A command for an existing account, identified by its email address or ID. */
function accountCommand(parent: Command, name: string, description: string) {
  return parent
    .command(name)
    .description(description)
    .option(...EMAIL)
    .addOption(new Option("--id <ID>", "ID of the account, instead of --email").conflicts("email"));
}

/** @throws InvalidArgumentError */
function parseEmail(text: string): string {
  if (text.length <= EMAIL_MAX_CHARS && /^[^\s@]+@[^\s@]+$/.test(text)) return text;
  throw new InvalidArgumentError(`It must be an email address of at most ${EMAIL_MAX_CHARS} characters.`);
}

/** @throws Error if the account does not exist, or none was specified */
async function findChosen(database: Database, { email, id }: ChosenAccount): Promise<Account> {
  const chosen = email ?? id;
  if (chosen === undefined) throw new Error("Specify the account with --email or --id");
  const account = await findAccount(database, chosen);
  if (!account) throw new Error(`No account has this ${email === undefined ? "ID" : "email address"}`);
  return account;
}

const ALL = "all";

export function addAccountKeys(account: Command, target: Target): void {
  accountCommand(account, "keys", "List the active keys of an account, or revoke them")
    .option("--revoke <KEY_ID>", `ID of the key to revoke; ${ALL} revokes all keys`)
    .action(({ revoke, ...chosen }) =>
      target.report(async (database) => {
        const found = await findChosen(database, chosen);
        return revoke === undefined ? reportKeys(database, found) : revokeKeys(database, found, revoke);
      }),
    );
}

export function addKeyCommands(program: Command, target: Target): void {
  const key = program.command("key").description("Revoke API keys");
  key
    .command("revoke")
    .description("Revoke an API key")
    .argument("<KEY_ID>", "the 8 characters after svc_live_ or svc_test_")
    .action((id) =>
      target.report(async (database) => {
        if (!(await revokeKey(database, id))) throw new Error("No active key has this ID");
        return { revoked: id };
      }),
    );
}

async function reportKeys(database: Database, { id }: Account): Promise<Report> {
  return { account_id: id, data: (await listKeys(database, id)).map(keyInfoOf) };
}

/** @param which  id of a key, or `all` */
async function revokeKeys(database: Database, { id }: Account, which: string): Promise<Report> {
  const wanted = which === ALL ? (await listKeys(database, id)).map((key) => key.id) : [which];
  const revoked: { id: string }[] = [];
  for (const key of wanted) if (await revokeKey(database, key, id)) revoked.push({ id: key });
  if (revoked.length === 0) throw new Error("The account has no such active key");
  return { account_id: id, data: revoked };
}

const TOKEN_HOURS_DEFAULT = 24;
const parseHours = wholeNumber(1, OPERATOR_TOKEN_HOURS_MAX);

export function addOperatorCommands(program: Command, target: Target): void {
  const operator = program
    .command("operator")
    .description("Add and remove operators, issue tokens, and set up the first account");
  accountCommand(operator, "add", "Give an account access to the deployment's health and metrics").action((chosen) =>
    change(target, chosen, { operator: true }, (database, { email }) => setOperator(database, email, true)),
  );
  accountCommand(operator, "remove", "Remove an account's access to health and metrics").action((chosen) =>
    change(target, chosen, { operator: false }, (database, { email }) => setOperator(database, email, false)),
  );
  operator
    .command("setup")
    .description("Issue a one-time URL for creating the first account, valid for an hour")
    .option("--url <URL>", "URL of the deployment")
    .action(({ url }) => target.report((database) => reportSetupUrl(database, target.baseUrl(url))));
  operator
    .command("token")
    .description("Issue a token for /health?deep, which is shown once")
    .option("--backups", "issue a token for backup, restore and export instead, to set as OPERATOR_TOKEN")
    .option("--hours <H>", `hours until it expires, up to ${OPERATOR_TOKEN_HOURS_MAX}`, parseHours, TOKEN_HOURS_DEFAULT)
    .action(({ backups, hours }) =>
      target.report((database) => issueToken(database, backups ? "backup" : "operator", hours * HOUR_MS)),
    );
}

async function reportSetupUrl(database: Database, url: string): Promise<Report> {
  if (await hasAccounts(database))
    throw new Error("An account already exists. To create another, use `account create`.");
  const { token, expires_at } = await issueToken(database, "setup", SETUP_TOKEN_TTL_MS);
  return { setup_url: setupUrl(url, token), expires_at };
}
