/**
 * Links by address, for redirects. No caller: every visitor of an address may follow its link. Also reads the state of
 * the link's account, whether its stream has a subscriber, and whether its statistics are asked for, in the same query. Caching is the edge's part
 * (`edge/link-lookup.ts`).
 */
import { type LinkSnapshot, addressObjectName } from "../../core/links/link-snapshot.ts";
import { SNAPSHOT_SELECTION_SQL, type SnapshotRow, snapshotOf } from "./link-rows.ts";
import { readLinksIn } from "../directory/directory.ts";

/**
 * Links of an account that is not open answer 410, whatever their own state is; `transferred`: the domain has passed to
 * another account since the link was created.
 */
export type AccountState = "open" | "suspended" | "closed" | "transferred";

/** A link with the state of its account. */
export interface FoundLink {
  link: LinkSnapshot;
  account: AccountState;
  /** Start of the current period of the account's feed (clicks/feed-log.ts), epoch ms; 0 when there is none. */
  feedSince: number;
  /**
   * Since when links announce their clicks to the object of the account's statistics, epoch ms; 0 while they do not, null
   * where the database was not asked.
   */
  statsSince: number | null;
}

/** The address of a link. `name` is that of its object (core/links/link-snapshot.ts). */
export interface LinkLookupKey {
  name: string;
  domain: string;
  slug: string;
}

/** Links by name. */
interface FoundLinks extends ReadonlyMap<string, FoundLink> {
  /** Whether the primary has answered, also where a replica might have: what is missing here does not exist. */
  isFromPrimary: boolean;
}

type FoundRow = SnapshotRow & { account: AccountState; feed_since: number; stats_since: number };

/** Of an address, only the link of the last tenure: each may have 72 KB. */
const FIND_SQL = `SELECT ${SNAPSHOT_SELECTION_SQL},
     iif(h.tenure > l.tenure, 'transferred', coalesce(s.state, 'open')) AS account,
     iif(f.until > ?2, f.since, 0) AS feed_since, iif(f.stats_until > ?2, f.stats_since, 0) AS stats_since
   FROM json_each(?1) wanted
   CROSS JOIN links l ON l.domain = wanted.value ->> 0 AND l.slug = wanted.value ->> 1
   LEFT JOIN domain_holders h ON h.domain = l.domain
   LEFT JOIN account_states s ON s.account_id = l.account_id
   LEFT JOIN feeds f ON f.account_id = l.account_id AND f.mode = l.mode
   WHERE NOT EXISTS (SELECT 1 FROM links later
     WHERE later.domain = l.domain AND later.slug = l.slug AND later.tenure > l.tenure)`;

/**
 * Finds links by address, in one query of each of their databases.
 * @param freshness  a replica may lack the newest writes; the primary has them
 */
export async function findLinksByAddress(
  env: Env,
  keys: readonly LinkLookupKey[],
  freshness: "first-unconstrained" | "first-primary",
): Promise<FoundLinks> {
  const now = Date.now();
  let isFromPrimary = true;
  const nameOf = ({ domain, slug }: SnapshotRow) => addressObjectName(domain, slug);
  // While a bucket moves, the current holder's link may still be in the other database.
  const keyOfRow = (row: FoundRow) => (row.account === "transferred" ? "" : nameOf(row));
  const rows = await readLinksIn<LinkLookupKey, FoundRow>(
    env,
    keys,
    ({ name }) => name,
    keyOfRow,
    async (database, addresses) => {
      const { results, meta } = await database
        .withSession(freshness)
        .prepare(FIND_SQL)
        .bind(JSON.stringify(addresses.map(({ domain, slug }) => [domain, slug])), now)
        .all<FoundRow>();
      isFromPrimary &&= meta.served_by_primary === true;
      return results;
    },
  );
  // The last row is kept: a database is asked after another one only where that has a former holder's link, or none.
  const links = new Map(
    rows.map((row) => [
      nameOf(row),
      { link: snapshotOf(row), account: row.account, feedSince: row.feed_since, statsSince: row.stats_since },
    ]),
  );
  return Object.assign(links, { isFromPrimary });
}
