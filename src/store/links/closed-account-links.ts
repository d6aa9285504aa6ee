/**
 * The links of a closed account, in chunks in the order of the primary key. Each chunk is written in one transaction
 * with the account's progress in `closed_accounts`. With a second database the links must be written before the
 * progress: repeating a chunk changes nothing.
 */
import { type LinkSnapshot, tombstoneOf } from "../../core/links/link-snapshot.ts";
import { type LinkRow, snapshotOf, TOMBSTONE_ASSIGNMENTS_SQL } from "./link-rows.ts";
import { transactionDatabase } from "./links-database.ts";

type LinkPosition = { mode: string; id: string };

/** The next links of an account, as tombstones. */
export async function listLinksToErase(
  env: Env,
  accountId: string,
  after: LinkPosition,
  limit: number,
): Promise<LinkSnapshot[]> {
  const { results } = await transactionDatabase(env)
    .prepare("SELECT * FROM links WHERE account_id = ?1 AND (mode, id) > (?2, ?3) ORDER BY mode, id LIMIT ?4")
    .bind(accountId, after.mode, after.id, limit)
    .all<LinkRow>();
  return results.map(snapshotOf).map(tombstoneOf);
}

/**
 * Statements that turn a chunk of links into tombstones.
 * @param failed  links whose objects could not be reached. They are left to the outbox: the trigger adds a row when the
 *   revision changes
 */
export function eraseLinksStatements(
  env: Env,
  accountId: string,
  { after, last }: { after: LinkPosition; last: LinkPosition },
  failed: readonly LinkSnapshot[],
): D1PreparedStatement[] {
  const database = transactionDatabase(env);
  return [
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
