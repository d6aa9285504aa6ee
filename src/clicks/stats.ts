/**
 * Statistics of a log. They come from its summaries, which reads a few rows however many clicks there are, or from a
 * scan.
 */
import { BinFinder, binStarts } from "../core/clicks/counting/calendar.ts";
import type { AccountGrouping } from "../core/clicks/counting/groupings.ts";
import { needsScan, type StatsData, type StatsRequest, tallyByKey } from "../core/clicks/counting/stats.ts";
import { bucketsOf, countsOf } from "../core/clicks/counting/tally.ts";
import { SCAN_CLICKS_MAX, SERIES_BINS_MAX } from "../core/limits.ts";
import type { StatsOutcome } from "../core/clicks/protocol/link-object-rpc.ts";
import type { StatsQuestion, StatsRange } from "./stats-scan.ts";
import type { ReadableLog } from "./summaries.ts";

/** @returns null when the log was replaced or erased in the meantime: query the current log instead */
export function answerStats<G extends AccountGrouping>(
  question: StatsQuestion<G>,
): StatsOutcome | Promise<StatsOutcome | null> {
  const { log, request, to, scans } = question;
  const from = Math.min(request.from, to);
  const starts = request.interval ? binStarts(request.interval, request.timezone, from, to, SERIES_BINS_MAX) : [];
  if (!starts) return { kind: "too_many_bins" };
  const range = { first: log.positionAt(from), end: log.positionAt(to), to, starts };
  if (!needsScan(request)) return { kind: "stats", ...summedStats(question, range) };
  const earliest = earliestScannable(log, range);
  if (earliest !== null) return { kind: "too_many_clicks", from: earliest };
  const scan = scans.run(async (pieces) => {
    // Imported lazily: redirects load the objects' classes but scan nothing.
    const { scanStats } = await import("./stats-scan.ts");
    return scanStats(question, range, pieces);
  });
  return scan.then((stats) => {
    if (stats === "erased") return null;
    return typeof stats === "string" ? { kind: stats } : { kind: "stats", ...stats };
  });
}

/** The earliest `from` of a range ending at `end` that a scan may read; null when `first` is not before it. */
export function earliestScannable(log: ReadableLog, { first, end }: Pick<StatsRange, "first" | "end">): number | null {
  const position = end - SCAN_CLICKS_MAX;
  if (first >= position) return null;
  const at = log.timeAt(position);
  return log.positionAt(at) >= position ? at : at + 1;
}

function summedStats<G extends AccountGrouping>(question: StatsQuestion<G>, range: StatsRange): StatsData {
  const { log, request, keysOfGrouping } = question;
  const { includeBots } = request;
  const grouping = keysOfGrouping(request.groupBy);
  const counts = countsOf(log.tally(grouping.field, range.first, range.end));
  const buckets = bucketsOf(tallyByKey(counts, grouping, includeBots), includeBots);
  // Buckets cannot be summed: a link may have several tags.
  const total = counts.reduce((sum, { human, nonHuman }) => sum + human + (includeBots ? nonHuman : 0), 0);
  return { total, buckets, series: seriesOf(log, request, range), to: range.to };
}

function seriesOf(
  log: ReadableLog,
  request: Pick<StatsRequest, "interval" | "includeBots">,
  { first, end, starts }: StatsRange,
): StatsData["series"] {
  const series = starts.map((start) => ({ start, clicks: 0 }));
  if (series.length === 0) return series;
  const finder = new BinFinder(starts);
  for (const { bins } of log.histograms(first, end, request.interval === "minute")) {
    for (const slot of bins) {
      const bin = series[finder.indexOf(slot.start)];
      if (bin) bin.clicks += slot.human + (request.includeBots ? slot.nonHuman : 0);
    }
  }
  return series;
}
