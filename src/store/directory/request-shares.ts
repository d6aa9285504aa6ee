/**
 * Requests with an `Idempotency-Key` on links in several databases, which cannot share a transaction. A row in the home
 * database claims the key before anything is written, so that another request with it is refused. The changes in one
 * database are one transaction with its share: the results of its items there. If two copies are in flight, one commits
 * a share and the other uses its results. A retry after a crash does what has no share yet. The complete response is
 * stored last, in the home database (idempotency.ts).
 */
import { bucketText } from "../../core/links/buckets.ts";
import { countingBulkLinks } from "../accounts/quotas.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { prepareNamed, changeRows } from "../statements.ts";
import { everyDatabase } from "./databases.ts";
import {
  claimStatement,
  countPayloadStatement,
  type IdempotentRequest,
  isOfRequest,
  KeyConflictError,
  keyQuery,
  requestValues,
  responseOf,
  type ResponseRow,
  type StoredResponse,
} from "./idempotency.ts";
import { signalOf } from "../timeout.ts";

/** An item's position in the request, and its result as stored. */
export type ShareEntry = [position: number, result: unknown];

/** The results in one database; the whole response if the request has items in no other. */
export type RequestShare = ShareEntry[] | { response: unknown };

/** What copies or earlier attempts of a request have done. */
export interface DoneShares {
  isClaimed: boolean;
  /** Results by item position. */
  results: Map<number, unknown>;
  /** Null while unknown. */
  response: { payload: unknown } | null;
}

/**
 * Fails when an item already has a result, when another request has the key, or when a bucket has moved away in the
 * meantime: its result may then be in another database (`key_claimed`).
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

/** @param buckets  buckets of the items */
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

/**
 * Claims the key of a request that writes to several databases, and counts the planned response, before anything is
 * written.
 * @param cost  cost of a bulk request, counted with its claim and therefore only once
 * @returns false when a copy of the request, or another request, has already claimed it
 * @throws the errors of `storeResponseStatements` and `countingBulkLinks`
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
    if (signalOf(error) === "key_claimed") return false;
    throw error;
  }
}

/** A claimed request without a stored response may have been completed in one database. */
export async function findSharedResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
): Promise<StoredResponse | "conflict" | null> {
  const queries = (["idempotency", "request_shares"] as const).map((table) => keyQuery(env.DB, table, caller, request));
  const [stored, claim] = await env.DB.batch<ResponseRow>(queries);
  const [row] = stored?.results ?? [];
  if (row) return responseOf(row, request);
  if (!claim?.results.length) return null;
  try {
    return (await readShares(env, caller, request)).response;
  } catch (error) {
    if (error instanceof KeyConflictError) return "conflict";
    throw error;
  }
}

/** Reads every database: buckets may have moved since an earlier attempt. @throws KeyConflictError */
export async function readShares(env: Env, caller: Caller, request: IdempotentRequest): Promise<DoneShares> {
  const queries = everyDatabase(env).map((database) => keyQuery(database, "request_shares", caller, request));
  const rows = await Promise.all(queries.map((each) => each.first<{ request_hash: ArrayBuffer; outcomes: string }>()));
  const done: DoneShares = { isClaimed: rows[0] !== null, results: new Map(), response: null };
  for (const row of rows) {
    if (!row) continue;
    if (!isOfRequest(row, request)) throw new KeyConflictError("another request has the key");
    const share = JSON.parse(row.outcomes) as RequestShare;
    if (Array.isArray(share)) for (const [position, result] of share) done.results.set(position, result);
    else done.response = { payload: share.response };
  }
  return done;
}

/** The request was refused and has changed nothing, so its key may be used for another one. */
export async function releaseClaim(env: Env, { accountId, mode }: Caller, request: IdempotentRequest): Promise<void> {
  const sql = `DELETE FROM request_shares
    WHERE account_id = ?1 AND mode = ?2 AND key_hash = ?3 AND request_hash = ?4 AND outcomes = '[]'`;
  await changeRows(env.DB, sql, [accountId, mode, request.keyHash, request.requestHash]);
}
