/** Statistics of a link by the summaries of its log, and what a range of them is. Reads a few rows, however many clicks. */
import { binIndex } from "../core/clicks/calendar.ts";
import { GROUPING_RULES, type RouteKeysLookup } from "../core/clicks/groupings.ts";
import { SCAN_CLICKS_MAX } from "../core/limits.ts";
import { type StatsData, type StatsRequest, tallyByKey } from "../core/clicks/stats.ts";
import { bucketsOf } from "../core/clicks/tally.ts";
import type { ClickLog } from "./click-log.ts";

/** A question's range: the clicks at positions `[first, end)`, until `to` (epoch ms), and the starts of its bins. */
export interface StatsRange {
  first: number;
  end: number;
  to: number;
  starts: readonly number[];
}

/** The earliest `from` of a range that ends at a position and that a scan may read; null when `first` is not before it. */
export function earliestScannable(log: ClickLog, { first, end }: Pick<StatsRange, "first" | "end">): number | null {
  const position = end - SCAN_CLICKS_MAX;
  if (first >= position) return null;
  const [click] = log.slices(position, position + 1);
  const at = click?.times[click.from] ?? 0;
  return log.positionAt(at) >= position ? at : at + 1;
}

export function summedStats(
  log: ClickLog,
  routes: RouteKeysLookup,
  request: StatsRequest,
  range: StatsRange,
): StatsData {
  const stored = log.tally(GROUPING_RULES[request.groupBy].field, range.first, range.end);
  const buckets = bucketsOf(tallyByKey(stored, request.groupBy, routes), request.includeBots);
  const total = buckets.reduce((sum, { clicks }) => sum + clicks, 0);
  return { total, buckets, series: seriesOf(log, request, range), to: range.to };
}

export function seriesOf(
  log: Pick<ClickLog, "histograms">,
  request: Pick<StatsRequest, "interval" | "includeBots">,
  { first, end, starts }: Pick<StatsRange, "first" | "end" | "starts">,
): StatsData["series"] {
  const series = starts.map((start) => ({ start, clicks: 0 }));
  if (series.length === 0) return series;
  for (const { bins } of log.histograms(first, end, request.interval === "minute")) {
    for (const slot of bins) {
      const bin = series[binIndex(starts, slot.start)];
      if (bin) bin.clicks += slot.human + (request.includeBots ? slot.nonHuman : 0);
    }
  }
  return series;
}
