/**
 * Shared pages in D1. Only the SHA-256 of a token is stored, and rows are found by it, so the duration of a look-up
 * reveals nothing about the token. The token is derived from the deployment's secret, so that the owner can copy the URL
 * again.
 */
import type { Mode } from "../core/account.ts";
import type { Share, ShareSettings } from "../core/contract/dashboard.ts";
import { keyedDigest } from "../core/derived-keys.ts";
import { hexOf, sha256 } from "../core/encoding/bytes.ts";
import { ApiError } from "../core/errors.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import { SHARES_MAX } from "../core/limits.ts";
import { timestamp, timestampOrNull } from "../core/time.ts";
import type { Caller } from "./accounts/api-keys.ts";
import { requireNotDeleted } from "./links/links.ts";
import { changeRows, queryRows, queryRow } from "./statements.ts";

/** The id of a link, or `tag:` and the key of a tag. */
export type ShareSubject = `lnk_${string}` | `tag:${string}`;

/** A page that is shared now. */
export interface SharedPage extends ShareSettings {
  id: string;
  accountId: string;
  mode: Mode;
  subject: ShareSubject;
  /** Up to when groups are counted, epoch ms; the same for all pages of a subject. */
  countedUntil: number | null;
}

interface ShareRow {
  id: string;
  token_hash: string;
  subject: string;
  settings: string;
  created_at: number;
  expires_at: number | null;
}

/**
 * A revoked page stays as a row without a token, for the instant up to which its groups were counted: those of a page
 * that replaces it must not differ by fewer clicks than a group has.
 */
const REVOKED_SQL = "token_hash LIKE 'revoked %'";

async function tokenOf(env: Env, id: string): Promise<string> {
  return `shr_${hexOf(await keyedDigest(env, "share-token", id))}`;
}

async function shareOf(env: Env, baseUrl: string, row: ShareRow): Promise<Share> {
  const token = await tokenOf(env, row.id);
  return {
    id: row.id,
    ...(row.subject.startsWith("tag:") ? { tag: row.subject.slice("tag:".length) } : { link_id: row.subject }),
    ...(JSON.parse(row.settings) as ShareSettings),
    url: hexOf(await sha256(token)) === row.token_hash ? `${baseUrl}/share/${token}` : null,
    created_at: timestamp(row.created_at),
    expires_at: timestampOrNull(row.expires_at),
  };
}

/**
 * The inserting statement counts the existing ones, so concurrent requests cannot exceed the quota.
 * @param expiresAt  epoch ms
 * @throws ApiError quota_exceeded, link_not_found
 */
export async function createShare(
  env: Env,
  caller: Caller,
  baseUrl: string,
  subject: ShareSubject,
  settings: ShareSettings,
  expiresAt: number | null,
): Promise<Share> {
  const { accountId, mode } = caller;
  const now = Date.now();
  const id = timeOrderedId("shr_", now, crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS)));
  const token_hash = hexOf(await sha256(await tokenOf(env, id)));
  const row = { id, token_hash, subject, settings: JSON.stringify(settings), created_at: now, expires_at: expiresAt };
  const sql = `INSERT INTO shares (account_id, mode, id, token_hash, subject, settings, created_at, expires_at, counted_until)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
      (SELECT max(counted_until) FROM shares WHERE account_id = ?1 AND mode = ?2 AND subject = ?5)
    WHERE (SELECT count(*) FROM shares WHERE account_id = ?1 AND NOT ${REVOKED_SQL}) < ?9`;
  const values = [accountId, mode, id, token_hash, subject, row.settings, now, expiresAt, SHARES_MAX];
  if ((await changeRows(env.DB, sql, values)) === 0) {
    throw new ApiError("quota_exceeded", `This account shares ${SHARES_MAX} pages, the maximum. Revoke one first.`);
  }
  if (!subject.startsWith("tag:")) await requireNotDeleted(env, caller, subject, () => deleteShare(env, caller, id));
  return shareOf(env, baseUrl, row);
}

/** Newest first, with those that have expired. At most `SHARES_MAX`. @param subject  null for all */
export async function listShares(
  env: Env,
  { accountId, mode }: Caller,
  baseUrl: string,
  subject: ShareSubject | null,
): Promise<Share[]> {
  const sql = `SELECT id, token_hash, subject, settings, created_at, expires_at FROM shares
    WHERE account_id = ?1 AND mode = ?2 AND subject = coalesce(?3, subject) AND NOT ${REVOKED_SQL} ORDER BY id DESC`;
  const results = await queryRows<ShareRow>(env.DB, sql, [accountId, mode, subject]);
  return Promise.all(results.map((row) => shareOf(env, baseUrl, row)));
}

/** @returns false if there is no such page */
export async function deleteShare(env: Env, { accountId, mode }: Caller, id: string): Promise<boolean> {
  const revoke = `UPDATE shares SET token_hash = 'revoked ' || id
    WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND NOT ${REVOKED_SQL}`;
  // One row for each subject is enough. The number of subjects is bounded, too.
  const tidy = `DELETE FROM shares WHERE account_id = ?1 AND ${REVOKED_SQL} AND (counted_until IS NULL
    OR EXISTS (SELECT 1 FROM shares o WHERE o.account_id = ?1 AND o.mode = shares.mode AND o.subject = shares.subject
      AND o.id > shares.id)
    OR id NOT IN (SELECT id FROM shares WHERE account_id = ?1 AND ${REVOKED_SQL} ORDER BY id DESC LIMIT ?2))`;
  const [revoked] = await env.DB.batch([
    env.DB.prepare(revoke).bind(accountId, mode, id),
    env.DB.prepare(tidy).bind(accountId, SHARES_MAX),
  ]);
  return (revoked?.meta.changes ?? 0) > 0;
}

/** @returns null if the token is unknown, revoked or expired, or the account is not open */
export async function findSharedPage(env: Env, token: string, now: number): Promise<SharedPage | null> {
  if (!/^shr_[0-9a-f]{64}$/.test(token)) return null;
  const sql = `SELECT id, account_id, mode, subject, settings, counted_until FROM shares
    WHERE token_hash = ?1 AND coalesce(expires_at > ?2, 1)
      AND NOT EXISTS (SELECT 1 FROM account_states s WHERE s.account_id = shares.account_id)`;
  const row = await queryRow(env.DB, sql, [hexOf(await sha256(token)), now]);
  if (!row) return null;
  const { id, account_id: accountId, mode, subject, settings, counted_until: countedUntil } = row;
  return { ...JSON.parse(String(settings)), id, accountId, mode, subject, countedUntil } as SharedPage;
}

/**
 * Counts more clicks in the groups of a subject's pages, unless another request has in the meantime: two views must not
 * differ by fewer clicks than a group has.
 * @returns up to when they are counted, epoch ms; null if the page was revoked
 */
export function advanceShares(env: Env, page: SharedPage, until: number): Promise<number | null> {
  const sql = `UPDATE shares SET counted_until = iif(counted_until IS ?4, ?5, counted_until)
    WHERE account_id = ?1 AND mode = ?2 AND subject = ?3 RETURNING counted_until`;
  return env.DB.prepare(sql)
    .bind(page.accountId, page.mode, page.subject, page.countedUntil, until)
    .first<number>("counted_until");
}
