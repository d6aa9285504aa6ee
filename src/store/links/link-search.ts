/**
 * Lists links. A filter is evaluated link by link. Each page scans a bounded part of the account and returns its
 * matches, with a cursor to continue: the database serves one query at a time, and none of an account's million links
 * may match.
 */
import type { ListLinksQuery } from "../../core/contract/links.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import { type Hosts, storedForms, testPathDomain } from "../../core/hosts.ts";
import { foldSlug } from "../../core/links/case-folding.ts";
import { parseShortUrl } from "../../core/links/link-search.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { listDomainNames } from "../domains/known-domains.ts";
import { type Page, prepareNamed, type SqlValue } from "../statements.ts";
import { costSql, filterValues, matchesSql, type SearchKind, type WantedLinks } from "./link-filters.ts";
import { LINK_SELECTION_SQL, type LinkRecord, type LinkRow, linkRecordOf } from "./link-rows.ts";
import { answerInTime } from "../timeout.ts";
import { queryLinkDatabases, selectLinks } from "../directory/directory.ts";

/**
 * Cost limit of one page's scan: the bytes of destinations, since searching long ones is slow, those of tags if several
 * are requested, plus a fixed charge per link. D1 counts three rows read for a link that passes a window function, and
 * a fourth for the row of its tag, so a page stays below 20,000 rows.
 */
const SCAN_MAX_COST = 5_000_000;
const LINK_SCAN_COST = 768;
const TAGGED_LINK_SCAN_COST = 1_100;

/** What a page scans. `id` names the column that determines the order. */
interface Scan {
  id: string;
  fromSql: string;
  whereSql: string;
  linkCost: number;
}

const ALL_LINKS: Scan = {
  id: "l.id",
  fromSql: "links l",
  whereSql: "l.account_id = :account_id AND l.mode = :mode",
  linkCost: LINK_SCAN_COST,
};

/** Links with the rarest of the tags; the other tags are checked link by link. */
const TAGGED_LINKS: Scan = {
  id: "t.link_id",
  fromSql: "link_tags t CROSS JOIN links l ON l.account_id = t.account_id AND l.mode = t.mode AND l.id = t.link_id",
  whereSql: "t.account_id = :account_id AND t.mode = :mode AND t.tag = :rarest_tag",
  linkCost: TAGGED_LINK_SCAN_COST,
};

const AT_ADDRESSES = `json_each(:addresses) wanted CROSS JOIN links l INDEXED BY links_by_address
    ON l.domain = wanted.value ->> 0 AND l.slug = wanted.value ->> 1`;

/** Links by address: at most one per address and period in which the account held the domain. */
const ADDRESSED_LINKS: Scan = { ...ALL_LINKS, fromSql: AT_ADDRESSES };

/** Links by id, where the account has aliases at the addresses: the link may be in another database, and says whether it still has it. */
const ALIASED_LINKS: Scan = {
  ...ALL_LINKS,
  fromSql: `json_each(:ids) wanted
    CROSS JOIN links l ON l.account_id = :account_id AND l.mode = :mode AND l.id = wanted.value`,
  whereSql: `EXISTS (SELECT 1 FROM json_each(:addresses) named
    CROSS JOIN json_each(json_insert(coalesce(l.aliases, '[]'), '$[#]', json_array(l.domain, l.slug))) own
    WHERE own.value ->> 0 = named.value ->> 0 AND lower(own.value ->> 1) = lower(named.value ->> 1))`,
};

/** Lists only ids when most of the links are not wanted. */
type Listed = "links" | "ids";
const COLUMNS_SQL = { links: LINK_SELECTION_SQL, ids: "iif(scan.matches, scan.id, NULL) AS id" };
const JOIN_SQL =
  "LEFT JOIN links l ON scan.matches AND l.account_id = :account_id AND l.mode = :mode AND l.id = scan.id";

/**
 * The window function streams: SQLite stops scanning as soon as enough rows have been returned. The link that exhausts
 * the scan is returned whether it matches or not: the next page continues there. Deleted links are also scanned.
 */
function listSql({ id, fromSql, whereSql, linkCost }: Scan, search: SearchKind, order: "ASC" | "DESC", what: Listed) {
  return `
  SELECT scan.id AS scanned_id, scan.cost, ${COLUMNS_SQL[what]} FROM (
    SELECT ${id} AS id, ${matchesSql(search)} AS matches,
      sum(${linkCost} + ${costSql(search)}) OVER (ORDER BY ${id} ${order} ROWS UNBOUNDED PRECEDING) AS cost
    FROM ${fromSql} WHERE ${whereSql} AND ${id} > :after AND ${id} < :before ORDER BY ${id} ${order}
  ) scan
  ${what === "links" ? JOIN_SQL : ""}
  WHERE scan.matches OR scan.cost > ${SCAN_MAX_COST} LIMIT :limit`;
}

/** The caller whose links are listed. */
export interface Listing {
  env: Env;
  caller: Caller;
  hosts: Hosts;
}

type Address = [domain: string, slug: string];

/** The addresses at which the caller may have the link; null when neither slug nor short URL is given. */
async function addressesOf(
  { env, caller, hosts }: Listing,
  { slug, short_url, domain }: ListLinksQuery,
): Promise<Address[] | null> {
  const address = short_url === undefined ? null : parseShortUrl(short_url);
  const named = domain === undefined ? null : [normalizedDomain(domain), testPathDomain(normalizedDomain(domain))];
  if (address) {
    const isNamed = named === null || named.includes(address.domain);
    const isMeant = slug === undefined || foldSlug(slug) === foldSlug(address.slug);
    return isNamed && isMeant ? addresses([address.domain], address.slug) : [];
  }
  if (slug === undefined) return null;
  return addresses(named ?? [hosts.shortDomains[caller.mode], ...(await listDomainNames(env, caller))], slug);
}

