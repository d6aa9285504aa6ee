/**
 * Erases the links of a closed account from all databases, in chunks ordered by mode and id. A chunk's links are erased
 * before the account's progress is saved in `closed_accounts`. Repeating a chunk changes only the revisions of links
 * whose objects could not be reached.
 */
import type { Mode } from "../../core/account.ts";
import { type LinkSnapshot, tombstoneOf } from "../../core/links/link-snapshot.ts";
import { selectLinks, writeLinksIn } from "../directory/directory.ts";
import { compareKeys } from "../statements.ts";
import { type LinkRow, snapshotOf } from "./link-rows.ts";
import { TOMBSTONE_ASSIGNMENTS_SQL } from "./link-writes.ts";

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
