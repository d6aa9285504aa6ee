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

/** Clicks read without a pause, where their blocks are packed; and blocks packed without a pause. Some 30 ms. */
export const PIECE_CLICKS = 96 * BLOCK_CLICKS;
export const PIECE_PACKED_BLOCKS = 8;
/** Blocks that one question packs, about a million clicks: a few seconds of CPU, of the ten that a call may take. */
const QUESTION_PACKED_BLOCKS = 1_024;

interface LogScan {
  log: ClickLog;
  routes: RouteKeysLookup;
  request: StatsRequest;
  range: StatsRange;
  /** Whether the log is still there. */
  isOpen: () => boolean;
}

/**
 * Why a scan has no answer: the log was erased meanwhile; or it had so many blocks to pack that the next question goes
 * on with them.
 */
type Unfinished = "erased" | "packing";

export async function scanStats(scan: LogScan): Promise<StatsData | Unfinished> {
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

async function addUniques(scan: LogScan, question: ScanQuestion, stats: StatsData): Promise<StatsData | Unfinished> {
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

async function readAll(
  { log, range, isOpen }: LogScan,
  reader: { add: (clicks: ScannedClicks) => void },
): Promise<Unfinished | null> {
  const packedBefore = log.packedBlocks;
  for (let from = range.first; from < range.end;) {
    if (!isOpen()) return "erased";
    if (log.packedBlocks - packedBefore >= QUESTION_PACKED_BLOCKS) return "packing";
    from += readPiece(log, from, range.end, reader);
    if (from < range.end) await nextTurn();
  }
  return null;
}

/** @returns how many clicks were read */
function readPiece(log: ClickLog, from: number, end: number, reader: { add: (clicks: ScannedClicks) => void }): number {
  const packedBefore = log.packedBlocks;
  let read = 0;
  for (const clicks of log.scan(from, Math.min(from - (from % BLOCK_CLICKS) + PIECE_CLICKS, end))) {
    reader.add(clicks);
    read += clicks.to - clicks.from;
    if (log.packedBlocks - packedBefore >= PIECE_PACKED_BLOCKS) break;
  }
  return read;
}
