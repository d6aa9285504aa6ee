/** The operator's commands for accounts, `admin account …`, and how a command identifies an account. */
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
  accountCommand(account, "suspend", "its links answer 410 within ten seconds, its keys and sessions 403").action(
    (chosen) => target.report((database) => changeState(database, chosen, suspendAccount, "suspended")),
  );
  accountCommand(account, "resume", "end the suspension").action((chosen) =>
    target.report((database) => changeState(database, chosen, resumeAccount, "open")),
  );
  accountCommand(account, "close", "delete it for ever: links answer 410, clicks, codes and rules are erased")
    .option("--yes", "needed: nothing brings a closed account back")
    .action(({ yes, ...chosen }) => {
      const close = async (database: Database, id: string) => {
        if (!yes) throw new Error("Nothing brings a closed account back: say --yes");
        // The deployment's cron job starts the erasure within a minute.
        await closeAccount(database, id);
      };
      return target.report((database) => changeState(database, chosen, close, "closed"));
    });
}

/** Creates an account with one key per mode. */
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

async function changeState(
  database: Database,
  chosen: ChosenAccount,
  change: (database: Database, id: string) => Promise<unknown>,
  state: string,
): Promise<Report> {
  const { id, email } = await findChosen(database, chosen);
  await change(database, id);
  return { account_id: id, email, state };
}

export interface ChosenAccount {
  email?: string | undefined;
  id?: string | undefined;
}

/** A command for an existing account, which has an address or only an id. */
export function accountCommand(parent: Command, name: string, description: string) {
  return parent
    .command(name)
    .description(description)
    .option(...EMAIL)
    .addOption(new Option("--id <ID>", "the account's id, in place of --email").conflicts("email"));
}

/** @throws InvalidArgumentError */
function parseEmail(text: string): string {
  if (text.length <= EMAIL_MAX_CHARS && /^[^\s@]+@[^\s@]+$/.test(text)) return text;
  throw new InvalidArgumentError(`It must be an e-mail address of at most ${EMAIL_MAX_CHARS} characters.`);
}

/** @throws Error if the account does not exist, or none was specified */
export async function findChosen(database: Database, { email, id }: ChosenAccount): Promise<Account> {
  if (email === undefined && id === undefined) throw new Error("Name the account by --email or --id");
  const account = await (email === undefined
    ? findAccountById(database, id ?? "")
    : findAccountByEmail(database, email));
  if (!account) throw new Error(`No account has this ${email === undefined ? "id" : "e-mail address"}`);
  return account;
}
