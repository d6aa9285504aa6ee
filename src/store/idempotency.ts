/**
 * Responses stored for `Idempotency-Key`, in the same transaction as the change they report, so a retry finds both or
 * neither (where links are in several databases: request-shares.ts). Only successful responses are stored: an error changed
 * nothing and may be retried. The API chooses and interprets the payload (api/middleware/idempotency.ts).
 */
import { constantTimeEqual } from "../core/credentials.ts";
import { ApiError } from "../core/errors.ts";
import { countingBulkLinks } from "./accounts/bulk-limit.ts";
import type { Caller } from "./accounts/caller.ts";
import { countResponseStatement } from "./accounts/quotas.ts";
import { linkDatabases, onlyDatabase } from "./links/links-database.ts";
import { prepareNamed } from "./named-statement.ts";
import {
  claimStatement,
  type IdempotentRequest,
  isKeyClaimedError,
  KeyConflictError,
  readShares,
  shareQuery,
  storedExpiry,
} from "./request-shares.ts";

/** A row of D1 has at most 2 MB. */
const PAYLOAD_MAX_BYTES = 1_000_000;
const SWEEP_CHUNK_ROWS = 5_000;
/** Bytes of a row besides its payload: account, mode, two digests, the time. */
const ROW_OVERHEAD_BYTES = 110;

/** @returns the stored payload; "conflict" when the key was used for a different request; null when the key is new */
export async function findStoredResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
): Promise<{ payload: unknown } | "conflict" | null> {
  const query = env.DB.prepare(
    `SELECT request_hash, answer FROM idempotency
     WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at > ?4`,
  ).bind(caller.accountId, caller.mode, request.keyHash, storedExpiry(Date.now()));
  if (!onlyDatabase(env)) return findSharedResponse(env, caller, request, query);
  const row = await query.first<ResponseRow>();
  return row && storedResponseOf(row, request);
}

interface ResponseRow {
  request_hash: ArrayBuffer;
  answer: string;
}

function storedResponseOf(row: ResponseRow, { requestHash }: IdempotentRequest): { payload: unknown } | "conflict" {
  const same = constantTimeEqual(new Uint8Array(row.request_hash), requestHash);
  return same ? { payload: JSON.parse(row.answer) as unknown } : "conflict";
}

/** A request that was claimed, and has no stored response yet, may have been completed in one database. */
async function findSharedResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
  query: D1PreparedStatement,
): Promise<{ payload: unknown } | "conflict" | null> {
  const [stored, claim] = await env.DB.batch<ResponseRow>([query, shareQuery(env.DB, caller, request)]);
  const [row] = stored?.results ?? [];
  if (row) return storedResponseOf(row, request);
  if (!claim?.results.length) return null;
  try {
    return (await readShares(env, caller, request)).response;
  } catch (error) {
    if (error instanceof KeyConflictError) return "conflict";
    throw error;
  }
}

/**
 * Statements that store `payload`, for the batch of the home database that makes the change. They fail the batch when the
 * key is already used, or when the day's stored responses exceed the quota (`isResponseQuotaError`).
 * @throws ApiError quota_exceeded when the payload is too long to be stored
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

function insertResponseStatements(
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

/** @throws ApiError quota_exceeded when the payload is too long to be stored */
function countPayloadStatement(env: Env, caller: Caller, payload: unknown): D1PreparedStatement {
  const payloadBytes = new TextEncoder().encode(JSON.stringify(payload)).length;
  if (payloadBytes > PAYLOAD_MAX_BYTES) throw payloadTooLong();
  return countResponseStatement(env.DB, caller, ROW_OVERHEAD_BYTES + payloadBytes, Date.now());
}

/**
 * Claims the key of a request that writes to several databases, and counts the response that is planned, before anything
 * is written.
 * @param cost  of a bulk request, which is counted with its claim, and so once
 * @returns false when a copy of the request has claimed it, or another request has
 * @throws as `storeResponseStatements` and `countingBulkLinks`
 */
export async function claimKey(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
  payload: unknown,
  cost: number | null,
): Promise<boolean> {
  const claim = claimStatement(env.DB, caller, request);
  const countPayload = countPayloadStatement(env, caller, payload);
  try {
    await countingBulkLinks(env, caller, cost, (count) => env.DB.batch([claim, ...count, countPayload]));
    return true;
  } catch (error) {
    if (isKeyClaimedError(error)) return false;
    throw error;
  }
}

/** Stores the response of a request whose key was claimed. @throws the UNIQUE error of D1 when a copy has stored its own */
export async function storeClaimedResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
  payload: unknown,
): Promise<void> {
  await env.DB.batch(insertResponseStatements(env, caller, request, payload));
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
  await env.DB.batch(storeResponseStatements(env, caller, request, payload));
}

type StoredKey = [accountId: string, mode: string, keyHash: Uint8Array];

/** Bounds below and above every key: account ids begin with a letter. */
const [BEFORE_FIRST_KEY, AFTER_LAST_KEY]: [StoredKey, StoredKey] = [
  ["", "", new Uint8Array()],
  ["~", "", new Uint8Array()],
];

type ExpiringTable = "idempotency" | "request_shares";

const sweepSql = (table: ExpiringTable) => `DELETE FROM ${table}
  WHERE (account_id, mode, key_hash) > (:from_account, :from_mode, :from_key)
    AND (account_id, mode, key_hash) <= (:to_account, :to_mode, :to_key) AND created_at <= :expired_at`;

const SWEEP_SQL = { idempotency: sweepSql("idempotency"), request_shares: sweepSql("request_shares") };

/** Deletes expired responses, and shares in every database. */
export async function sweepResponses(env: Env): Promise<void> {
  await sweepTable(env.DB, "idempotency");
  const databases = new Set([env.DB, ...linkDatabases(env)]);
  await Promise.all([...databases].map((database) => sweepTable(database, "request_shares")));
}

/** One pass over the table, in chunks that D1 finishes quickly. */
async function sweepTable(database: D1Database, table: ExpiringTable): Promise<void> {
  const expired_at = storedExpiry(Date.now());
  for (let from = BEFORE_FIRST_KEY; from !== AFTER_LAST_KEY;) {
    const to = (await findKeyAfter(database, table, from, SWEEP_CHUNK_ROWS)) ?? AFTER_LAST_KEY;
    const [from_account, from_mode, from_key] = from;
    const [to_account, to_mode, to_key] = to;
    const keys = { from_account, from_mode, from_key, to_account, to_mode, to_key };
    await prepareNamed(database, SWEEP_SQL[table], { ...keys, expired_at }).run();
    from = to;
  }
}

async function findKeyAfter(
  database: D1Database,
  table: ExpiringTable,
  from: StoredKey,
  rows: number,
): Promise<StoredKey | null> {
  const row = await database
    .prepare(
      `SELECT account_id, mode, key_hash FROM ${table} WHERE (account_id, mode, key_hash) > (?1, ?2, ?3)
       ORDER BY account_id, mode, key_hash LIMIT 1 OFFSET ?4`,
    )
    .bind(...from, rows - 1)
    .first<{ account_id: string; mode: string; key_hash: ArrayBuffer }>();
  return row && [row.account_id, row.mode, new Uint8Array(row.key_hash)];
}
