/** API keys in D1. Secrets are stored as SHA-256 and compared in constant time. */

import { type Plan, type Mode, SCOPES, type Scope } from "../../core/account.ts";
import { KEY_RANDOM_WORDS, type ApiKeyParts, newApiKey, constantTimeEqual } from "../../core/credentials.ts";
import { DAY_MS } from "../../core/durations.ts";
import { ApiError } from "../../core/errors.ts";
import { KEYS_MAX } from "../../core/limits.ts";
import { columnNames, type Columns, json, plain, recordFromRow, rowFromRecord } from "../columns.ts";
import { prepareNamed } from "../named-statement.ts";
import type { Caller } from "./caller.ts";

type Database = Pick<Env, "DB">;

/** What is known of a key that is in use. Times are epoch ms; the last use is the beginning of its day. */
export interface KeyRecord {
  id: string;
  mode: Mode;
  name: string;
  scopes: readonly Scope[];
  lastFour: string;
  createdAt: number;
  lastUsedAt: number | null;
}

interface KeyRow {
  account_id: string;
  plan: Plan;
  scopes: string;
  secret_hash: ArrayBuffer;
  last_used_on: number | null;
  suspended: number | null;
}

const KEY_COLUMNS: Columns<KeyRecord> = {
  id: plain("id"),
  mode: plain("mode"),
  name: plain("name"),
  scopes: json("scopes"),
  lastFour: plain("last_four"),
  createdAt: plain("created_at"),
  lastUsedAt: {
    name: "last_used_on",
    toSql: (at) => at && at / DAY_MS,
    fromSql: (day) => (day === null ? null : Number(day) * DAY_MS),
  },
};

const INSERT_SQL = `INSERT INTO api_keys (id, account_id, mode, name, secret_hash, last_four, scopes, created_at)
  SELECT :id, :account_id, :mode, :name, :secret_hash, :last_four, :scopes, :created_at
  WHERE (SELECT count(*) FROM api_keys WHERE account_id = :account_id AND mode = :mode AND revoked_at IS NULL)
    < :keys_max
  RETURNING id`;

/** A new key; its text is returned here and never again. */
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
 * A new key with what is kept of it. The statement that keeps it counts those there are, so two at once cannot both be
 * the last.
 * @throws ApiError quota_exceeded when the account has as many in this mode as it may have
 */
export async function issueKey(
  { DB }: Database,
  accountId: string,
  { mode, name, scopes }: Pick<KeyRecord, "mode" | "name" | "scopes">,
): Promise<{ text: string; record: KeyRecord }> {
  const key = newApiKey(mode, crypto.getRandomValues(new Uint32Array(KEY_RANDOM_WORDS)));
  const lastFour = key.secret.slice(-4);
  const record = { id: key.id, mode, name, scopes, lastFour, createdAt: Date.now(), lastUsedAt: null };
  await pruneRevokedKeys({ DB }, accountId, mode);
  const inserted = await prepareNamed(DB, INSERT_SQL, {
    ...rowFromRecord(KEY_COLUMNS, record),
    account_id: accountId,
    secret_hash: await sha256(key.secret),
    keys_max: KEYS_MAX,
  }).first();
  if (!inserted) throw new ApiError("quota_exceeded", `This account has ${KEYS_MAX} ${mode} keys: revoke one first`);
  return { text: key.text, record };
}

/** Of keys that were revoked the newest stay, for the operator to look at; made and revoked in a loop they would pile up. */
async function pruneRevokedKeys({ DB }: Database, accountId: string, mode: Mode): Promise<void> {
  await DB.prepare(
    `DELETE FROM api_keys WHERE account_id = ?1 AND mode = ?2 AND revoked_at IS NOT NULL AND id NOT IN
       (SELECT id FROM api_keys WHERE account_id = ?1 AND mode = ?2 AND revoked_at IS NOT NULL
        ORDER BY revoked_at DESC, id LIMIT ?3)`,
  )
    .bind(accountId, mode, KEYS_MAX)
    .run();
}

/** The keys of an account that are in use, of both modes, newest first. */
export async function listKeys({ DB }: Database, accountId: string): Promise<KeyRecord[]> {
  const { results } = await DB.prepare(
    `SELECT ${columnNames(KEY_COLUMNS).join(", ")} FROM api_keys
     WHERE account_id = ?1 AND revoked_at IS NULL ORDER BY created_at DESC, id`,
  )
    .bind(accountId)
    .all();
  return results.map((row) => recordFromRow(KEY_COLUMNS, row));
}

/** Ends a key of the account at once. False when it has no such key, or it was revoked before. */
export async function revokeAccountKey({ DB }: Database, accountId: string, keyId: string): Promise<boolean> {
  const { meta } = await DB.prepare(
    "UPDATE api_keys SET revoked_at = ?3 WHERE id = ?2 AND account_id = ?1 AND revoked_at IS NULL",
  )
    .bind(accountId, keyId, Date.now())
    .run();
  return meta.changes > 0;
}

/** Ends a key at once: every request looks its key up. False when there is no such key, or it was revoked before. */
export async function revokeKey({ DB }: Database, keyId: string): Promise<boolean> {
  const { meta } = await DB.prepare("UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL")
    .bind(keyId, Date.now())
    .run();
  return meta.changes > 0;
}

/**
 * The caller behind a key, or null when it is unknown or revoked; "suspended" when its account is.
 * Looked up for each request and not cached, so revocation and a change of plan are seen at once.
 */
export async function findCallerByKey(
  { DB }: Database,
  key: ApiKeyParts,
  ctx: Pick<ExecutionContext, "waitUntil">,
): Promise<Caller | "suspended" | null> {
  const [row, hash] = await Promise.all([
    DB.prepare(
      `SELECT k.account_id, a.plan, k.scopes, k.secret_hash, k.last_used_on, s.state = 'suspended' AS suspended
       FROM api_keys k JOIN accounts a ON a.id = k.account_id
       LEFT JOIN account_states s ON s.account_id = k.account_id
       WHERE k.id = ?1 AND k.mode = ?2 AND k.revoked_at IS NULL`,
    )
      .bind(key.id, key.mode)
      .first<KeyRow>(),
    sha256(key.secret),
  ]);
  if (!row || !constantTimeEqual(new Uint8Array(row.secret_hash), hash)) return null;
  if (row.suspended) return "suspended";
  const today = Math.floor(Date.now() / DAY_MS);
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

/** By the day, so that a busy key costs one row a day. */
async function recordKeyUse({ DB }: Database, keyId: string, day: number): Promise<void> {
  await DB.prepare("UPDATE api_keys SET last_used_on = ?2 WHERE id = ?1").bind(keyId, day).run();
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
