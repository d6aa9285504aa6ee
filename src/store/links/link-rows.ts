import { slugKey } from "../../core/hosts.ts";
import type { Mode } from "../../core/account.ts";
import type { ClicksBefore } from "../../core/contract/click-imports.ts";
import { tagKey } from "../../core/links/case-folding.ts";
import {
  type KindValues,
  LINK_MEMBER_LIST,
  type LinkAlias,
  type LinkContent,
  type MemberKind,
  type RedirectContent,
} from "../../core/links/link-members.ts";
import {
  addressObjectName,
  type AliasAddress,
  isSameAddress,
  linkAtAlias,
  type LinkSnapshot,
  openStateOf,
} from "../../core/links/link-snapshot.ts";
import type { ChangeAuthor } from "../accounts/api-keys.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { isInOneDatabase, readLinksIn } from "../directory/directory.ts";
import {
  type Column,
  columnNames,
  type Columns,
  flag,
  json,
  jsonOrNull,
  optional,
  plain,
  recordFromRow,
  rowFromRecord,
} from "../statements.ts";
import { isDisabled } from "./disabled-links.ts";

/**
 * Rows of the table `links` and their mapping to records. Rows are read and written by the columns listed here and
 * those of `LINK_MEMBERS`, so the store needs no change for a new member.
 */

/** A snapshot and the members that redirects do not need. Times are epoch ms. */
export interface LinkRecord extends Omit<LinkSnapshot, keyof LinkContent>, LinkContent {
  createdAt: number;
  updatedAt: number;
  /** Tenure of the domain's holder who created the link (store/domains/domain-holders.ts). */
  tenure: number;
  /** When and by whom the content was last changed; null in a tombstone. */
  changedAt: number | null;
  changedBy: ChangeAuthor | null;
  /** The number of clicks that another service has counted; absent if no import has set it. */
  clicksBefore?: ClicksBefore;
  /** Removed aliases, which still hold their addresses. */
  retiredAliases: LinkAlias[];
  /** Whether the domain has passed to another account since. Only in rows read with `LINK_SELECTION_SQL`. */
  isTransferred?: true;
}

/** A JSON array, or null if the list is empty. */
function listColumn<Item, Stored>(toStored: (item: Item) => Stored, fromStored: (stored: Stored) => Item) {
  return (name: string): Column<Item[]> => ({
    name,
    toSql: (items) => (items.length === 0 ? null : JSON.stringify(items.map(toStored))),
    fromSql: (value) => (value === null ? [] : (JSON.parse(String(value)) as Stored[]).map(fromStored)),
  });
}

/** Each tag with its key, from which triggers fill the table `link_tags`. */
const tagsColumn = listColumn<string, [key: string, tag: string]>(
  (tag) => [tagKey(tag), tag],
  ([, tag]) => tag,
);

const aliasesColumn = listColumn<LinkAlias, [domain: string, slug: string, tenure: number, typedSlug: string | null]>(
  ({ domain, slug, tenure, typedSlug = null }) => [domain, slug, tenure, typedSlug],
  ([domain, slug, tenure, typedSlug]) => ({ domain, slug, tenure, ...(typedSlug === null ? {} : { typedSlug }) }),
);

const RETIRED_ALIASES = aliasesColumn("retired_aliases");

const KIND_COLUMNS: { readonly [Kind in MemberKind]: (name: string) => Column<KindValues[Kind]> } = {
  destination: plain,
  rules: json,
  time: plain,
  text: plain,
  tags: tagsColumn,
  url: plain,
  flag,
  choice: plain,
  secret: plain,
  card: jsonOrNull,
  aliases: aliasesColumn,
};

/** The columns of the members that a request sets and may change. */
const CONTENT_COLUMNS = Object.fromEntries(
  LINK_MEMBER_LIST.map(({ name, field, kind }) => [field, KIND_COLUMNS[kind](name)]),
) as unknown as Columns<LinkContent>;

/** The columns of the members that redirects need. */
const REDIRECT_COLUMNS = Object.fromEntries(
  LINK_MEMBER_LIST.filter(({ affects }) => affects !== "nothing").map(({ field, isAlwaysPresent }) => [
    field,
    { ...CONTENT_COLUMNS[field], isOptional: !isAlwaysPresent },
  ]),
) as unknown as Columns<Pick<LinkSnapshot, keyof LinkSnapshot & keyof LinkContent>>;

