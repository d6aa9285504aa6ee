/**
 * Responses stored for `Idempotency-Key`, in the same transaction as the change they report, so a retry finds both or
 * neither (with links in several databases: request-shares.ts). Only successful responses are stored: an error changed
 * nothing and may be retried. The API chooses and interprets the payload (api/middleware/input.ts).
 */
import { constantTimeEqual } from "../../core/identifiers.ts";
import { HOUR_MS, utcDay } from "../../core/time.ts";
import { ApiError } from "../../core/errors.ts";
import { IDEMPOTENCY_TTL_HOURS, STORED_RESPONSES_MAX_BYTES } from "../../core/limits.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { prepareNamed, type SqlValue, queryRow, changeRows } from "../statements.ts";
import { UnavailableError } from "../timeout.ts";
import { everyDatabase, onlyDatabase } from "./databases.ts";

const RESPONSE_TTL_MS = IDEMPOTENCY_TTL_HOURS * HOUR_MS;
/** A row of D1 can have at most 2 MB. */
const PAYLOAD_MAX_BYTES = 1_000_000;
const SWEEP_CHUNK_ROWS = 5_000;
/** Bytes of a row besides its payload: account, mode, two digests and the time. */
const ROW_OVERHEAD_BYTES = 110;

/** A POST with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** HMAC of the key, which may be long or contain a secret. */
  keyHash: Uint8Array;
  /** HMAC of method, path and canonical body, under a key derived from the deployment's secret. */
  requestHash: Uint8Array;
}

/** Another request has the key, or a copy of this one has already produced its response. */
export class KeyConflictError extends UnavailableError {}

/** Returns the time up to which stored rows have expired. @param now  epoch ms */
function storedExpiry(now: number): number {
  return now - RESPONSE_TTL_MS;
}

/** The response stored for a retry. */
export interface StoredResponse {
  payload: unknown;
}

interface StoredRow {
  request_hash: ArrayBuffer;
}

/** Selects the row stored under a key: a response, a claim or a share. */
export function keyQuery(
  database: D1Database,
  table: "idempotency" | "request_shares",
  { accountId, mode }: Caller,
  { keyHash }: IdempotentRequest,
): D1PreparedStatement {
  const sql = `SELECT * FROM ${table} WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at > ?4`;
  return database.prepare(sql).bind(accountId, mode, keyHash, storedExpiry(Date.now()));
}

export function isOfRequest({ request_hash }: StoredRow, { requestHash }: IdempotentRequest): boolean {
  return constantTimeEqual(new Uint8Array(request_hash), requestHash);
}

export type ResponseRow = StoredRow & { answer: string };

/** @returns "conflict" when the key was used for a different request */
export function responseOf(row: ResponseRow, request: IdempotentRequest): StoredResponse | "conflict" {
  return isOfRequest(row, request) ? { payload: JSON.parse(row.answer) as unknown } : "conflict";
}

/** Fails when the key is claimed or has a stored response (`key_claimed`). */
const CLAIM_SQL = `INSERT INTO request_shares (account_id, mode, key_hash, request_hash, outcomes, created_at)
  VALUES (:account_id, :mode, :key_hash, :request_hash, iif(EXISTS (SELECT 1 FROM idempotency
    WHERE account_id = :account_id AND mode = :mode AND key_hash = :key_hash AND created_at > :expiry), NULL, '[]'), :now)
  ON CONFLICT DO UPDATE SET outcomes = iif(created_at <= :expiry, excluded.outcomes, NULL),
    request_hash = excluded.request_hash, created_at = excluded.created_at`;

/** Claims the key of a request, in a transaction of the home database. */
export function claimStatement(database: D1Database, caller: Caller, request: IdempotentRequest): D1PreparedStatement {
  return prepareNamed(database, CLAIM_SQL, requestValues(caller, request));
}

/** The values that claim and share statements have in common. */
export function requestValues({ accountId, mode }: Caller, request: IdempotentRequest): Record<string, SqlValue> {
  const now = Date.now();
  return {
    account_id: accountId,
    mode,
    key_hash: request.keyHash,
    request_hash: request.requestHash,
    now,
    expiry: storedExpiry(now),
  };
}

/**
 * Statements that store `payload`, for the batch of the home database that contains the change. They fail the batch if
 * the key is already used, or if the day's stored responses exceed the quota (`response_quota`).
 * @throws ApiError quota_exceeded when the payload is too long to store
 */
