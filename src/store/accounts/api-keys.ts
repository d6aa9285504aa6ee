import { type Plan, type Mode, SCOPES, type Scope } from "../../core/account.ts";
import type { KeyInfo } from "../../core/contract/dashboard.ts";
import { sha256 } from "../../core/encoding/bytes.ts";
import { ApiError } from "../../core/errors.ts";
import { KEY_RANDOM_WORDS, type ApiKeyParts, newApiKey, constantTimeEqual } from "../../core/identifiers.ts";
import { KEYS_MAX } from "../../core/limits.ts";
import type { LinkOrigin } from "../../core/links/link-snapshot.ts";
import { DAY_MS, timestamp, timestampOrNull, utcDay } from "../../core/time.ts";
import {
  type Column,
  columnNames,
  json,
  plain,
  recordFromRow,
  type RecordOf,
  rowFromRecord,
  prepareNamed,
  changeRows,
  queryRows,
  queryRow,
} from "../statements.ts";

/**
 * API keys in D1: create, list, revoke and authenticate. Only the SHA-256 of a secret is stored, and digests are
 * compared in constant time. The format of keys is in `core/identifiers.ts`.
 */

type Database = Pick<Env, "DB">;

/** The context of a request or an event, in which work may go on after the response. */
export type BackgroundContext = Pick<ExecutionContext, "waitUntil">;

interface KeyRow {
  account_id: string;
  plan: Plan;
  scopes: string;
  secret_hash: ArrayBuffer;
  last_used_on: number | null;
  exposed_at: number | null;
  suspended: number | null;
}

const LAST_USED_COLUMN: Column<number | null> = {
  name: "last_used_on",
  toSql: (at) => at && at / DAY_MS,
  fromSql: (day) => (day === null ? null : Number(day) * DAY_MS),
};

const KEY_COLUMNS = {
  id: plain<string>("id"),
  mode: plain<Mode>("mode"),
  name: plain<string>("name"),
  scopes: json<readonly Scope[]>("scopes"),
  lastFour: plain<string>("last_four"),
  createdAt: plain<number>("created_at"),
  lastUsedAt: LAST_USED_COLUMN,
  /** When the key was first sent over plain HTTP. */
  exposedAt: plain<number | null>("exposed_at"),
};

/** A key that is not revoked, without its secret. Times are epoch ms; the last use is the start of its UTC day. */
export type KeyRecord = RecordOf<typeof KEY_COLUMNS>;

export function keyInfoOf({ id, mode, name, scopes, lastFour, createdAt, lastUsedAt, exposedAt }: KeyRecord): KeyInfo {
  return {
    id,
    mode,
    name,
    scopes: [...scopes],
    last_four: lastFour,
    created_at: timestamp(createdAt),
    last_used_at: timestampOrNull(lastUsedAt),
    exposed_at: timestampOrNull(exposedAt),
  };
}

const INSERT_SQL = `INSERT INTO api_keys (id, account_id, mode, name, secret_hash, last_four, scopes, created_at)
  SELECT :id, :account_id, :mode, :name, :secret_hash, :last_four, :scopes, :created_at
  WHERE (SELECT count(*) FROM api_keys WHERE account_id = :account_id AND mode = :mode AND revoked_at IS NULL)
    < :keys_max
  RETURNING id`;

/** Creates a key. @returns its text, which cannot be retrieved again */
export async function issueKeyText(
  database: Database,
  accountId: string,
  mode: Mode,
  name: string,
  scopes: readonly Scope[] = SCOPES,
): Promise<string> {
  return (await issueKey(database, accountId, { mode, name, scopes })).text;
}

/**
 * Creates a key. The inserting statement counts the existing ones, so concurrent requests cannot exceed the quota.
 * @throws ApiError quota_exceeded when the account has the maximum number of keys in this mode
 */
export async function issueKey(
  { DB }: Database,
  accountId: string,
  { mode, name, scopes }: Pick<KeyRecord, "mode" | "name" | "scopes">,
): Promise<{ text: string; record: KeyRecord }> {
  const key = newApiKey(mode, crypto.getRandomValues(new Uint32Array(KEY_RANDOM_WORDS)));
  const lastFour = key.secret.slice(-4);
  const times = { createdAt: Date.now(), lastUsedAt: null, exposedAt: null };
  const record = { id: key.id, mode, name, scopes, lastFour, ...times };
  await pruneRevokedKeys({ DB }, accountId, mode);
  const inserted = await prepareNamed(DB, INSERT_SQL, {
    ...rowFromRecord<KeyRecord>(KEY_COLUMNS, record),
    account_id: accountId,
    secret_hash: await sha256(key.secret),
    keys_max: KEYS_MAX,
  }).first();
  if (!inserted) {
    throw new ApiError("quota_exceeded", `This account has ${KEYS_MAX} ${mode} keys, the maximum. Revoke one first.`);
  }
  return { text: key.text, record };
}

/**
 * Deletes all but the newest revoked keys, which the operator can inspect: creating and revoking keys in a loop must
 * not fill the table.
 */
async function pruneRevokedKeys({ DB }: Database, accountId: string, mode: Mode): Promise<void> {
  const sql = `DELETE FROM api_keys WHERE account_id = ?1 AND mode = ?2 AND revoked_at IS NOT NULL AND id NOT IN
    (SELECT id FROM api_keys WHERE account_id = ?1 AND mode = ?2 AND revoked_at IS NOT NULL
     ORDER BY revoked_at DESC, id LIMIT ?3)`;
  await changeRows(DB, sql, [accountId, mode, KEYS_MAX]);
}

