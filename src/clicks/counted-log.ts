/**
 * A log of clicks with summaries: what the log of a link and that of an account have in common. A click is named by its
 * position, from 0; times never fall with position. Sums over any range read a few summaries, and the clicks at both ends.
 */
import { histogramOf, tallyOf } from "../core/clicks/counting/click-counts.ts";
import type { CountedField } from "../core/clicks/encoding/click-columns.ts";
import type { Histogram } from "../core/clicks/counting/histogram.ts";
import type { ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import { addTally, type Tally, type TallyOf } from "../core/clicks/counting/tally.ts";
import type { Summaries } from "./summaries.ts";

/** Reads clicks for scans, by the blocks in which they are packed. */
export interface ClickScanner {
  /** The clicks at positions `[from, to)`, in order; must be read in one turn. */
  scan: (from: number, to: number) => Generator<ScannedClicks>;
  /** Number of blocks that this object has packed: each takes as long as reading thirty. */
  readonly packed: number;
}

export abstract class CountedLog {
  /** Number of clicks. */
  abstract readonly count: number;
  /** Time of the last click, epoch ms; 0 when there is none. */
  abstract readonly lastAt: number;
  protected abstract readonly summaries: Summaries;

  /** Position of the first click at or after `at`; the count when there is none. */
  abstract positionAt(at: number): number;

  /** The clicks at positions `[from, to)`, in order, as they are stored. */
  abstract parts(from: number, to: number): Generator<ScannedClicks>;

  /** Reads the same clicks for a scan of many columns. */
  scanner(): Promise<ClickScanner> {
    return Promise.resolve({ scan: (from: number, to: number) => this.parts(from, to), packed: 0 });
  }

  /** Clicks of a block. */
  get blockClicks(): number {
    return this.summaries.blockClicks;
  }

  /** The time of the click at a position. */
  timeAt(position: number): number {
    const [click] = this.parts(position, position + 1);
    return click?.times()[click.from] ?? 0;
  }

  /** Counts by stored value of the clicks at positions `[from, to)`. */
  tally<F extends CountedField>(field: F, from: number, to: number): TallyOf<F> {
    const { head, tail } = this.#wholeBlocks(from, to);
    let tally: Tally = tallyOf(field, this.parts(from, head));
    if (tail > head) tally = this.summaries.addCounts(tally, field, head, tail);
    return addTally(tally, tallyOf(field, this.parts(tail, to))) as TallyOf<F>;
  }

  /**
   * Clicks at positions `[from, to)` over time, in order.
   * @param fine  by the minute; else by quarters of an hour where a span is long
   */
  *histograms(from: number, to: number, fine: boolean): Generator<Histogram> {
    const { head, tail } = this.#wholeBlocks(from, to);
    yield histogramOf(this.parts(from, head));
    yield* this.summaries.histograms(head, tail, fine);
    yield histogramOf(this.parts(tail, to));
  }

  /** `[head, tail)` are the whole blocks inside `[from, to)`. */
  #wholeBlocks(from: number, to: number): { head: number; tail: number } {
    const head = Math.ceil(from / this.blockClicks) * this.blockClicks;
    const tail = to - (to % this.blockClicks);
    return head <= tail ? { head, tail } : { head: to, tail: to };
  }
}
