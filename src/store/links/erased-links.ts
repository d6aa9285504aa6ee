/** The only query that a link's object makes. A module of its own, so that objects import no other query of links. */
import { type LinkSnapshot, tombstoneOf } from "../../core/links/link-snapshot.ts";
import { type LinkRow, snapshotOf } from "./link-rows.ts";
import { linksDatabase } from "./links-database.ts";

/**
 * @returns the tombstone of a link whose clicks must not be stored any more; null when they may be. Needed by an object
 *   without data that receives late clicks: it is either new or erased, which only the database knows
 */
export async function findErasedLink(env: Env, link: LinkSnapshot): Promise<LinkSnapshot | null> {
  const row = await linksDatabase(env, link)
    .withSession("first-primary")
    .prepare(
      `SELECT l.* FROM links l LEFT JOIN account_states s ON s.account_id = l.account_id
       WHERE l.account_id = ?1 AND l.mode = ?2 AND l.id = ?3 AND (l.erase_at IS NOT NULL OR s.state = 'closed')`,
    )
    .bind(link.accountId, link.mode, link.id)
    .first<LinkRow>();
  return row && tombstoneOf(snapshotOf(row));
}
