/**
 * Deduplicates batches by id, so that a retried batch counts once. The ids of the newest batches are in memory; for an
 * older batch the ids from its time on are read from the log.
 */

/** Ids in memory, some 12 MB; beyond it they are dropped, and read anew for the next late batch. */
const IDS_MAX = 300_000;
/**
 * Ids read from the log. Beyond it, after minutes of a stall on a very busy link, each late batch is looked up instead. The
 * rest is for new ones, so that ids are not read for every few batches.
 */
const LOADED_MAX = 200_000;

export class BatchDedupIndex {
  readonly #sql: SqlStorage;
  /** Position of the batch with the first click at or after a time, or of the end. */
  readonly #batchFrom: (at: number) => number;
  readonly #ids = new Set<number>();
  /** All batches from this position on are among the ids, and so are all whose first click is after `#since` (epoch ms). */
  #position: number;
  #since: number;

  /** @param count  of the clicks in the log */
  constructor(sql: SqlStorage, count: number, batchFrom: (at: number) => number) {
    this.#sql = sql;
    this.#batchFrom = batchFrom;
    this.#position = count;
    this.#since = count === 0 ? -Infinity : Infinity;
  }

  /** @param at  time of the batch's first click as sent; in the log it is never earlier */
  has(id: number, at: number): boolean {
    if (at <= this.#since) this.#loadFrom(at);
    return this.#ids.has(id) || (at <= this.#since && this.#isInLog(id, at));
  }

  /**
   * Adds a batch that was just appended.
   * @param at  time of its first click in the log
   */
  add(id: number, position: number, at: number): void {
    if (this.#ids.size >= IDS_MAX) {
      this.#ids.clear();
      [this.#position, this.#since] = [position, at];
    }
    this.#ids.add(id);
  }

  /** Reads the ids of batches from a time up to the known ones, newest first, as many as there is room for. */
  #loadFrom(at: number): void {
    const from = this.#batchFrom(at);
    const room = Math.max(LOADED_MAX - this.#ids.size, 0);
    const rows = this.#sql
      .exec<{ position: number; at: number; batch: number }>(
        "SELECT position, at, batch FROM batches WHERE position >= ? AND position < ? ORDER BY position DESC LIMIT ?",
        from,
        this.#position,
        room,
      )
      .toArray();
    for (const { batch } of rows) this.#ids.add(batch);
    const last = rows.at(-1);
    if (rows.length < room) [this.#position, this.#since] = [Math.min(from, this.#position), at - 1];
    else if (last) [this.#position, this.#since] = [last.position, last.at];
  }

  /** Looks one batch up in the log, from a time up to the known ones. */
  #isInLog(id: number, at: number): boolean {
    const found = this.#sql.exec(
      "SELECT 1 FROM batches WHERE position >= ? AND position < ? AND batch = ? LIMIT 1",
      this.#batchFrom(at),
      this.#position,
      id,
    );
    return found.toArray().length > 0;
  }
}
