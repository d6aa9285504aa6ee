/** Links that have ended: their domain passed to another account, or their account was closed. */
import type { Mode } from "../../core/account.ts";
import { type LinkSnapshot, tombstoneOf } from "../../core/links/link-snapshot.ts";
import { compareKeys, prepareNamed } from "../statements.ts";
import type { ChangeAuthor } from "../accounts/api-keys.ts";
import { isDisabledSql } from "./disabled-links.ts";
import { type LinkRow, snapshotOf } from "./link-rows.ts";
import { CHANGED_AT_SQL, TOMBSTONE_ASSIGNMENTS_SQL } from "./link-writes.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { askReachableDatabases, selectLinks, writeLinksIn } from "../directory/directory.ts";

/**
 * Disables links that have ended because their domain passed to another account (store/domains/domain-holders.ts), page
 * by page. Redirects do not wait for it. The outbox notifies the links' objects, so that none redirects a visitor to a
 * former holder's destination while the database is down. The links' history shows the change.
 */

const PAGE_LINKS = 500;

const DISABLED_BY: ChangeAuthor = "domain_holder";

/** Disables a page of links in each database. @returns whether there may be more */
export async function disableEndedLinks(env: LinksEnv, limit = PAGE_LINKS): Promise<boolean> {
  const found = await askReachableDatabases(env, (database) => disablePage(database, limit));
  return found.some(Boolean);
}

/** Restarts the disabling after a restore: a link may have been copied before it was disabled. */
export function endLinksAgain(database: D1Database): D1PreparedStatement {
  return database.prepare(`UPDATE domain_holders SET ending = '["","",""]' WHERE tenure > 0`);
}

/** When links are next to be disabled, epoch ms; null when none are. */
export async function nextEndedLinkAt(env: LinksEnv): Promise<number | null> {
  const found = await askReachableDatabases(env, (database) => findEnding(database));
  return found.some((ending) => ending !== null) ? 0 : null;
}

/** A domain with links to disable, the tenure that ended them, and the last link examined, as JSON. */
type Ending = { domain: string; tenure: number; ending: string };

async function findEnding(database: D1Database): Promise<Ending | null> {
  const sql = "SELECT domain, tenure, ending FROM domain_holders WHERE ending IS NOT NULL LIMIT 1";
  return database.prepare(sql).first<Ending>();
}

async function disablePage(database: D1Database, limit: number): Promise<boolean> {
  const found = await findEnding(database);
  if (!found) return false;
  const { results } = await prepareNamed(database, PAGE_SQL, { ...found, limit }).all<{ key: string }>();
  const next = results.length === limit ? (results.at(-1)?.key ?? null) : null;
  const keys = `[${results.map(({ key }) => key).join()}]`;
  await database.batch([
    prepareNamed(database, DISABLE_SQL, { keys, now: Date.now(), changed_by: DISABLED_BY }),
    // Has no effect if the domain has passed on again since it was read.
    prepareNamed(database, CONTINUE_SQL, { ...found, next }),
  ]);
  return true;
}

const PAGE_SQL = `SELECT json_array(account_id, mode, id) AS key FROM links INDEXED BY links_on_custom_domains
  WHERE domain = :domain AND on_custom_domain = 1 AND deleted_at IS NULL
    AND (account_id, mode, id) > (:ending ->> 0, :ending ->> 1, :ending ->> 2)
  ORDER BY account_id, mode, id LIMIT :limit`;

/** Skips links in buckets that have moved away, which refuse the change. */
const DISABLE_SQL = `UPDATE links SET disabled_at = :now, changed_at = ${CHANGED_AT_SQL}, changed_by = :changed_by,
    revision = revision + 1
  WHERE (account_id, mode, id) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:keys))
    AND deleted_at IS NULL AND NOT ${isDisabledSql("disabled_at")}
    AND tenure < (SELECT h.tenure FROM domain_holders h WHERE h.domain = links.domain)
    AND substr(id, -2) NOT IN (SELECT bucket FROM moved_buckets)`;

const CONTINUE_SQL = `UPDATE domain_holders SET ending = :next
  WHERE domain = :domain AND tenure = :tenure AND ending = :ending`;

/**
 * Erases the links of a closed account from all databases, in chunks ordered by mode and id. A chunk's links are erased
 * before the account's progress is saved in `closed_accounts`. Repeating a chunk changes only the revisions of links
 * whose objects could not be reached.
 */

/** Lists the next links of an account, as tombstones. */
export async function listLinksToErase(
  env: Env,
  accountId: string,
  after: { mode: string; id: string },
  limit: number,
): Promise<LinkSnapshot[]> {
  const sql = "SELECT * FROM links WHERE account_id = ?1 AND (mode, id) > (?2, ?3) ORDER BY mode, id LIMIT ?4";
  const rows = await selectLinks<LinkRow>(env, (database) =>
    database.prepare(sql).bind(accountId, after.mode, after.id, limit),
  );
  rows.sort((one, other) => compareKeys(["mode", "id"], one, other));
  return rows.slice(0, limit).map(snapshotOf).map(tombstoneOf);
}

/**
 * Turns a chunk of links into tombstones.
 * @param failed  links whose objects could not be reached. They are left to the outbox: the trigger adds a row when the
 *   revision changes
 */
export async function eraseLinks(
  env: Env,
  accountId: string,
  links: readonly LinkSnapshot[],
  failed: readonly LinkSnapshot[],
): Promise<void> {
  const keys = links.map(({ mode, id }) => ({ accountId, mode, id }));
  const failedIds = new Set(failed.map(({ id }) => id));
  await writeLinksIn(env, keys, (groups) =>
    Promise.all(
      [...groups].map(([database, theirs]) => database.batch(eraseStatements(database, accountId, theirs, failedIds))),
    ),
  );
}

function eraseStatements(
  database: D1Database,
  accountId: string,
  links: readonly { mode: Mode; id: string }[],
  failedIds: ReadonlySet<string>,
): D1PreparedStatement[] {
  const keysOf = (some: typeof links) => JSON.stringify(some.map(({ mode, id }) => [mode, id]));
  const isListed = "account_id = ?1 AND (mode, id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))";
  return [
    // Deleted before the links; otherwise the trigger `links_deleted` would decrement the counts once per link.
    database.prepare("DELETE FROM link_counts WHERE account_id = ?1").bind(accountId),
    database
      .prepare(
        `UPDATE links SET ${TOMBSTONE_ASSIGNMENTS_SQL}, deleted_at = coalesce(deleted_at, ?3), erase_at = ?3
         WHERE ${isListed} AND erase_at IS NULL`,
      )
      .bind(accountId, keysOf(links), Date.now()),
    database
      .prepare(`UPDATE links SET revision = revision + 1 WHERE ${isListed}`)
      .bind(accountId, keysOf(links.filter(({ id }) => failedIds.has(id)))),
  ];
}
