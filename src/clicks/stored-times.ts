/**
 * Times that a link's object stores beside its log, epoch ms. All are read when the object starts; the table is created
 * with the first of them.
 */
import { tableNames } from "./schema.ts";

/**
 * `floor`: statistics may have been answered up to it. `listened`: start of the feed's current period. `restored`: the
 * log comes from a backup. `drawn`: draw-announcer.ts.
 */
export type StoredTimeName = "floor" | "listened" | "restored" | "drawn";

export class StoredTimes {
  readonly #sql: SqlStorage;
  readonly #values = new Map<StoredTimeName, number>();
  #hasTable: boolean;

  constructor(sql: SqlStorage, tables = tableNames(sql)) {
    this.#sql = sql;
    this.#hasTable = tables.has("times");
    if (!this.#hasTable) return;
    const rows = sql.exec<{ name: StoredTimeName; at: number }>("SELECT name, at FROM times");
    for (const { name, at } of rows) this.#values.set(name, at);
  }

  /** @returns 0 when it was never stored */
  get(name: StoredTimeName): number {
    return this.#values.get(name) ?? 0;
  }

  set(name: StoredTimeName, at: number): void {
    if (!this.#hasTable) this.#createTable();
    this.#sql.exec("INSERT INTO times (name, at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET at = ?2", name, at);
    this.#values.set(name, at);
  }

  #createTable(): void {
    this.#sql.exec("CREATE TABLE times (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID");
    this.#hasTable = true;
  }
}
