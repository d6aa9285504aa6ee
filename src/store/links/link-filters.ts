/** The filters of link lists, as SQL that is evaluated link by link, and their values. */
import type { FindLinksQuery, ListLinksQuery } from "../../core/contract/links.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import { encodeTime } from "../../core/identifiers.ts";
import { foldSearch, parseShortUrl } from "../../core/links/link-search.ts";
import { storedForms, testPathDomain } from "../../core/hosts.ts";
import { foldSlug, isAscii, tagKey } from "../../core/links/case-folding.ts";
import type { Caller } from "../accounts/api-keys.ts";
import type { SqlValue } from "../statements.ts";
import { slugKeySql } from "./domain-joins.ts";

/**
 * SQLite's lower() handles ASCII only, so a search with other letters replaces them, one layer per letter. Letters
 * beyond this maximum are compared unchanged: D1 binds at most 100 values.
 */
const FOLDED_LETTERS_MAX = 32;
/** The cost of a destination's byte in such a search: it is copied once per letter. */
const FOLDED_BYTE_COST = 10;

export type WantedLinks = ListLinksQuery & Pick<FindLinksQuery, "rules" | "origin">;

const LAYERS = Array.from({ length: FOLDED_LETTERS_MAX }, (_, i) => String.fromCharCode(97 + (i >> 4), 97 + (i & 15)));
const foldedSql = (column: string) =>
  LAYERS.reduce((sql, layer) => `replace(${sql}, :from_${layer}, :to_${layer})`, `lower(${column})`);

/** How links are searched, and the bytes that a link counts for. */
interface Search {
  matchesSql: string;
  bytesSql: string;
}

const SLUG_MATCHES_SQL = `instr(${slugKeySql("l.slug")}, :search_slug)`;

/** Of a short URL, or the part of one that contains its first slash. */
const addressMatchesSql = (domain: string, slug: string) =>
  `instr(${domain} || '/' || ${slugKeySql(slug)}, :search_address)`;

/** Lists are parsed only where their text contains the search. */
const HAS_TAG_TEXT_SQL = "instr(l.tags, :search_tag_text)";
const HAS_ALIAS_TEXT_SQL = "instr(lower(l.aliases), :search_alias_text)";
const OTHERS_MATCH_SQL = `${addressMatchesSql("l.domain", "l.slug")}
  OR iif(${HAS_TAG_TEXT_SQL}, EXISTS (SELECT 1 FROM json_each(l.tags) own WHERE instr(own.value ->> 0, :search_tag)), 0)
  OR iif(${HAS_ALIAS_TEXT_SQL}, EXISTS (SELECT 1 FROM json_each(l.aliases) own
    WHERE instr(${slugKeySql("own.value ->> 1")}, :search_slug) OR ${addressMatchesSql("own.value ->> 0", "own.value ->> 1")}), 0)`;
/** The cost of a list's byte: parsed, each item has at least ten and is a row. */
const listCostSql = (column: string, isParsedSql: string) =>
  `coalesce(octet_length(${column}), 0) * iif(${isParsedSql}, 30, 2)`;
const OTHERS_COST_SQL = `iif(:search IS NULL, 0, coalesce(octet_length(l.title), 0)
  + ${listCostSql("l.tags", HAS_TAG_TEXT_SQL)} + ${listCostSql("l.aliases", HAS_ALIAS_TEXT_SQL)})`;

const ASCII_SEARCH: Search = {
  matchesSql: `:search IS NULL OR ${SLUG_MATCHES_SQL} OR instr(lower(l.url), lower(:search))
    OR instr(lower(l.title), lower(:search)) OR ${OTHERS_MATCH_SQL}`,
  bytesSql: `octet_length(l.url) + ${OTHERS_COST_SQL}`,
};

/** Only destinations and titles with letters beyond ASCII can match. */
const FOLDED_SEARCH: Search = {
  matchesSql: `${SLUG_MATCHES_SQL} OR (octet_length(l.url) > length(l.url) AND instr(${foldedSql("l.url")}, lower(:search)))
    OR (octet_length(l.title) > length(l.title) AND instr(${foldedSql("l.title")}, lower(:search))) OR ${OTHERS_MATCH_SQL}`,
  bytesSql: `octet_length(l.url) * iif(octet_length(l.url) > length(l.url), ${FOLDED_BYTE_COST}, 1)
    + coalesce(octet_length(l.title), 0) * ${FOLDED_BYTE_COST} + ${OTHERS_COST_SQL}`,
};

