/**
 * Operator tokens in D1. Only the SHA-256 of a token is stored, and rows are found by it, so the duration of a look-up
 * reveals nothing about the token. Anyone who can run the operator's commands on the database can issue one.
 */
import { sha256 } from "../../core/encoding/bytes.ts";
import {
  looksLikeOperatorToken,
  newOperatorToken,
  OPERATOR_TOKEN_BYTES,
  type OperatorTokenPurpose,
} from "../../core/identifiers.ts";
import { queryRow, changeRows } from "../statements.ts";

type Database = Pick<Env, "DB">;

/** Maximum number of valid tokens. Issuing another one deletes the oldest. @internal */
export const OPERATOR_TOKENS_MAX = 20;

/**
 * Issues a token; a new one for `setup` or for an account invalidates earlier ones.
 * @param now  epoch ms
 * @returns its text, which cannot be retrieved again
 */
export async function issueOperatorToken(
  { DB }: Database,
  purpose: OperatorTokenPurpose,
  ttlMs: number,
  now: number,
  accountId: string | null = null,
): Promise<string> {
  const token = newOperatorToken(crypto.getRandomValues(new Uint8Array(OPERATOR_TOKEN_BYTES)));
  const kept = purpose === "setup" || accountId !== null ? 0 : OPERATOR_TOKENS_MAX - 1;
  await DB.batch([
    expiredTokensDeletion(DB, now),
    DB.prepare(
      `DELETE FROM operator_tokens WHERE purpose = ?1 AND account_id IS ?3 AND token_hash NOT IN
         (SELECT token_hash FROM operator_tokens WHERE purpose = ?1 ORDER BY created_at DESC, token_hash LIMIT ?2)`,
    ).bind(purpose, kept, accountId),
    DB.prepare(
      "INSERT INTO operator_tokens (token_hash, purpose, created_at, expires_at, account_id) VALUES (?1, ?2, ?3, ?4, ?5)",
    ).bind(await sha256(token), purpose, now, now + ttlMs, accountId),
  ]);
  return token;
}

/**
 * Whether a text is a token for this purpose that has not expired.
 * @param now  epoch ms
 */
export async function isOperatorToken(
  { DB }: Database,
  text: string,
  purpose: OperatorTokenPurpose,
  now: number,
): Promise<boolean> {
  if (!looksLikeOperatorToken(text)) return false;
  const sql = "SELECT 1 FROM operator_tokens WHERE token_hash = ?1 AND purpose = ?2 AND expires_at > ?3";
  const found = await queryRow(DB, sql, [await sha256(text), purpose, now]);
  return found !== null;
}

/** Revokes a token before it expires. */
export async function revokeOperatorToken({ DB }: Database, token: string): Promise<void> {
  await changeRows(DB, "DELETE FROM operator_tokens WHERE token_hash = ?1", [await sha256(token)]);
}

/** Deletes expired tokens. */
export async function sweepOperatorTokens({ DB }: Database): Promise<void> {
  await expiredTokensDeletion(DB, Date.now()).run();
}

function expiredTokensDeletion(DB: D1Database, now: number): D1PreparedStatement {
  return DB.prepare("DELETE FROM operator_tokens WHERE expires_at <= ?1").bind(now);
}
