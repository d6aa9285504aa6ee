/**
 * The click log of one link in its object's SQLite: append-only and gapless. It has one row per batch, keyed by the
 * position of the batch's first click, and no other index: each written row is billed. Times never decrease with
 * position, so a time range is a range of positions, found by binary search.
 */
import { clicksOfSlice, type ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import {
  clampTimes,
  type ClickSlice,
  clipSlices,
  lastTime,
  type PackedClicks,
  packedCount,
  packVisitTimes,
  unpackColumns,
  unpackTimes,
  unpackVisitTimes,
} from "../core/clicks/encoding/click-batch.ts";
import type { ColumnField } from "../core/clicks/encoding/click-columns.ts";
import type { ClickBatch } from "../core/clicks/protocol/link-object-rpc.ts";
import { testsTime } from "../core/links/routing.ts";
import { SCHEMA_VERSION, tableNames } from "./schema.ts";
import { type ClickScanner, CountedLog, BLOCK_CLICKS, LinkSummaryRows, Summaries } from "./summaries.ts";

type BatchRow = {
  position: number;
  at: number;
  revision: number;
  times: ArrayBuffer | null;
  columns: ArrayBuffer;
};

type VisitedBatchRow = BatchRow & { visited: ArrayBuffer | null };

/** @property bytes  size of the stored batch: about the size of its clicks when packed, or more */
export type StoredSlice = ClickSlice & { bytes: number };

interface BatchRowMembers {
  id: number;
  revision: number;
  visited: Uint8Array | null;
  /** JSON; only in the first row. */
  snapshot: string | null;
}

export class ClickLog extends CountedLog {
  protected readonly summaries: Summaries;
  readonly #sql: SqlStorage;
  readonly #prefix: string;
  readonly #table: string;
  #hasTable: boolean;
  #count = 0;
  #lastAt = 0;
  #scanner: ClickScanner | null = null;
  readonly #dedupIndex: BatchDedupIndex;

  /**
   * Reads where the log ends. Writes nothing: an object that never receives a click stores nothing.
   * @param prefix  of the names of its tables
   */
  constructor(sql: SqlStorage, tables = tableNames(sql), prefix = "") {
    super();
    this.#sql = sql;
    this.#prefix = prefix;
    this.#table = `${prefix}batches`;
    this.summaries = new Summaries(new LinkSummaryRows(sql, tables, prefix));
    this.#hasTable = tables.has(this.#table);
    const last = this.#hasTable ? this.#batchAt(Infinity) : null;
    if (last) {
      this.#count = last.position + last.count;
      this.#lastAt = lastTime(last);
    }
    this.#dedupIndex = new BatchDedupIndex(sql, this.#count, (at) => this.#batchPositionFrom(at));
  }

  get count(): number {
    return this.#count;
  }

  get lastAt(): number {
    return this.#lastAt;
  }

  /**
   * Appends a batch, unless one with this id is already stored. Times before `floor` or the previous click are raised.
   * The snapshot is stored with the first batch. Synchronous, so the batch and the summaries that it completes are one
   * transaction.
   */
  append({ id, revision, clicks, snapshot }: ClickBatch, floor: number): void {
    if (this.#dedupIndex.has(id, clicks.at)) return;
    if (!this.#hasTable) this.#createTable();
    const batch = clampTimes(clicks, Math.max(floor, this.#lastAt));
    const visited = batch !== clicks && snapshot && testsTime(snapshot) ? packVisitTimes(clicks, batch) : null;
    this.#insert(batch, { id, revision, visited, snapshot: JSON.stringify(snapshot ?? null) });
  }

  /** Appends a batch exactly as it is in a copy of this log (log-copy.ts). */
  appendStored(batch: PackedClicks, row: BatchRowMembers): void {
    if (!this.#hasTable) this.#createTable();
    this.#insert(batch, row);
  }

  /** The snapshot is stored only with the first batch. */
  #insert(batch: PackedClicks, { id, revision, visited, snapshot }: BatchRowMembers): void {
    const position = this.#count;
    const first = position === 0 ? [SCHEMA_VERSION, snapshot] : [null, null];
    this.#sql.exec(
      `INSERT INTO ${this.#table} (position, at, batch, revision, times, columns, visited, schema, snapshot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      position,
      batch.at,
      id,
      revision,
      batch.times,
      batch.columns,
      visited,
      ...first,
    );
    this.#dedupIndex.add(id, position, batch.at);
    this.#count = position + batch.count;
    this.#lastAt = lastTime(batch);
    this.#writeSummaries(position - (position % BLOCK_CLICKS));
  }

  /** Writes the summaries of the complete blocks from position `from` onward. */
  #writeSummaries(from: number): void {
    const to = this.#count - (this.#count % BLOCK_CLICKS);
    // A batch may span several blocks. It is read and unpacked once.
    const clicks = [...this.slices(from, to)];
    for (let end = from + BLOCK_CLICKS; end <= to; end += BLOCK_CLICKS) {
      this.summaries.write(end, clipSlices(clicks, end - BLOCK_CLICKS, end).map(clicksOfSlice));
    }
  }

  positionAt(at: number): number {
    if (at > this.#lastAt) return this.#count;
    // Invariant: the batch around `low` begins before `at`; the batch that begins at `high` does not.
    let low = -1;
    let high = this.#count;
    while (high - low > 1) {
      // No bitwise operation: positions may exceed 2^31.
      const middle = Math.floor((low + high) / 2);
      const head = this.#batchHeadAt(middle);
      if (head.at < at) low = middle;
      else high = head.position;
    }
    const batch = low < 0 ? null : this.#batchAt(low);
    const indexInBatch = batch ? unpackTimes(batch).findIndex((time) => time >= at) : -1;
    return batch && indexInBatch >= 0 ? batch.position + indexInBatch : high;
  }

  *parts(from: number, to: number, fields?: readonly ColumnField[]): Generator<ScannedClicks> {
    const stored = fields?.map((field) => (field === "route" ? "rule" : field));
    for (const slice of this.slices(from, to, stored)) yield clicksOfSlice(slice);
  }

  /** Imported lazily: recording needs no packed blocks. */
  override async scanner(): Promise<ClickScanner> {
    const { PackedBlocks } = await import("./packed-blocks.ts");
    return (this.#scanner ??= new PackedBlocks(this.#sql, this, `${this.#prefix}blocks`));
  }

  /** The stored clicks at positions `[from, to)`, batch by batch. @param fields  the only fields to unpack */
  *slices(from: number, to: number, fields?: readonly string[]): Generator<StoredSlice> {
    if (from >= to) return;
    const rows = this.#sql.exec<VisitedBatchRow>(
      `SELECT position, at, revision, times, columns, visited FROM ${this.#table} WHERE position >= ? AND position < ? ORDER BY position`,
      this.#batchHeadAt(from).position,
      to,
    );
    for (const row of rows) {
      const batch = batchOf(row);
      yield {
        position: batch.position,
        revision: row.revision,
        columns: unpackColumns(batch.columns, fields),
        times: unpackTimes(batch),
        ...(row.visited ? { visits: unpackVisitTimes(batch, new Uint8Array(row.visited)) } : {}),
        bytes: row.columns.byteLength + (row.times?.byteLength ?? 0),
        from: Math.max(from - batch.position, 0),
        to: Math.min(to - batch.position, batch.count),
      };
    }
  }

  /** The batch that holds a position, or the last one before it. */
  #batchAt(position: number): (PackedClicks & { position: number }) | null {
    const row = this.#sql
      .exec<BatchRow>(
        `SELECT position, at, revision, times, columns FROM ${this.#table} WHERE position <= ? ORDER BY position DESC LIMIT 1`,
        Math.min(position, Number.MAX_SAFE_INTEGER),
      )
      .toArray()[0];
    return row ? batchOf(row) : null;
  }

  #batchHeadAt(position: number): { position: number; at: number } {
    return this.#sql
      .exec<{ position: number; at: number }>(
        `SELECT position, at FROM ${this.#table} WHERE position <= ? ORDER BY position DESC LIMIT 1`,
        position,
      )
      .one();
  }

  #batchPositionFrom(at: number): number {
    const from = this.positionAt(at);
    return from < this.#count ? this.#batchHeadAt(from).position : from;
  }

  #createTable(): void {
    this.#sql.exec(`
      CREATE TABLE ${this.#table} (
        position INTEGER PRIMARY KEY, -- of the first click, from 0; its seq is position + 1
        at INTEGER NOT NULL, -- epoch ms, UTC, of the first click
        batch INTEGER NOT NULL, -- the sender's id: a batch that is sent again counts once
        revision INTEGER NOT NULL, -- of the link, under which the destinations were chosen
        times BLOB, -- ms from click to click, null when all are at once (core/clicks/encoding/click-batch.ts)
        columns BLOB NOT NULL, -- core/clicks/encoding/click-batch.ts
        schema INTEGER, -- of the object's tables (schema.ts); in the first row alone
        snapshot TEXT, -- JSON, of the link under this revision (link-state.ts); in the first row alone
        visited BLOB -- times before they were raised, where rules test them (core/clicks/encoding/click-batch.ts); else null
      ) STRICT`);
    this.#hasTable = true;
  }
}

function batchOf({ position, at, times, columns }: BatchRow): PackedClicks & { position: number } {
  const bytes = new Uint8Array(columns);
  return { position, at, count: packedCount(bytes), times: times && new Uint8Array(times), columns: bytes };
}

/**
 * Deduplicates batches by id, so that a retried batch counts once. The ids of the newest batches are in memory. For an
 * older batch, the ids from its time onward are read from the log.
 */

/** Maximum number of ids in memory, about 12 MB. Beyond it they are dropped, and read again for the next late batch. */
const IDS_MAX = 300_000;
/**
 * Maximum number of ids read from the log. Beyond it, after minutes of a stall on a very busy link, each late batch is
 * looked up instead. The difference to `IDS_MAX` is room for new ids, so that ids are not read again after every few
 * batches.
 */
const LOADED_MAX = 200_000;

export class BatchDedupIndex {
  readonly #sql: SqlStorage;
  /** Returns the position of the batch with the first click at or after a time, or the end. */
  readonly #batchFrom: (at: number) => number;
  readonly #ids = new Set<number>();
  /** `#ids` has all batches from this position onward, and all whose first click is after `#since` (epoch ms). */
  #position: number;
  #since: number;

  /** @param count  number of clicks in the log */
  constructor(sql: SqlStorage, count: number, batchFrom: (at: number) => number) {
    this.#sql = sql;
    this.#batchFrom = batchFrom;
    this.#position = count;
    this.#since = count === 0 ? -Infinity : Infinity;
  }

  /** @param at  time of the batch's first click as sent; its time in the log is never earlier */
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

  /** Reads the ids of batches from a time up to the known ones, newest first, as far as there is room. */
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