/** Parses a link's tags once, however many are requested. Neither list contains a tag twice. */
const HAS_TAGS_SQL = `(SELECT count(*) FROM json_each(l.tags) own
  WHERE own.value ->> 0 IN (SELECT value FROM json_each(:tags))) = json_array_length(:tags)`;
/** The cost of a byte of a link's tags when they are parsed and compared. */
const TAGS_BYTE_COST = 4;
const TAGS_COST_SQL = `iif(:tags IS NULL OR l.tags IS NULL, 0, octet_length(l.tags) * ${TAGS_BYTE_COST})`;

const SEARCHES = { ascii: ASCII_SEARCH, folded: FOLDED_SEARCH };
export type SearchKind = keyof typeof SEARCHES;

/** Whether a link `l` is listed. Uses the values of `filterValues`. */
export function matchesSql(search: SearchKind): string {
  return `l.deleted_at IS NULL
        AND (:domain IS NULL OR l.domain = :domain OR l.domain = :test_path_domain)
        AND (:slug IS NULL OR l.slug IN (:slug, :exact_slug))
        AND (${SEARCHES[search].matchesSql})
        AND (:status IS NULL OR (:status = 'expired') = (l.expires_at IS NOT NULL AND l.expires_at <= :now))
        AND (:status IS NOT 'paused' OR l.paused IS NOT NULL) AND (:status IS NOT 'scheduled' OR l.starts_at > :now)
        AND (:archived IS NULL OR (l.archived IS NOT NULL) = :archived)
        AND (:rules IS NULL OR (l.routing <> '[]') = :rules) AND (:origin IS NULL OR l.origin = :origin)
        AND (:tags IS NULL OR ${HAS_TAGS_SQL})`;
}

/** The cost of evaluating the filter, in bytes. */
export function costSql(search: SearchKind): string {
  return `${SEARCHES[search].bytesSql} + ${TAGS_COST_SQL}`;
}

interface FilterValues {
  kind: SearchKind;
  /** Keys of the wanted tags. */
  tags: string[];
  values: Record<string, SqlValue>;
}

export function filterValues(caller: Caller, query: WantedLinks): FilterValues {
  const { domain, slug, search, tag, status, archived, rules, origin } = query;
  const tags = [...new Set(tag?.map(tagKey))];
  const searched = searchValues(search);
  const [any_case, exact_slug] = slug === undefined ? [null, null] : storedForms(slug);
  const values = {
    account_id: caller.accountId,
    mode: caller.mode,
    domain: domain === undefined ? null : normalizedDomain(domain),
    test_path_domain: domain === undefined ? null : testPathDomain(normalizedDomain(domain)),
    slug: any_case,
    exact_slug,
    ...searched,
    ...otherValues(search),
    rules: rules === undefined ? null : Number(rules === "true"),
    origin: origin ?? null,
    status: status ?? null,
    archived: archived === "any" ? null : Number(archived === "true"),
    tags: tags.length === 0 ? null : JSON.stringify(tags),
    now: Date.now(),
    ...idBounds(query),
  };
  return { kind: "from_aa" in searched ? "folded" : "ascii", tags, values };
}

/** The values for tags, aliases and short URLs. A JSON text contains a string as `JSON.stringify` writes it. */
function otherValues(search: string | undefined): Record<string, SqlValue> {
  if (search === undefined)
    return { search_tag: null, search_tag_text: null, search_alias_text: null, search_address: null };
  const search_tag = tagKey(search);
  const address = parseShortUrl(search);
  return {
    search_tag,
    search_tag_text: JSON.stringify(search_tag).slice(1, -1),
    search_alias_text: foldSlug(address?.slug ?? search),
    search_address: address && `${address.domain}/${foldSlug(address.slug)}`,
  };
}

/** The values of a search. With letters beyond ASCII, they include the replacements. */
function searchValues(search: string | undefined): Record<string, SqlValue> {
  if (search === undefined) return { search: null, search_slug: null };
  const search_slug = foldSlug(search);
  if (isAscii(search)) return { search, search_slug };
  const { text, replacements } = foldSearch(search);
  const layers = LAYERS.flatMap((layer, i): [string, string][] => {
    const [from, to] = replacements[i] ?? ["", ""];
    return [
      [`from_${layer}`, from],
      [`to_${layer}`, to],
    ];
  });
  return { search: text, search_slug, ...Object.fromEntries(layers) };
}

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

/** A prefix: ids created at that time or later are greater, and none equals it. Times before 1970 have no ids. */
function linkIdPrefix(at: number): string {
  return `lnk_${encodeTime(Math.max(0, at))}`;
}
