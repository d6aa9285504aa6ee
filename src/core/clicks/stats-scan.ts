/**
 * Statistics of the clicks that match filters, counted one by one: what summaries cannot tell. Clicks are added in the
 * order of the log. Pure.
 */
import { type FieldFilter } from "./filters.ts";
import { matchingClicks, type ScannedClicks } from "./scanned-clicks.ts";
import type { ScanKeys } from "./scan-keys.ts";
import type { StatsRequest } from "./stats.ts";
import { type Bucket, bucketsOf, type Tally } from "./tally.ts";

/** What a scan is told to count. */
export interface ScanQuestion {
  request: Pick<StatsRequest, "includeBots">;
  /** The field of the grouping. */
  field: FieldFilter["field"];
  filters: readonly FieldFilter[];
  keys: ScanKeys;
  /** Where the bins of the series begin, ascending; the first is not after any click. */
  starts: readonly number[];
}

/** Finds the bin of each click, whose times must not fall. */
export class BinFinder {
  readonly #starts: readonly number[];
  #bin = 0;

  constructor(starts: readonly number[]) {
    this.#starts = starts;
  }

  indexOf(at: number): number {
    while ((this.#starts[this.#bin + 1] ?? Infinity) <= at) this.#bin++;
    return this.#bin;
  }
}

export class CountingScan {
  readonly #question: ScanQuestion;
  readonly #counts: number[] = [];
  readonly #series: number[];
  readonly #bins: BinFinder;

  constructor(question: ScanQuestion) {
    this.#question = question;
    this.#series = question.starts.map(() => 0);
    this.#bins = new BinFinder(question.starts);
  }

  add(clicks: ScannedClicks): void {
    const { filters, request, field, keys, starts } = this.#question;
    const matching = matchingClicks(clicks, filters, request.includeBots);
    if (matching.length === 0) return;
    const { values, indexes } = clicks.column(field);
    const ids: number[] = [];
    for (const i of matching) {
      const value = indexes?.[i] ?? 0;
      const id = (ids[value] ??= keys.idOf(values[value] ?? ""));
      this.#counts[id] = (this.#counts[id] ?? 0) + 1;
    }
    if (starts.length > 0) this.#addToSeries(clicks.times(), matching);
  }

  #addToSeries(times: ArrayLike<number>, matching: Uint16Array): void {
    for (const i of matching) {
      const bin = this.#bins.indexOf(times[i] ?? 0);
      this.#series[bin] = (this.#series[bin] ?? 0) + 1;
    }
  }

  buckets(): Bucket[] {
    const tally: Tally = new Map();
    for (const [id, key] of this.#question.keys.keys.entries()) {
      tally.set(key, { human: this.#counts[id] ?? 0, nonHuman: 0 });
    }
    return bucketsOf(tally, true);
  }

  /** Clicks of each bin. */
  series(): readonly number[] {
    return this.#series;
  }
}
