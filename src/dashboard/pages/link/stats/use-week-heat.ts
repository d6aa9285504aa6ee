/** The clicks of a range by weekday and hour: from hourly series of the API, or under filters from the click log. */
import { useQuery } from "@tanstack/react-query";

import { matchingClicks } from "./filtered-stats.ts";
import { splitBounds } from "./hour-bounds.ts";
import { hasFilters } from "./stats-params.ts";
import { boundsOf, type StatsReader, type StatsView, useStatsReader } from "./use-stats.ts";
import { type CountAt, weekHeat } from "./week-heat.ts";

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
