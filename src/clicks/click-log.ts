/**
 * The click log of one link in its object's SQLite: append-only and gapless.
 * One row a batch, keyed by the position of its first click, and no other index: each row written is billed.
 * Times never fall with position, so a time range is a range of positions, found by binary search.
 */
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
import { clicksOfSlice, type ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import type { ClickBatch } from "../core/clicks/protocol/link-object-rpc.ts";
import { testsTime } from "../core/links/routing.ts";
import { BatchDedupIndex } from "./batch-dedup-index.ts";
import { type ClickScanner, CountedLog } from "./counted-log.ts";
import { BLOCK_CLICKS, LinkSummaryRows } from "./link-summaries.ts";
import { SCHEMA_VERSION, tableNames } from "./schema.ts";
import { Summaries } from "./summaries.ts";

type BatchRow = {
  position: number;
  at: number;
  revision: number;
  times: ArrayBuffer | null;
  columns: ArrayBuffer;
};

type VisitedBatchRow = BatchRow & { visited: ArrayBuffer | null };

/** @property bytes  that the batch takes, about as many as its clicks take when they are packed, or more */
export type StoredSlice = ClickSlice & { bytes: number };

interface BatchRowMembers {
  id: number;
  revision: number;
  visited: Uint8Array | null;
  /** JSON; in the first row alone. */
  snapshot: string | null;
}

export class ClickLog extends CountedLog {
  protected readonly summaries: Summaries;
  readonly #sql: SqlStorage;
  #hasTable: boolean;
  #count = 0;
  #lastAt = 0;
  #scanner: ClickScanner | null = null;
  readonly #dedupIndex: BatchDedupIndex;

  /** Reads where the log ends. Writes nothing: an object that never gets a click stores nothing. */
  constructor(sql: SqlStorage, tables = tableNames(sql)) {
    super();
    this.#sql = sql;
    this.summaries = new Summaries(new LinkSummaryRows(sql, tables));
    this.#hasTable = tables.has("batches");
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
   * Appends a batch, unless one with this id is there already. No click is dated before `floor` or the click before.
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

  /** Appends a batch exactly as a copy of this log has it (log-copy.ts). */
  appendStored(batch: PackedClicks, row: BatchRowMembers): void {
    if (!this.#hasTable) this.#createTable();
    this.#insert(batch, row);
  }

  /** The snapshot is stored with the first batch alone. */
  #insert(batch: PackedClicks, { id, revision, visited, snapshot }: BatchRowMembers): void {
    const position = this.#count;
    const first = position === 0 ? [SCHEMA_VERSION, snapshot] : [null, null];
    this.#sql.exec(
      "INSERT INTO batches (position, at, batch, revision, times, columns, visited, schema, snapshot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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

  /** Writes the summaries of the blocks from position `from` on that are complete. */
  #writeSummaries(from: number): void {
    const to = this.#count - (this.#count % BLOCK_CLICKS);
    // A batch may span several blocks, and is read and unpacked once.
    const clicks = [...this.slices(from, to)];
    for (let end = from + BLOCK_CLICKS; end <= to; end += BLOCK_CLICKS) {
      this.summaries.write(end, clipSlices(clicks, end - BLOCK_CLICKS, end).map(clicksOfSlice));
    }
  }

  positionAt(at: number): number {
    if (at > this.#lastAt) return this.#count;
    // The batch around `low` begins before `at`; the one that begins at `high` does not.
    let low = -1;
    let high = this.#count;
    while (high - low > 1) {
      // No bit operation: positions may exceed 2^31.
      const middle = Math.floor((low + high) / 2);
      const head = this.#batchHeadAt(middle);
      if (head.at < at) low = middle;
      else high = head.position;
    }
    const batch = low < 0 ? null : this.#batchAt(low);
    const indexInBatch = batch ? unpackTimes(batch).findIndex((time) => time >= at) : -1;
    return batch && indexInBatch >= 0 ? batch.position + indexInBatch : high;
  }

  *parts(from: number, to: number): Generator<ScannedClicks> {
    for (const slice of this.slices(from, to)) yield clicksOfSlice(slice);
  }

  /** Imported lazily: recording needs no packed blocks. */
  override async scanner(): Promise<ClickScanner> {
    const { PackedBlocks } = await import("./packed-blocks.ts");
    return (this.#scanner ??= new PackedBlocks(this.#sql, this));
  }

  /** The stored clicks at positions `[from, to)`, batch by batch. */
  *slices(from: number, to: number): Generator<StoredSlice> {
    if (from >= to) return;
    const rows = this.#sql.exec<VisitedBatchRow>(
      "SELECT position, at, revision, times, columns, visited FROM batches WHERE position >= ? AND position < ? ORDER BY position",
      this.#batchHeadAt(from).position,
      to,
    );
    for (const row of rows) {
      const batch = batchOf(row);
      yield {
        position: batch.position,
        revision: row.revision,
        columns: unpackColumns(batch.columns),
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
        "SELECT position, at, revision, times, columns FROM batches WHERE position <= ? ORDER BY position DESC LIMIT 1",
        Math.min(position, Number.MAX_SAFE_INTEGER),
      )
      .toArray()[0];
    return row ? batchOf(row) : null;
  }

  #batchHeadAt(position: number): { position: number; at: number } {
    return this.#sql
      .exec<{ position: number; at: number }>(
        "SELECT position, at FROM batches WHERE position <= ? ORDER BY position DESC LIMIT 1",
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
      CREATE TABLE batches (
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
