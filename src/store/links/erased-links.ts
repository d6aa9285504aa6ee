/** The one question that a link's object has to the database. A file of its own, because objects import no other of these. */
import { type LinkSnapshot, tombstoneOf } from "../../core/links/link-snapshot.ts";
import { type LinkRow, snapshotOf } from "./link-rows.ts";
import { linksDatabase } from "./links-database.ts";

/**
 * What is left of a link whose clicks may not be stored any more; null when they may. For an object that stores nothing
 * and gets clicks that were long on their way: it is new, or it was erased, and the database knows which.
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
