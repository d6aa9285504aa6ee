/**
 * Lists links. A filter is evaluated link by link, so one page scans a bounded part of the account and returns what it
 * found there, with a cursor to continue: the database serves one query at a time, and none of an account's million
 * links may match.
 */
import type { ListLinksQuery } from "../../core/contract/links.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import type { Caller } from "../accounts/caller.ts";
import { prepareNamed } from "../named-statement.ts";
import { type LinkRecord, type LinkRow, linkRecordOf } from "./link-rows.ts";
import { linkDatabases } from "./links-database.ts";

/**
 * Cost limit of one page's scan: the bytes of destinations, since searching long ones is slow, plus a fixed charge per
 * link. D1 counts three rows read for a link that passes a window function, so a page stays below 20,000 rows.
 */
const SCAN_MAX_COST = 5_000_000;
const LINK_SCAN_COST = 768;

/**
 * The window function streams: SQLite stops scanning as soon as enough rows have been returned. The link that exhausts
 * the scan is returned whether it matches or not: the next page continues there. Deleted links are scanned as well.
 */
function listSql(afterCursorSql: string, order: string): string {
  return `
  SELECT scan.id AS scanned_id, scan.cost, l.* FROM (
    SELECT id,
      deleted_at IS NULL
        AND (:domain IS NULL OR domain = :domain)
        AND (:search IS NULL OR instr(lower(slug), lower(:search)) OR instr(lower(url), lower(:search)))
        AND (:status IS NULL OR (:status = 'expired') = (expires_at IS NOT NULL AND expires_at <= :now)) AS matches,
      sum(${LINK_SCAN_COST} + octet_length(url)) OVER (ORDER BY id ${order} ROWS UNBOUNDED PRECEDING) AS cost
    FROM links WHERE account_id = :account_id AND mode = :mode AND ${afterCursorSql} ORDER BY id ${order}
  ) scan
  LEFT JOIN links l ON scan.matches AND l.account_id = :account_id AND l.mode = :mode AND l.id = scan.id
  WHERE scan.matches OR scan.cost > ${SCAN_MAX_COST} LIMIT :limit`;
}

/**
 * Keyset pagination by id, which begins with the creation time. `coalesce` with a bound that always holds keeps the
 * primary key in use.
 */
const LIST_SQL: Record<ListLinksQuery["sort"], string> = {
  created_at: listSql("id > coalesce(:cursor, '')", "ASC"),
  "-created_at": listSql("id < coalesce(:cursor, '~')", "DESC"),
};

type ScannedRow = { scanned_id: string; cost: number } & (LinkRow | { id: null });

export interface LinkRecordPage {
  links: LinkRecord[];
  /** Cursor of the next page; null when there is none. */
  nextCursor: string | null;
}

/** At most `limit` links; fewer, or none, with a cursor when the scan was exhausted first. */
export async function listLinks(
  env: Env,
  caller: Caller,
  { sort, domain, search, status, cursor, limit }: ListLinksQuery,
): Promise<LinkRecordPage> {
  const values = {
    account_id: caller.accountId,
    mode: caller.mode,
    domain: domain === undefined ? null : normalizedDomain(domain),
    search: search ?? null,
    status: status ?? null,
    now: Date.now(),
    cursor: cursor ?? null,
    limit: limit + 1,
  };
  const found = await Promise.all(
    linkDatabases(env).map((database) => prepareNamed(database, LIST_SQL[sort], values).all<ScannedRow>()),
  );
  const before = sort === "created_at" ? -1 : 1;
  const rows = found.flatMap(({ results }) => results);
  return pageOf(
    rows.sort((one, other) => (one.scanned_id < other.scanned_id ? before : -before)),
    limit,
  );
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
