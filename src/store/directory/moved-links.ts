/**
 * Moves links and their dependent rows from one database to another: first copies them, then deletes them. Both
 * transactions can be repeated, and two callers may move the same link concurrently. Until a link is deleted from the
 * source, nothing changes it in the target (bucket-moves.ts), so rows in both are identical.
 */
import type { Mode } from "../../core/account.ts";
import { conflictingSlugs, slugKey } from "../../core/hosts.ts";
import { bucketOf, bucketText } from "../../core/links/buckets.ts";
import { isDisabledSql } from "../links/disabled-links.ts";
import { jsonTexts, queryRows, changeRows } from "../statements.ts";
import { guardedDatabase } from "../wrapped-databases.ts";
import {
  databaseMap,
  databaseNamed,
  linksDatabase,
  type LinksEnv,
  sourceDatabase,
  type WrittenLink,
} from "./databases.ts";

/** SQL of a number that `link_counts` has of some links. Their aliases count as links. */
export const countedSql = (deletedAt: string, aliases: string) =>
  `sum((${deletedAt} IS NULL) + coalesce(json_array_length(${aliases}), 0))`;

/** Like `countedSql`, including removed ones. */
export const madeSql = (aliases: string, retired: string) =>
  `sum(1 + coalesce(json_array_length(${aliases}), 0) + coalesce(json_array_length(${retired}), 0))`;

export interface LinkPrimaryKey {
  account_id: string;
  mode: Mode;
  id: string;
}

type Row = Readonly<Record<string, string | number | null>>;

/** Rows in these tables refer to their link as `link_id`. */
const DEPENDENT_TABLES = ["link_revisions", "link_outbox", "stats_news", "alias_domains"] as const;

interface LinkRows {
  links: Row[];
  dependents: Record<(typeof DEPENDENT_TABLES)[number], Row[]>;
}

/** @param keys  few enough that their rows have at most a few megabytes */
export async function moveLinks(
  source: D1Database,
  target: D1Database,
  keys: readonly LinkPrimaryKey[],
): Promise<void> {
  const rows = await readRows(source, keys);
  if (rows.links.length === 0) return;
  await target.batch(copyStatements(target, rows));
  await source.batch(deleteStatements(source, rows));
}

const OF_LINKS = "(account_id, mode, id) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))";
const OF_THEIRS = OF_LINKS.replace("id)", "link_id)");

async function readRows(source: D1Database, keys: readonly LinkPrimaryKey[]): Promise<LinkRows> {
  const wanted = keysJson(keys);
  const [links, ...dependents] = await source.batch<Row>([
    source.prepare(`SELECT * FROM links WHERE ${OF_LINKS}`).bind(wanted),
    ...DEPENDENT_TABLES.map((table) => source.prepare(`SELECT * FROM ${table} WHERE ${OF_THEIRS}`).bind(wanted)),
  ]);
  const tables = DEPENDENT_TABLES.map((table, i) => [table, dependents[i]?.results ?? []]);
  return { links: links?.results ?? [], dependents: Object.fromEntries(tables) as LinkRows["dependents"] };
}

/** Whether the target has no link with the key in `value`, where `id` is the name of its id. */
const IS_MISSING = (id: string) => `NOT EXISTS (SELECT 1 FROM links l WHERE l.account_id = value ->> 'account_id'
  AND l.mode = value ->> 'mode' AND l.id = value ->> '${id}')`;

/**
 * Restarts the disabling of ended links (links/ended-links.ts), which the source refuses and the target may have done.
 */
const ENDING_SQL = `UPDATE domain_holders SET ending = '["","",""]' WHERE domain IN (
  SELECT value ->> 'domain' FROM json_each(?1)
  WHERE value ->> 'deleted_at' IS NULL AND NOT ${isDisabledSql("value ->> 'disabled_at'")} AND value ->> 'tenure' <
    (SELECT h.tenure FROM domain_holders h WHERE h.domain = value ->> 'domain'))`;

/**
 * Links are copied last: their dependent rows are copied only while the link itself is missing. A link that another
 * caller has copied may have lost history since. Triggers write tags and case settings (schema.sql).
 */
function copyStatements(target: D1Database, { links, dependents }: LinkRows): D1PreparedStatement[] {
  const counts = `INSERT INTO link_counts (account_id, links, made)
    SELECT value ->> 'account_id', ${countedSql("value ->> 'deleted_at'", "value ->> 'aliases'")},
      ${madeSql("value ->> 'aliases'", "value ->> 'retired_aliases'")} FROM json_each(?1)
    WHERE ${IS_MISSING("id")} GROUP BY 1
    ON CONFLICT DO UPDATE SET links = link_counts.links + excluded.links, made = link_counts.made + excluded.made`;
  return [
    ...[counts, ENDING_SQL].flatMap((sql) => jsonTexts(links).map((rows) => target.prepare(sql).bind(rows))),
    ...DEPENDENT_TABLES.flatMap((table) => insertStatements(target, table, dependents[table], IS_MISSING("link_id"))),
    ...insertStatements(target, "links", links, IS_MISSING("id")),
  ];
}

