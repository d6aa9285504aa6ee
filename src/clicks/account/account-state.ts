/** What an account's log stores beside its clicks: how far it is, and how far each link was drawn. */
import { hasTable } from "../schema.ts";

type StateRow = { generation: number; oldest: number; merged: number };

export class AccountState {
  readonly #sql: SqlStorage;
  #row: StateRow = { generation: 1, oldest: 1, merged: 0 };

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    if (hasTable(sql, "state")) this.#row = this.#read();
    else this.#create();
  }

  /** Number of the generation whose log answers. */
  get generation(): number {
    return this.#row.generation;
  }

  /** The earliest generation that still has clicks which are not merged. */
  get oldest(): number {
    return this.#row.oldest;
  }

  /** Every click before this is in the log, epoch ms. */
  get merged(): number {
    return this.#row.merged;
  }

  setMerged(merged: number): void {
    this.#set({ ...this.#row, merged });
  }

  /** Begins a generation, which is to take over the clicks of those before. */
  startGeneration(): void {
    this.#set({ ...this.#row, generation: this.#row.generation + 1, merged: 0 });
  }

  /** No earlier generation has clicks any more. */
  endEarlierGenerations(): void {
    this.#set({ ...this.#row, oldest: this.#row.generation });
    this.#sql.exec("DELETE FROM erased_links");
  }

  /** Position of the first click of a link that was not drawn. */
  positionOf(linkId: string): number {
    const [row] = this.#sql.exec<{ next: number }>("SELECT next FROM drawn_links WHERE link = ?", linkId).toArray();
    return row?.next ?? 0;
  }

  setPosition(linkId: string, next: number): void {
    this.#sql.exec(
      "INSERT INTO drawn_links (link, next) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET next = ?2",
      linkId,
      next,
    );
  }

  /** Links whose clicks are left out of the generation that is being written. */
  erasedLinks(): Set<string> {
    const rows = this.#sql.exec<{ link: string }>("SELECT link FROM erased_links").toArray();
    return new Set(rows.map(({ link }) => link));
  }

  addErased(linkId: string): void {
    this.#sql.exec("INSERT INTO erased_links (link) VALUES (?) ON CONFLICT DO NOTHING", linkId);
    this.#sql.exec("DELETE FROM drawn_links WHERE link = ?", linkId);
  }

  #set(row: StateRow): void {
    const { generation, oldest, merged } = row;
    this.#sql.exec("UPDATE state SET generation = ?, oldest = ?, merged = ?", generation, oldest, merged);
    this.#row = row;
  }

  #read(): StateRow {
    return this.#sql.exec<StateRow>("SELECT generation, oldest, merged FROM state").one();
  }

  #create(): void {
    const { generation, oldest, merged } = this.#row;
    this.#sql.exec(`
      CREATE TABLE state (
        id INTEGER PRIMARY KEY, -- one row, 0
        generation INTEGER NOT NULL, -- whose log answers (generation.ts)
        oldest INTEGER NOT NULL, -- the first generation with clicks that are not in that log yet
        merged INTEGER NOT NULL -- epoch ms: every click before is in the log
      ) STRICT;
      CREATE TABLE drawn_links (
        link TEXT PRIMARY KEY,
        next INTEGER NOT NULL -- position of the first click of the link that was not drawn
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE erased_links (link TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`);
    this.#sql.exec(
      "INSERT INTO state (id, generation, oldest, merged) VALUES (0, ?, ?, ?)",
      generation,
      oldest,
      merged,
    );
  }
}
