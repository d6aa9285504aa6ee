/**
 * Lists links. A filter is evaluated link by link, so one page scans a bounded part of the account and returns what it
 * found there, with a cursor to continue: the database serves one query at a time, and none of an account's million
 * links may match.
 */
import type { ListLinksQuery } from "../../core/contract/links.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import type { Hosts } from "../../core/hosts.ts";
import { encodeTime } from "../../core/identifiers.ts";
import { testPathDomain } from "../../core/links/test-path.ts";
import { storedForms } from "../../core/links/stored-slug.ts";
import { parseShortUrl } from "../../core/links/short-url.ts";
import { foldSearch } from "../../core/links/search-text.ts";
import { tagKey } from "../../core/links/tags.ts";
import type { Caller } from "../accounts/caller.ts";
import { listDomainNames } from "../domains/known-domains.ts";
import { prepareNamed, type SqlValue } from "../named-statement.ts";
import { type LinkRecord, type LinkRow, linkRecordOf } from "./link-rows.ts";
import { linkDatabases } from "./links-database.ts";

/**
 * Cost limit of one page's scan: the bytes of destinations, since searching long ones is slow, those of tags where
 * several are asked for, plus a fixed charge per link. D1 counts three rows read for a link that passes a window
 * function, and a fourth for the row of its tag, so a page stays below 20,000 rows.
 */
const SCAN_MAX_COST = 5_000_000;
const LINK_SCAN_COST = 768;
const TAGGED_LINK_SCAN_COST = 1_100;

/** What a page scans. `id` names the column in whose order it does. */
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

/** Links with the rarest of the tags; whether they have the others as well is evaluated link by link. */
const TAGGED_LINKS: Scan = {
  id: "t.link_id",
  fromSql: "link_tags t CROSS JOIN links l ON l.account_id = t.account_id AND l.mode = t.mode AND l.id = t.link_id",
  whereSql: "t.account_id = :account_id AND t.mode = :mode AND t.tag = :rarest_tag",
  linkCost: TAGGED_LINK_SCAN_COST,
};

/** Links by address: of each there is one at most. */
const ADDRESSED_LINKS: Scan = {
  id: "l.id",
  fromSql: `json_each(:addresses) wanted CROSS JOIN links l
    ON l.domain = wanted.value ->> 0 AND l.slug = wanted.value ->> 1 AND l.successor_id IS NULL`,
  whereSql: "l.account_id = :account_id AND l.mode = :mode",
  linkCost: LINK_SCAN_COST,
};

/**
 * SQLite's lower() knows ASCII only, so a search with other letters replaces them, one layer for each. More letters are
 * compared as they are: D1 binds at most 100 values.
 */
const FOLDED_LETTERS_MAX = 32;
/** What a byte of a destination costs such a search: it is copied once for each letter. */
const FOLDED_BYTE_COST = 10;

const LAYERS = Array.from({ length: FOLDED_LETTERS_MAX }, (_, i) => String.fromCharCode(97 + (i >> 4), 97 + (i & 15)));
const FOLDED_URL_SQL = LAYERS.reduce((sql, layer) => `replace(${sql}, :from_${layer}, :to_${layer})`, "lower(l.url)");

/** How links are searched, and the bytes that a destination counts for. */
interface Search {
  matchesSql: string;
  bytesSql: string;
}

/** Without the mask of a slug that is matched exactly (core/links/stored-slug.ts). */
const SLUG_LETTERS_SQL = "iif(l.slug >= '~', substr(l.slug, 2, instr(substr(l.slug, 2), '~') - 1), l.slug)";

const ASCII_SEARCH: Search = {
  matchesSql: `:search IS NULL OR instr(lower(${SLUG_LETTERS_SQL}), lower(:search)) OR instr(lower(l.url), lower(:search))`,
  bytesSql: "octet_length(l.url)",
};

/** Only destinations with letters beyond ASCII can match; a slug has none. */
const FOLDED_SEARCH: Search = {
  matchesSql: `octet_length(l.url) > length(l.url) AND instr(${FOLDED_URL_SQL}, lower(:search))`,
  bytesSql: `octet_length(l.url) * iif(octet_length(l.url) > length(l.url), ${FOLDED_BYTE_COST}, 1)`,
};