/** The columns of a snapshot. `state` is derived from `disabled_at` and `deleted_at`. */
const SNAPSHOT_COLUMNS: Columns<Omit<LinkSnapshot, "state">> = {
  id: plain("id"),
  accountId: plain("account_id"),
  mode: plain("mode"),
  origin: plain("origin"),
  domain: plain("domain"),
  slug: plain("slug"),
  typedSlug: optional("typed_slug"),
  ...REDIRECT_COLUMNS,
  revision: plain("revision"),
  qrKey: plain("qr_key"),
  objectName: optional("object_name"),
};

export const LINK_COLUMNS: Columns<Omit<LinkRecord, "state" | "isTransferred">> = {
  ...SNAPSHOT_COLUMNS,
  ...CONTENT_COLUMNS,
  createdAt: plain("created_at"),
  updatedAt: plain("updated_at"),
  tenure: plain("tenure"),
  changedAt: plain("changed_at"),
  changedBy: plain("changed_by"),
  clicksBefore: { ...json("clicks_before"), isOptional: true },
  retiredAliases: RETIRED_ALIASES,
};

/** A complete row of `links`. Only the columns that queries read by name are typed; the list above maps the others. */
export interface LinkRow {
  account_id: string;
  mode: Mode;
  id: string;
  domain: string;
  slug: string;
  revision: number;
  created_at: number;
  expires_at: number | null;
  disabled_at: number | null;
  deleted_at: number | null;
  erase_at: number | null;
  /** 1 or 0; only with `LINK_SELECTION_SQL`. */
  transferred?: number;
}

/** A row with the columns of `SNAPSHOT_COLUMN_NAMES`, or all columns. */
export type SnapshotRow = Pick<LinkRow, "domain" | "slug" | "disabled_at" | "deleted_at">;

/** The columns that `snapshotOf` reads. */
const SNAPSHOT_COLUMN_NAMES = [...columnNames(SNAPSHOT_COLUMNS), "disabled_at", "deleted_at"];

/** All columns of the table `l`, and whether the domain has passed to another account since the link was created. */
export const LINK_SELECTION_SQL = `l.*,
  EXISTS (SELECT 1 FROM domain_holders h WHERE h.domain = l.domain AND h.tenure > l.tenure) AS transferred`;

export function linkRecordOf(row: LinkRow): LinkRecord {
  const content = recordFromRow(LINK_COLUMNS, row);
  const link = { ...content, state: stateOf(row, content) };
  return row.transferred ? { ...link, isTransferred: true } : link;
}

export function snapshotOf(row: SnapshotRow): LinkSnapshot {
  const content = recordFromRow(SNAPSHOT_COLUMNS, row);
  return { ...content, state: stateOf(row, content) };
}

export function snapshotOfRecord(link: LinkRecord): LinkSnapshot {
  return { ...recordFromRow(SNAPSHOT_COLUMNS, rowFromRecord(LINK_COLUMNS, link)), state: link.state };
}

function stateOf({ deleted_at, disabled_at }: SnapshotRow, content: RedirectContent): LinkSnapshot["state"] {
  if (deleted_at !== null) return "deleted";
  return isDisabled(disabled_at) ? "disabled" : openStateOf(content);
}

/**
 * Finds links by address, for redirects. It takes no caller: every visitor of an address may follow its link. The same
 * query reads the account's state, whether its stream has a subscriber, and whether its statistics are requested.
 * Caching is done at the edge (`edge/link-lookup.ts`).
 */

/**
 * State of a link's owner. Unless it is `open`, the link answers 410, whatever the link's state is. `transferred`: the
 * domain has passed to another account since the link was created.
 */
export type OwnerState = "open" | "suspended" | "closed" | "transferred";

