/**
 * Reads and writes rows of any table of a backup, as JSON. Values are as in D1; blobs are hexadecimal. Column names
 * come from the database, never from a backup. Tables of links are read from all databases as if from one, and written
 * to the database of each link: the restoring installation may have a different number of databases.
 */
import { SETUP_CHECK_EMAIL } from "../../core/account.ts";
import type { JsonRow, RowKey } from "../../core/contract/backup.ts";
import { groupByDatabase, type LinksEnv } from "../directory/databases.ts";
import { queryLinkDatabases, readLinksIn } from "../directory/directory.ts";
import { compareKeys, queryRows, changeRows } from "../statements.ts";
import { restoreAliases } from "../links/link-aliases.ts";
import type { LinkRow } from "../links/link-rows.ts";

interface BackedUpTable {
  /** The primary key columns, in order. */
  key: readonly string[];
  /** Columns that are reset: a restored row gets their defaults. */
  omitted?: readonly string[];
  /** Whether rows have `created_at`, epoch ms: rows created after the backup began are left out. */
  hasCreationTime: boolean;
  /** SQL condition for the rows that are backed up. */
  where?: string;
  /** Maximum rows of a page if each needs a call to an object or a bucket: Workers' Free plan allows 50 per request. */
  pageRows?: number;
}

const PAGE_ROWS = 500;

const OWNED_KEY = ["account_id", "mode", "id"];

/**
 * The tables of a backup. A test lists why each other table is excluded, so it fails for a new table. The names are
 * constants, never input.
 *
 * In reading order: rows that refer to others come before them, so that the backup contains what they refer to, even if
 * rows are created in the meantime.
 */
export const BACKED_UP_TABLES = {
  // Few rows: each page also has the images.
  qr_codes: { key: OWNED_KEY, hasCreationTime: true, pageRows: 8 },
  // Each image has up to 2 MiB, twice that in a page.
  social_images: { key: OWNED_KEY, hasCreationTime: true, pageRows: 1 },
  imported_links: { key: ["account_id", "mode", "import_id", "link_id"], hasCreationTime: false },
  links: { key: OWNED_KEY, hasCreationTime: true, pageRows: 32 },
  // After the links: the restore drops history from changes made after the link's row was read.
  link_revisions: {
    key: ["account_id", "mode", "link_id", "revision"],
    hasCreationTime: false,
    where: "account_id NOT IN (SELECT account_id FROM account_states WHERE state = 'closed')",
  },
  // Before the domains, whose trigger corrects this table if a domain passes on in the meantime.
  domain_holders: { key: ["domain"], hasCreationTime: false },
  domains: { key: OWNED_KEY, omitted: ["locked_until"], hasCreationTime: true },
  api_keys: { key: ["id"], hasCreationTime: true },
  credentials: { key: ["id"], hasCreationTime: false },
  passkeys: { key: ["id"], hasCreationTime: false },
  shares: { key: OWNED_KEY, hasCreationTime: true },
  totp_factors: { key: ["account_id"], hasCreationTime: false },
  utm_templates: { key: ["account_id", "id"], hasCreationTime: false },
  link_notes: { key: ["account_id", "mode", "link_id", "id"], hasCreationTime: false },
  saved_views: { key: ["account_id", "name"], hasCreationTime: false },
  qr_counts: { key: ["account_id"], hasCreationTime: false },
  social_image_counts: { key: ["account_id"], hasCreationTime: false },
  // Accounts with a stream that is or recently was open: restored only in the feeds' objects (backup-pages.ts).
  feeds: { key: ["account_id", "mode"], hasCreationTime: false, where: "until > 0", pageRows: 32 },
  hostname_releases: { key: ["id"], omitted: ["due_at", "tries"], hasCreationTime: false },
  // Excludes the account with which setup tests a deployment: each installation has its own.
  accounts: { key: ["id"], hasCreationTime: true, where: `email <> '${SETUP_CHECK_EMAIL}'` },
  // Erasure restarts from the first link: the link rows are older than the progress.
  closed_accounts: {
    key: ["id"],
    omitted: ["stage", "after_mode", "after_link", "tries"],
    hasCreationTime: false,
  },
  account_states: { key: ["account_id"], hasCreationTime: false },
} as const satisfies Record<string, BackedUpTable>;