/** A link's tags are parsed once, however many are asked for. Neither list names a tag twice. */
const HAS_TAGS_SQL = `(SELECT count(*) FROM json_each(l.tags) own
  WHERE own.value ->> 0 IN (SELECT value FROM json_each(:tags))) = json_array_length(:tags)`;
/** What a byte of a link's tags costs when they are parsed and compared. */
const TAGS_BYTE_COST = 4;
const TAGS_COST_SQL = `iif(:tags IS NULL OR l.tags IS NULL, 0, octet_length(l.tags) * ${TAGS_BYTE_COST})`;

/**
 * The window function streams: SQLite stops scanning as soon as enough rows have been returned. The link that exhausts
 * the scan is returned whether it matches or not: the next page continues there. Deleted links are scanned as well.
 */
function listSql({ id, fromSql, whereSql, linkCost }: Scan, search: Search, order: "ASC" | "DESC"): string {
  return `
  SELECT scan.id AS scanned_id, scan.cost, l.* FROM (
    SELECT ${id} AS id,
      l.deleted_at IS NULL
        AND (:domain IS NULL OR l.domain = :domain OR l.domain = :test_path_domain)
        AND (:slug IS NULL OR l.slug IN (:slug, :exact_slug))
        AND (${search.matchesSql})
        AND (:status IS NULL OR (:status = 'expired') = (l.expires_at IS NOT NULL AND l.expires_at <= :now))
        AND (:tags IS NULL OR ${HAS_TAGS_SQL}) AS matches,
      sum(${linkCost} + ${search.bytesSql} + ${TAGS_COST_SQL}) OVER (ORDER BY ${id} ${order} ROWS UNBOUNDED PRECEDING) AS cost
    FROM ${fromSql} WHERE ${whereSql} AND ${id} > :after AND ${id} < :before ORDER BY ${id} ${order}
  ) scan
  LEFT JOIN links l ON scan.matches AND l.account_id = :account_id AND l.mode = :mode AND l.id = scan.id
  WHERE scan.matches OR scan.cost > ${SCAN_MAX_COST} LIMIT :limit`;
}

type SqlByOrder = Record<ListLinksQuery["sort"], string>;

function listSqls(scan: Scan): { ascii: SqlByOrder; folded: SqlByOrder } {
  const byOrder = (search: Search): SqlByOrder => ({
    created_at: listSql(scan, search, "ASC"),
    "-created_at": listSql(scan, search, "DESC"),
  });
  return { ascii: byOrder(ASCII_SEARCH), folded: byOrder(FOLDED_SEARCH) };
}

const LIST_SQL = listSqls(ALL_LINKS);
const LIST_TAGGED_SQL = listSqls(TAGGED_LINKS);
const LIST_ADDRESSED_SQL = listSqls(ADDRESSED_LINKS);

/**
 * The ids of a page, exclusive: keyset pagination and the filters by time, since an id begins with the creation time.
 * One bound on each side, so that the scan begins at the nearer of the two.
 */
function idBounds({ sort, cursor, created_after, created_before }: ListLinksQuery): { after: string; before: string } {
  const [cursorAfter, cursorBefore] = sort === "created_at" ? [cursor, undefined] : [undefined, cursor];
  const [first, last] = [created_after, created_before].map((time) => time && linkIdPrefix(Date.parse(time)));
  const [after = ""] = [cursorAfter, first]
    .filter((id) => id !== undefined)
    .sort()
    .toReversed();
  const [before = "~"] = [cursorBefore, last].filter((id) => id !== undefined).sort();
  return { after, before };
}

/** What every id made at that time begins with, or later; no id is equal to it. Times before 1970 have no ids. */
function linkIdPrefix(at: number): string {
  return `lnk_${encodeTime(Math.max(0, at))}`;
}

