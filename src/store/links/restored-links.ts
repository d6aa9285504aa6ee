/**
 * After a restore of D1 to an earlier time (Time Travel), isolates and objects hold newer revisions than the rows and
 * would reject every change. This module raises all revisions above them. Links that had told the database of clicks
 * believe that their account knows of them, so statistics of accounts read all links again. The operator runs it after
 * the restore.
 */
import { linkDatabases, type LinksEnv } from "./links-database.ts";

/** D1's documentation advises changing a few thousand rows at a time. */
const CHUNK_ROWS = 1_000;

type LinkPrimaryKey = { account_id: string; mode: string; id: string };

/**
 * Raises the revision of every link above any that it ever had: to the clock in ms. A revision starts at one and grows
 * by one with each change, of which there are fewer than one per millisecond, or is set to the clock by this function.
 * The outbox then notifies the objects. Safe to repeat, also after an interruption.
 * @returns the number of links
 */
export async function raiseRevisions(env: LinksEnv): Promise<number> {
  const revision = Date.now();
  let links = 0;
  for (const database of linkDatabases(env)) {
    links += await raiseRevisionsIn(database, revision);
    // Ends the part of every account; the next question begins it anew.
    await database.prepare("UPDATE feeds SET stats_since = 0, stats_until = 0 WHERE stats_since > 0").run();
  }
  return links;
}

async function raiseRevisionsIn(database: D1Database, revision: number): Promise<number> {
  let last: LinkPrimaryKey = { account_id: "", mode: "", id: "" };
  for (let raised = 0; ;) {
    const { results } = await database
      .prepare(
        `UPDATE links SET revision = max(revision + 1, ?1) WHERE (account_id, mode, id) IN
         (SELECT account_id, mode, id FROM links WHERE (account_id, mode, id) > (?2, ?3, ?4)
          ORDER BY account_id, mode, id LIMIT ?5)
       RETURNING account_id, mode, id`,
      )
      .bind(revision, last.account_id, last.mode, last.id, CHUNK_ROWS)
      .all<LinkPrimaryKey>();
    raised += results.length;
    if (results.length < CHUNK_ROWS) return raised;
    last = results.reduce((one, other) => (isBehind(one, other) ? other : one));
  }
}

/** Compares by the primary key. */
function isBehind(one: LinkPrimaryKey, other: LinkPrimaryKey): boolean {
  if (one.account_id !== other.account_id) return one.account_id < other.account_id;
  return one.mode === other.mode ? one.id < other.id : one.mode < other.mode;
}
