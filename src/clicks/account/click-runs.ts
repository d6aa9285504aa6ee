/**
 * Runs: clicks of many links that were drawn together, sorted by time, in blocks. The log is what all runs are merged to
 * (an external merge sort), so that no day and no account is too large for memory.
 */
import { ClickBlock, encodeBlock } from "../../core/clicks/click-block.ts";
import type { ClickColumns } from "../../core/clicks/click-columns.ts";
import { ClickPool } from "../../core/clicks/click-pool.ts";
import { orderByTime } from "../../core/clicks/time-order.ts";
import type { BlobTable } from "../blob-table.ts";
import type { Generation } from "./generation.ts";

/** Smaller than a block of the log: a merge has one of each run in memory. */
const RUN_BLOCK_CLICKS = 2_048;
const RUN_BLOCK_BYTES = 256 * 1024;
const RUN_MAX_BLOCKS = 2 ** 20;

/**
 * Stores clicks of several sources as a new run.
 * @param bytes  of all clicks, about
 */
export function writeRun({ runs }: Generation, sources: readonly ClickColumns[], bytes: number): void {
  const pool = new ClickPool(sources);
  const order = orderByTime(pool.times);
  const fitting = Math.ceil((RUN_BLOCK_BYTES * order.length) / Math.max(bytes, 1));
  const blockClicks = Math.min(RUN_BLOCK_CLICKS, fitting);
  const first = (Math.floor((runs.last() ?? -1) / RUN_MAX_BLOCKS) + 1) * RUN_MAX_BLOCKS;
  for (let from = 0, key = first; from < order.length; from += blockClicks, key++) {
    const clicks = pool.pick(order.subarray(from, from + blockClicks));
    runs.add(key, encodeBlock(clicks), clicks.times()[0]);
  }
}

/** A block of a run that is in memory. */
export interface RunBlock {
  key: number;
  clicks: ClickColumns;
  times: ArrayLike<number>;
}

/** Reads one run, from its first block that is still stored. */
export class RunReader {
  /** Blocks that were read and are not merged wholly. */
  blocks: RunBlock[] = [];
  readonly table: BlobTable;
  readonly #columnsOf: (block: ClickBlock) => ClickColumns;
  readonly #end: number;
  #next: number | null;
  #lastAt = -Infinity;
  #bytesRead = 0;

  /** @param columnsOf  the clicks of a block that are to be merged; some may be left out */
  constructor(table: BlobTable, from: number, end: number, columnsOf: (block: ClickBlock) => ClickColumns) {
    this.table = table;
    this.#columnsOf = columnsOf;
    this.#end = end;
    this.#next = this.#keyFrom(from);
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** Time of the last click that was read; none in the blocks that follow is before it. */
  get lastAt(): number {
    return this.#lastAt;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** Reads the next block, when there is one. */
  readNext(): void {
    if (this.#next === null) return;
    const bytes = this.table.get(this.#next);
    if (!bytes) throw new Error(`block ${this.#next} of a run is missing`);
    this.#bytesRead += bytes.length;
    const block = new ClickBlock(bytes);
    this.#lastAt = block.times()[block.count - 1] ?? this.#lastAt;
    const clicks = this.#columnsOf(block);
    this.blocks.push({ key: this.#next, clicks, times: clicks.times() });
    this.#next = this.#keyFrom(this.#next + 1);
  }

  #keyFrom(key: number): number | null {
    const next = this.table.next(key);
    return next !== null && next < this.#end ? next : null;
  }
}

/** The runs of a generation, as ranges of keys. */
export function runRanges({ runs }: Generation): [from: number, end: number][] {
  const ranges: [number, number][] = [];
  for (let key = runs.next(0); key !== null;) {
    const run = Math.floor(key / RUN_MAX_BLOCKS);
    ranges.push([key, (run + 1) * RUN_MAX_BLOCKS]);
    key = runs.next((run + 1) * RUN_MAX_BLOCKS);
  }
  return ranges;
}
