/**
 * Statistics that need every click of a range: under filters, or with unique visitors. Loaded only for that.
 */
import { compileFilters } from "../core/clicks/filters.ts";
import { GROUPING_RULES, type RouteKeysLookup } from "../core/clicks/groupings.ts";
import { utcDay } from "../core/durations.ts";
import { ScanKeys } from "../core/clicks/scan-keys.ts";
import type { StatsData, StatsRequest } from "../core/clicks/stats.ts";
import { CountingScan, type ScanQuestion } from "../core/clicks/stats-scan.ts";
import { passesFor, UniquesPass } from "../core/clicks/uniques-scan.ts";
import type { StatsRange } from "./link-stats.ts";
import { type LogScan, readAll, type Unfinished } from "./log-scan.ts";

interface StatsScan extends LogScan {
  routes: RouteKeysLookup;
  request: StatsRequest;
  range: StatsRange;
}

export async function scanStats(scan: StatsScan): Promise<StatsData | Unfinished> {
  const { routes, request, range } = scan;
  const question: ScanQuestion = {
    request,
    field: GROUPING_RULES[request.groupBy].field,
    filters: compileFilters(request.filters ?? [], routes),
    keys: new ScanKeys(request.groupBy, routes),
    starts: range.starts,
  };
  const counts = new CountingScan(question);
  const unfinished = await readAll(scan, counts);
  if (unfinished) return unfinished;
  const buckets = counts.buckets();
  const series = counts.series().map((clicks, i) => ({ start: range.starts[i] ?? 0, clicks }));
  const total = buckets.reduce((sum, { clicks }) => sum + clicks, 0);
  const counted = { total, buckets, series, to: range.to };
  return request.uniques ? addUniques(scan, question, counted) : counted;
}

async function addUniques(scan: StatsScan, question: ScanQuestion, stats: StatsData): Promise<StatsData | Unfinished> {
  const passes = passesFor(largestDay(scan));
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

/** Clicks of the UTC day with most of them. */
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
