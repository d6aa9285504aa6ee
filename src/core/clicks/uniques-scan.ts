/**
 * Unique visitors of a scan, once its buckets are known: a visitor of several keys that share a bucket counts there once.
 * A day with more clicks than memory allows takes several passes, of which each counts some of the visitors. Pure.
 */
import { numberAt, VISITOR_BYTES } from "./number-column.ts";
import { OTHER_KEY } from "./groupings.ts";
import { matchingClicks, type ScannedClicks } from "./scanned-clicks.ts";
import { BinFinder, type ScanQuestion } from "./stats-scan.ts";
import type { Bucket } from "./tally.ts";
import { UniqueVisitors } from "./unique-visitors.ts";

/** Clicks of one day that a pass takes: their visitors need some 30 MB at most. */
const PASS_MAX_CLICKS = 2 ** 19;

/** @param largestDay  clicks of the UTC day with most of them */
export function passesFor(largestDay: number): number {
  return Math.max(Math.ceil(largestDay / PASS_MAX_CLICKS), 1);
}

export class UniquesPass {
  readonly visitors: UniqueVisitors;
  readonly #question: ScanQuestion;
  /** Index of the bucket, by the number of a key. */
  readonly #bucketOf: readonly number[];
  readonly #bins: BinFinder;
  readonly #pass: number;
  readonly #passes: number;

  constructor(question: ScanQuestion, buckets: readonly Bucket[], pass: number, passes: number) {
    this.#question = question;
    this.#pass = pass;
    this.#passes = passes;
    const indexes = new Map(buckets.map(({ key }, i) => [key, i]));
    const other = indexes.get(OTHER_KEY) ?? -1;
    this.#bucketOf = question.keys.keys.map((key) => indexes.get(key) ?? other);
    this.#bins = new BinFinder(question.starts);
    this.visitors = new UniqueVisitors(buckets.length, question.starts.length);
  }

  add(clicks: ScannedClicks): void {
    const { filters, request, field, keys, starts } = this.#question;
    const visitors = clicks.visitors();
    if (!visitors) return;
    const matching = matchingClicks(clicks, filters, request.includeBots);
    if (matching.length === 0) return;
    const { values, indexes } = clicks.column(field);
    const times = clicks.times();
    const buckets: number[] = [];
    for (const i of matching) {
      const visitor = numberAt(visitors, VISITOR_BYTES, i);
      if (visitor === 0 || (visitor >>> 0) % this.#passes !== this.#pass) continue;
      const value = indexes?.[i] ?? 0;
      const bucket = (buckets[value] ??= this.#bucketOf[keys.idOf(values[value] ?? "")] ?? -1);
      const at = times[i] ?? 0;
      this.visitors.add(at, visitor, bucket, starts.length > 0 ? this.#bins.indexOf(at) : -1);
    }
  }
}
