/** Statistics that need every click of a range, because of filters or unique visitors. Loaded only for those. */
import { compileFilters } from "../core/clicks/counting/filters.ts";
import type { AccountGrouping, KeysOfGrouping } from "../core/clicks/counting/groupings.ts";
import type { StatsData, StatsRequest } from "../core/clicks/counting/stats.ts";
import { CountingScan, passesFor, type ScanQuestion, UniquesPass } from "../core/clicks/counting/stats-scan.ts";
import { countsOf } from "../core/clicks/counting/tally.ts";
import { utcDay } from "../core/time.ts";
import { type LogScan, readAll, type Unfinished, type WholeScan } from "./log-scan.ts";
import type { ScanPieces, ScanQueue } from "./scan-queue.ts";
import type { ReadableLog } from "./summaries.ts";

export interface StatsQuestion<G extends AccountGrouping = AccountGrouping> {
  log: ReadableLog;
  request: StatsRequest<G>;
  keysOfGrouping: KeysOfGrouping<G>;
  /** End of the range, epoch ms. */
  to: number;
  /** Whether the log still answers. */
  isOpen: () => boolean;
  scans: ScanQueue;
}

/**
 * The range of a query: the clicks at positions `[first, end)`, until `to` (epoch ms), and the starts of its bins.
 */
export interface StatsRange {
  first: number;
  end: number;
  to: number;
  starts: readonly number[];
}

export async function scanStats<G extends AccountGrouping>(
  { log, request, keysOfGrouping, isOpen }: StatsQuestion<G>,
  range: StatsRange,
  pieces: ScanPieces,
): Promise<StatsData | Unfinished> {
  const scan = { log, range, isOpen, pieces };
  const question: ScanQuestion = {
    grouping: keysOfGrouping(request.groupBy),
    filters: compileFilters(request.filters ?? [], keysOfGrouping),
    includeBots: request.includeBots,
    starts: range.starts,
  };
  const counts = new CountingScan(question);
  const unfinished = await readAll(scan, counts);
  if (unfinished) return unfinished;
  const series = counts.series.map((clicks, i) => ({ start: range.starts[i] ?? 0, clicks }));
  const counted = { total: counts.total, buckets: counts.buckets(), series, to: range.to };
  if (!request.uniques) return counted;
  const bucketsPerClick = request.groupBy === "tag" ? meanBuckets(scan, question) : 1;
  return addUniques(scan, question, counted, passesFor(largestDay(scan) * bucketsPerClick));
}

async function addUniques(
  scan: WholeScan,
  question: ScanQuestion,
  stats: StatsData,
  passes: number,
): Promise<StatsData | Unfinished> {
  let uniqueVisitors = 0;
  const buckets = stats.buckets.map((bucket) => ({ ...bucket, uniqueVisitors: 0 }));
  const series = stats.series.map((bin) => ({ ...bin, uniqueVisitors: 0 }));
  for (let i = 0; i < passes; i++) {
    const pass = new UniquesPass(question, buckets, i, passes);
    const unfinished = await readAll(scan, pass);
    if (unfinished) return unfinished;
    const { visitors } = pass;
    uniqueVisitors += visitors.total;
    for (const [n, bucket] of buckets.entries()) bucket.uniqueVisitors += visitors.buckets[n] ?? 0;
    for (const [n, bin] of series.entries()) bin.uniqueVisitors += visitors.bins[n] ?? 0;
  }
  return { ...stats, uniqueVisitors, buckets, series };
}

/** A visitor is held in memory once per bucket: clicks of a link with twenty tags need twenty times the memory. */
function meanBuckets({ log, range }: LogScan, { grouping }: ScanQuestion): number {
  let [clicks, inBuckets] = [0, 0];
  for (const { value, human, nonHuman } of countsOf(log.tally(grouping.field, range.first, range.end))) {
    clicks += human + nonHuman;
    inBuckets += (human + nonHuman) * grouping.keysOf(value).length;
  }
  return clicks === 0 ? 1 : inBuckets / clicks;
}

/** Number of clicks on the busiest UTC day. */
function largestDay({ log, range }: LogScan): number {
  const days = new Map<number, number>();
  for (const { bins } of log.histograms(range.first, range.end, false)) {
    for (const { start, human, nonHuman } of bins) {
      const day = utcDay(start);
      days.set(day, (days.get(day) ?? 0) + human + nonHuman);
    }
  }
  return [...days.values()].reduce((most, clicks) => Math.max(most, clicks), 0);
}