/** Column names come from the database itself. */
function insertStatements(database: D1Database, table: string, rows: readonly Row[], condition: string) {
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((name) => `value ->> '${name}'`);
  // Ordered by key, as the trigger that bounds a history expects.
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?1)
    WHERE ${condition} ORDER BY key ON CONFLICT DO NOTHING`;
  return jsonTexts(rows).map((texts) => database.prepare(sql).bind(texts));
}

/** Updates counts first, because they are computed from the links before deletion. Triggers count the history. */
function deleteStatements(source: D1Database, { links }: LinkRows): D1PreparedStatement[] {
  const keys = keysJson(links as unknown as LinkPrimaryKey[]);
  const remaining = `SELECT account_id, mode, id, tags, deleted_at, aliases, retired_aliases FROM links WHERE ${OF_LINKS}`;
  return [
    `UPDATE link_counts SET links = link_counts.links - gone.links, made = link_counts.made - gone.made FROM (
       SELECT account_id, ${countedSql("deleted_at", "aliases")} AS links, ${madeSql("aliases", "retired_aliases")} AS made
       FROM (${remaining}) GROUP BY 1) AS gone
     WHERE link_counts.account_id = gone.account_id`,
    `UPDATE tags SET links = tags.links - gone.links FROM (
       SELECT account_id, mode, value ->> 0 AS tag, count(*) AS links
       FROM (${remaining}) AS moved, json_each(moved.tags) GROUP BY 1, 2, 3) AS gone
     WHERE tags.account_id = gone.account_id AND tags.mode = gone.mode AND tags.tag = gone.tag`,
    `DELETE FROM tags WHERE links <= 0 AND (account_id, mode, tag) IN (
       SELECT account_id, mode, value ->> 0 FROM (${remaining}) AS moved, json_each(moved.tags))`,
    `DELETE FROM link_tags WHERE (account_id, mode, tag, link_id) IN (
       SELECT account_id, mode, value ->> 0, moved.id FROM (${remaining}) AS moved, json_each(moved.tags))`,
    ...DEPENDENT_TABLES.map((table) => `DELETE FROM ${table} WHERE ${OF_THEIRS}`),
    `DELETE FROM links WHERE ${OF_LINKS}`,
  ].map((sql) => source.prepare(sql).bind(keys));
}

function keysJson(keys: readonly LinkPrimaryKey[]): string {
  return JSON.stringify(keys.map(({ account_id, mode, id }) => [account_id, mode, id]));
}

/** Maximum aliases that one step moves. */
export const MOVE_ALIASES_MAX = 1_000;

/**
 * Moves aliases of closed buckets, wherever their links are.
 * @param from  SQL after FROM, which names the aliases `a`, with the parameter `?1`
 * @returns their number
 */
export async function moveAliases(
  source: D1Database,
  target: D1Database,
  from: string,
  value: string,
): Promise<number> {
  const sql = `SELECT DISTINCT a.* FROM ${from} LIMIT ${MOVE_ALIASES_MAX}`;
  const results = await queryRows<Row>(source.withSession("first-primary"), sql, [value]);
  if (results.length === 0) return 0;
  const keys = JSON.stringify(results.map(({ domain, slug, tenure }) => [domain, slug, tenure]));
  await target.batch(insertStatements(target, "link_aliases", results, "true"));
  const moved = `DELETE FROM link_aliases WHERE (domain, slug, tenure) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))`;
  await changeRows(source, moved, [keys]);
  return results.length;
}

/**
 * Returns the database of each link while buckets move (bucket-moves.ts): the source until it has closed the bucket,
 * then the target. A link of a closed bucket that has not moved yet is moved before it is written to. A write to a source
 * fails (`bucket_moved`) if the source closes one of its buckets first; then the caller retries.
 */
export async function databasesDuringMove<Key extends WrittenLink>(
  env: LinksEnv,
  links: readonly Key[],
): Promise<Map<D1Database, Key[]>> {
  const sources = await readSources(env);
  const openSourceOf = (link: Key) => {
    const source = sourceDatabase(env, link);
    return source && !sources.get(source)?.closed.has(bucketText(bucketOf(link))) ? source : null;
  };
  const brought = links.filter((link) => openSourceOf(link) === null);
  await bringLinks(env, brought);
  return Map.groupBy(links, (link) => {
    const database = openSourceOf(link) ?? linksDatabase(env, link);
    return sources.get(database)?.guarded ?? database;
  });
}

/** A database that buckets move from. */
interface Source {
  /** The buckets that it has closed, as the suffix of a link id. */
  closed: ReadonlySet<string>;
  /** Refuses every write once it has closed another bucket. */
  guarded: D1Database;
}

async function readSources(env: LinksEnv): Promise<ReadonlyMap<D1Database, Source>> {
  const { places } = databaseMap(env);
  const names = [...new Set(places.flatMap(({ source }) => source ?? []))];
  const sources = names.map(async (name): Promise<[D1Database, Source]> => {
    const database = databaseNamed(env, name);
    const closed = await readClosedBuckets(database);
    const open = places.flatMap(({ source }, bucket) => (source === name ? bucketText(bucket) : []));
    const guard = JSON.stringify(open.filter((bucket) => !closed.has(bucket)));
    return [database, { closed, guarded: guardedDatabase(database, GUARD_SQL, guard) }];
  });
  return new Map(await Promise.all(sources));
}

/** A trigger makes it fail if it finds a row. */
const GUARD_SQL = "UPDATE moved_buckets SET bucket = bucket WHERE bucket IN (SELECT value FROM json_each(?1))";

/** Moves links of closed buckets to their target, if they have not moved yet. */
async function bringLinks(env: LinksEnv, links: readonly WrittenLink[]): Promise<void> {
  for (const [source, theirs] of Map.groupBy(links, (link) => sourceDatabase(env, link))) {
    if (source) await moveWrittenLinks(env, source, theirs);
  }
}

async function readClosedBuckets(source: D1Database): Promise<ReadonlySet<string>> {
  const { results } = await source
    .withSession("first-primary")
    .prepare("SELECT bucket FROM moved_buckets")
    .all<{ bucket: string }>();
  return new Set(results.map(({ bucket }) => bucket));
}

async function moveWrittenLinks(env: LinksEnv, source: D1Database, links: readonly WrittenLink[]): Promise<void> {
  const byTarget = Map.groupBy(links, (link) => linksDatabase(env, link));
  await Promise.all(
    [...byTarget].map(async ([target, theirs]) => {
      for (const key of await findKeys(source, theirs)) await moveLinks(source, target, [key]);
      const addresses = theirs.flatMap((link) => ("id" in link ? [] : [[link.domain, link.slug, segmentOf(link)]]));
      if (addresses.length === 0) return;
      const json = JSON.stringify(addresses);
      while ((await moveAliases(source, target, NAMED_ALIASES, json)) === MOVE_ALIASES_MAX);
    }),
  );
}

/** Also the aliases that decide who has an address's first segment (`segmentOwnerSql`). */
const NAMED_ALIASES = `(SELECT value ->> 0 AS domain, value ->> 1 AS slug FROM json_each(?1)
  UNION SELECT value ->> 0, value ->> 2 FROM json_each(?1)
  UNION SELECT value ->> 0, (SELECT slug FROM link_aliases
    WHERE domain = value ->> 0 AND slug > value ->> 2 || '/' AND slug < value ->> 2 || '0' LIMIT 1) FROM json_each(?1)
  ) named CROSS JOIN link_aliases a ON a.domain = named.domain AND a.slug = named.slug`;

function segmentOf({ slug }: { slug: string }): string {
  return slugKey(slug).split("/", 1)[0] ?? "";
}

/**
 * Primary keys of links still in the source. An address includes links that visitors could mean by it, and the link that
 * decides who has its first segment (`segmentOwnerSql`).
 */
async function findKeys(source: D1Database, links: readonly WrittenLink[]): Promise<LinkPrimaryKey[]> {
  const keys = links.flatMap((link) => ("id" in link ? [[link.accountId, link.mode, link.id]] : []));
  const addresses = links.flatMap((link) => {
    if ("id" in link) return [];
    const { from, to } = conflictingSlugs(link.slug);
    return [[link.domain, link.slug, from, to, segmentOf(link)]];
  });
  const sql = `SELECT l.account_id, l.mode, l.id FROM json_each(?1) k CROSS JOIN links l
      ON l.account_id = k.value ->> 0 AND l.mode = k.value ->> 1 AND l.id = k.value ->> 2
    UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
      ON l.domain = a.value ->> 0 AND l.slug = a.value ->> 1
    UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
      ON l.domain = a.value ->> 0 AND l.slug BETWEEN a.value ->> 2 AND a.value ->> 3
    UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
      ON l.domain = a.value ->> 0 AND l.slug = a.value ->> 4
    UNION SELECT l.account_id, l.mode, l.id FROM json_each(?2) a CROSS JOIN links l
      ON (l.domain, l.slug) = (SELECT domain, slug FROM links
        WHERE domain = a.value ->> 0 AND slug > a.value ->> 4 || '/' AND slug < a.value ->> 4 || '0' LIMIT 1)`;
  const values = [keys, addresses].map((each) => JSON.stringify(each));
  return queryRows<LinkPrimaryKey>(source.withSession("first-primary"), sql, values);
}
