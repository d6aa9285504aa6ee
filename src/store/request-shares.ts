/**
 * Requests with an `Idempotency-Key` where links are in several databases, over which there is no transaction. A row in
 * the home database claims the key before anything is written, so that another request under it is refused. What a request
 * does in one database is one transaction with its share: the results of its items there. Of two copies in flight one
 * commits a share, and the other takes its results; a retry after a crash does what has no share yet. The complete response
 * is stored last, in the home database (idempotency.ts).
 */
import { constantTimeEqual } from "../core/credentials.ts";
import { HOUR_MS } from "../core/durations.ts";
import { bucketText } from "../core/links/buckets.ts";
import { IDEMPOTENCY_TTL_HOURS } from "../core/limits.ts";
import type { Caller } from "./accounts/caller.ts";
import { linkDatabases } from "./links/links-database.ts";
import { prepareNamed, type SqlValue } from "./named-statement.ts";
import { UnavailableError } from "./timeout.ts";

const RESPONSE_TTL_MS = IDEMPOTENCY_TTL_HOURS * HOUR_MS;

/** A POST with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** SHA-256 of the key, which may be long or contain a secret. */
  keyHash: Uint8Array;
  /** SHA-256 of method, path and canonical body. */
  requestHash: Uint8Array;
}

/** The result of an item of the request, as it is stored, and the item's position. */
export type ShareEntry = [position: number, result: unknown];

/** The results in one database; the whole response where the request has items in no other. */
export type RequestShare = ShareEntry[] | { response: unknown };

/** What copies of a request, or earlier attempts, have done. */
export interface DoneShares {
  isClaimed: boolean;
  /** By the positions of items. */
  results: Map<number, unknown>;
  /** Null while it is not known. */
  response: { payload: unknown } | null;
}

/** Another request has the key, or a copy of this one its response. */
export class KeyConflictError extends UnavailableError {}

/** What was stored until then has expired. @param now  epoch ms */
export function storedExpiry(now: number): number {
  return now - RESPONSE_TTL_MS;
}

/** Fails when the key is claimed or has a stored response (`isKeyClaimedError`). */
const CLAIM_SQL = `INSERT INTO request_shares (account_id, mode, key_hash, request_hash, outcomes, created_at)
  VALUES (:account_id, :mode, :key_hash, :request_hash, iif(EXISTS (SELECT 1 FROM idempotency
    WHERE account_id = :account_id AND mode = :mode AND key_hash = :key_hash AND created_at > :expiry), NULL, '[]'), :now)
  ON CONFLICT DO UPDATE SET outcomes = iif(created_at <= :expiry, excluded.outcomes, NULL),
    request_hash = excluded.request_hash, created_at = excluded.created_at`;

/**
 * Fails when an item has a result already, when another request has the key, or when a bucket was given away meanwhile:
 * then the item's result may be in another database (`isKeyClaimedError`).
 */
const SHARE_SQL = `INSERT INTO request_shares (account_id, mode, key_hash, request_hash, outcomes, created_at)
  VALUES (:account_id, :mode, :key_hash, :request_hash, iif(EXISTS (SELECT 1 FROM moved_buckets
    WHERE bucket IN (SELECT value FROM json_each(:buckets))), NULL, :outcomes), :now)
  ON CONFLICT DO UPDATE SET
    outcomes = CASE
      WHEN created_at <= :expiry THEN excluded.outcomes
      WHEN request_hash <> excluded.request_hash THEN NULL
      WHEN outcomes = '[]' THEN excluded.outcomes
      WHEN json_type(outcomes) = 'object' OR json_type(excluded.outcomes) = 'object' THEN NULL
      WHEN EXISTS (SELECT 1 FROM json_each(outcomes) WHERE value ->> 0 IN (SELECT value FROM json_each(:positions))) THEN NULL
      ELSE substr(outcomes, 1, length(outcomes) - 1) || ',' || substr(excluded.outcomes, 2)
    END,
    request_hash = excluded.request_hash,
    created_at = iif(created_at <= :expiry, excluded.created_at, created_at)`;

/** Claims the key of a request, in a transaction of the home database. */
export function claimStatement(database: D1Database, caller: Caller, request: IdempotentRequest): D1PreparedStatement {
  return prepareNamed(database, CLAIM_SQL, requestValues(caller, request));
}

/** @param buckets  where the items belong */
export function shareStatement(
  database: D1Database,
  caller: Caller,
  request: IdempotentRequest,
  share: RequestShare,
  buckets: readonly number[],
): D1PreparedStatement {
  return prepareNamed(database, SHARE_SQL, {
    ...requestValues(caller, request),
    outcomes: JSON.stringify(share),
    positions: JSON.stringify(Array.isArray(share) ? share.map(([position]) => position) : []),
    buckets: JSON.stringify([...new Set(buckets)].map(bucketText)),
  });
}

function requestValues({ accountId, mode }: Caller, request: IdempotentRequest): Record<string, SqlValue> {
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

export function isKeyClaimedError(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: request_shares.outcomes");
}

interface ShareRow {
  request_hash: ArrayBuffer;
  outcomes: string;
}

const SHARE_OF_REQUEST_SQL = `SELECT request_hash, outcomes FROM request_shares
  WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND created_at > ?4`;

/** Selects a claim or a share. */
export function shareQuery(
  database: D1Database,
  { accountId, mode }: Caller,
  { keyHash }: IdempotentRequest,
): D1PreparedStatement {
  return database.prepare(SHARE_OF_REQUEST_SQL).bind(accountId, mode, keyHash, storedExpiry(Date.now()));
}

/** Reads every database, because the buckets of some items may have moved since an earlier attempt. @throws KeyConflictError */
export async function readShares(env: Env, caller: Caller, request: IdempotentRequest): Promise<DoneShares> {
  const databases = [...new Set([env.DB, ...linkDatabases(env)])];
  const rows = await Promise.all(databases.map((database) => shareQuery(database, caller, request).first<ShareRow>()));
  const done: DoneShares = { isClaimed: rows[0] !== null, results: new Map(), response: null };
  for (const row of rows) {
    if (!row) continue;
    if (!constantTimeEqual(new Uint8Array(row.request_hash), request.requestHash))
      throw new KeyConflictError("another request has the key");
    const share = JSON.parse(row.outcomes) as RequestShare;
    if (Array.isArray(share)) for (const [position, result] of share) done.results.set(position, result);
    else done.response = { payload: share.response };
  }
  return done;
}

/** The request was refused and has done nothing, so its key may be used for another one. */
export async function releaseClaim(env: Env, { accountId, mode }: Caller, request: IdempotentRequest): Promise<void> {
  await env.DB.prepare(
    `DELETE FROM request_shares
     WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND request_hash = ?4 AND outcomes = '[]'`,
  )
    .bind(accountId, mode, request.keyHash, request.requestHash)
    .run();
}
