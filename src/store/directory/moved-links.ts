/**
 * Moves links and their dependent rows from one database to another: first copies them, then deletes them. Both
 * transactions can be repeated, and two callers may move the same link concurrently. Until a link is deleted from the
 * source, nothing changes it in the target (bucket-moves.ts), so rows in both are identical.
 */
import type { Mode } from "../../core/account.ts";
import { isDisabledSql } from "../links/disabled-links.ts";
import { jsonTexts } from "../statements.ts";

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
  const { results } = await source
    .withSession("first-primary")
    .prepare(`SELECT DISTINCT a.* FROM ${from} LIMIT ${MOVE_ALIASES_MAX}`)
    .bind(value)
    .all<Row>();
  if (results.length === 0) return 0;
  const keys = JSON.stringify(results.map(({ domain, slug, tenure }) => [domain, slug, tenure]));
  await target.batch(insertStatements(target, "link_aliases", results, "true"));
  await source
    .prepare(
      `DELETE FROM link_aliases WHERE (domain, slug, tenure) IN
         (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))`,
    )
    .bind(keys)
    .run();
  return results.length;
}
