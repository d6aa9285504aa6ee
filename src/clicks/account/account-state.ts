/** What an account's log stores beside its clicks: how far it is, and how far each link was drawn. */
import { hasTable } from "../schema.ts";

/** `merged`: every click before is in the generation's log, epoch ms. */
type GenerationRow = { generation: number; merged: number };

export class AccountState {
  readonly #sql: SqlStorage;
  /** The last one answers; those before still have clicks that are not in its log. */
  #rows: GenerationRow[];

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    if (!hasTable(sql, "generations")) this.#create();
    this.#rows = sql.exec<GenerationRow>("SELECT generation, merged FROM generations ORDER BY generation").toArray();
  }

  /** Number of the generation whose log answers. */
  get generation(): number {
    return this.#current.generation;
  }

  /** Every click before this is in the log, epoch ms. */
  get merged(): number {
    return this.#current.merged;
  }

  /** Generations with clicks that are not in the log yet. */
  get earlier(): readonly GenerationRow[] {
    return this.#rows.slice(0, -1);
  }

  get #current(): GenerationRow {
    return this.#rows.at(-1) ?? { generation: 0, merged: 0 };
  }

  setMerged(merged: number): void {
    const { generation } = this.#current;
    this.#sql.exec("UPDATE generations SET merged = ? WHERE generation = ?", merged, generation);
    this.#rows = [...this.earlier, { generation, merged }];
  }

  /** Begins a generation, which is to take over the clicks of those before. */
  startGeneration(): void {
    const next = { generation: this.generation + 1, merged: 0 };
    this.#sql.exec("INSERT INTO generations (generation, merged) VALUES (?, ?)", next.generation, next.merged);
    this.#rows = [...this.#rows, next];
  }

  /** No earlier generation has clicks any more. */
  endEarlierGenerations(): void {
    this.#sql.exec("DELETE FROM generations WHERE generation < ?", this.generation);
    this.#rows = [this.#current];
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

  forgetErased(): void {
    this.#sql.exec("DELETE FROM erased_links");
  }

  addErased(linkId: string): void {
    this.#sql.exec("INSERT INTO erased_links (link) VALUES (?) ON CONFLICT DO NOTHING", linkId);
  }

  forgetPosition(linkId: string): void {
    this.#sql.exec("DELETE FROM drawn_links WHERE link = ?", linkId);
  }

  #create(): void {
    this.#sql.exec(`
      CREATE TABLE generations (
        generation INTEGER PRIMARY KEY, -- generation.ts; the last one answers
        merged INTEGER NOT NULL -- epoch ms: every click before is in its log
      ) STRICT;
      INSERT INTO generations (generation, merged) VALUES (1, 0);
      CREATE TABLE drawn_links (
        link TEXT PRIMARY KEY,
        next INTEGER NOT NULL -- position of the first click of the link that was not drawn
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE erased_links (link TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`);
  }
}
