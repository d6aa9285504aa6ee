/**
 * Answers kept for `Idempotency-Key`: written in the same transaction as what they tell of, so a request that is
 * sent again finds either both or neither. Only answers that did something are kept; a refusal changed nothing and
 * may be tried again.
 */
import { sameDigest } from "../core/credentials.ts";
import type { Caller } from "./caller.ts";

const KEPT_MS = 24 * 3_600_000;
const SWEEP_ROWS = 5_000;

/** A request that is to happen once. */
export interface Once {
  key: string;
  /** SHA-256 of method, path and body. */
  hash: Uint8Array;
}

export interface Answer<Body = unknown, Status extends 200 | 201 = 200 | 201> {
  status: Status;
  headers: Record<string, string>;
  body: Body;
}

/** The first answer to this request; "conflict" when the key stands for another one; null when it is new. */
export async function earlierAnswer(env: Env, caller: Caller, once: Once): Promise<Answer | "conflict" | null> {
  const row = await env.DB.prepare(
    `SELECT request_hash, answer FROM idempotency
     WHERE account_id = ?1 AND mode = ?2 AND key = ?3 AND created_at > ?4`,
  )
    .bind(caller.accountId, caller.mode, once.key, Date.now() - KEPT_MS)
    .first<{ request_hash: ArrayBuffer; answer: string }>();
  if (!row) return null;
  const same = sameDigest(new Uint8Array(row.request_hash), once.hash);
  return same ? (JSON.parse(row.answer) as Answer) : "conflict";
}

/** Statements that keep an answer, for the batch that does the work. Fails the batch when the key is already used. */
export function keepAnswer(env: Env, caller: Caller, once: Once | null, answer: Answer): D1PreparedStatement[] {
  if (!once) return [];
  const now = Date.now();
  return [
    env.DB.prepare(
      "DELETE FROM idempotency WHERE account_id = ?1 AND mode = ?2 AND key = ?3 AND created_at <= ?4",
    ).bind(caller.accountId, caller.mode, once.key, now - KEPT_MS),
    env.DB.prepare(
      `INSERT INTO idempotency (account_id, mode, key, request_hash, answer, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
    ).bind(caller.accountId, caller.mode, once.key, once.hash, JSON.stringify(answer), now),
  ];
}

/** Keeps the answer of a request that writes nothing else. */
export async function storeAnswer(env: Env, caller: Caller, once: Once, answer: Answer): Promise<void> {
  await env.DB.batch(keepAnswer(env, caller, once, answer));
}

/** Removes answers that are past their time, in pieces that D1 finishes quickly. */
export async function sweepAnswers(env: Env): Promise<void> {
  for (;;) {
    const { meta } = await env.DB.prepare(
      `DELETE FROM idempotency WHERE (account_id, mode, key) IN
       (SELECT account_id, mode, key FROM idempotency WHERE created_at <= ?1 LIMIT ?2)`,
    )
      .bind(Date.now() - KEPT_MS, SWEEP_ROWS)
      .run();
    if (meta.changes < SWEEP_ROWS) return;
  }
}
