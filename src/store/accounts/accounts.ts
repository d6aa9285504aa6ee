/**
 * Accounts in D1: create, find, change, suspend. An account is also better-auth's user (store/auth). A
 * suspended account keeps its data: its links answer 410 within ten seconds, and its keys and sessions are refused from
 * the next request on. Resuming reverts both.
 */
import type { Plan } from "../../core/account.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../../core/identifiers.ts";
import { changeHome, type HomeEnv } from "../directory/home-copies.ts";
import { queryRow, changeRows } from "../statements.ts";

type Database = Pick<Env, "DB">;

/** better-auth's name for password sign-in, in the table of credentials. */
export const PASSWORD_PROVIDER = "credential";

export interface Account {
  id: string;
  email: string;
  plan: Plan;
}

/** @param now  epoch ms */
export function newAccountId(now: number): string {
  return timeOrderedId("acc_", now, crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS)));
}

/** @returns null when the email address already has an account */
export async function createAccount({ DB }: Database, email: string, plan: Plan): Promise<Account | null> {
  const now = Date.now();
  const id = newAccountId(now);
  const sql = `INSERT INTO accounts (id, email, plan, created_at) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (email) DO NOTHING RETURNING id, email, plan`;
  return queryRow<Account>(DB, sql, [id, email, plan, now]);
}

export function findAccountByEmail({ DB }: Database, email: string): Promise<Account | null> {
  return queryRow<Account>(DB, "SELECT id, email, plan FROM accounts WHERE email = ?1", [email]);
}

export function findAccount({ DB }: Database, emailOrId: string): Promise<Account | null> {
  if (emailOrId.includes("@")) return findAccountByEmail({ DB }, emailOrId);
  return queryRow<Account>(DB, "SELECT id, email, plan FROM accounts WHERE id = ?1", [emailOrId]);
}

/** Changes an account's plan, effective with its next request. @returns null when there is no such account */
export function changePlan({ DB }: Database, email: string, plan: Plan): Promise<Account | null> {
  const sql = "UPDATE accounts SET plan = ?2 WHERE email = ?1 RETURNING id, email, plan";
  return queryRow<Account>(DB, sql, [email, plan]);
}

/** Changes an account's sign-in name. @returns false when another account has the address */
export async function changeEmail({ DB }: Database, accountId: string, email: string): Promise<boolean> {
  const sql = "UPDATE OR IGNORE accounts SET email = ?2, email_verified = 0, updated_at = ?3 WHERE id = ?1";
  return (await changeRows(DB, sql, [accountId, email.toLowerCase(), Date.now()])) > 0;
}

/**
 * Grants or removes an account's operator access, effective with its next request.
 * @returns null when there is no such account
 */
export function setOperator({ DB }: Database, email: string, isOperator: boolean): Promise<Account | null> {
  const sql = "UPDATE accounts SET is_operator = ?2 WHERE email = ?1 RETURNING id, email, plan";
  return queryRow<Account>(DB, sql, [email, isOperator ? 1 : 0]);
}

/** Suspends an open account; a suspended one stays suspended. @returns false when there is no such account */
export async function suspendAccount(env: HomeEnv, accountId: string): Promise<boolean> {
  const exists = await queryRow(env.DB, "SELECT 1 FROM accounts WHERE id = ?1", [accountId]);
  if (!exists) return false;
  // ON CONFLICT keeps the state of an account that is being closed concurrently.
  const suspendStatement = env.DB.prepare(
    "INSERT INTO account_states (account_id, state, since) VALUES (?1, 'suspended', ?2) ON CONFLICT DO NOTHING",
  ).bind(accountId, Date.now());
  await changeHome(env, [accountId], [suspendStatement]);
  return true;
}

/** Reopens a suspended account; an open one stays open. */
export async function resumeAccount(env: HomeEnv, accountId: string): Promise<void> {
  const resumeStatement = env.DB.prepare("DELETE FROM account_states WHERE account_id = ?1 AND state = 'suspended'");
  await changeHome(env, [accountId], [resumeStatement.bind(accountId)]);
}

/** Start of an account's suspension, epoch ms; null when it is not suspended. */
export async function suspendedSince({ DB }: Pick<Env, "DB">, accountId: string): Promise<number | null> {
  return DB.prepare("SELECT since FROM account_states WHERE account_id = ?1 AND state = 'suspended'")
    .bind(accountId)
    .first<number>("since");
}