/** A link with the state of its account. */
export interface FoundLink {
  link: LinkSnapshot;
  account: OwnerState;
  /** Start of the current period of the account's feed (clicks/feed-log.ts), epoch ms; 0 when there is none. */
  feedSince: number;
  /**
   * When links began announcing clicks to the object of the account's statistics, epoch ms; 0 while they do not, null
   * if the database was not queried.
   */
  statsSince: number | null;
  /** Whether it forwards every path below its own: it has `forward_path`, and no slug begins with its slug and `/`. */
  ownsPaths: boolean;
  /** The alias by which it was found, present or removed; absent for the link's own slug. */
  via?: AliasAddress;
  /** That alias as in its short URL, unless it is removed. */
  alias?: string;
}

/** The address of a link. `name` is the name of its object (core/links/link-snapshot.ts). */
export interface LinkLookupKey {
  name: string;
  domain: string;
  slug: string;
}

/** Links by name. */
interface FoundLinks extends ReadonlyMap<string, FoundLink> {
  /** Whether the primary answered, even where a replica could have: links missing here do not exist. */
  isFromPrimary: boolean;
}

/** The link at an address. Its columns are null if it was found by an alias, and is in another database. */
type FoundRow = SnapshotRow & {
  id: string | null;
  account: OwnerState;
  feed_since: number;
  stats_since: number;
  owns_paths: number;
  is_alias: number;
  at_domain: string;
  at_slug: string;
  at_tenure: number;
  /** JSON array: the primary key of the link. */
  key: string;
  /** Only of an alias's link. */
  retired_aliases: string | null;
};

/** Slugs or aliases below a wanted address, in both stored forms (core/hosts.ts). After `/` comes `0`. */
const longerSql = (table: string) => `SELECT 1 FROM json_each('["", "~"]') form CROSS JOIN ${table} longer
     WHERE longer.domain = at.domain
       AND longer.slug > form.value || at.slug_key || '/' AND longer.slug < form.value || at.slug_key || '0'`;

/** A link whose own domain has passed on has ended at its aliases, too. */
const accountSql = (link: string) => `iif(
       (SELECT h.tenure FROM domain_holders h WHERE h.domain = ${link}.domain) > ${link}.tenure, 'suspended',
       coalesce((SELECT s.state FROM account_states s WHERE s.account_id = ${link}.account_id), 'open'))`;

const FEEDS_SQL = `iif(f.until > ?2, f.since, 0) AS feed_since, iif(f.stats_until > ?2, f.stats_since, 0) AS stats_since`;

/** The links or aliases at wanted addresses, each read from an index alone. */
const addressesSql = (isAlias: number, table: string, id: string) =>
  `SELECT wanted.key AS wanted, wanted.value ->> 2 AS slug_key, x.domain, x.slug, x.tenure, ${isAlias} AS is_alias,
       x.account_id, x.mode, x.${id} AS id
     FROM json_each(?1) wanted CROSS JOIN ${table} x ON x.domain = wanted.value ->> 0 AND x.slug = wanted.value ->> 1`;

/**
 * Returns only the link of an address's last tenure: each may have 72 KB. A tenure has one link at an address, by its slug
 * or by an alias (trigger `aliases_not_at_links`). Every unknown address costs the compilation of this statement, and
 * SQLite asks workerd for permission for each column that it names.
 */
const FIND_SQL = `SELECT ${SNAPSHOT_COLUMN_NAMES.map((name) => `l.${name}`).join(", ")}, l.retired_aliases,
     at.is_alias, at.domain AS at_domain, at.slug AS at_slug, at.tenure AS at_tenure,
     json_array(at.account_id, at.mode, at.id) AS key,
     iif(coalesce(l.forward_path, l.id IS NULL),
       NOT EXISTS (${longerSql("links")} UNION ALL ${longerSql("link_aliases")}), 0) AS owns_paths,
     iif((SELECT h.tenure FROM domain_holders h WHERE h.domain = at.domain) > at.tenure, 'transferred',
       ${accountSql("l")}) AS account, ${FEEDS_SQL}
   FROM (SELECT *, max(tenure) FROM (
     ${addressesSql(0, "links", "id")}
     UNION ALL ${addressesSql(1, "link_aliases", "link_id")}
   ) GROUP BY wanted) at
   LEFT JOIN links l ON l.account_id = at.account_id AND l.mode = at.mode AND l.id = at.id
   LEFT JOIN feeds f ON f.account_id = at.account_id AND f.mode = at.mode`;

