/**
 * Answers kept for `Idempotency-Key`: written in the same transaction as what they tell of, so a request that is
 * sent again finds either both or neither. Only answers that did something are kept; a refusal changed nothing and
 * may be tried again.
 */
import { sameDigest } from "../core/credentials.ts";
import type { Caller } from "./caller.ts";
import { countAnswer } from "./quotas.ts";

const KEPT_MS = 24 * 3_600_000;
const SWEEP_ROWS = 5_000;
/** Of a row beside its answer: account, mode, two digests, the time. */
const ROW_BYTES = 110;

/** A request that is to happen once. */
export interface Once {
  /** SHA-256 of the key, which may be long, or secret. */
  keyHash: Uint8Array;
  /** SHA-256 of method, path and body. */
  hash: Uint8Array;
  /** The first answer, from what was kept of it and from this request, which is the same. */
  answerFrom: (kept: unknown) => Answer;
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
     WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at > ?4`,
  )
    .bind(caller.accountId, caller.mode, once.keyHash, Date.now() - KEPT_MS)
    .first<{ request_hash: ArrayBuffer; answer: string }>();
  if (!row) return null;
  const same = sameDigest(new Uint8Array(row.request_hash), once.hash);
  return same ? once.answerFrom(JSON.parse(row.answer)) : "conflict";
}

/**
 * Statements that keep what `answerFrom` needs, for the batch that does the work. They fail the batch when the key is
 * already used, or the account's answers of today are too many (`answersQuota`).
 */
export function keepAnswer(env: Env, caller: Caller, once: Once | null, kept: unknown): D1PreparedStatement[] {
  if (!once) return [];
  const now = Date.now();
  const answer = JSON.stringify(kept);
  const bytes = ROW_BYTES + new TextEncoder().encode(answer).length;
  return [
    env.DB.prepare(
      "DELETE FROM idempotency WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at <= ?4",
    ).bind(caller.accountId, caller.mode, once.keyHash, now - KEPT_MS),
    env.DB.prepare(
      `INSERT INTO idempotency (account_id, mode, key_hash, request_hash, answer, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
    ).bind(caller.accountId, caller.mode, once.keyHash, once.hash, answer, now),
    countAnswer(env, caller, bytes, now),
  ];
}

/** Keeps the answer of a request that writes nothing else. */
export async function storeAnswer(env: Env, caller: Caller, once: Once, kept: unknown): Promise<void> {
  await env.DB.batch(keepAnswer(env, caller, once, kept));
}

type AnswerKey = [accountId: string, mode: string, keyHash: Uint8Array];

/** Before and after every key: ids of accounts begin with a letter. */
const [FIRST, LAST]: [AnswerKey, AnswerKey] = [
  ["", "", new Uint8Array()],
  ["~", "", new Uint8Array()],
];

/** Removes answers that are past their time: once through the table, in pieces that D1 finishes quickly. */
export async function sweepAnswers(env: Env): Promise<void> {
  const old = Date.now() - KEPT_MS;
  for (let from = FIRST; from !== LAST;) {
    const to = (await keyAfter(env, from, SWEEP_ROWS)) ?? LAST;
    await env.DB.prepare(
      `DELETE FROM idempotency WHERE (account_id, mode, key_hash) > (?1, ?2, ?3)
         AND (account_id, mode, key_hash) <= (?4, ?5, ?6) AND created_at <= ?7`,
    )
      .bind(...from, ...to, old)
      .run();
    from = to;
  }
}

async function keyAfter(env: Env, from: AnswerKey, rows: number): Promise<AnswerKey | null> {
  const row = await env.DB.prepare(
    `SELECT account_id, mode, key_hash FROM idempotency WHERE (account_id, mode, key_hash) > (?1, ?2, ?3)
     ORDER BY account_id, mode, key_hash LIMIT 1 OFFSET ?4`,
  )
    .bind(...from, rows - 1)
    .first<{ account_id: string; mode: string; key_hash: ArrayBuffer }>();
  return row && [row.account_id, row.mode, new Uint8Array(row.key_hash)];
}
