/**
 * Counts over a click log, so that any range costs a few rows, however many clicks it holds.
 *
 * Blocks of so many clicks; 8 blocks of one level make one of the next. On the lowest level, which takes most of the
 * storage, a summary's tallies count its own block. Above they run from the start of the parent block (on the top
 * level: from the first click) to the end of the block, so that one row a level gives the counts up to any block. A
 * histogram covers its own block only: bins are added up, not subtracted.
 */
import type { CountedField } from "../core/clicks/encoding/click-columns.ts";
import { histogramOf, tallyOf } from "../core/clicks/counting/click-counts.ts";
import { decodeHistogram, encodeHistogram, type Histogram, joinHistograms } from "../core/clicks/counting/histogram.ts";
import type { ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import { addEncodedTally, addTally, emptyTally, encodeTally, type Tally } from "../core/clicks/counting/tally.ts";

const FAN_OUT = 8;
export const LEVELS = 5;

/** Which block a summary is of. On the lowest level, 0, blocks have `blockClicks` clicks. */
export interface BlockPlace {
  level: number;
  index: number;
}

/** Where the summaries of a log are stored. */
export interface SummaryRows {
  readonly fields: readonly CountedField[];
  /** Clicks of a block of the lowest level. */
  readonly blockClicks: number;
  /** Limit of a stored tally of texts. */
  maxBytesOf: (field: CountedField) => number;
  /** The stored tally of a block (core/clicks/counting/tally.ts). */
  readTally: (place: BlockPlace, field: CountedField) => Uint8Array;
  /** The stored histogram of a block (core/clicks/counting/histogram.ts); null where it was too long. */
  readHistogram: (place: BlockPlace) => Uint8Array | null;
  /** @param tallies  null where the next level has them */
  insert: (
    place: BlockPlace,
    tallies: ReadonlyMap<CountedField, Uint8Array> | null,
    histogram: Uint8Array | null,
  ) => void;
}

type Tallies = ReadonlyMap<CountedField, Tally>;

export class Summaries {
  readonly #rows: SummaryRows;

  constructor(rows: SummaryRows) {
    this.#rows = rows;
  }

  get blockClicks(): number {
    return this.#rows.blockClicks;
  }

  /** Writes the summary of the block that ends at position `end`, and those of all larger blocks that it completes. */
  write(end: number, clicks: readonly ScannedClicks[]): void {
    let tallies: Tallies = new Map(this.#rows.fields.map((field) => [field, tallyOf(field, clicks)]));
    let histogram: Histogram | null = histogramOf(clicks);
    let index = end / this.blockClicks - 1;
    for (let level = 0; level < LEVELS; level++, index = (index + 1) / FAN_OUT - 1) {
      const place = { level, index };
      if (level > 0) {
        histogram = joinHistograms(childrenOf(place).map((child) => this.#readHistogram(child)));
        tallies = this.#addedToPreviousSibling(place, tallies);
      }
      const completes = level < LEVELS - 1 && (index + 1) % FAN_OUT === 0;
      this.#rows.insert(place, completes ? null : this.#encode(tallies), histogram && encodeHistogram(histogram));
      if (!completes) return;
      if (level === 0) tallies = this.#addedToAllSiblings(index, tallies);
    }
  }

  #encode(tallies: Tallies): ReadonlyMap<CountedField, Uint8Array> {
    const encoded = [...tallies].map(([field, tally]) => {
      return [field, encodeTally(tally, this.#rows.maxBytesOf(field))] as const;
    });
    return new Map(encoded);
  }

  /**
   * Adds the counts of the clicks at `[from, to)`, multiples of a block. Rows that would cancel out are not read.
   * @returns the sum; may change `tally`
   */
  addCounts(tally: Tally, field: CountedField, from: number, to: number): Tally {
    let sum = tally;
    const add = (level: number, index: number, sign: 1 | -1) => {
      sum = this.#addStored(sum, { level, index }, field, sign);
    };
    const [first, end] = [from / this.blockClicks, to / this.blockClicks];
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

  #addStored(tally: Tally, place: BlockPlace, field: CountedField, sign: 1 | -1): Tally {
    return addEncodedTally(tally, this.#rows.readTally(place, field), sign);
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
    const histogram = this.#readHistogram(place);
    if (histogram && (histogram.fine || !fine || place.level === 0)) yield histogram;
    else for (const child of childrenOf(place)) yield* this.#histogramsOf(child, fine);
  }

  /** Tallies of a block, added to those of its siblings before it. */
  #addedToPreviousSibling({ level, index }: BlockPlace, tallies: Tallies): Tallies {
    return index === firstSibling(level, index) ? tallies : this.#addedTo(level, [index - 1], tallies);
  }

  /** Tallies of a lowest block that completes its parent, and of all its siblings. */
  #addedToAllSiblings(index: number, tallies: Tallies): Tallies {
    return this.#addedTo(0, range(firstSibling(0, index), index), tallies);
  }

  /** Tallies, added to those of earlier blocks, whose keys come first: a key that is named once stays named. */
  #addedTo(level: number, earlier: readonly number[], tallies: Tallies): Tallies {
    return new Map(
      this.#rows.fields.map((field) => {
        let sum = emptyTally(field);
        for (const index of earlier) sum = this.#addStored(sum, { level, index }, field, 1);
        return [field, addTally(sum, tallies.get(field) ?? emptyTally(field))];
      }),
    );
  }

  #readHistogram(place: BlockPlace): Histogram | null {
    const stored = this.#rows.readHistogram(place);
    return stored && decodeHistogram(stored);
  }

  #clicksPerBlock(level: number): number {
    return this.blockClicks * FAN_OUT ** level;
  }
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
