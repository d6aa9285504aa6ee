/**
 * Runs are blocks of clicks of many links that were drawn together, sorted by time. The log is the merge of all runs
 * (an external merge sort), so that no day and no account is too large for memory.
 *
 * Runs are merged into the log in pieces of one transaction each. Progress is a time: every click before it is in the
 * log, and no other. So an interrupted merge resumes there, and no other state is needed.
 */
import { ClickBlock, encodeBlock } from "../../core/clicks/encoding/click-block.ts";
import { linkIdIn } from "../../core/clicks/counting/groupings.ts";
import type { ClickColumns } from "../../core/clicks/encoding/click-columns.ts";
import { ClickPool, orderByTime } from "../../core/clicks/encoding/click-pool.ts";
import { translatedColumns } from "./drawn-clicks.ts";
import type { Generation } from "./generation.ts";
import type { BlobTable } from "../blob-table.ts";

/** A generation whose clicks are moved. Those before `merged` (epoch ms) are in its log, later ones in its runs. */
export interface EarlierGeneration {
  log: Generation;
  merged: number;
}

export class ClickMerge {
  readonly #to: Generation;
  readonly #pieceClicks: number;
  readonly #readers: RunReader[];
  #merged: number;

  /**
   * @param to  the generation whose log grows
   * @param earlier  generations whose clicks are moved to it
   * @param erased  ids of links whose clicks are left out
   * @param merged  time until which it has all clicks, epoch ms
   * @param pieceClicks  approximate clicks of a step, during which the object does nothing else
   */
  constructor(
    to: Generation,
    earlier: readonly EarlierGeneration[],
    erased: ReadonlySet<string>,
    merged: number,
    pieceClicks: number,
  ) {
    this.#to = to;
    this.#pieceClicks = pieceClicks;
    this.#merged = merged;
    const own = runRanges(to).map(([from, end]) => new RunReader(to.runs, from, end, (block) => block));
    const taken = earlier.flatMap(({ log, merged: since }) => {
      const numbers = new Set([...erased].map((id) => log.texts.link.find(id)));
      // The first clicks of a partly merged run are already in the log.
      const ofRuns = takeOver(log, to, numbers, since);
      const runs = runRanges(log).map(([from, end]) => new RunReader(log.runs, from, end, ofRuns));
      return [...runs, new RunReader(log.blocks, 0, Infinity, takeOver(log, to, numbers, 0))];
    });
    this.#readers = [...own, ...taken];
    for (const reader of this.#readers) reader.readNext();
  }

  /**
   * Appends the next clicks before `until` to the log, and deletes fully merged blocks. Called in a transaction.
   * @returns the time until which all clicks are now merged
   */
  step(until: number): number {
    const limit = this.#readUntilProgress(until);
    const pool = new ClickPool(this.#readers.flatMap((reader) => reader.blocks.map(({ clicks }) => clicks)));
    const linkOf = (number: number) => linkIdIn(this.#to.texts.link.textOf(number));
    const { places, merged } = pick(pool, { from: this.#merged, limit, clicks: this.#pieceClicks }, linkOf);
    this.#to.append(pool, places);
    this.#to.saveTexts();
    for (const reader of this.#readers) dropMerged(reader, merged);
    return (this.#merged = merged);
  }

  /**
   * Reads blocks until all clicks up to a later time than `#merged` are in memory, and returns that time. Several
   * blocks may be of one instant.
   */
  #readUntilProgress(until: number): number {
    for (;;) {
      const unread = this.#readers.filter((reader) => reader.hasMore);
      const limit = unread.reduce((least, { lastAt }) => Math.min(least, lastAt), until);
      if (limit > this.#merged || unread.length === 0) return limit;
      for (const reader of unread) if (reader.lastAt <= this.#merged) reader.readNext();
    }
  }
}

function dropMerged(reader: RunReader, merged: number): void {
  const isMerged = ({ times }: RunBlock) => (times[times.length - 1] ?? -Infinity) < merged;
  for (const { key } of reader.blocks.filter(isMerged)) reader.table.delete(key);
  reader.blocks = reader.blocks.filter((block) => !isMerged(block));
  if (reader.blocks.length === 0) reader.readNext();
}

/** Input of a merge step: about `clicks` clicks from time `from` to before `limit`. */
interface Piece {
  from: number;
  limit: number;
  clicks: number;
}

/**
 * The clicks of a piece, in order.
 * @param linkOf  returns the id of a link by its number
 */
function pick(
  pool: ClickPool,
  { from, limit, clicks }: Piece,
  linkOf: (number: number) => string,
): { places: Uint32Array; merged: number } {
  const { times } = pool;
  const wanted = new Uint32Array(pool.count);
  let count = 0;
  for (let place = 0; place < times.length; place++) {
    const at = times[place] ?? 0;
    if (at >= from && at < limit) wanted[count++] = place;
  }
  const timesOfWanted = new Float64Array(count);
  for (let i = 0; i < count; i++) timesOfWanted[i] = times[wanted[i] ?? 0] ?? 0;
  const sorted = orderByTime(timesOfWanted);
  for (let i = 0; i < count; i++) sorted[i] = wanted[sorted[i] ?? 0] ?? 0;
  const end = endOfPiece(sorted, times, clicks);
  const places = sorted.subarray(0, end);
  sortInstants(places, times, comparison(pool, linkOf));
  return { places, merged: end < sorted.length ? (times[sorted[end] ?? 0] ?? limit) : limit };
}

/**
 * Sorts the clicks of each instant among themselves, so that all generations have the same order. A client that reads
 * the log can continue after its last click although the log was rewritten.
 */
function sortInstants(places: Uint32Array, times: Float64Array, compare: (a: number, b: number) => number): void {
  for (let from = 0, to = 1; from < places.length; from = to++) {
    const at = times[places[from] ?? 0];
    while (to < places.length && times[places[to] ?? 0] === at) to++;
    if (to - from > 1) places.subarray(from, to).sort(compare);
  }
}

/** Compares by the id of the link, then by the position in its log. */
function comparison(pool: ClickPool, linkOf: (number: number) => string): (a: number, b: number) => number {
  const { values, ids } = pool.column("link");
  const positions = pool.numbers("position");
  const linkAt = (place: number) => Number(values[ids?.[place] ?? 0] ?? 0);
  return (a, b) => {
    const [one, other] = [linkAt(a), linkAt(b)];
    if (one === other) return (positions?.[a] ?? 0) - (positions?.[b] ?? 0);
    return linkOf(one) < linkOf(other) ? -1 : 1;
  };
}

/** Returns the end of a piece. Clicks of one instant are never in two pieces. */
function endOfPiece(places: Uint32Array, times: Float64Array, clicks: number): number {
  let end = Math.min(clicks, places.length);
  while (end < places.length && times[places[end] ?? 0] === times[places[end - 1] ?? 0]) end++;
  return end;
}

/**
 * Moves a run of an earlier generation.
 * @param since  clicks before this are merged
 */
export function takeRun(
  to: Generation,
  { log, merged }: EarlierGeneration,
  erased: ReadonlySet<string>,
  since: number,
  [from, end]: readonly [from: number, end: number],
): void {
  const numbers = new Set([...erased].map((id) => log.texts.link.find(id)));
  const run = new RunReader(log.runs, from, end, takeOver(log, to, numbers, Math.max(merged, since)));
  while (run.hasMore) run.readNext();
  const clicks = run.blocks.map((block) => block.clicks).filter(({ count }) => count > 0);
  if (clicks.length > 0) writeRun(to, clicks, run.bytesRead);
  to.saveTexts();
  for (const { key } of run.blocks) log.runs.delete(key);
}

/**
 * Returns a function that converts a block of an earlier generation to the numbers of the later one.
 * @param erased  numbers of links whose clicks are left out
 * @param since  clicks before this are left out
 */
function takeOver(
  from: Generation,
  to: Generation,
  erased: ReadonlySet<number | null>,
  since: number,
): (block: ClickBlock) => ClickColumns {
  return (block) => {
    const { values, indexes } = block.column("link");
    const isErased = values.map((number) => erased.has(number));
    const times = block.times();
    const places = Uint32Array.from({ length: block.count }, (_, i) => i);
    const kept = places.filter((i) => !isErased[indexes?.[i] ?? 0] && (times[i] ?? 0) >= since);
    return translatedColumns(new ClickPool([block]).pick(kept), from.texts, to.texts);
  };
}

/** Smaller than a block of the log: a merge has one block of each run in memory. */
const RUN_BLOCK_CLICKS = 2_048;
const RUN_BLOCK_BYTES = 256 * 1024;
const RUN_MAX_BLOCKS = 2 ** 20;

/**
 * Stores clicks of several sources as a new run.
 * @param bytes  approximate size of all clicks
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
  /** Blocks that were read and are not fully merged. */
  blocks: RunBlock[] = [];
  /** Time of the last click that was read. No click in the remaining blocks is earlier. */
  lastAt = -Infinity;
  bytesRead = 0;
  readonly table: BlobTable;
  readonly #columnsOf: (block: ClickBlock) => ClickColumns;
  readonly #end: number;
  #next: number | null;

  /** @param columnsOf  returns the clicks of a block to merge; some may be left out */
  constructor(table: BlobTable, from: number, end: number, columnsOf: (block: ClickBlock) => ClickColumns) {
    this.table = table;
    this.#columnsOf = columnsOf;
    this.#end = end;
    this.#next = this.#keyFrom(from);
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** Reads the next block, if there is one. */
  readNext(): void {
    if (this.#next === null) return;
    const bytes = this.table.get(this.#next);
    if (!bytes) throw new Error(`block ${this.#next} of a run is missing`);
    this.bytesRead += bytes.length;
    const block = new ClickBlock(bytes);
    this.lastAt = block.times()[block.count - 1] ?? this.lastAt;
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
