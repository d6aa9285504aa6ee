/** The operator's commands on accounts: `admin account …`, and how a command names an account. */
import { Argument, type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";

import { type Plan, PLANS } from "../../core/account.ts";
import { EMAIL_MAX_CHARS } from "../../core/contract/dashboard.ts";
import { resumeAccount, suspendAccount } from "../../store/accounts/account-states.ts";
import {
  type Account,
  changePlan,
  createAccount,
  findAccountByEmail,
  findAccountById,
} from "../../store/accounts/accounts.ts";
import { issueKeyText } from "../../store/accounts/api-keys.ts";
import { closeAccount } from "../../store/accounts/closed-accounts.ts";
import { setPassword } from "../../store/auth/passwords.ts";
import { newPassword } from "../new-password.ts";
import type { Report } from "../report.ts";
import type { Database, Target } from "./target.ts";

const NO_SUCH_ADDRESS = "No account has this e-mail address";
const EMAIL = ["--email <E>", "the account's e-mail address", parseEmail] as const;

export function addAccountCommands(program: Command, target: Target): Command {
  const account = program.command("account").description("accounts: create, plan, password, suspend, close, keys");
  account
    .command("create")
    .description("a new account with a live and a test key, shown once")
    .requiredOption(...EMAIL)
    .addOption(new Option("--plan <PLAN>", "its plan").choices(PLANS).default("free" as const))
    .action(({ email, plan }) => target.report((database) => createAccountWithKeys(database, email, plan)));
  account
    .command("plan")
    .description("change an account's plan")
    .addArgument(new Argument("<PLAN>", "its new plan").choices(PLANS))
    .requiredOption(...EMAIL)
    .action((plan, { email }) => target.report((database) => reportPlan(database, email, plan)));
  account
    .command("password")
    .description("a new password for the dashboard, shown once; ends the account's sessions")
    .requiredOption(...EMAIL)
    .action(({ email }) => target.report((database) => giveNewPassword(database, email)));
  addStateCommands(account, target);
  return account;
}

function addStateCommands(account: Command, target: Target): void {
  account
    .command("suspend")
    .description("its links answer 410 within ten seconds, its keys and sessions 403")
    .addOption(emailOption())
    .addOption(idOption())
    .action((chosen) => target.report((database) => suspend(database, chosen)));
  account
    .command("resume")
    .description("end the suspension")
    .addOption(emailOption())
    .addOption(idOption())
    .action((chosen) => target.report((database) => resume(database, chosen)));
  account
    .command("close")
    .description("delete it for ever: links answer 410, clicks, codes and rules are erased")
    .addOption(emailOption())
    .addOption(idOption())
    .option("--yes", "needed: nothing brings a closed account back")
    .action(({ yes, ...chosen }) => target.report((database) => close(database, chosen, yes === true)));
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

async function reportPlan(database: Database, email: string, wanted: Plan): Promise<Report> {
  const account = await changePlan(database, email, wanted);
  if (!account) throw new Error(NO_SUCH_ADDRESS);
  return { account_id: account.id, email: account.email, plan: account.plan };
}

async function giveNewPassword(database: Database, email: string): Promise<Report> {
  const password = newPassword();
  const id = await setPassword(database, email, password);
  if (!id) throw new Error(NO_SUCH_ADDRESS);
  return { account_id: id, email, password };
}

async function suspend(database: Database, chosen: ChosenAccount): Promise<Report> {
  const account = await findChosen(database, chosen);
  await suspendAccount(database, account.id);
  return stateReport(account, "suspended");
}

async function resume(database: Database, chosen: ChosenAccount): Promise<Report> {
  const account = await findChosen(database, chosen);
  await resumeAccount(database, account.id);
  return stateReport(account, "open");
}

async function close(database: Database, chosen: ChosenAccount, isMeant: boolean): Promise<Report> {
  const account = await findChosen(database, chosen);
  if (!isMeant) throw new Error("Nothing brings a closed account back: say --yes");
  // The deployment's cron job starts the erasure within a minute.
  await closeAccount(database, account.id);
  return stateReport(account, "closed");
}

function stateReport({ id, email }: Account, state: string): Report {
  return { account_id: id, email, state };
}

export interface ChosenAccount {
  email?: string | undefined;
  id?: string | undefined;
}

/** For accounts that exist, which have an address or only an id. */
export function emailOption() {
  return new Option("--email <E>", "the account's e-mail address").argParser(parseEmail);
}

export function idOption() {
  return new Option("--id <ID>", "the account's id, in place of --email").conflicts("email");
}

/** @throws InvalidArgumentError */
function parseEmail(text: string): string {
  if (text.length <= EMAIL_MAX_CHARS && /^[^\s@]+@[^\s@]+$/.test(text)) return text;
  throw new InvalidArgumentError(`It must be an e-mail address of at most ${EMAIL_MAX_CHARS} characters.`);
}

/** @throws Error when there is none, or none was named */
export async function findChosen(database: Database, { email, id }: ChosenAccount): Promise<Account> {
  if (email === undefined && id === undefined) throw new Error("Name the account by --email or --id");
  const account = await (email === undefined
    ? findAccountById(database, id ?? "")
    : findAccountByEmail(database, email));
  if (!account) throw new Error(`No account has this ${email === undefined ? "id" : "e-mail address"}`);
  return account;
}
