/** Statistics of clicks from the click log, as the API would compute them for the same range. Pure. */
import { binIndex, binStarts } from "../../../../core/clicks/calendar.ts";
import { NONE_KEY } from "../../../../core/clicks/facts.ts";
import { type Grouping, GROUPINGS, type Interval, SERIES_BINS_MAX } from "../../../../core/clicks/groupings.ts";
import { addClicks, bucketsOf, type Tally } from "../../../../core/clicks/tally.ts";
import type { Click } from "../../../../core/contract/clicks.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { timestamp } from "../../../../core/timestamp.ts";
import type { StatsFilters } from "./stats-params.ts";

export interface ClickLog {
  /** People and bots, in the order in which they happened. */
  clicks: readonly Click[];
  /** Of the range, ISO 8601. */
  from: string;
  to: string;
}

export function matchingClicks({ clicks }: ClickLog, filters: StatsFilters, includeBots: boolean): Click[] {
  return clicks.filter(
    (click) =>
      (includeBots || click.class === "human") &&
      GROUPINGS.every((grouping) => filters[grouping]?.includes(clickKey(click, grouping)) ?? true),
  );
}

/** @returns null when the range has too many intervals */
export function statsOfClicks(
  clicks: readonly Click[],
  { from, to }: Pick<ClickLog, "from" | "to">,
  groupBy: Grouping,
  interval: Interval | undefined,
  zone: string,
): Stats | null {
  const tally: Tally = new Map();
  for (const click of clicks) addClicks(tally, clickKey(click, groupBy), 1, 0);
  const series = interval ? seriesOfClicks(clicks, interval, zone, Date.parse(from), Date.parse(to)) : [];
  if (!series) return null;
  const buckets = bucketsOf(tally, false);
  return { total: clicks.length, group_by: groupBy, buckets, interval: interval ?? null, series, from, to };
}

function seriesOfClicks(clicks: readonly Click[], interval: Interval, zone: string, from: number, to: number) {
  const starts = binStarts(interval, zone, from, to, SERIES_BINS_MAX);
  if (!starts) return null;
  const series = starts.map((start) => ({ start: timestamp(start), clicks: 0 }));
  for (const { occurred_at } of clicks) {
    const bin = series[binIndex(starts, Date.parse(occurred_at))];
    if (bin) bin.clicks += 1;
  }
  return series;
}

function clickKey(click: Click, grouping: Grouping): string {
  return grouping === "qr" ? (click.qr_id ?? NONE_KEY) : String(click[grouping]);
}
