/** The only query that a link's object makes. A separate module, so that objects import no other link queries. */
import { type LinkSnapshot, tombstoneOf } from "../../core/links/link-snapshot.ts";
import { type LinkRow, snapshotOf } from "./link-rows.ts";
import { readLinkIn } from "../directory/directory.ts";
import { queryRow } from "../statements.ts";

interface LateLink {
  /** The tombstone of a link whose clicks must no longer be stored; null when they may be. */
  erased: LinkSnapshot | null;
  /** As in a batch (core/clicks/protocol/link-object-rpc.ts); 0 while the account does not participate. */
  statsSince: number;
}

/**
 * Finds the link for an object that has no data and receives late clicks. The object is either new or erased, which
 * only the database knows. The clicks' sender may not have known that the account participates in statistics.
 */
export async function findLateLink(env: Env, link: LinkSnapshot): Promise<LateLink> {
  const sql = `SELECT l.*, l.erase_at IS NOT NULL OR coalesce(s.state, '') = 'closed' AS is_erased,
      iif(f.stats_until > ?4, f.stats_since, 0) AS stats_since
    FROM links l LEFT JOIN account_states s ON s.account_id = l.account_id
    LEFT JOIN feeds f ON f.account_id = l.account_id AND f.mode = l.mode
    WHERE l.account_id = ?1 AND l.mode = ?2 AND l.id = ?3`;
  const values = [link.accountId, link.mode, link.id, Date.now()];
  const row = await readLinkIn(env, link, (database) =>
    queryRow<LinkRow & { is_erased: number; stats_since: number }>(database.withSession("first-primary"), sql, values),
  );
  if (!row) return { erased: null, statsSince: 0 };
  return { erased: row.is_erased ? tombstoneOf(snapshotOf(row)) : null, statsSince: row.stats_since };
}
