/**
 * Schema version of an object's SQLite tables. It is a column of the first row of the first table, so that an object
 * without data stores nothing, and one with data spends no extra row. Code never touches tables of a later version,
 * which it meets while a rollout is under way or is reverted.
 */
import { SCHEMA_MIGRATIONS } from "./schema-migrations.ts";
import { CLOSE_CODE_FINAL } from "../core/streams/stream-protocol.ts";

/** The version that all migrations lead to. New tables are created in it. */
export const SCHEMA_VERSION = SCHEMA_MIGRATIONS.length + 1;

/** The tables of an object, in one query: most objects that start are those of links that get their first click. */
export function tableNames(sql: SqlStorage): ReadonlySet<string> {
  const rows = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
  return new Set(rows.map(({ name }) => name));
}

export function hasTable(sql: SqlStorage, name: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", name).toArray().length > 0;
}

/**
 * Removes all that an object stores, its alarm included, and closes its sockets. An object without storage, as of a
 * link that was never clicked, is not written to.
 */
export async function eraseStorage(ctx: DurableObjectState): Promise<void> {
  for (const socket of ctx.getWebSockets()) socket.close(CLOSE_CODE_FINAL, "erased");
  const { storage } = ctx;
  const isUsed = storage.sql.exec("SELECT 1 FROM sqlite_master").toArray().length > 0;
  if (isUsed || (await storage.getAlarm()) !== null) await storage.deleteAll();
}

/**
 * Takes the migrations that an object has not taken yet, in one transaction.
 * @param table  whose row 0 has the version
 * @returns false when the tables are of a later release: they must be neither read nor written
 */
export function migrate(storage: DurableObjectStorage, table: string): boolean {
  const { sql } = storage;
  if (!hasTable(sql, table)) return true;
  const { schema } = sql.exec<{ schema: number }>(`SELECT schema FROM ${table} WHERE rowid = 0`).one();
  if (schema < SCHEMA_VERSION) {
    storage.transactionSync(() => {
      for (const change of SCHEMA_MIGRATIONS.slice(schema - 1)) change(sql);
      sql.exec(`UPDATE ${table} SET schema = ? WHERE rowid = 0`, SCHEMA_VERSION);
    });
  }
  return schema <= SCHEMA_VERSION;
}
