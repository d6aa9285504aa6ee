/** Reads the log of one generation: ranges of time as positions, counts, and clicks one by one. Writes nothing. */
import {
  type AccountTally,
  accountHistogramOf,
  accountTallyOf,
  emptyAccountTally,
  mergeAccountTallies,
} from "../../core/clicks/account-counts.ts";
import type { AccountColumns } from "../../core/clicks/account-block.ts";
import type { CountedField } from "../../core/clicks/account-fields.ts";
import type { Histogram } from "../../core/clicks/histogram.ts";
import { splitIntoBlocks } from "../summaries.ts";
import { ACCOUNT_BLOCK_CLICKS } from "./account-summaries.ts";
import type { Generation } from "./generation.ts";

/** The clicks at indexes from `from` to before `to` of a block. */
export interface BlockPart {
  clicks: AccountColumns;
  from: number;
  to: number;
}

export class AccountReader {
  readonly #generation: Generation;

  constructor(generation: Generation) {
    this.#generation = generation;
  }

  get count(): number {
    return this.#generation.count;
  }

  /** Position of the first click at or after `at`; the count when there is none. */
  positionAt(at: number): number {
    if (at > this.#generation.lastAt) return this.count;
    // The block `low` begins before `at`; the one at `high` does not.
    let [low, high] = [-1, Math.ceil(this.count / ACCOUNT_BLOCK_CLICKS)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#generation.blocks.timeOf(middle) < at) low = middle;
      else high = middle;
    }
    if (low < 0) return 0;
    const index = this.#generation
      .block(low)
      .times()
      .findIndex((time) => time >= at);
    return index >= 0 ? low * ACCOUNT_BLOCK_CLICKS + index : Math.min(high * ACCOUNT_BLOCK_CLICKS, this.count);
  }

  /** The time of the click at a position. */
  timeAt(position: number): number {
    const block = this.#generation.block(Math.floor(position / ACCOUNT_BLOCK_CLICKS));
    return block.times()[position % ACCOUNT_BLOCK_CLICKS] ?? 0;
  }

  /** Counts by the stored values of a field of the clicks at positions `[from, to)`. */
  tally(field: CountedField, from: number, to: number): AccountTally {
    const { head, tail } = splitIntoBlocks(from, to, ACCOUNT_BLOCK_CLICKS);
    let tally = emptyAccountTally(field);
    for (const part of this.parts(from, head)) tally = mergeAccountTallies(tally, tallyOfPart(field, part));
    if (tail > head) tally = this.#generation.summaries.addCounts(tally, field, head, tail);
    for (const part of this.parts(tail, to)) tally = mergeAccountTallies(tally, tallyOfPart(field, part));
    return tally;
  }

  /** Clicks at positions `[from, to)` over time, in order. */
  *histograms(from: number, to: number, fine: boolean): Generator<Histogram> {
    const { head, tail } = splitIntoBlocks(from, to, ACCOUNT_BLOCK_CLICKS);
    for (const part of this.parts(from, head)) yield accountHistogramOf(part.clicks, part.from, part.to);
    yield* this.#generation.summaries.histograms(head, tail, fine);
    for (const part of this.parts(tail, to)) yield accountHistogramOf(part.clicks, part.from, part.to);
  }

  /** The clicks at positions `[from, to)`, block by block. */
  *parts(from: number, to: number): Generator<BlockPart> {
    for (let position = from; position < to;) {
      const index = Math.floor(position / ACCOUNT_BLOCK_CLICKS);
      const start = index * ACCOUNT_BLOCK_CLICKS;
      const end = Math.min(start + ACCOUNT_BLOCK_CLICKS, to);
      yield { clicks: this.#generation.block(index), from: position - start, to: end - start };
      position = end;
    }
  }
}

function tallyOfPart(field: CountedField, { clicks, from, to }: BlockPart): AccountTally {
  return accountTallyOf(field, clicks, from, to);
}
