/**
 * Answers kept for `Idempotency-Key`: written in the same transaction as what they tell of, so a request that is
 * sent again finds either both or neither. Only answers that did something are kept; a refusal changed nothing and
 * may be tried again.
 */
import { constantTimeEqual } from "../core/credentials.ts";
import { IDEMPOTENCY_TTL_HOURS } from "../core/limits.ts";
import type { Caller } from "./accounts/caller.ts";
import { countResponseStatement } from "./accounts/quotas.ts";

const RESPONSE_TTL_MS = IDEMPOTENCY_TTL_HOURS * 3_600_000;
const SWEEP_CHUNK_ROWS = 5_000;
/** Of a row beside its answer: account, mode, two digests, the time. */
const ROW_OVERHEAD_BYTES = 110;

/** A request that is to happen once. */
export interface IdempotentRequest {
  /** SHA-256 of the key, which may be long, or secret. */
  keyHash: Uint8Array;
  /** SHA-256 of method, path and body. */
  requestHash: Uint8Array;
  /** The first answer, from what was kept of it and from this request, which is the same. */
  restoreResponse: (kept: unknown) => JsonResponse;
}

export interface JsonResponse<Body = unknown, Status extends 200 | 201 = 200 | 201> {
  status: Status;
  headers: Record<string, string>;
  body: Body;
}

/** The first answer to this request; "conflict" when the key stands for another one; null when it is new. */
export async function findStoredResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
): Promise<JsonResponse | "conflict" | null> {
  const row = await env.DB.prepare(
    `SELECT request_hash, answer FROM idempotency
     WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at > ?4`,
  )
    .bind(caller.accountId, caller.mode, request.keyHash, Date.now() - RESPONSE_TTL_MS)
    .first<{ request_hash: ArrayBuffer; answer: string }>();
  if (!row) return null;
  const same = constantTimeEqual(new Uint8Array(row.request_hash), request.requestHash);
  return same ? request.restoreResponse(JSON.parse(row.answer)) : "conflict";
}

/**
 * Statements that keep what `restoreResponse` needs, for the batch that does the work. They fail the batch when the key is
 * already used, or the account's answers of today are too many (`asResponseQuotaError`).
 */
export function storeResponseStatements(
  database: D1Database,
  caller: Caller,
  request: IdempotentRequest | null,
  payload: unknown,
): D1PreparedStatement[] {
  if (!request) return [];
  const now = Date.now();
  const payloadJson = JSON.stringify(payload);
  const bytes = ROW_OVERHEAD_BYTES + new TextEncoder().encode(payloadJson).length;
  return [
    database
      .prepare("DELETE FROM idempotency WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at <= ?4")
      .bind(caller.accountId, caller.mode, request.keyHash, now - RESPONSE_TTL_MS),
    database
      .prepare(
        `INSERT INTO idempotency (account_id, mode, key_hash, request_hash, answer, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
      )
      .bind(caller.accountId, caller.mode, request.keyHash, request.requestHash, payloadJson, now),
    countResponseStatement(database, caller, bytes, now),
  ];
}

/** Keeps the answer of a request that writes nothing else. */
export async function storeResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
  payload: unknown,
): Promise<void> {
  await env.DB.batch(storeResponseStatements(env.DB, caller, request, payload));
}

type ResponseKey = [accountId: string, mode: string, keyHash: Uint8Array];

/** Before and after every key: ids of accounts begin with a letter. */
const [BEFORE_FIRST_KEY, AFTER_LAST_KEY]: [ResponseKey, ResponseKey] = [
  ["", "", new Uint8Array()],
  ["~", "", new Uint8Array()],
];

/** Removes answers that are past their time: once through the table, in pieces that D1 finishes quickly. */
export async function sweepResponses(env: Env): Promise<void> {
  const old = Date.now() - RESPONSE_TTL_MS;
  for (let from = BEFORE_FIRST_KEY; from !== AFTER_LAST_KEY;) {
    const to = (await findKeyAfter(env, from, SWEEP_CHUNK_ROWS)) ?? AFTER_LAST_KEY;
    await env.DB.prepare(
      `DELETE FROM idempotency WHERE (account_id, mode, key_hash) > (?1, ?2, ?3)
         AND (account_id, mode, key_hash) <= (?4, ?5, ?6) AND created_at <= ?7`,
    )
      .bind(...from, ...to, old)
      .run();
    from = to;
  }
}

async function findKeyAfter(env: Env, from: ResponseKey, rows: number): Promise<ResponseKey | null> {
  const row = await env.DB.prepare(
    `SELECT account_id, mode, key_hash FROM idempotency WHERE (account_id, mode, key_hash) > (?1, ?2, ?3)
     ORDER BY account_id, mode, key_hash LIMIT 1 OFFSET ?4`,
  )
    .bind(...from, rows - 1)
    .first<{ account_id: string; mode: string; key_hash: ArrayBuffer }>();
  return row && [row.account_id, row.mode, new Uint8Array(row.key_hash)];
}
