/**
 * Statistics that need every click of a range: under filters, or with unique visitors. Reads the log in pieces, between
 * which the object records clicks; the log only grows, so the range's positions stay what they are. Loaded only for that.
 */
import { compileFilters } from "../core/clicks/filters.ts";
import { GROUPING_RULES, type RouteKeysLookup } from "../core/clicks/groupings.ts";
import { utcDay } from "../core/durations.ts";
import { ScanKeys } from "../core/clicks/scan-keys.ts";
import type { ScannedClicks } from "../core/clicks/scanned-clicks.ts";
import type { StatsData, StatsRequest } from "../core/clicks/stats.ts";
import { CountingScan, type ScanQuestion } from "../core/clicks/stats-scan.ts";
import { passesFor, UniquesPass } from "../core/clicks/uniques-scan.ts";
import type { ClickLog } from "./click-log.ts";
import type { StatsRange } from "./link-stats.ts";
import { BLOCK_CLICKS } from "./link-summaries.ts";
import { nextTurn } from "./next-turn.ts";

/** Clicks read without a pause: some 30 ms. */
const PIECE_CLICKS = 96 * BLOCK_CLICKS;

interface LogScan {
  log: ClickLog;
  routes: RouteKeysLookup;
  request: StatsRequest;
  range: StatsRange;
  /** Whether the log is still there. */
  isOpen: () => boolean;
}

/** @returns null when the log was erased meanwhile */
export async function scanStats(scan: LogScan): Promise<StatsData | null> {
  const { routes, request, range } = scan;
  const question: ScanQuestion = {
    request,
    field: GROUPING_RULES[request.groupBy].field,
    filters: compileFilters(request.filters ?? [], routes),
    keys: new ScanKeys(request.groupBy, routes),
    starts: range.starts,
  };
  const counts = new CountingScan(question);
  if (!(await readAll(scan, counts))) return null;
  const buckets = counts.buckets();
  const series = counts.series().map((clicks, i) => ({ start: range.starts[i] ?? 0, clicks }));
  const total = buckets.reduce((sum, { clicks }) => sum + clicks, 0);
  const counted = { total, buckets, series, to: range.to };
  return request.uniques ? addUniques(scan, question, counted) : counted;
}

async function addUniques(scan: LogScan, question: ScanQuestion, stats: StatsData): Promise<StatsData | null> {
  const passes = passesFor(largestDay(scan));
  let uniqueVisitors = 0;
  const buckets = stats.buckets.map((bucket) => ({ ...bucket, uniqueVisitors: 0 }));
  const series = stats.series.map((bin) => ({ ...bin, uniqueVisitors: 0 }));
  for (let i = 0; i < passes; i++) {
    const pass = new UniquesPass(question, buckets, i, passes);
    if (!(await readAll(scan, pass))) return null;
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

/** @returns false when the log was erased meanwhile */
async function readAll(
  { log, range, isOpen }: LogScan,
  reader: { add: (clicks: ScannedClicks) => void },
): Promise<boolean> {
  for (let from = range.first; from < range.end;) {
    if (!isOpen()) return false;
    const to = Math.min(from - (from % BLOCK_CLICKS) + PIECE_CLICKS, range.end);
    for (const clicks of log.scan(from, to)) reader.add(clicks);
    from = to;
    if (from < range.end) await nextTurn();
  }
  return true;
}
