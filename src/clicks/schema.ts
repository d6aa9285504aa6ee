/**
 * Which tables an object has, by number. The number lies in the first row of its first table, so that an object which
 * stores nothing has none, and one that begins to store writes no row more for it. While a release is rolled out, an
 * object may run the old code after the new: tables of a later release are not touched.
 */
import { CLOSE_CODE_FINAL } from "../core/streams/stream-protocol.ts";

/** Brings an object's tables from one schema to the next. Some tables are made late: those may not be there. */
export type SchemaMigration = (sql: SqlStorage) => void;

export function hasTable(sql: SqlStorage, name: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", name).toArray().length > 0;
}

/**
 * Removes all that an object stores, its alarm included, and closes its sockets. An object that stores nothing is not
 * written to: each of these may never have had a click.
 */
export async function eraseStorage(ctx: DurableObjectState): Promise<void> {
  for (const socket of ctx.getWebSockets()) socket.close(CLOSE_CODE_FINAL, "erased");
  const { storage } = ctx;
  const isUsed = storage.sql.exec("SELECT 1 FROM sqlite_master").toArray().length > 0;
  if (isUsed || (await storage.getAlarm()) !== null) await storage.deleteAll();
}

/** The number of the schema that all steps lead to. New tables are made with it. */
export function latestSchemaVersion(steps: readonly SchemaMigration[]): number {
  return steps.length + 1;
}

/**
 * Takes the steps that an object has not taken yet, all or none.
 * @param table  the first one, whose row 0 has the number
 * @param steps  the first leads from schema 1 to 2
 * @returns false when the object's tables are of a later release: they may be neither read nor written
 */
export function migrate(storage: DurableObjectStorage, table: string, steps: readonly SchemaMigration[]): boolean {
  const { sql } = storage;
  if (!hasTable(sql, table)) return true;
  const { schema } = sql.exec<{ schema: number }>(`SELECT schema FROM ${table} WHERE rowid = 0`).one();
  const newest = latestSchemaVersion(steps);
  if (schema < newest) {
    storage.transactionSync(() => {
      for (const step of steps.slice(schema - 1)) step(sql);
      sql.exec(`UPDATE ${table} SET schema = ? WHERE rowid = 0`, newest);
    });
  }
  return schema <= newest;
}
