/**
 * Imports of clicks: which links each has reached (the home database), their clicks (the links' objects), and the sums
 * of services that have no single clicks (the links' rows). A row is written before the clicks, and deleted after they
 * were removed: whatever is interrupted, repeating the request completes it.
 */
import type { NewClick } from "../core/clicks/facts.ts";
import type { ClicksBefore } from "../core/contract/click-imports.ts";
import { redrawLinks } from "./account-object-client.ts";
import type { BackgroundContext, Caller } from "./accounts/api-keys.ts";
import { countingBulkLinks } from "./accounts/quotas.ts";
import { importLinkClicks, undoLinkImport } from "./link-object-client.ts";
import { type LinkRecord, linkRecordOf, snapshotOf, snapshotOfRecord } from "./links/link-rows.ts";
import { readLink, readLinksOrTombstones, storeClicksBefore } from "./links/links.ts";
import { calledObjectsMax, deliverChanges } from "./links/outbox.ts";
import { changeRows, type Page, pageOf, queryRows } from "./statements.ts";

/** Counts a request against the account's limits, and records that the import has reached the link. */
export async function beginLinkImport(
  env: Env,
  caller: Caller,
  importId: string,
  link: LinkRecord,
  cost: number,
): Promise<void> {
  await countingBulkLinks(env, caller, cost, (count) =>
    env.DB.batch([...count, reachedStatement(env, caller, importId, link.id, 0)]),
  );
}

function reachedStatement(env: Env, { accountId, mode }: Caller, importId: string, linkId: string, clicks: number) {
  return env.DB.prepare(
    `INSERT INTO imported_links (account_id, mode, import_id, link_id, clicks) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT DO UPDATE SET clicks = excluded.clicks WHERE excluded.clicks > clicks`,
  ).bind(accountId, mode, importId, linkId, clicks);
}

/** Adds clicks to a link, after `offset` others of the same import. */
export async function addImportedClicks(
  env: Env,
  caller: Caller,
  importId: string,
  link: LinkRecord,
  offset: number,
  clicks: NewClick[],
): ReturnType<typeof importLinkClicks> {
  const result = await importLinkClicks(env, link, { importId, offset, clicks, snapshot: snapshotOfRecord(link) });
  // A concurrent undo may have deleted the row in the meantime, or an interrupted request not have saved the number.
  if (result.clicks > 0) await reachedStatement(env, caller, importId, link.id, result.clicks).run();
  else if (link.clicksBefore?.import !== importId) await deleteReached(env, caller, importId, [link.id], 0);
  return result;
}

/** @returns null if another import has set the number */
export async function setClicksBefore(
  env: Env,
  ctx: BackgroundContext,
  caller: Caller,
  importId: string,
  link: LinkRecord,
  sum: Omit<ClicksBefore, "import"> | null,
): Promise<LinkRecord | null> {
  const value = sum && JSON.stringify({ ...sum, import: importId });
  if (link.clicksBefore && link.clicksBefore.import !== importId) {
    await deleteReached(env, caller, importId, [link.id], 0);
    return null;
  }
  const row = await storeClicksBefore(env, caller, link.id, importId, value);
  if (!row) {
    const now = await readLink(env, caller, link.id);
    return sum === null || now.clicksBefore?.import === importId ? now : null;
  }
  // A concurrent undo that has read the link earlier may delete the row.
  if (sum) await reachedStatement(env, caller, importId, link.id, 0).run();
  await deliverChanges(env, ctx, [snapshotOf(row)]);
  return linkRecordOf(row);
}

interface ReachedLink {
  link: string;
  clicks: number;
}

/** Links after an id, in the order of their ids. */
export async function listImportedLinks(
  env: Env,
  { accountId, mode }: Caller,
  importId: string,
  after: string,
  limit: number,
): Promise<Page<ReachedLink>> {
  const sql = `SELECT link_id AS link, max(clicks, ~clicks) AS clicks FROM imported_links
    WHERE account_id = ?1 AND mode = ?2 AND import_id = ?3 AND link_id > ?4 ORDER BY link_id LIMIT ?5`;
  const values = [accountId, mode, importId, after, limit + 1];
  const rows = await queryRows<ReachedLink>(env.DB.withSession("first-primary"), sql, values);
  return pageOf(rows, limit, ({ link }) => link);
}

