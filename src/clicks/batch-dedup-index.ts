/**
 * Deduplicates batches by id, so that a retried batch counts once. The ids of the last two generations are in memory;
 * for an older batch the ids from its time on are read from the log, each row at most once.
 */
const GENERATION_BATCHES = 10_000;
/**
 * Limit of ids kept from the log. Beyond it, after minutes of a stall on a very busy link, each late batch is looked up
 * instead.
 */
const LATE_MAX_BATCHES = 200_000;

/** A bound in the log: all batches whose first click is after `since` are at `position` or later. */
interface LogStart {
  position: number;
  /** Epoch ms. */
  since: number;
}

export class BatchDedupIndex {
  readonly #sql: SqlStorage;
  /** Position of the batch with the first click at or after a time, or of the end. */
  readonly #batchFrom: (at: number) => number;
  #young = new Set<number>();
  #old = new Set<number>();
  /** Ids of the batches between the earliest known one and the old generation. */
  #late = new Set<number>();
  #isLateUsed = true;
  #knownStart: LogStart;
  #oldStart: LogStart;
  #youngStart: LogStart;

  /** @param count  of the clicks in the log */
  constructor(sql: SqlStorage, count: number, batchFrom: (at: number) => number) {
    this.#sql = sql;
    this.#batchFrom = batchFrom;
    this.#knownStart = { position: count, since: count === 0 ? -Infinity : Infinity };
    this.#oldStart = this.#youngStart = this.#knownStart;
  }

  /** @param at  time of the batch's first click as sent; in the log it is never earlier */
  has(id: number, at: number): boolean {
    if (at <= this.#oldStart.since) this.#isLateUsed = true;
    if (at <= this.#knownStart.since) this.#loadLate(at);
    if (this.#young.has(id) || this.#old.has(id) || this.#late.has(id)) return true;
    return at <= this.#knownStart.since && this.#isInLog(id, at);
  }

  /**
   * Adds a batch that was just appended.
   * @param at  time of its first click in the log
   */
  add(id: number, position: number, at: number): void {
    if (this.#young.size >= GENERATION_BATCHES) this.#rotate({ position, since: at });
    this.#young.add(id);
  }

  /**
   * Drops the old generation, or keeps it with the late ids while late batches arrive, so that it is not read again.
   */
  #rotate(start: LogStart): void {
    if (this.#isLateUsed && this.#late.size < LATE_MAX_BATCHES) {
      for (const id of this.#old) this.#late.add(id);
    } else {
      this.#late.clear();
      this.#knownStart = this.#youngStart;
    }
    this.#isLateUsed = false;
    [this.#old, this.#oldStart] = [this.#young, this.#youngStart];
    [this.#young, this.#youngStart] = [new Set(), start];
  }

  /** Reads the ids of batches from a time up to the known ones, as many as may be kept. */
  #loadLate(at: number): void {
    const from = this.#batchFrom(at);
    const room = LATE_MAX_BATCHES - this.#late.size;
    const rows = this.#sql
      .exec<{ position: number; at: number; batch: number }>(
        "SELECT position, at, batch FROM batches WHERE position >= ? AND position < ? ORDER BY position DESC LIMIT ?",
        from,
        this.#knownStart.position,
        Math.max(room, 0),
      )
      .toArray();
    for (const { batch } of rows) this.#late.add(batch);
    const last = rows.at(-1);
    if (rows.length < room) this.#knownStart = { position: Math.min(from, this.#knownStart.position), since: at - 1 };
    else if (last) this.#knownStart = { position: last.position, since: last.at };
  }

  /** Looks one batch up in the log, from a time up to the known ones. */
  #isInLog(id: number, at: number): boolean {
    return (
      this.#sql
        .exec(
          "SELECT 1 FROM batches WHERE position >= ? AND position < ? AND batch = ? LIMIT 1",
          this.#batchFrom(at),
          this.#knownStart.position,
          id,
        )
        .toArray().length > 0
    );
  }
}
