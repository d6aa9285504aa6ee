/** Accounts and their API keys in D1. Secrets are stored as SHA-256 and compared in constant time. */
import type { Scope } from "../core/contract.ts";
import { SCOPES } from "../core/contract.ts";
import { KEY_RANDOM_WORDS, type KeyParts, type Mode, newKey, sameDigest } from "../core/credentials.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import type { Caller, Plan } from "./caller.ts";

type Database = Pick<Env, "DB">;

export interface Account {
  id: string;
  email: string;
  plan: Plan;
}

interface KeyRow {
  account_id: string;
  plan: Plan;
  scopes: string;
  secret_hash: ArrayBuffer;
  last_used_on: number | null;
}

const DAY_MS = 86_400_000;

/** A new account, or null when the e-mail address has one. */
export async function createAccount({ DB }: Database, email: string, plan: Plan): Promise<Account | null> {
  const now = Date.now();
  const id = timeOrderedId("acc_", now, crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS)));
  const created = await DB.prepare(
    `INSERT INTO accounts (id, email, plan, created_at) VALUES (?1, ?2, ?3, ?4)
     ON CONFLICT (email) DO NOTHING RETURNING id, email, plan`,
  )
    .bind(id, email, plan, now)
    .first<Account>();
  return created;
}

export function findAccount({ DB }: Database, email: string): Promise<Account | null> {
  return DB.prepare("SELECT id, email, plan FROM accounts WHERE email = ?1").bind(email).first<Account>();
}

/** Puts an account on a plan; null when there is no such account. Seen by its very next request. */
export function changePlan({ DB }: Database, email: string, plan: Plan): Promise<Account | null> {
  return DB.prepare("UPDATE accounts SET plan = ?2 WHERE email = ?1 RETURNING id, email, plan")
    .bind(email, plan)
    .first<Account>();
}

/** A new key; its text is returned here and never again. */
export async function createKey(
  { DB }: Database,
  accountId: string,
  mode: Mode,
  name: string,
  scopes: readonly Scope[] = SCOPES,
): Promise<string> {
  const key = newKey(mode, crypto.getRandomValues(new Uint32Array(KEY_RANDOM_WORDS)));
  await DB.prepare(
    `INSERT INTO api_keys (id, account_id, mode, name, secret_hash, last_four, scopes, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
  )
    .bind(
      key.id,
      accountId,
      mode,
      name,
      await sha256(key.secret),
      key.secret.slice(-4),
      JSON.stringify(scopes),
      Date.now(),
    )
    .run();
  return key.text;
}

/** Ends a key at once: every request looks its key up. False when there is no such key, or it was revoked before. */
export async function revokeKey({ DB }: Database, keyId: string): Promise<boolean> {
  const { meta } = await DB.prepare("UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL")
    .bind(keyId, Date.now())
    .run();
  return meta.changes > 0;
}

/**
 * The caller behind a key, or null when it is unknown or revoked.
 * Looked up for each request and not cached, so revocation and a change of plan are seen at once.
 */
export async function callerOf(
  { DB }: Database,
  key: KeyParts,
  ctx: Pick<ExecutionContext, "waitUntil">,
): Promise<Caller | null> {
  const [row, hash] = await Promise.all([
    DB.prepare(
      `SELECT k.account_id, a.plan, k.scopes, k.secret_hash, k.last_used_on
       FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.id = ?1 AND k.mode = ?2 AND k.revoked_at IS NULL`,
    )
      .bind(key.id, key.mode)
      .first<KeyRow>(),
    sha256(key.secret),
  ]);
  if (!row || !sameDigest(new Uint8Array(row.secret_hash), hash)) return null;
  const today = Math.floor(Date.now() / DAY_MS);
  if (row.last_used_on !== today) ctx.waitUntil(noteUse({ DB }, key.id, today));
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
async function noteUse({ DB }: Database, keyId: string, day: number): Promise<void> {
  await DB.prepare("UPDATE api_keys SET last_used_on = ?2 WHERE id = ?1").bind(keyId, day).run();
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
