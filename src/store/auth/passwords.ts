/**
 * Passwords and authenticator apps that the operator resets, directly or by a link: without mail, account holders cannot
 * reset their own.
 */
import { hashPassword } from "better-auth/crypto";

import { sha256 } from "../../core/encoding/bytes.ts";
import { BASE62_ALPHABET, randomText, RESET_TOKEN_TTL_MS, type ResetKind, resetUrl } from "../../core/identifiers.ts";
import { timestamp } from "../../core/time.ts";
import { findAccountByEmail, PASSWORD_PROVIDER } from "../accounts/accounts.ts";
import { issueOperatorToken } from "../operators/operator-tokens.ts";
import { queryRow } from "../statements.ts";

type Database = Pick<Env, "DB">;

export interface Reset {
  kind: ResetKind;
  accountId: string;
  email: string;
}

/** Issues a link that its holder can use once within a day. Earlier ones of the account and kind become invalid. */
export async function issueReset(
  env: Database,
  baseUrl: string,
  { kind, accountId }: Pick<Reset, "kind" | "accountId">,
): Promise<{ url: string; expires_at: string }> {
  const now = Date.now();
  const token = await issueOperatorToken(env, kind, RESET_TOKEN_TTL_MS, now, accountId);
  return { url: resetUrl(baseUrl, token), expires_at: timestamp(now + RESET_TOKEN_TTL_MS) };
}

/** @returns null if the token is unknown, used or expired */
export async function findReset({ DB }: Database, token: string): Promise<Reset | null> {
  const sql = `SELECT t.purpose AS kind, a.id AS accountId, a.email FROM operator_tokens t
    JOIN accounts a ON a.id = t.account_id WHERE t.token_hash = ?1 AND t.expires_at > ?2`;
  return queryRow<Reset>(DB, sql, [await sha256(token), Date.now()]);
}

/** @returns false if another request has used the token first */
export async function performReset(
  env: Database,
  reset: Reset,
  token: string,
  password: string | undefined,
): Promise<boolean> {
  return resetSignIn(env, reset, await sha256(token), password);
}

/** Sets or replaces an account's password. @returns the account's id; null when there is no such account */
export async function setPassword(env: Database, email: string, password: string): Promise<string | null> {
  const account = await findAccountByEmail(env, email);
  if (account) await resetSignIn(env, { kind: "password", accountId: account.id }, null, password);
  return account?.id ?? null;
}

/**
 * Sets the password and removes the passkeys, or removes the authenticator app. Ends the sessions: the account may have
 * been taken over. The transaction uses up the token, so of two requests at once only one changes anything.
 * @param tokenHash  null if the operator acts directly
 */
async function resetSignIn(
  { DB }: Database,
  { kind, accountId }: Pick<Reset, "kind" | "accountId">,
  tokenHash: Uint8Array | null,
  password: string | undefined,
): Promise<boolean> {
  const now = Date.now();
  const prepare = (sql: string, ...more: unknown[]) => DB.prepare(sql).bind(accountId, tokenHash, now, ...more);
  const isValid =
    "(?2 IS NULL OR EXISTS (SELECT 1 FROM operator_tokens WHERE token_hash = ?2 AND account_id = ?1 AND expires_at > ?3))";
  const removed = kind === "password" ? "passkeys" : "totp_factors";
  const statements = ["sessions", removed].map((table) =>
    prepare(`DELETE FROM ${table} WHERE account_id = ?1 AND ${isValid}`),
  );
  if (kind === "password" && password !== undefined) {
    const sql = `INSERT INTO credentials (id, account_id, provider, provider_account_id, password, created_at, updated_at)
      SELECT ?4, ?1, ?5, ?1, ?6, ?7, ?7 WHERE ${isValid}
      ON CONFLICT (provider, provider_account_id) DO UPDATE SET password = ?6, updated_at = ?7`;
    const values = [crypto.randomUUID(), PASSWORD_PROVIDER, await hashPassword(password), new Date(now).toISOString()];
    statements.push(prepare(sql, ...values));
  }
  const used = "DELETE FROM operator_tokens WHERE token_hash = ?2 AND account_id = ?1 AND expires_at > ?3";
  const outcomes = await DB.batch([...statements, prepare(used)]);
  // Triggers of the password and the app may have deleted the token before the last statement (schema.sql).
  return outcomes.some(({ meta }) => meta.changes > 0);
}

/** 119 bits. */
const PASSWORD_CHARS = 20;

export function newPassword(): string {
  return randomText(BASE62_ALPHABET, crypto.getRandomValues(new Uint32Array(PASSWORD_CHARS)));
}
