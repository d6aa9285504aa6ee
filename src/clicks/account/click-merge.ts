/**
 * Merges runs into the account's log, in pieces of one transaction each. What is merged is a time: every click before it
 * is in the log, no other is. So a merge that was killed begins again there, and nothing else is to be remembered.
 */
import type { AccountBlock, AccountColumns, PickedClicks } from "../../core/clicks/account-block.ts";
import { joinClicks } from "../../core/clicks/account-block.ts";
import { orderByTime } from "../../core/clicks/time-order.ts";
import { type RunBlock, RunReader, runRanges, writeRun } from "./click-runs.ts";
import { TranslatedColumns } from "./drawn-clicks.ts";
import type { Generation } from "./generation.ts";

/** A generation whose clicks are taken over, and until when they are in its log. */
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
   * @param earlier  those whose clicks it takes over
   * @param erased  ids of links whose clicks are left out of it
   * @param merged  until when it has all clicks, epoch ms
   * @param pieceClicks  of a step, about: for so long the object does nothing else
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
      // Of a run that was being merged, the first clicks are in the log already.
      const ofRuns = takeOver(log, to, numbers, since);
      const runs = runRanges(log).map(([from, end]) => new RunReader(log.runs, from, end, ofRuns));
      return [...runs, new RunReader(log.blocks, 0, Infinity, takeOver(log, to, numbers, 0))];
    });
    this.#readers = [...own, ...taken];
    for (const reader of this.#readers) reader.readNext();
  }

  /**
   * Appends the next clicks before `until` to the log, and deletes the blocks that are merged wholly. Called in a
   * transaction.
   * @returns the time until which all are merged now
   */
  step(until: number): number {
    const limit = this.#readUntilProgress(until);
    const blocks = this.#readers.flatMap((reader) => reader.blocks);
    const linkOf = (number: number) => this.#to.texts.link.textOf(number);
    const { picked, merged } = pick(blocks, this.#merged, limit, this.#pieceClicks, linkOf);
    this.#to.append(
      blocks.map(({ clicks }) => clicks),
      picked,
    );
    this.#to.saveTexts();
    for (const reader of this.#readers) dropMerged(reader, merged);
    return (this.#merged = merged);
  }

  /** Until when all clicks are in memory; past what is merged already, as several blocks may be of one instant. */
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
  const isMerged = ({ times }: RunBlock) => (times.at(-1) ?? -Infinity) < merged;
  for (const { key } of reader.blocks.filter(isMerged)) reader.table.delete(key);
  reader.blocks = reader.blocks.filter((block) => !isMerged(block));
  if (reader.blocks.length === 0) reader.readNext();
}

/**
 * The clicks from time `from` to before `limit`, in order: all, or about as many as a piece has.
 * @param linkOf  the id of a link by its number
 */
function pick(
  blocks: readonly RunBlock[],
  from: number,
  limit: number,
  pieceClicks: number,
  linkOf: (number: number) => string,
): { picked: PickedClicks; merged: number } {
  const [of, indexes, times]: [number[], number[], number[]] = [[], [], []];
  for (const [n, block] of blocks.entries()) {
    for (let i = firstFrom(block.times, from); i < block.times.length; i++) {
      const at = block.times[i] ?? 0;
      if (at >= limit) break;
      of.push(n);
      indexes.push(i);
      times.push(at);
    }
  }
  const order = orderByTime(Float64Array.from(times));
  const end = endOfPiece(order, times, pieceClicks);
  const chosen = order.subarray(0, end);
  sortInstants(chosen, times, comparison(blocks, of, indexes, linkOf));
  const picked = {
    sources: Uint16Array.from(chosen, (i) => of[i] ?? 0),
    indexes: Uint32Array.from(chosen, (i) => indexes[i] ?? 0),
  };
  return { picked, merged: end < order.length ? (times[order[end] ?? 0] ?? limit) : limit };
}

/**
 * Sorts the clicks of each instant among themselves, so that all generations have one order: a client that reads the log
 * goes on after its last click although the log was written anew.
 */
function sortInstants(order: Uint32Array, times: readonly number[], compare: (a: number, b: number) => number): void {
  for (let from = 0, to = 1; from < order.length; from = to++) {
    while (to < order.length && times[order[to] ?? 0] === times[order[from] ?? 0]) to++;
    if (to - from > 1) order.subarray(from, to).sort(compare);
  }
}

/** By the id of the link, then by the place in its log. */
function comparison(
  blocks: readonly RunBlock[],
  of: readonly number[],
  indexes: readonly number[],
  linkOf: (number: number) => string,
): (a: number, b: number) => number {
  const linkAt = (i: number) => {
    const column = blocks[of[i] ?? 0]?.clicks.column("link");
    return Number(column?.values[column.indexes?.[indexes[i] ?? 0] ?? 0] ?? 0);
  };
  const positionAt = (i: number) => blocks[of[i] ?? 0]?.clicks.positions()[indexes[i] ?? 0] ?? 0;
  return (a, b) => {
    const [one, other] = [linkAt(a), linkAt(b)];
    if (one === other) return positionAt(a) - positionAt(b);
    return linkOf(one) < linkOf(other) ? -1 : 1;
  };
}

/** Clicks of one instant are never in two pieces. */
function endOfPiece(order: Uint32Array, times: readonly number[], pieceClicks: number): number {
  let end = Math.min(pieceClicks, order.length);
  while (end < order.length && times[order[end] ?? 0] === times[order[end - 1] ?? 0]) end++;
  return end;
}

/** Index of the first time at or after `at`. */
function firstFrom(times: Float64Array, at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Moves a run of an earlier generation.
 * @param since  clicks before are merged
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
  if (clicks.length > 0) writeRun(to, clicks);
  to.saveTexts();
  for (const { key } of run.blocks) log.runs.delete(key);
}

/**
 * The clicks of an earlier generation's block with the numbers of the later one.
 * @param erased  numbers of links whose clicks are left out
 * @param since  clicks before are left out
 */
function takeOver(
  from: Generation,
  to: Generation,
  erased: ReadonlySet<number | null>,
  since: number,
): (block: AccountBlock) => AccountColumns {
  return (block) => {
    const { values, indexes } = block.column("link");
    const isErased = values.map((number) => erased.has(Number(number)));
    const times = block.times();
    const kept = Array.from({ length: block.count }, (_, i) => i).filter(
      (i) => !isErased[indexes?.[i] ?? 0] && (times[i] ?? 0) >= since,
    );
    const picked = { sources: new Uint16Array(kept.length), indexes: Uint32Array.from(kept) };
    return new TranslatedColumns(joinClicks([block], picked, 0, kept.length), from.texts, to.texts);
  };
}
