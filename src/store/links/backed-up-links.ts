/** What the restore of a backup asks of the links' databases, and counts there when the links are back. */
import { linkDatabases, type LinksEnv } from "./links-database.ts";

/** Tombstones do not count: one is left of the link with which setup tried the deployment. */
export async function hasLinks(env: LinksEnv): Promise<boolean> {
  const sql = "SELECT 1 FROM links WHERE deleted_at IS NULL LIMIT 1";
  const found = await Promise.all(linkDatabases(env).map((database) => database.prepare(sql).first()));
  return found.some((row) => row !== null);
}

/** Counts the links of some accounts anew, as quotas need. Can be repeated. */
export async function countLinksAnew(env: LinksEnv, accountIds: readonly string[]): Promise<void> {
  const ids = JSON.stringify(accountIds);
  await Promise.all(linkDatabases(env).map((database) => database.prepare(COUNT_SQL).bind(ids).run()));
}

const COUNT_SQL = `INSERT INTO link_counts (account_id, links, made)
  SELECT account_id, sum(deleted_at IS NULL), count(*) FROM links
    WHERE account_id IN (SELECT value FROM json_each(?1)) GROUP BY account_id
  ON CONFLICT DO UPDATE SET links = excluded.links, made = excluded.made`;