/** The addresses at which the caller may have the link, as JSON; null when neither slug nor short URL is given. */
async function addressesOf(
  env: Env,
  caller: Caller,
  { shortDomains }: Hosts,
  { slug, short_url, domain }: ListLinksQuery,
): Promise<string | null> {
  const address = short_url === undefined ? null : parseShortUrl(short_url);
  if (address) return addressesJson([address.domain], address.slug);
  if (slug === undefined) return null;
  const domains =
    domain === undefined
      ? [shortDomains[caller.mode], ...(await listDomainNames(env, caller))]
      : [normalizedDomain(domain), testPathDomain(normalizedDomain(domain))];
  return addressesJson(domains, slug);
}

/** In both forms that a slug is stored in. */
function addressesJson(domains: readonly string[], slug: string): string {
  return JSON.stringify(domains.flatMap((domain) => storedForms(slug).map((stored) => [domain, stored])));
}

/** The values of a search; of one with letters beyond ASCII also what is replaced by what. */
function searchValues(search: string | undefined): Record<string, SqlValue> {
  if (search === undefined || !/[^\0-\x7f]/.test(search)) return { search: search ?? null };
  const { text, replacements } = foldSearch(search);
  const layers = LAYERS.flatMap((layer, i): [string, string][] => {
    const [from, to] = replacements[i] ?? ["", ""];
    return [
      [`from_${layer}`, from],
      [`to_${layer}`, to],
    ];
  });
  return { search: text, ...Object.fromEntries(layers) };
}

/** Links that are counted of each tag to find the rarest: 20 tags read 4,000 rows. */
const RARE_TAG_LINKS = 200;

/** Which tag is scanned does not change the result, so every page may choose another. */
const RAREST_TAG_SQL = `SELECT wanted.value AS tag FROM json_each(:tags) wanted ORDER BY (SELECT count(*) FROM
  (SELECT 1 FROM link_tags WHERE account_id = :account_id AND mode = :mode AND tag = wanted.value LIMIT ${RARE_TAG_LINKS}))
  LIMIT 1`;

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
  hosts: Hosts,
  query: ListLinksQuery,
): Promise<LinkRecordPage> {
  const { sort, domain, slug, search, tag, status, limit } = query;
  const tags = [...new Set(tag?.map(tagKey))];
  const values = {
    account_id: caller.accountId,
    mode: caller.mode,
    domain: domain === undefined ? null : normalizedDomain(domain),
    test_path_domain: domain === undefined ? null : testPathDomain(normalizedDomain(domain)),
    slug: slug ?? null,
    exact_slug: slug === undefined ? null : storedForms(slug)[1],
    addresses: await addressesOf(env, caller, hosts, query),
    ...searchValues(search),
    status: status ?? null,
    tags: tags.length === 0 ? null : JSON.stringify(tags),
    now: Date.now(),
    ...idBounds(query),
    limit: limit + 1,
  };
  const found = await Promise.all(linkDatabases(env).map((database) => scanPage(database, sort, tags, values)));
  const before = sort === "created_at" ? -1 : 1;
  const rows = found.flat();
  return pageOf(
    rows.sort((one, other) => (one.scanned_id < other.scanned_id ? before : -before)),
    limit,
  );
}

async function scanPage(
  database: D1Database,
  sort: ListLinksQuery["sort"],
  tags: readonly string[],
  values: Readonly<Record<string, SqlValue>>,
): Promise<ScannedRow[]> {
  const [first, ...more] = tags;
  const kind = "from_aa" in values ? "folded" : "ascii";
  if (first === undefined || values["addresses"] !== null) {
    const sql = values["addresses"] === null ? LIST_SQL : LIST_ADDRESSED_SQL;
    return (await prepareNamed(database, sql[kind][sort], values).all<ScannedRow>()).results;
  }
  const sql = LIST_TAGGED_SQL[kind][sort];
  // All links of the scan have the one tag.
  if (more.length === 0) {
    return (await prepareNamed(database, sql, { ...values, tags: null, rarest_tag: first }).all<ScannedRow>()).results;
  }
  const rarest_tag = (await prepareNamed(database, RAREST_TAG_SQL, values).first<string>("tag")) ?? first;
  return (await prepareNamed(database, sql, { ...values, rarest_tag }).all<ScannedRow>()).results;
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
