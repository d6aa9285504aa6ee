/**
 * Statistics that summaries cannot provide: clicks that match filters, counted one by one. Clicks are added in the
 * order of the log. Pure.
 */
import type { ValueColumn } from "../encoding/click-columns.ts";
import { BinFinder } from "./calendar.ts";
import { byKeys, type FieldFilter } from "./filters.ts";
import { type GroupingKeys, OTHER_KEY } from "./groupings.ts";
import { matchingClicks, type ScannedClicks } from "./scanned-clicks.ts";
import { KEYS_MAX_CHARS, tallyByKey } from "./stats.ts";
import { type Bucket, bucketsOf } from "./tally.ts";
import { UniqueVisitors } from "./unique-visitors.ts";

/** What a scan counts. */
export interface ScanQuestion {
  grouping: GroupingKeys;
  filters: readonly FieldFilter[];
  includeBots: boolean;
  /** Starts of the bins of the series, ascending; no click is before the first. */
  starts: readonly number[];
}

/** Memory of a value besides its text, in characters. */
const VALUE_OVERHEAD_CHARS = 32;

/** Clicks by stored value and by bin. */
export class CountingScan {
  readonly #question: ScanQuestion;
  /** Index of each value's count in `#counts`. */
  readonly #indexes = new Map<string | number, number>();
  readonly #counts: number[] = [];
  /** Characters of the values that are texts. */
  #chars = 0;
  readonly #bins: BinFinder;
  /** Clicks of each bin. */
  readonly series: number[];
  total = 0;

  constructor(question: ScanQuestion) {
    this.#question = question;
    this.series = question.starts.map(() => 0);
    this.#bins = new BinFinder(question.starts);
  }

  add(clicks: ScannedClicks): void {
    const { filters, includeBots, grouping, starts } = this.#question;
    const matching = matchingClicks(clicks, filters, includeBots);
    if (matching.length === 0) return;
    this.total += matching.length;
    this.#addToValues(clicks.column(grouping.field), matching);
    if (starts.length > 0) this.#addToSeries(clicks.times(), matching);
  }

  #addToValues({ values, indexes }: ValueColumn, matching: Uint16Array): void {
    const found = new Uint32Array(values.length);
    for (const i of matching) {
      const value = indexes?.[i] ?? 0;
      found[value] = (found[value] ?? 0) + 1;
    }
    for (const [n, value] of values.entries()) {
      const clicks = found[n] ?? 0;
      if (clicks > 0) this.#addValue(value, clicks);
    }
  }

  /** Texts that exceed the memory of a query are counted as `other`, because visitors can send any number. */
  #addValue(value: string | number, clicks: number): void {
    const known = this.#indexes.get(value);
    if (known !== undefined) {
      this.#counts[known] = (this.#counts[known] ?? 0) + clicks;
      return;
    }
    // Numbers stand for the account's own texts, so they are not limited.
    if (typeof value === "string" && value !== OTHER_KEY) {
      if (this.#chars >= KEYS_MAX_CHARS) return this.#addValue(OTHER_KEY, clicks);
      this.#chars += value.length + VALUE_OVERHEAD_CHARS;
    }
    this.#indexes.set(value, this.#counts.length);
    this.#counts.push(clicks);
  }

  #addToSeries(times: ArrayLike<number>, matching: Uint16Array): void {
    for (const i of matching) {
      const bin = this.#bins.indexOf(times[i] ?? 0);
      this.series[bin] = (this.series[bin] ?? 0) + 1;
    }
  }

  buckets(): Bucket[] {
    const counts = Array.from(this.#indexes, ([value, i]) => ({ value, human: this.#counts[i] ?? 0, nonHuman: 0 }));
    return bucketsOf(tallyByKey(counts, { ...this.#question.grouping, isLong: true }, true), true);
  }
}

/** Maximum clicks of one day per pass: their visitors need at most about 30 MB. */
const PASS_MAX_CLICKS = 2 ** 19;

/** @param largestDay  number of clicks on the busiest UTC day */
export function passesFor(largestDay: number): number {
  return Math.max(Math.ceil(largestDay / PASS_MAX_CLICKS), 1);
}

/**
 * Counts unique visitors of a scan once its buckets are known: a visitor with several keys in the same bucket counts
 * there once. A day with more clicks than memory allows takes several passes, each of which counts some of the
 * visitors.
 */
export class UniquesPass {
  readonly visitors: UniqueVisitors;
  readonly #question: ScanQuestion;
  /** Returns the indexes of a value's buckets. */
  readonly #bucketsOf: (value: string | number) => readonly number[];
  readonly #bins: BinFinder;
  readonly #pass: number;
  readonly #passes: number;

  constructor(question: ScanQuestion, buckets: readonly Bucket[], pass: number, passes: number) {
    this.#question = question;
    this.#pass = pass;
    this.#passes = passes;
    const indexes = new Map(buckets.map(({ key }, i) => [key, i]));
    const other = indexes.get(OTHER_KEY) ?? -1;
    this.#bucketsOf = byKeys(question.grouping, (keys) => keys.map((key) => indexes.get(key) ?? other));
    this.#bins = new BinFinder(question.starts);
    this.visitors = new UniqueVisitors(buckets.length, question.starts.length);
  }

  add(clicks: ScannedClicks): void {
    const { filters, grouping } = this.#question;
    const visitors = clicks.numbers("visitor");
    if (!visitors) return;
    // Bots are never counted as visitors, even if their clicks are requested.
    const matching = matchingClicks(clicks, filters, false);
    if (matching.length === 0) return;
    const { values, indexes }: ValueColumn = clicks.column(grouping.field);
    const times = clicks.times();
    const bucketsOfValues: (readonly number[])[] = [];
    for (const i of matching) {
      const visitor = visitors[i] ?? 0;
      if (visitor === 0 || (visitor >>> 0) % this.#passes !== this.#pass) continue;
      const value = indexes?.[i] ?? 0;
      const at = times[i] ?? 0;
      const bin = this.#bins.indexOf(at);
      const buckets = (bucketsOfValues[value] ??= this.#bucketsOf(values[value] ?? ""));
      for (const bucket of buckets) this.visitors.add(at, visitor, bucket, bin);
    }
  }
}
