/** How a command of the operator says which account it is about. */
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";

import { EMAIL_MAX_CHARS } from "../../core/contract/dashboard.ts";
import { type Account, findAccountByEmail, findAccountById } from "../../store/accounts/accounts.ts";
import type { Database } from "./target.ts";

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
export function parseEmail(text: string): string {
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
