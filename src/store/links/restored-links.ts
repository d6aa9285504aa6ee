/** Repairs links after a restore: of D1 to an earlier time (Time Travel), or of a backup into an empty installation. */
import type { LinksEnv } from "../directory/databases.ts";
import { countedSql, type LinkPrimaryKey, madeSql } from "../directory/moved-links.ts";
import { compareKeys, queryRows } from "../statements.ts";
import { askEachDatabase, askInTurn, sumInDatabases } from "../directory/directory.ts";

/** D1's documentation advises changing a few thousand rows at a time. */
const CHUNK_ROWS = 1_000;

/**
 * Raises the revision of every link to the clock in ms, above any that it ever had: a revision starts at one, grows by
 * one with each change (fewer than one per millisecond), and is otherwise set only by this function. The outbox then
 * notifies the objects. Safe to repeat, even after an interruption.
 * @returns the number of links
 */
export async function raiseRevisions(env: LinksEnv): Promise<number> {
  const revision = Date.now();
  const counts = await askInTurn(env, async (database) => {
    const links = await raiseRevisionsIn(database, revision);
    // Ends the participation of every account; its next statistics request starts it again.
    await database.prepare("UPDATE feeds SET stats_since = 0, stats_until = 0 WHERE stats_since > 0").run();
    return links;
  });
  return counts.reduce((sum, links) => sum + links);
}

async function raiseRevisionsIn(database: D1Database, revision: number): Promise<number> {
  let last: { [Name in keyof LinkPrimaryKey]: string } = { account_id: "", mode: "", id: "" };
  const sql = `UPDATE links SET revision = max(revision + 1, ?1) WHERE (account_id, mode, id) IN
      (SELECT account_id, mode, id FROM links WHERE (account_id, mode, id) > (?2, ?3, ?4)
       ORDER BY account_id, mode, id LIMIT ?5)
    RETURNING account_id, mode, id`;
  for (let raised = 0; ;) {
    const values = [revision, last.account_id, last.mode, last.id, CHUNK_ROWS];
    const results = await queryRows<LinkPrimaryKey>(database, sql, values);
    raised += results.length;
    if (results.length < CHUNK_ROWS) return raised;
    last = results.reduce((one, other) => (compareKeys(["account_id", "mode", "id"], one, other) < 0 ? other : one));
  }
}

/** Ignores tombstones: setup leaves one of the link with which it tested the deployment. */
export async function hasLinks(env: LinksEnv): Promise<boolean> {
  const sql = "SELECT 1 AS n FROM links WHERE deleted_at IS NULL LIMIT 1";
  return (await sumInDatabases(env, (database) => database.prepare(sql))) > 0;
}

/**
 * Recounts the links and the history of some accounts, as quotas need, and drops history that is later than its link.
 * Can be repeated.
 */
export async function countLinksAnew(env: LinksEnv, accountIds: readonly string[]): Promise<void> {
  const ids = JSON.stringify(accountIds);
  await askEachDatabase(env, (database) =>
    database.batch([DROP_LATER_HISTORY_SQL, COUNT_SQL].map((sql) => database.prepare(sql).bind(ids))),
  );
}

const OF_ACCOUNTS = "WHERE account_id IN (SELECT value FROM json_each(?1))";

/** Needed because the backup reads the rows of links before their history. */
const DROP_LATER_HISTORY_SQL = `DELETE FROM link_revisions ${OF_ACCOUNTS} AND NOT EXISTS (
  SELECT 1 FROM links l WHERE l.account_id = link_revisions.account_id AND l.mode = link_revisions.mode
    AND l.id = link_revisions.link_id AND l.deleted_at IS NULL AND l.revision > link_revisions.revision)`;

const COUNT_SQL = `INSERT INTO link_counts (account_id, links, made, revision_bytes)
  SELECT account_id, ${countedSql("deleted_at", "aliases")}, ${madeSql("aliases", "retired_aliases")},
    coalesce((SELECT sum(bytes) FROM link_revisions r WHERE r.account_id = links.account_id), 0)
  FROM links ${OF_ACCOUNTS} GROUP BY account_id
  ON CONFLICT DO UPDATE SET links = excluded.links, made = excluded.made, revision_bytes = excluded.revision_bytes`;