type BackedUpTableName = keyof typeof BACKED_UP_TABLES;

export const BACKED_UP_TABLE_NAMES = Object.keys(BACKED_UP_TABLES) as BackedUpTableName[];

export function pageRowsOf(name: BackedUpTableName): number {
  const { pageRows = PAGE_ROWS }: BackedUpTable = BACKED_UP_TABLES[name];
  return pageRows;
}

interface Range {
  /** The last row of the previous page; null for the first page. */
  after: RowKey | null;
  /** Rows created after this, epoch ms, are left out. */
  createdUntil: number;
  limit: number;
}

/** Maximum characters of a page, to bound the Worker's time and memory; a page has at least one row. */
const PAGE_MAX_CHARS = 256 * 1024;

interface TableColumn {
  name: string;
  type: string;
}

/** Reads a page of rows in primary key order. It may be shorter than requested: only an empty page is the last. */
export async function readTableRows(env: Env, table: BackedUpTableName, range: Range): Promise<JsonRow[]> {
  const columns = await columnsOf(env, table);
  if (!isOfLinks(table)) return readPage(env.DB, table, columns, range, PAGE_MAX_CHARS);
  const { key } = BACKED_UP_TABLES[table];
  const lasts: JsonRow[] = [];
  const rows = await queryLinkDatabases(
    env,
    (row: JsonRow) => JSON.stringify(key.map((name) => row[name])),
    async (database, shareOf) => {
      const share = { ...range, limit: shareOf(range.limit) };
      const page = await readPage(database, table, columns, share, shareOf(PAGE_MAX_CHARS));
      lasts.push(...page.slice(-1));
      return page;
    },
  );
  return mergedPage(rows, lasts, key);
}

/**
 * Merges rows of several databases by key, up to the first database's end: its following rows are unknown.
 * @param lasts  the last row of each database that has any
 */
function mergedPage(rows: readonly JsonRow[], lasts: readonly JsonRow[], key: readonly string[]): JsonRow[] {
  const compare = (one: JsonRow, other: JsonRow) => compareKeys(key, one, other);
  const [end] = lasts.toSorted(compare);
  return end ? rows.filter((row) => compare(row, end) <= 0).sort(compare) : [];
}

async function readPage(
  database: D1Database,
  table: BackedUpTableName,
  all: readonly TableColumn[],
  { after, createdUntil, limit }: Range,
  maxChars: number,
): Promise<JsonRow[]> {
  const { key, omitted = [], hasCreationTime, where = "true" }: BackedUpTable = BACKED_UP_TABLES[table];
  const columns = all.filter(({ name }) => !omitted.includes(name));
  const names = columns.map(({ name }) => name).join(", ");
  const conditions = [
    ...(after ? [`(${key.join(", ")}) > (${key.map((_, i) => `?${i + 4}`).join(", ")})`] : []),
    hasCreationTime ? "created_at <= ?3" : "?3 = ?3",
    where,
  ];
  const sql = `SELECT ${columns.map(selectedColumn).join(", ")} FROM (
      SELECT *, sum(row_chars) OVER (ORDER BY ${key.join(", ")}) AS page_chars FROM (
        SELECT ${names}, ${columns.map(({ name }) => `coalesce(length(${name}), 0)`).join(" + ")} AS row_chars
        FROM ${table} WHERE ${conditions.join(" AND ")} ORDER BY ${key.join(", ")} LIMIT ?1))
    WHERE page_chars - row_chars < ?2 ORDER BY ${key.join(", ")}`;
  return queryRows<JsonRow>(database, sql, [limit, maxChars, createdUntil, ...(after ?? [])]);
}

