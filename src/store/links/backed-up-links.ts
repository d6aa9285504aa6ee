/** What the restore of a backup asks of the links' databases, and counts there when the links are back. */
import { linkDatabases, type LinksEnv } from "./links-database.ts";

/** Tombstones do not count: one is left of the link with which setup tried the deployment. */
export async function hasLinks(env: LinksEnv): Promise<boolean> {
  const sql = "SELECT 1 FROM links WHERE deleted_at IS NULL LIMIT 1";
  const found = await Promise.all(linkDatabases(env).map((database) => database.prepare(sql).first()));
  return found.some((row) => row !== null);
}

/**
 * Counts the links and the history of some accounts anew, as quotas need, and drops history that is later than its link.
 * Can be repeated.
 */
export async function countLinksAnew(env: LinksEnv, accountIds: readonly string[]): Promise<void> {
  const ids = JSON.stringify(accountIds);
  await Promise.all(
    linkDatabases(env).map((database) =>
      database.batch([DROP_LATER_HISTORY_SQL, COUNT_SQL].map((sql) => database.prepare(sql).bind(ids))),
    ),
  );
}

const OF_ACCOUNTS = "WHERE account_id IN (SELECT value FROM json_each(?1))";

/** The rows of links were read before their history. */
const DROP_LATER_HISTORY_SQL = `DELETE FROM link_revisions ${OF_ACCOUNTS} AND NOT EXISTS (
  SELECT 1 FROM links l WHERE l.account_id = link_revisions.account_id AND l.mode = link_revisions.mode
    AND l.id = link_revisions.link_id AND l.deleted_at IS NULL AND l.revision > link_revisions.revision)`;

const COUNT_SQL = `INSERT INTO link_counts (account_id, links, made, revision_bytes)
  SELECT account_id, sum(deleted_at IS NULL), count(*),
    coalesce((SELECT sum(bytes) FROM link_revisions r WHERE r.account_id = links.account_id), 0)
  FROM links ${OF_ACCOUNTS} GROUP BY account_id
  ON CONFLICT DO UPDATE SET links = excluded.links, made = excluded.made, revision_bytes = excluded.revision_bytes`;
