/**
 * Reads and writes rows of any table of a backup, as JSON. Values are as D1 has them; blobs are hexadecimal. Column
 * names are taken from the database, never from a backup.
 */
import type { JsonRow, RowKey } from "../../core/contract/backup.ts";
import { transactionDatabase } from "../links/links-database.ts";
import { BACKED_UP_TABLES, type BackedUpTable, type BackedUpTableName } from "./backed-up-tables.ts";

interface Range {
  /** The last row of the page before; null for the first page. */
  after: RowKey | null;
  /** Rows made after this, epoch ms, are left out. */
  createdUntil: number;
  limit: number;
}

/** Limit of the characters of a page, for the Worker's time and memory; a page has at least one row. */
const PAGE_MAX_CHARS = 256 * 1024;

interface TableColumn {
  name: string;
  type: string;
}

/** A page of rows, in the order of the primary key. */
export async function readTableRows(
  env: Env,
  table: BackedUpTableName,
  { after, createdUntil, limit }: Range,
): Promise<JsonRow[]> {
  const { key, omitted = [], hasCreationTime, where = "true" }: BackedUpTable = BACKED_UP_TABLES[table];
  const columns = (await columnsOf(env, table)).filter(({ name }) => !omitted.includes(name));
  const names = columns.map(({ name }) => name).join(", ");
  const conditions = [
    ...(after ? [`(${key.join(", ")}) > (${key.map((_, i) => `?${i + 4}`).join(", ")})`] : []),
    hasCreationTime ? "created_at <= ?3" : "?3 = ?3",
    where,
  ];
  const { results } = await databaseOf(env, table)
    .prepare(
      `SELECT ${columns.map(selectedColumn).join(", ")} FROM (
         SELECT *, sum(row_chars) OVER (ORDER BY ${key.join(", ")}) AS page_chars FROM (
           SELECT ${names}, ${columns.map(({ name }) => `coalesce(length(${name}), 0)`).join(" + ")} AS row_chars
           FROM ${table} WHERE ${conditions.join(" AND ")} ORDER BY ${key.join(", ")} LIMIT ?1))
       WHERE page_chars - row_chars < ?2 ORDER BY ${key.join(", ")}`,
    )
    .bind(limit, PAGE_MAX_CHARS, createdUntil, ...(after ?? []))
    .all<JsonRow>();
  return results;
}

/** The rows of the given keys that there are. */
export async function readRowsByKey(env: Env, table: BackedUpTableName, keys: readonly RowKey[]): Promise<JsonRow[]> {
  const { key }: BackedUpTable = BACKED_UP_TABLES[table];
  const columns = await columnsOf(env, table);
  const { results } = await databaseOf(env, table)
    .prepare(
      `SELECT ${columns.map(selectedColumn).join(", ")} FROM ${table} WHERE (${key.join(", ")}) IN
         (SELECT ${key.map((_, i) => `value ->> ${i}`).join(", ")} FROM json_each(?1))`,
    )
    .bind(JSON.stringify(keys))
    .all<JsonRow>();
  return results;
}

/**
 * Writes rows that are not there yet.
 * @throws ConflictError when other rows are in their way, or rows have columns that this release does not know
 */
export async function insertTableRows(env: Env, table: BackedUpTableName, rows: readonly JsonRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const { key }: BackedUpTable = BACKED_UP_TABLES[table];
  const known = await columnsOf(env, table);
  const unknown = Object.keys(first).filter((name) => !known.some((column) => column.name === name));
  if (unknown.length > 0)
    throw new ConflictError(`${table} has no column ${unknown[0]}: the backup is of a later release`);
  // A column that the backup lacks is younger, and gets its default.
  const columns = known.filter(({ name }) => name in first);
  try {
    await databaseOf(env, table)
      .prepare(
        `INSERT INTO ${table} (${columns.map(({ name }) => name).join(", ")})
         SELECT ${columns.map(insertedColumn).join(", ")} FROM json_each(?1)
         WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${key.map((name) => `${name} = value ->> '${name}'`).join(" AND ")})`,
      )
      .bind(JSON.stringify(rows))
      .run();
  } catch (error) {
    if (String(error).includes("constraint failed")) throw new ConflictError(`${table}: ${String(error)}`);
    throw error;
  }
}

/** Rows of a backup do not fit this database. */
export class ConflictError extends Error {}

function databaseOf(env: Env, table: BackedUpTableName): D1Database {
  return table === "links" || table === "link_revisions" ? transactionDatabase(env) : env.DB;
}

async function columnsOf(env: Env, table: BackedUpTableName): Promise<TableColumn[]> {
  const { results } = await databaseOf(env, table)
    .prepare(`SELECT name, type FROM pragma_table_info('${table}')`)
    .all<TableColumn>();
  return results;
}

function selectedColumn({ name, type }: TableColumn): string {
  return type === "BLOB" ? `hex(${name}) AS ${name}` : name;
}

function insertedColumn({ name, type }: TableColumn): string {
  return type === "BLOB" ? `unhex(value ->> '${name}')` : `value ->> '${name}'`;
}
