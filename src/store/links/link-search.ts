/**
 * Lists of links. A filter is judged link by link, so one page scans a bounded part of the account and answers what it
 * found there, with a cursor to go on from: the database serves one query at a time, and an account may have a million
 * links of which none match.
 */
import type { ListLinksQuery } from "../../core/contract/contract.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import type { Caller } from "../accounts/caller.ts";
import { type LinkRecord, type LinkRow, linkRecordOf } from "./link-rows.ts";

/**
 * What one page may scan: bytes of destinations, since a search in long ones takes long, and a fixed charge for each
 * link. D1 counts three rows read for a link that passes a window function, so a page stays below 20,000 rows.
 */
const SCAN_MAX_COST = 5_000_000;
const LINK_SCAN_COST = 768;

/**
 * The window function streams: SQLite stops scanning as soon as enough rows have come out. The link that exhausts the
 * scan comes out whether it matches or not, and tells where to go on. Deleted links are scanned as well.
 */
function listSql(afterCursorSql: string, order: string): string {
  return `
  SELECT scan.id AS scanned_id, scan.cost, l.* FROM (
    SELECT id,
      deleted_at IS NULL
        AND (?3 IS NULL OR domain = ?3)
        AND (?4 IS NULL OR instr(lower(slug), lower(?4)) OR instr(lower(url), lower(?4)))
        AND (?5 IS NULL OR (?5 = 'expired') = (expires_at IS NOT NULL AND expires_at <= ?6)) AS matches,
      sum(${LINK_SCAN_COST} + octet_length(url)) OVER (ORDER BY id ${order} ROWS UNBOUNDED PRECEDING) AS cost
    FROM links WHERE account_id = ?1 AND mode = ?2 AND ${afterCursorSql} ORDER BY id ${order}
  ) scan
  LEFT JOIN links l ON scan.matches AND l.account_id = ?1 AND l.mode = ?2 AND l.id = scan.id
  WHERE scan.matches OR scan.cost > ${SCAN_MAX_COST} LIMIT ?8`;
}

/** Keyset paging over the id, which begins with the creation time. Bounds that always hold keep the key's index in use. */
const LIST_SQL: Record<ListLinksQuery["sort"], string> = {
  created_at: listSql("id > coalesce(?7, '')", "ASC"),
  "-created_at": listSql("id < coalesce(?7, '~')", "DESC"),
};

type ScannedRow = { scanned_id: string; cost: number } & (LinkRow | { [Column in keyof LinkRow]: null });

export interface LinkRecordPage {
  links: LinkRecord[];
  /** Where the next page begins; null when there is none. */
  nextCursor: string | null;
}

/** At most `limit` links; fewer, or none, with a cursor when the scan was exhausted before so many matched. */
export async function listLinks(
  env: Env,
  caller: Caller,
  { sort, domain, search, status, cursor, limit }: ListLinksQuery,
): Promise<LinkRecordPage> {
  const { results } = await env.DB.prepare(LIST_SQL[sort])
    .bind(
      caller.accountId,
      caller.mode,
      domain === undefined ? null : normalizedDomain(domain),
      search ?? null,
      status ?? null,
      Date.now(),
      cursor ?? null,
      limit + 1,
    )
    .all<ScannedRow>();
  return pageOf(results, limit);
}

function pageOf(rows: readonly ScannedRow[], limit: number): LinkRecordPage {
  const links: LinkRecord[] = [];
  for (const row of rows) {
    if (row.id !== null) {
      if (links.length === limit) return { links, nextCursor: links.at(-1)?.id ?? null };
      links.push(linkRecordOf(row));
    }
    if (row.cost > SCAN_MAX_COST) return { links, nextCursor: row.scanned_id };
  }
  return { links, nextCursor: null };
}