const KEYS_SQL = `SELECT ${columnNames<KeyRecord>(KEY_COLUMNS).join(", ")} FROM api_keys
  WHERE account_id = ?1 AND revoked_at IS NULL`;

/** Lists an account's keys that are not revoked, in both modes, newest first. */
export async function listKeys({ DB }: Database, accountId: string): Promise<KeyRecord[]> {
  const results = await queryRows(DB, `${KEYS_SQL} ORDER BY created_at DESC, id`, [accountId]);
  return results.map((row) => recordFromRow<KeyRecord>(KEY_COLUMNS, row));
}

/** Returns a key of the account; null if it has no such key, or the key was revoked. */
export async function readKey({ DB }: Database, accountId: string, id: string): Promise<KeyRecord | null> {
  const row = await queryRow(DB, `${KEYS_SQL} AND id = ?2`, [accountId, id]);
  return row && recordFromRow<KeyRecord>(KEY_COLUMNS, row);
}

/**
 * Revokes a key, effective with the next request, since every request looks its key up.
 * @param accountId  the account it must belong to; null for any
 * @returns false when there is no such key, or it was already revoked
 */
export async function revokeKey({ DB }: Database, keyId: string, accountId: string | null = null): Promise<boolean> {
  const sql = `UPDATE api_keys SET revoked_at = ?3
    WHERE id = ?1 AND account_id = coalesce(?2, account_id) AND revoked_at IS NULL`;
  return (await changeRows(DB, sql, [keyId, accountId, Date.now()])) > 0;
}

/**
 * Finds the caller of a key. Never cached, so a revocation or a change of plan applies to the next request.
 * @returns null when the key is unknown or revoked; "suspended" when its account is suspended
 */
export async function findCallerByKey(
  { DB }: Database,
  key: ApiKeyParts,
  ctx: BackgroundContext,
): Promise<Caller | "suspended" | null> {
  const row = await findKeyRow({ DB }, key);
  if (!row) return null;
  if (row.suspended) return "suspended";
  const today = utcDay(Date.now());
  if (row.last_used_on !== today) ctx.waitUntil(recordKeyUse({ DB }, key.id, today));
  return {
    accountId: row.account_id,
    mode: key.mode,
    plan: row.plan,
    scopes: JSON.parse(row.scopes) as Scope[],
    origin: "api",
    rateKey: key.id,
  };
}

/**
 * Marks a key as sent over plain HTTP. Stores only the first time: repeated requests write nothing.
 * @returns null when the key is unknown or revoked
 */
export async function exposeKey({ DB }: Database, key: ApiKeyParts): Promise<"exposed" | null> {
  const row = await findKeyRow({ DB }, key);
  if (row?.exposed_at === null) {
    const sql = "UPDATE api_keys SET exposed_at = ?2 WHERE id = ?1 AND exposed_at IS NULL";
    await changeRows(DB, sql, [key.id, Date.now()]);
  }
  return row && "exposed";
}

/** @returns null when the key is unknown or revoked, or its secret is wrong */
async function findKeyRow({ DB }: Database, { id, mode, secret }: ApiKeyParts): Promise<KeyRow | null> {
  const sql = `SELECT k.account_id, a.plan, k.scopes, k.secret_hash, k.last_used_on, k.exposed_at,
      s.state = 'suspended' AS suspended
    FROM api_keys k JOIN accounts a ON a.id = k.account_id
    LEFT JOIN account_states s ON s.account_id = k.account_id
    WHERE k.id = ?1 AND k.mode = ?2 AND k.revoked_at IS NULL`;
  const [row, hash] = await Promise.all([queryRow<KeyRow>(DB, sql, [id, mode]), sha256(secret)]);
  return row && constantTimeEqual(new Uint8Array(row.secret_hash), hash) ? row : null;
}

/** Stored as a day, so that a busy key costs one written row a day. */
async function recordKeyUse({ DB }: Database, keyId: string, day: number): Promise<void> {
  await changeRows(DB, "UPDATE api_keys SET last_used_on = ?2 WHERE id = ?1", [keyId, day]);
}

/**
 * The authenticated caller of the API. The store's queries take one as an argument, so that none can omit account or
 * mode.
 */

export interface Caller {
  accountId: string;
  mode: Mode;
  plan: Plan;
  scopes: readonly Scope[];
  /** Origin of the links that the caller creates: a key, or the dashboard. */
  origin: LinkOrigin;
  /** Key of the rate limits: the id of the API key; for a session, which has none, the account's. */
  rateKey: string;
}

/**
 * The author of a link change, as stored in its history: the id of an API key, or a kind of person. No names and no
 * addresses: key names change and keys are revoked. `domain_holder`: the account that the link's domain has passed to,
 * which ended the link.
 */
export type ChangeAuthor = `key:${string}` | "dashboard" | "operator" | "domain_holder";

export function changeAuthorOf({ origin, rateKey }: Pick<Caller, "origin" | "rateKey">): ChangeAuthor {
  return origin === "dashboard" ? "dashboard" : `key:${rateKey}`;
}
