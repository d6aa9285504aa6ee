/** The clicks of a range by weekday and hour: from hourly series of the API, or under filters from the click log. */
import { useQuery } from "@tanstack/react-query";

import { SERIES_BINS_MAX } from "../../../../core/clicks/groupings.ts";
import { HOUR_MS } from "../../../../core/durations.ts";
import { matchingClicks } from "./filtered-stats.ts";
import { hasFilters } from "./stats-params.ts";
import type { TimeBounds } from "./time-range.ts";
import { boundsOf, type StatsReader, type StatsView, useStatsReader } from "./use-stats.ts";
import { type CountAt, weekHeat } from "./week-heat.ts";

/** Two bins fewer than the API takes: where clocks change by part of an hour, an hour has two. */
const REQUEST_HOURS_MAX = SERIES_BINS_MAX - 2;
/** Some two and a half years. */
const REQUESTS_MAX = 12;

/** Null where the range is too long to be counted by the hour. */
export function useWeekHeat(view: StatsView, enabled: boolean) {
  const reader = useStatsReader(view);
  return useQuery({
    queryKey: [...reader.key, "heat"],
    queryFn: async () => {
      const counts = await countsOf(view, reader);
      return counts && weekHeat(counts, view.params.zone);
    },
    enabled,
    refetchInterval: view.refreshIntervalMs,
  });
}

async function countsOf(view: StatsView, reader: StatsReader): Promise<CountAt[] | null> {
  const { filters, includeBots } = view.params;
  const bounds = boundsOf(view, "range");
  if (hasFilters(filters)) {
    const clicks = matchingClicks(await reader.readLog(bounds), filters, includeBots);
    return clicks.map(({ occurred_at }) => ({ at: Date.parse(occurred_at), clicks: 1 }));
  }
  const pieces = splitBounds(bounds, Date.parse(view.link.created_at), Date.now());
  if (!pieces) return null;
  const stats = await Promise.all(pieces.map((piece) => reader.read(piece, "source", "hour")));
  return stats.flatMap(({ series }) => series.map(({ start, clicks }) => ({ at: Date.parse(start), clicks })));
}

/** The range in pieces that the API counts by the hour; null when there would be too many. */
export function splitBounds({ from, to }: TimeBounds, createdAt: number, now: number): TimeBounds[] | null {
  // There are no clicks before the link.
  const start = Math.max(from ?? createdAt, createdAt);
  const spanMs = Math.max(0, Math.min(to ?? now, now) - start);
  const count = Math.max(1, Math.ceil(spanMs / (REQUEST_HOURS_MAX * HOUR_MS)));
  if (count > REQUESTS_MAX) return null;
  return Array.from({ length: count }, (_, i) => ({
    from: start + i * REQUEST_HOURS_MAX * HOUR_MS,
    to: i === count - 1 ? to : start + (i + 1) * REQUEST_HOURS_MAX * HOUR_MS,
  }));
}