/** Addresses in both stored forms of the slug. */
function addresses(domains: readonly string[], slug: string): Address[] {
  return domains.flatMap((domain) => storedForms(slug).map((stored): Address => [domain, stored]));
}

/** The ids of the caller's links that have or had one of the addresses; none if there is no alias among them. */
async function findAliasedIds({ env, caller }: Listing, wanted: readonly Address[]): Promise<string[]> {
  const values = { account_id: caller.accountId, mode: caller.mode, addresses: JSON.stringify(wanted) };
  const find = (sql: string) => selectLinks<{ id: string }>(env, (database) => prepareNamed(database, sql, values));
  const aliased = await find(`SELECT a.link_id AS id FROM json_each(:addresses) wanted CROSS JOIN link_aliases a
    ON a.domain = wanted.value ->> 0 AND a.slug = wanted.value ->> 1 WHERE a.account_id = :account_id AND a.mode = :mode`);
  if (aliased.length === 0) return [];
  const links = await find(`SELECT l.id FROM ${AT_ADDRESSES} WHERE l.account_id = :account_id AND l.mode = :mode`);
  return [...new Set([...aliased, ...links].map(({ id }) => id))];
}

/** Maximum links counted per tag to find the rarest: 20 tags read 4,000 rows. */
const RARE_TAG_LINKS = 200;

/** The choice of the scanned tag does not affect the result, so each page may choose a different one. */
const RAREST_TAG_SQL = `SELECT wanted.value AS tag FROM json_each(:tags) wanted ORDER BY (SELECT count(*) FROM
  (SELECT 1 FROM link_tags WHERE account_id = :account_id AND mode = :mode AND tag = wanted.value LIMIT ${RARE_TAG_LINKS}))
  LIMIT 1`;

type ScannedRow<Row> = { scanned_id: string; cost: number } & (Row | { id: null });

/** A query in creation order: its cursor is the last id of the previous page. */
type ListQuery = WantedLinks & { sort: "created_at" | "-created_at" };

/** Lists at most `limit` links; fewer, or none, with a cursor if the scan was exhausted first. */
export async function listLinks(listing: Listing, query: ListQuery): Promise<Page<LinkRecord>> {
  const { items, nextCursor } = scannedPage(await scan<LinkRow>(listing, query, "links"), query.limit);
  return { items: items.map(linkRecordOf), nextCursor };
}

/** Like `listLinks`, but returns only ids. */
export async function listLinkIds(listing: Listing, query: ListQuery): Promise<Page<string>> {
  const { items, nextCursor } = scannedPage(await scan<{ id: string }>(listing, query, "ids"), query.limit);
  return { items: items.map(({ id }) => id), nextCursor };
}

async function scan<Row>(listing: Listing, query: ListQuery, what: Listed): Promise<ScannedRow<Row>[]> {
  const found = await addressesOf(listing, query);
  // An alias need not have the link's own domain or slug.
  const filter = found === null ? query : { ...query, domain: undefined, slug: undefined };
  const { kind, tags, values } = filterValues(listing.caller, filter);
  const ids = found === null ? [] : await findAliasedIds(listing, found);
  const addressed = { addresses: found && JSON.stringify(found), ids: JSON.stringify(ids) };
  const named = ids.length > 0 ? ALIASED_LINKS : ADDRESSED_LINKS;
  const scanned = found !== null ? named : tags.length > 0 ? TAGGED_LINKS : ALL_LINKS;
  const sql = listSql(scanned, kind, query.sort === "created_at" ? "ASC" : "DESC", what);
  const rows = await queryLinkDatabases<ScannedRow<Row>>(
    listing.env,
    (row) => row.scanned_id,
    async (database) => {
      const tagged = scanned === TAGGED_LINKS ? await taggedValues(database, tags, values) : {};
      const bound = { ...values, ...addressed, ...tagged, limit: query.limit + 1 };
      return (await answerInTime(prepareNamed(database, sql, bound).all<ScannedRow<Row>>())).results;
    },
  );
  const before = query.sort === "created_at" ? -1 : 1;
  return rows.sort((one, other) => (one.scanned_id < other.scanned_id ? before : -before));
}

/** Chooses the tag that a database scans. If it is the only one, nothing is compared: all scanned links have it. */
async function taggedValues(
  database: D1Database,
  tags: readonly string[],
  values: Readonly<Record<string, SqlValue>>,
): Promise<Record<string, SqlValue>> {
  const [first = "", ...more] = tags;
  if (more.length === 0) return { tags: null, rarest_tag: first };
  const rarest = await answerInTime(prepareNamed(database, RAREST_TAG_SQL, values).first<string>("tag"));
  return { rarest_tag: rarest ?? first };
}

function scannedPage<Row extends { id: string }>(rows: readonly ScannedRow<Row>[], limit: number): Page<Row> {
  const items: Row[] = [];
  for (const row of rows) {
    if (row.id !== null) {
      if (items.length === limit) return { items, nextCursor: items.at(-1)?.id ?? null };
      items.push(row);
    }
    if (row.cost > SCAN_MAX_COST) return { items, nextCursor: row.scanned_id };
  }
  return { items, nextCursor: null };
}
