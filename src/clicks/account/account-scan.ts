/** Statistics that need every click of a range of the account's log, read in pieces between which other calls run. */
import {
  accountGroupingRule,
  type AccountFieldFilter,
  type AccountLookup,
  type AccountStatsRequest,
  compileAccountFilters,
} from "../../core/clicks/account-stats.ts";
import { BinFinder } from "../../core/clicks/stats-scan.ts";
import { OTHER_KEY } from "../../core/clicks/groupings.ts";
import { numberAt, VISITOR_BYTES } from "../../core/clicks/number-column.ts";
import { allClicks, narrowTo } from "../../core/clicks/scanned-clicks.ts";
import { KEYS_MAX_CHARS, type StatsData } from "../../core/clicks/stats.ts";
import { addClicks, type Bucket, bucketsOf, type Tally } from "../../core/clicks/tally.ts";
import { UniqueVisitors } from "../../core/clicks/unique-visitors.ts";
import { passesFor } from "../../core/clicks/uniques-scan.ts";
import { DAY_MS } from "../../core/durations.ts";
import type { StatsRange } from "../link-stats.ts";
import { nextTurn } from "../next-turn.ts";
import type { AccountReader, BlockPart } from "./account-reader.ts";
import { ACCOUNT_BLOCK_CLICKS } from "./account-summaries.ts";

/** Clicks read without a pause: some 30 ms. */
const PIECE_CLICKS = 24 * ACCOUNT_BLOCK_CLICKS;

interface AccountScan {
  reader: AccountReader;
  lookup: AccountLookup;
  request: AccountStatsRequest;
  range: StatsRange;
  /** Whether the log still answers. */
  isOpen: () => boolean;
}

/** What is counted of the clicks that match: their stored value, and their bin. */
interface Counts {
  byValue: Map<string | number, number>;
  /** Of the texts in it. */
  chars: number;
  series: number[];
  total: number;
}

/** @returns null when another log began to answer meanwhile */
export async function scanAccount(scan: AccountScan): Promise<StatsData | null> {
  const { lookup, request, range } = scan;
  const { field, keys } = accountGroupingRule(request.groupBy);
  const filters = compileAccountFilters(request, lookup);
  const counts: Counts = { byValue: new Map(), chars: 0, series: range.starts.map(() => 0), total: 0 };
  const bins = new BinFinder(range.starts);
  const isRead = await readAll(scan, filters, ({ clicks }, matching) => {
    counts.total += matching.length;
    countValues(counts, clicks.column(field), matching);
    if (range.starts.length === 0) return;
    const times = clicks.times();
    for (const i of matching) {
      const bin = bins.indexOf(times[i] ?? 0);
      counts.series[bin] = (counts.series[bin] ?? 0) + 1;
    }
  });
  if (!isRead) return null;
  const stats = {
    total: counts.total,
    buckets: bucketsByKey(counts.byValue, (value) => keys(value, lookup)),
    series: counts.series.map((clicks, i) => ({ start: range.starts[i] ?? 0, clicks })),
    to: range.to,
  };
  return request.uniques ? addUniques(scan, filters, stats) : stats;
}

/** Memory of a value beside its text, in characters. */
const VALUE_OVERHEAD_CHARS = 32;

/** Texts that do not fit the memory of a question are counted as `other`: visitors can send any number. */
function countValues(
  counts: Counts,
  { values, indexes }: ReturnType<BlockPart["clicks"]["column"]>,
  matching: Uint16Array,
): void {
  const found = new Uint32Array(values.length);
  for (const i of matching) {
    const value = indexes?.[i] ?? 0;
    found[value] = (found[value] ?? 0) + 1;
  }
  for (const [n, value] of values.entries()) {
    const clicks = found[n] ?? 0;
    if (clicks > 0) addValue(counts, value, clicks);
  }
}

function addValue(counts: Counts, value: string | number, clicks: number): void {
  const { byValue } = counts;
  const known = byValue.get(value);
  if (known !== undefined) return void byValue.set(value, known + clicks);
  // Numbers are those of the account's own texts.
  if (typeof value === "string" && value !== OTHER_KEY) {
    if (counts.chars >= KEYS_MAX_CHARS) return addValue(counts, OTHER_KEY, clicks);
    counts.chars += value.length + VALUE_OVERHEAD_CHARS;
  }
  byValue.set(value, clicks);
}

