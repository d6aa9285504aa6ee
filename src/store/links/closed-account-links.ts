/**
 * The links of a closed account in all databases, in chunks in the order of mode and id. The links of a chunk are erased
 * before the account's progress is saved in `closed_accounts`: repeating a chunk changes nothing but the revisions of links
 * whose objects could not be reached.
 */
import { type LinkSnapshot, tombstoneOf } from "../../core/links/link-snapshot.ts";
import { type LinkRow, snapshotOf, TOMBSTONE_ASSIGNMENTS_SQL } from "./link-rows.ts";
import { linkDatabases } from "./links-database.ts";

type LinkPosition = { mode: string; id: string };

/** The next links of an account, as tombstones. */
export async function listLinksToErase(
  env: Env,
  accountId: string,
  after: LinkPosition,
  limit: number,
): Promise<LinkSnapshot[]> {
  const found = await Promise.all(
    linkDatabases(env).map((database) =>
      database
        .prepare("SELECT * FROM links WHERE account_id = ?1 AND (mode, id) > (?2, ?3) ORDER BY mode, id LIMIT ?4")
        .bind(accountId, after.mode, after.id, limit)
        .all<LinkRow>(),
    ),
  );
  const rows = found.flatMap(({ results }) => results).sort(byPosition);
  return rows.slice(0, limit).map(snapshotOf).map(tombstoneOf);
}

function byPosition(one: LinkRow, other: LinkRow): number {
  return one.mode === other.mode ? (one.id < other.id ? -1 : 1) : one.mode < other.mode ? -1 : 1;
}

/**
 * Turns a chunk of links into tombstones.
 * @param failed  links whose objects could not be reached. They are left to the outbox: the trigger adds a row when the
 *   revision changes
 */
export async function eraseLinks(
  env: Env,
  accountId: string,
  range: { after: LinkPosition; last: LinkPosition },
  failed: readonly LinkSnapshot[],
): Promise<void> {
  await Promise.all(
    linkDatabases(env).map((database) => database.batch(eraseStatements(database, accountId, range, failed))),
  );
}

function eraseStatements(
  database: D1Database,
  accountId: string,
  { after, last }: { after: LinkPosition; last: LinkPosition },
  failed: readonly LinkSnapshot[],
): D1PreparedStatement[] {
  return [
    // Before the links, or the trigger `links_deleted` would decrement the counts once per link.
    database.prepare("DELETE FROM link_counts WHERE account_id = ?1").bind(accountId),
    database
      .prepare(
        `UPDATE links SET ${TOMBSTONE_ASSIGNMENTS_SQL}, deleted_at = coalesce(deleted_at, ?6), erase_at = ?6
         WHERE account_id = ?1 AND (mode, id) > (?2, ?3) AND (mode, id) <= (?4, ?5) AND erase_at IS NULL`,
      )
      .bind(accountId, after.mode, after.id, last.mode, last.id, Date.now()),
    database
      .prepare(
        `UPDATE links SET revision = revision + 1
         WHERE account_id = ?1 AND (mode, id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))`,
      )
      .bind(accountId, JSON.stringify(failed.map(({ mode, id }) => [mode, id]))),
  ];
}
