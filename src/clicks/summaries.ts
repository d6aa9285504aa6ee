/**
 * Counts over a click log, so that any range costs a few rows, however many clicks it holds.
 *
 * Blocks of so many clicks; 8 blocks of one level make one of the next. On the lowest level, which takes most of the
 * storage, a summary's tallies count its own block. Above they run from the start of the parent block (on the top
 * level: from the first click) to the end of the block, so that one row a level gives the counts up to any block. A
 * histogram covers its own block only: bins are added up, not subtracted.
 */
import { type Histogram, joinHistograms } from "../core/clicks/histogram.ts";

const FAN_OUT = 8;
export const LEVELS = 5;

/** Which block a summary is of. On the lowest level, 0, blocks have `blockClicks` clicks. */
export interface BlockPlace {
  level: number;
  index: number;
}

/** Tallies are null where the next level has them; a histogram is null where it was too long to be stored. */
export interface Summary<F, T> {
  tallies: ReadonlyMap<F, T> | null;
  histogram: Histogram | null;
}

/** Where the summaries of a log are stored, and what its tallies are. */
export interface SummaryRows<F, T> {
  readonly fields: readonly F[];
  /** Clicks of a block of the lowest level. */
  readonly blockClicks: number;
  emptyTally: (field: F) => T;
  /** @returns the sum; may change `tally` */
  mergeTallies: (tally: T, other: T) => T;
  /** Adds the stored tally of a block, or subtracts it. @returns the sum; may change `tally` */
  addStored: (tally: T, place: BlockPlace, field: F, sign: 1 | -1) => T;
  readHistogram: (place: BlockPlace) => Histogram | null;
  insert: (place: BlockPlace, summary: Summary<F, T>) => void;
}

export class Summaries<F, T> {
  readonly #rows: SummaryRows<F, T>;

  constructor(rows: SummaryRows<F, T>) {
    this.#rows = rows;
  }

  /**
   * Writes the summary of the block that ends at position `end`, and those of all larger blocks that it completes.
   * @param block  tallies and histogram of its clicks
   */
  write(end: number, block: { tallies: ReadonlyMap<F, T>; histogram: Histogram }): void {
    let { tallies } = block;
    let histogram: Histogram | null = block.histogram;
    let index = end / this.#rows.blockClicks - 1;
    for (let level = 0; level < LEVELS; level++, index = (index + 1) / FAN_OUT - 1) {
      const place = { level, index };
      if (level > 0) {
        histogram = joinHistograms(this.#childHistograms(place));
        tallies = this.#addedToPreviousSibling(place, tallies);
      }
      const completes = level < LEVELS - 1 && (index + 1) % FAN_OUT === 0;
      this.#rows.insert(place, { tallies: completes ? null : tallies, histogram });
      if (!completes) return;
      if (level === 0) tallies = this.#addedToAllSiblings(index, tallies);
    }
  }

  /**
   * Adds the counts of the clicks at `[from, to)`, multiples of a block. Rows that would cancel out are not read.
   * @returns the sum; may change `tally`
   */
  addCounts(tally: T, field: F, from: number, to: number): T {
    let sum = tally;
    const add = (level: number, index: number, sign: 1 | -1) => {
      sum = this.#rows.addStored(sum, { level, index }, field, sign);
    };
    const [first, end] = [from / this.#rows.blockClicks, to / this.#rows.blockClicks];
    const haveSameParent = firstSibling(0, first) === firstSibling(0, end);
    for (let i = haveSameParent ? first : firstSibling(0, end); i < end; i++) add(0, i, 1);
    if (!haveSameParent) for (let i = firstSibling(0, first); i < first; i++) add(0, i, -1);
    for (let level = 1; level < LEVELS; level++) {
      const before = Math.floor(from / this.#clicksPerBlock(level));
      const upTo = Math.floor(to / this.#clicksPerBlock(level));
      if (before === upTo) break;
      if (upTo > firstSibling(level, upTo)) add(level, upTo - 1, 1);
      if (before > firstSibling(level, before)) add(level, before - 1, -1);
    }
    return sum;
  }

  /** The histograms of the blocks that make up `[from, to)`, multiples of a block, in order; the largest that fit. */
  *histograms(from: number, to: number, fine: boolean): Generator<Histogram> {
    for (let position = from; position < to;) {
      let level = LEVELS - 1;
      while (level > 0 && !this.#fits(level, position, to)) level--;
      yield* this.#histogramsOf({ level, index: position / this.#clicksPerBlock(level) }, fine);
      position += this.#clicksPerBlock(level);
    }
  }

  #fits(level: number, position: number, to: number): boolean {
    const clicks = this.#clicksPerBlock(level);
    return position % clicks === 0 && position + clicks <= to;
  }

  /** A block's histogram; those of its children when it is coarser than requested, or was too long to store. */
  *#histogramsOf(place: BlockPlace, fine: boolean): Generator<Histogram> {
    const histogram = this.#rows.readHistogram(place);
    if (histogram && (histogram.fine || !fine || place.level === 0)) yield histogram;
    else for (const child of childrenOf(place)) yield* this.#histogramsOf(child, fine);
  }

  /** Tallies of a block, added to those of its siblings before it. */
  #addedToPreviousSibling({ level, index }: BlockPlace, tallies: ReadonlyMap<F, T>): ReadonlyMap<F, T> {
    return index === firstSibling(level, index) ? tallies : this.#addedTo(level, [index - 1], tallies);
  }

  /** Tallies of a lowest block that completes its parent, and of all its siblings. */
  #addedToAllSiblings(index: number, tallies: ReadonlyMap<F, T>): ReadonlyMap<F, T> {
    return this.#addedTo(0, range(firstSibling(0, index), index), tallies);
  }

  /** Tallies, added to those of earlier blocks, whose keys come first: a key that is named once stays named. */
  #addedTo(level: number, earlier: readonly number[], tallies: ReadonlyMap<F, T>): ReadonlyMap<F, T> {
    return new Map(
      this.#rows.fields.map((field) => {
        let sum = this.#rows.emptyTally(field);
        for (const index of earlier) sum = this.#rows.addStored(sum, { level, index }, field, 1);
        const own = tallies.get(field);
        return [field, own === undefined ? sum : this.#rows.mergeTallies(sum, own)];
      }),
    );
  }

  #childHistograms(place: BlockPlace): (Histogram | null)[] {
    return childrenOf(place).map((child) => this.#rows.readHistogram(child));
  }

  #clicksPerBlock(level: number): number {
    return this.#rows.blockClicks * FAN_OUT ** level;
  }
}

/** `[head, tail)` are the whole blocks of `size` clicks inside `[from, to)`. */
export function splitIntoBlocks(from: number, to: number, size: number): { head: number; tail: number } {
  const head = Math.ceil(from / size) * size;
  const tail = to - (to % size);
  return head <= tail ? { head, tail } : { head: to, tail: to };
}

/** Numbers the summaries of a log. */
export function summaryId({ level, index }: BlockPlace): number {
  return index * LEVELS + level;
}

/** Index of the first block that shares its parent with block `index`; the top level has one parent for all. */
function firstSibling(level: number, index: number): number {
  return level === LEVELS - 1 ? 0 : index - (index % FAN_OUT);
}

function childrenOf({ level, index }: BlockPlace): BlockPlace[] {
  return range(index * FAN_OUT, (index + 1) * FAN_OUT).map((child) => ({ level: level - 1, index: child }));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