/** Reads the existing rows of links with the given keys. */
export async function readLinkRows(env: Env, keys: readonly RowKey[]): Promise<JsonRow[]> {
  const table = "links";
  const { key } = BACKED_UP_TABLES[table];
  const selected = (await columnsOf(env, table)).map(selectedColumn).join(", ");
  const sql = `SELECT ${selected} FROM ${table} WHERE (${key.join(", ")}) IN
    (SELECT ${key.map((_, i) => `value ->> ${i}`).join(", ")} FROM json_each(?1))`;
  const links = keys.map((values) => ({ id: values.at(-1) ?? "", values }));
  return readLinksIn(
    env,
    links,
    ({ id }) => id,
    ({ id }: JsonRow) => String(id),
    async (database, wanted) => {
      const json = JSON.stringify(wanted.map(({ values }) => values));
      return queryRows<JsonRow>(database, sql, [json]);
    },
  );
}

/**
 * Writes rows that do not exist yet.
 * @throws ConflictError when other rows conflict with them, or rows have columns that this release does not know
 */
export async function insertTableRows(env: Env, table: BackedUpTableName, rows: readonly JsonRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const known = await columnsOf(env, table);
  const unknown = Object.keys(first).filter((name) => !known.some((column) => column.name === name));
  if (unknown.length > 0)
    throw new ConflictError(`${table} has no column ${unknown[0]}: the backup is from a later release`);
  // A column missing from the backup is newer, and gets its default.
  const columns = known.filter(({ name }) => name in first);
  for (const [database, group] of databasesOfRows(env, table, rows)) await insertRows(database, table, columns, group);
  if (table !== "links") return;
  await restoreAliases(env, rows as unknown as readonly LinkRow[]).catch((error) => throwConflict(table, error));
}

async function insertRows(
  database: D1Database,
  table: BackedUpTableName,
  columns: readonly TableColumn[],
  rows: readonly JsonRow[],
): Promise<void> {
  const { key }: BackedUpTable = BACKED_UP_TABLES[table];
  try {
    const sql = `INSERT INTO ${table} (${columns.map(({ name }) => name).join(", ")})
      SELECT ${columns.map(insertedColumn).join(", ")} FROM json_each(?1)
      WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${key.map((name) => `${name} = value ->> '${name}'`).join(" AND ")})`;
    await changeRows(database, sql, [JSON.stringify(rows)]);
  } catch (error) {
    throwConflict(table, error);
  }
}

function throwConflict(table: BackedUpTableName, error: unknown): never {
  const isConflict = /constraint failed|address is taken/.test(String(error));
  throw isConflict ? new ConflictError(`${table}: ${String(error)}`) : error;
}

/** Rows of a backup do not fit this database. */
export class ConflictError extends Error {}

function databasesOfRows(
  env: LinksEnv,
  table: BackedUpTableName,
  rows: readonly JsonRow[],
): Iterable<[D1Database, readonly JsonRow[]]> {
  if (!isOfLinks(table)) return [[env.DB, rows]];
  const links = rows.map((row) => ({ id: String(table === "links" ? row["id"] : row["link_id"]), row }));
  return [...groupByDatabase(env, links)].map(([database, group]) => [database, group.map(({ row }) => row)]);
}

/** Whether a table's rows are in the databases of their links. */
function isOfLinks(table: BackedUpTableName): table is "links" | "link_revisions" {
  return table === "links" || table === "link_revisions";
}

/** Columns are the same in every database. */
async function columnsOf({ DB }: LinksEnv, table: BackedUpTableName): Promise<TableColumn[]> {
  const { results } = await DB.prepare(`SELECT name, type FROM pragma_table_info('${table}')`).all<TableColumn>();
  return results;
}

function selectedColumn({ name, type }: TableColumn): string {
  return type === "BLOB" ? `hex(${name}) AS ${name}` : name;
}

function insertedColumn({ name, type }: TableColumn): string {
  return type === "BLOB" ? `unhex(value ->> '${name}')` : `value ->> '${name}'`;
}