const FIND_BY_KEY_SQL = `SELECT ${SNAPSHOT_COLUMN_NAMES.map((name) => `l.${name}`).join(", ")}, l.retired_aliases,
     ${accountSql("l")} AS account, ${FEEDS_SQL}
   FROM json_each(?1) wanted CROSS JOIN links l
     ON l.account_id = wanted.value ->> 0 AND l.mode = wanted.value ->> 1 AND l.id = wanted.value ->> 2
   LEFT JOIN feeds f ON f.account_id = l.account_id AND f.mode = l.mode`;

/**
 * Finds links by address, with one query per database.
 * @param freshness  a replica may lack the newest writes; the primary has them
 */
export async function findLinksByAddress(
  env: Env,
  keys: readonly LinkLookupKey[],
  freshness: "first-unconstrained" | "first-primary",
): Promise<FoundLinks> {
  const now = Date.now();
  let isFromPrimary = true;
  const read = async (database: D1Database, sql: string, wanted: readonly unknown[]) => {
    const session = database.withSession(freshness);
    const { results, meta } = await session.prepare(sql).bind(JSON.stringify(wanted), now).all<FoundRow>();
    isFromPrimary &&= meta.served_by_primary === true;
    return results;
  };
  // While a bucket moves, the current holder's link may still be in the other database.
  const keyOfRow = (row: FoundRow) => (row.account === "transferred" ? "" : nameAt(row));
  const rows = await readLinksIn<LinkLookupKey, FoundRow>(
    env,
    keys,
    ({ name }) => name,
    keyOfRow,
    (database, addresses) => {
      // The key is not computed in SQL: the statement would take half as long again to compile.
      const wanted = addresses.map(({ domain, slug }) => [domain, slug, slugKey(slug)]);
      return read(database, FIND_SQL, wanted);
    },
  );
  const elsewhere = rows.filter(({ id }) => id === null).map(({ key }) => JSON.parse(key) as string[]);
  const byId = new Map(
    (elsewhere.length === 0
      ? []
      : await readLinksIn<{ id: string; key: string[] }, FoundRow>(
          env,
          elsewhere.map((key) => ({ id: key.at(-1) ?? "", key })),
          ({ id }) => id,
          ({ id }) => id ?? "",
          (database, links) =>
            read(
              database,
              FIND_BY_KEY_SQL,
              links.map(({ key }) => key),
            ),
        )
    ).map((row) => [row.id, row]),
  );
  // The last row wins: the second database is queried only if the first has a former holder's link, or none.
  const links = new Map<string, FoundLink>();
  for (const row of rows) {
    const found = foundLinkOf(env, row, byId);
    if (found) links.set(nameAt(row), found);
  }
  return Object.assign(links, { isFromPrimary });
}

/** Name of the address at which a row was found. */
function nameAt({ at_domain, at_slug }: FoundRow): string {
  return addressObjectName(at_domain, at_slug);
}

/** @returns null for an address that is only reserved: its request has not written the link yet, or never will */
function foundLinkOf(env: LinksEnv, row: FoundRow, elsewhere: ReadonlyMap<string | null, FoundRow>): FoundLink | null {
  const { account } = row;
  const of = row.id === null ? elsewhere.get((JSON.parse(row.key) as string[]).at(-1) ?? "") : row;
  if (!of) return null;
  const { feed_since: feedSince, stats_since: statsSince } = of;
  const link = snapshotOf(of);
  if (!row.is_alias) {
    // While a bucket moves, longer slugs may still be in the other database.
    const ownsPaths = row.owns_paths === 1 && isInOneDatabase(env, link);
    return { link, account, feedSince, statsSince, ownsPaths };
  }
  const via = { domain: row.at_domain, slug: row.at_slug, tenure: row.at_tenure };
  const found = linkAtAlias(link, via);
  const isRetired = RETIRED_ALIASES.fromSql(of.retired_aliases).some((each) => isSameAddress(each, via));
  if (found.alias === undefined && !isRetired) return null;
  const ownsPaths = row.owns_paths === 1 && found.link.forwardPath === true && isInOneDatabase(env, via);
  const state = account === "transferred" ? account : of.account;
  return { ...found, account: state, feedSince, statsSince, ownsPaths, via };
}
