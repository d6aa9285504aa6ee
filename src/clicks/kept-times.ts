/** Times that a link's object keeps beside its log, epoch ms. Their table is made when the first of them is needed. */
import { hasTable } from "./schema.ts";

/** `floor`: statistics may have been answered up to here. `listened`: since when the account's stream is followed. */
export type KeptTime = "floor" | "listened";

export class KeptTimes {
  readonly #sql: SqlStorage;
  readonly #known = new Map<KeptTime, number>();
  #hasTable: boolean;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#hasTable = hasTable(sql, "times");
    if (!this.#hasTable) return;
    const rows = sql.exec<{ name: KeptTime; at: number }>("SELECT name, at FROM times");
    for (const { name, at } of rows) this.#known.set(name, at);
  }

  /** 0 when it was never kept. */
  get(name: KeptTime): number {
    return this.#known.get(name) ?? 0;
  }

  keep(name: KeptTime, at: number): void {
    if (!this.#hasTable) this.#createTable();
    this.#sql.exec("INSERT INTO times (name, at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET at = ?2", name, at);
    this.#known.set(name, at);
  }

  #createTable(): void {
    this.#sql.exec("CREATE TABLE times (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID");
    this.#hasTable = true;
  }
}
