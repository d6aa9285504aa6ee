/**
 * Schema version of an object's SQLite tables. It is a column of the first row of the first table, so an object without
 * data stores nothing, and one with data needs no extra row. Code never touches tables of a later version. It can meet
 * those during a rollout, or when one is reverted.
 */
import { SCHEMA_MIGRATIONS } from "./schema-migrations.ts";
import { CLOSE_CODE_FINAL } from "../core/streams/stream-protocol.ts";

/** The version after all migrations. New tables are created at this version. */
export const SCHEMA_VERSION = SCHEMA_MIGRATIONS.length + 1;

/** Lists an object's tables in one query: most objects that start are those of links receiving their first click. */
export function tableNames(sql: SqlStorage): ReadonlySet<string> {
  const rows = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
  return new Set(rows.map(({ name }) => name));
}

/** Of the names of the tables with imported clicks (joined-log.ts). */
export const IMPORTED_PREFIX = "imported_";

/** Tables of which the first one that has a row 0 has the revision of a link's first click in it. */
export const FIRST_CLICK_TABLES = [`${IMPORTED_PREFIX}batches`, "batches"] as const;

export function hasTable(sql: SqlStorage, name: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", name).toArray().length > 0;
}

/**
 * Removes everything that an object stores, including its alarm, and closes its sockets. Does not write to an object
 * without storage, such as that of a link that was never clicked.
 */
export async function eraseStorage(ctx: DurableObjectState): Promise<void> {
  for (const socket of ctx.getWebSockets()) socket.close(CLOSE_CODE_FINAL, "erased");
  const { storage } = ctx;
  const isUsed = storage.sql.exec("SELECT 1 FROM sqlite_master").toArray().length > 0;
  if (isUsed || (await storage.getAlarm()) !== null) await storage.deleteAll();
}

/**
 * Applies an object's pending migrations in one transaction.
 * @param tables  tables whose row 0 has the version
 * @returns false when the tables were written by a later release: they must be neither read nor written
 */
export function migrate(storage: DurableObjectStorage, ...tables: readonly string[]): boolean {
  const { sql } = storage;
  const used = tables.filter((table) => hasTable(sql, table));
  const rows = used.flatMap((table) =>
    sql.exec<{ schema: number }>(`SELECT schema FROM ${table} WHERE rowid = 0`).toArray(),
  );
  const schema = rows.length > 0 ? Math.max(...rows.map((row) => row.schema)) : SCHEMA_VERSION;
  if (schema < SCHEMA_VERSION) {
    storage.transactionSync(() => {
      for (const change of SCHEMA_MIGRATIONS.slice(schema - 1)) change(sql);
      for (const table of used) sql.exec(`UPDATE ${table} SET schema = ? WHERE rowid = 0`, SCHEMA_VERSION);
    });
  }
  return schema <= SCHEMA_VERSION;
}