/** Links that one request undoes. With sums, each takes four calls, of which Workers' Free plan allows a request 50. */
const UNDONE_LINKS_MAX = 8;

/**
 * Undoes an import on some of its links.
 * @returns if all links that are left have a later import and so keep their clicks, one of them; otherwise null
 */
export async function undoSomeLinks(
  env: Env,
  ctx: BackgroundContext,
  caller: Caller,
  importId: string,
): Promise<string | null> {
  const limit = Math.min(UNDONE_LINKS_MAX, Math.max(calledObjectsMax(env) - 1, 1));
  const ids = await markSomeLinks(env, caller, importId, limit);
  const stored = await readLinksOrTombstones(env, caller, ids);
  const links = [...stored.values()].filter(({ isErased }) => !isErased).map(({ link }) => link);
  const outcomes = await Promise.all(links.map((link) => undoLinkImport(env, link, { importId })));
  const isBlocked = links.map((_, i) => outcomes[i]?.kind === "later_imports");
  const undone = links.filter((_, i) => !isBlocked[i]);
  // Even if the object had nothing to undo: an earlier request may have been interrupted here.
  if (undone.length > 0) await redrawLinks(env, caller, undone);
  for (const link of undone) {
    if (link.clicksBefore?.import === importId) await setClicksBefore(env, ctx, caller, importId, link, null);
  }
  const blocked = new Set(links.filter((_, i) => isBlocked[i]).map(({ id }) => id));
  const done = ids.filter((id) => !blocked.has(id));
  await deleteReached(env, caller, importId, done, -1);
  if (done.length > 0 || !(await unmarkAllTried(env, caller, importId))) return null;
  return [...blocked][0] ?? null;
}

/**
 * Marks rows before their clicks are removed, by complementing the number: a concurrent request of the import raises it
 * again and so keeps the row, since its clicks may not be among the removed ones. Rows that are marked already come
 * last, so that those with a later import do not block others.
 */
async function markSomeLinks(
  env: Env,
  { accountId, mode }: Caller,
  importId: string,
  limit: number,
): Promise<string[]> {
  const sql = `UPDATE imported_links SET clicks = min(clicks, ~clicks)
    WHERE account_id = ?1 AND mode = ?2 AND import_id = ?3 AND link_id IN (
      SELECT link_id FROM imported_links WHERE account_id = ?1 AND mode = ?2 AND import_id = ?3 AND clicks >= 0
      UNION ALL
      SELECT link_id FROM imported_links WHERE account_id = ?1 AND mode = ?2 AND import_id = ?3 AND clicks < 0
      LIMIT ?4)
    RETURNING link_id`;
  const results = await queryRows<{ link_id: string }>(env.DB, sql, [accountId, mode, importId, limit]);
  return results.map(({ link_id: id }) => id);
}

/** Lets the next undo try every link again. Does nothing, and returns false, while links have not been tried. */
async function unmarkAllTried(env: Env, { accountId, mode }: Caller, importId: string): Promise<boolean> {
  const sql = `UPDATE imported_links SET clicks = ~clicks
    WHERE account_id = ?1 AND mode = ?2 AND import_id = ?3 AND NOT EXISTS (
      SELECT 1 FROM imported_links WHERE account_id = ?1 AND mode = ?2 AND import_id = ?3 AND clicks >= 0)`;
  return (await changeRows(env.DB, sql, [accountId, mode, importId])) > 0;
}

/** Refused requests leave no row, or their number would be unlimited. @param most  only rows with no more clicks */
async function deleteReached(
  env: Env,
  { accountId, mode }: Caller,
  importId: string,
  ids: string[],
  most: number,
): Promise<void> {
  const sql = `DELETE FROM imported_links WHERE account_id = ?1 AND mode = ?2 AND import_id = ?3
    AND clicks <= ?5 AND link_id IN (SELECT value FROM json_each(?4))`;
  await changeRows(env.DB, sql, [accountId, mode, importId, JSON.stringify(ids), most]);
}
