/**
 * Responses stored for `Idempotency-Key`, in the same transaction as the change they report, so a retry finds both or
 * neither. Only successful responses are stored: an error changed nothing and may be retried. The API chooses and
 * interprets the payload (api/middleware/idempotency.ts).
 */
import { constantTimeEqual } from "../core/credentials.ts";
import { HOUR_MS } from "../core/durations.ts";
import { ApiError } from "../core/errors.ts";
import { IDEMPOTENCY_TTL_HOURS } from "../core/limits.ts";
import type { Caller } from "./accounts/caller.ts";
import { countResponseStatement } from "./accounts/quotas.ts";
import { prepareNamed } from "./named-statement.ts";

const RESPONSE_TTL_MS = IDEMPOTENCY_TTL_HOURS * HOUR_MS;
/** A row of D1 has at most 2 MB. */
const PAYLOAD_MAX_BYTES = 1_000_000;
const SWEEP_CHUNK_ROWS = 5_000;
/** Bytes of a row besides its payload: account, mode, two digests, the time. */
const ROW_OVERHEAD_BYTES = 110;

/** A POST with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** SHA-256 of the key, which may be long or contain a secret. */
  keyHash: Uint8Array;
  /** SHA-256 of method, path and canonical body. */
  requestHash: Uint8Array;
}

/** @returns the stored payload; "conflict" when the key was used for a different request; null when the key is new */
export async function findStoredResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
): Promise<{ payload: unknown } | "conflict" | null> {
  const row = await env.DB.prepare(
    `SELECT request_hash, answer FROM idempotency
     WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at > ?4`,
  )
    .bind(caller.accountId, caller.mode, request.keyHash, Date.now() - RESPONSE_TTL_MS)
    .first<{ request_hash: ArrayBuffer; answer: string }>();
  if (!row) return null;
  const same = constantTimeEqual(new Uint8Array(row.request_hash), request.requestHash);
  return same ? { payload: JSON.parse(row.answer) as unknown } : "conflict";
}

/**
 * Statements that store `payload`, for the batch that makes the change. They fail the batch when the key is already
 * used, or when the day's stored responses exceed the quota (`isResponseQuotaError`).
 * @throws ApiError quota_exceeded when the payload is too long to be stored
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
  const payloadBytes = new TextEncoder().encode(payloadJson).length;
  if (payloadBytes > PAYLOAD_MAX_BYTES) throw payloadTooLong();
  const bytes = ROW_OVERHEAD_BYTES + payloadBytes;
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

function payloadTooLong(): ApiError {
  return new ApiError(
    "quota_exceeded",
    `The answer is longer than the ${PAYLOAD_MAX_BYTES} bytes that are kept for an Idempotency-Key: send fewer links at a time, or no key`,
    { param: "Idempotency-Key" },
  );
}

/** Stores the response of a request that writes nothing else to D1. */
export async function storeResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
  payload: unknown,
): Promise<void> {
  await env.DB.batch(storeResponseStatements(env.DB, caller, request, payload));
}

type ResponseKey = [accountId: string, mode: string, keyHash: Uint8Array];

/** Bounds below and above every key: account ids begin with a letter. */
const [BEFORE_FIRST_KEY, AFTER_LAST_KEY]: [ResponseKey, ResponseKey] = [
  ["", "", new Uint8Array()],
  ["~", "", new Uint8Array()],
];

const SWEEP_SQL = `DELETE FROM idempotency
  WHERE (account_id, mode, key_hash) > (:from_account, :from_mode, :from_key)
    AND (account_id, mode, key_hash) <= (:to_account, :to_mode, :to_key) AND created_at <= :expired_at`;

/** Deletes expired responses: one pass over the table, in chunks that D1 finishes quickly. */
export async function sweepResponses(env: Env): Promise<void> {
  const old = Date.now() - RESPONSE_TTL_MS;
  for (let from = BEFORE_FIRST_KEY; from !== AFTER_LAST_KEY;) {
    const to = (await findKeyAfter(env, from, SWEEP_CHUNK_ROWS)) ?? AFTER_LAST_KEY;
    const [from_account, from_mode, from_key] = from;
    const [to_account, to_mode, to_key] = to;
    const keys = { from_account, from_mode, from_key, to_account, to_mode, to_key };
    await prepareNamed(env.DB, SWEEP_SQL, { ...keys, expired_at: old }).run();
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