export function storeResponseStatements(
  env: Env,
  caller: Caller,
  request: IdempotentRequest | null,
  payload: unknown,
): D1PreparedStatement[] {
  if (!request) return [];
  const count = countPayloadStatement(env, caller, payload);
  const claim = onlyDatabase(env) ? [] : [claimStatement(env.DB, caller, request)];
  return [...claim, ...insertResponseStatements(env, caller, request, payload), count];
}

/** Fails (`UNIQUE`) when a response is stored for the key. */
export function insertResponseStatements(
  env: Env,
  { accountId, mode }: Caller,
  { keyHash, requestHash }: IdempotentRequest,
  payload: unknown,
): D1PreparedStatement[] {
  const now = Date.now();
  return [
    env.DB.prepare(
      "DELETE FROM idempotency WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at <= ?4",
    ).bind(accountId, mode, keyHash, storedExpiry(now)),
    env.DB.prepare(
      `INSERT INTO idempotency (account_id, mode, key_hash, request_hash, answer, created_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
    ).bind(accountId, mode, keyHash, requestHash, JSON.stringify(payload), now),
  ];
}

/** Yields NULL, which the NOT NULL constraint refuses, above the daily quota. */
const COUNT_PAYLOAD_SQL = `INSERT INTO idempotency_counts (account_id, counted_on, bytes) VALUES (?1, ?2, ?3)
  ON CONFLICT (account_id) DO UPDATE SET
    bytes = iif(iif(counted_on = excluded.counted_on, bytes, 0) + excluded.bytes <= ?4,
      iif(counted_on = excluded.counted_on, bytes, 0) + excluded.bytes, NULL),
    counted_on = excluded.counted_on`;

/**
 * Counts the bytes of a response stored in the same transaction.
 * @throws ApiError quota_exceeded when the payload is too long to store
 */
export function countPayloadStatement({ DB }: Env, { accountId, plan }: Caller, payload: unknown): D1PreparedStatement {
  const payloadBytes = new TextEncoder().encode(JSON.stringify(payload)).length;
  if (payloadBytes > PAYLOAD_MAX_BYTES) throw payloadTooLong();
  const bytes = ROW_OVERHEAD_BYTES + payloadBytes;
  return DB.prepare(COUNT_PAYLOAD_SQL).bind(accountId, utcDay(Date.now()), bytes, STORED_RESPONSES_MAX_BYTES[plan]);
}

function payloadTooLong(): ApiError {
  return new ApiError(
    "quota_exceeded",
    `The response is larger than the ${PAYLOAD_MAX_BYTES} bytes that are stored for an Idempotency-Key. Send fewer links at a time, or omit the header.`,
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
  await env.DB.batch(storeResponseStatements(env, caller, request, payload));
}

type StoredKey = [accountId: string, mode: string, keyHash: Uint8Array];

/** Keys that sort before and after all others: account ids begin with a letter. */
const [BEFORE_FIRST_KEY, AFTER_LAST_KEY]: [StoredKey, StoredKey] = [
  ["", "", new Uint8Array()],
  ["~", "", new Uint8Array()],
];

/** Deletes expired responses, and expired shares in every database. */
export async function sweepResponses(env: Env): Promise<void> {
  await sweepTable(env.DB, "idempotency");
  await Promise.all(everyDatabase(env).map((database) => sweepTable(database, "request_shares")));
}

/** One pass over the table, in chunks that D1 finishes quickly. */
async function sweepTable(database: D1Database, table: "idempotency" | "request_shares"): Promise<void> {
  const expiredAt = storedExpiry(Date.now());
  const endSql = `SELECT account_id, mode, key_hash FROM ${table} WHERE (account_id, mode, key_hash) > (?1, ?2, ?3)
    ORDER BY account_id, mode, key_hash LIMIT 1 OFFSET ${SWEEP_CHUNK_ROWS - 1}`;
  const sweepSql = `DELETE FROM ${table} WHERE (account_id, mode, key_hash) > (?1, ?2, ?3)
    AND (account_id, mode, key_hash) <= (?4, ?5, ?6) AND created_at <= ?7`;
  for (let from = BEFORE_FIRST_KEY; from !== AFTER_LAST_KEY;) {
    const end = await queryRow<{ account_id: string; mode: string; key_hash: ArrayBuffer }>(database, endSql, from);
    const to: StoredKey = end ? [end.account_id, end.mode, new Uint8Array(end.key_hash)] : AFTER_LAST_KEY;
    await changeRows(database, sweepSql, [...from, ...to, expiredAt]);
    from = to;
  }
}