function bucketsByKey(
  counts: ReadonlyMap<string | number, number>,
  keysOf: (value: string | number) => readonly string[],
): Bucket[] {
  const tally: Tally = new Map();
  let chars = 0;
  for (const [value, clicks] of [...counts].sort(([, one], [, other]) => other - one)) {
    for (const key of chars < KEYS_MAX_CHARS ? keysOf(value) : [OTHER_KEY]) {
      if (!tally.has(key)) chars += key.length;
      addClicks(tally, key, clicks, 0);
    }
  }
  return bucketsOf(tally, true);
}

async function addUniques(
  scan: AccountScan,
  filters: readonly AccountFieldFilter[],
  stats: StatsData,
): Promise<StatsData | null> {
  const { lookup, request, range } = scan;
  const { field, keys } = accountGroupingRule(request.groupBy);
  const buckets = stats.buckets.map((bucket) => ({ ...bucket, uniqueVisitors: 0 }));
  const series = stats.series.map((bin) => ({ ...bin, uniqueVisitors: 0 }));
  const places = new Map(buckets.map(({ key }, i) => [key, i]));
  const other = places.get(OTHER_KEY) ?? -1;
  let uniqueVisitors = 0;
  const passes = passesFor(largestDay(scan) * bucketsPerClick(scan));
  for (let pass = 0; pass < passes; pass++) {
    const visitors = new UniqueVisitors(buckets.length, series.length);
    const bins = new BinFinder(range.starts);
    const isRead = await readAll(scan, filters, ({ clicks }, matching) => {
      const known = clicks.visitors();
      if (!known) return;
      const { values, indexes } = clicks.column(field);
      const bucketsOfValues: number[][] = [];
      const times = clicks.times();
      for (const i of matching) {
        const visitor = numberAt(known, VISITOR_BYTES, i);
        if (visitor === 0 || (visitor >>> 0) % passes !== pass) continue;
        const value = indexes?.[i] ?? 0;
        const at = times[i] ?? 0;
        const bin = range.starts.length > 0 ? bins.indexOf(at) : -1;
        bucketsOfValues[value] ??= keys(values[value] ?? "", lookup).map((key) => places.get(key) ?? other);
        for (const bucket of bucketsOfValues[value]) visitors.add(at, visitor, bucket, bin);
      }
    });
    if (!isRead) return null;
    uniqueVisitors += visitors.total;
    for (const [n, bucket] of buckets.entries()) bucket.uniqueVisitors += visitors.buckets[n] ?? 0;
    for (const [n, bin] of series.entries()) bin.uniqueVisitors += visitors.bins[n] ?? 0;
  }
  return { ...stats, uniqueVisitors, buckets, series };
}

/** A visitor is kept for each bucket: clicks of a link with twenty tags need twenty times the memory. */
function bucketsPerClick({ reader, lookup, request, range }: AccountScan): number {
  const tally = request.groupBy === "tag" ? reader.tally("link", range.first, range.end) : null;
  if (!tally || tally instanceof Map) return 1;
  const { keys } = accountGroupingRule("tag");
  let [clicks, inBuckets] = [0, 0];
  for (const [i, number] of tally.numbers.entries()) {
    const ofLink = (tally.human[i] ?? 0) + (tally.nonHuman[i] ?? 0);
    clicks += ofLink;
    inBuckets += ofLink * keys(number, lookup).length;
  }
  return clicks === 0 ? 1 : inBuckets / clicks;
}

/** Clicks of the UTC day with most of them. */
function largestDay({ reader, range }: AccountScan): number {
  const days = new Map<number, number>();
  for (const { bins } of reader.histograms(range.first, range.end, false)) {
    for (const { start, human, nonHuman } of bins) {
      const day = Math.floor(start / DAY_MS);
      days.set(day, (days.get(day) ?? 0) + human + nonHuman);
    }
  }
  return [...days.values()].reduce((most, clicks) => Math.max(most, clicks), 0);
}

/** @returns false when another log began to answer meanwhile */
async function readAll(
  { reader, range, isOpen }: AccountScan,
  filters: readonly AccountFieldFilter[],
  take: (part: BlockPart, matching: Uint16Array) => void,
): Promise<boolean> {
  for (let from = range.first; from < range.end;) {
    if (!isOpen()) return false;
    const to = Math.min(from - (from % ACCOUNT_BLOCK_CLICKS) + PIECE_CLICKS, range.end);
    for (const part of reader.parts(from, to)) {
      const matching = narrowTo(allClicks(part), part.clicks, filters);
      if (matching.length > 0) take(part, matching);
    }
    from = to;
    if (from < range.end) await nextTurn();
  }
  return true;
}
