/** The clicks of a range by weekday and hour, from hourly series. */
import { useQuery } from "@tanstack/react-query";

import { splitBounds } from "./hour-bounds.ts";
import { beginningOf } from "./stats-subject.ts";
import { boundsOf, type StatsReader, type StatsView, useStatsReader } from "./use-stats.ts";
import { type CountAt, weekHeat } from "./week-heat.ts";

/** Null where the range is too long to be counted by the hour. */
export function useWeekHeat(view: StatsView, enabled: boolean) {
  const reader = useStatsReader(view);
  return useQuery({
    queryKey: [...reader.key, "heat"],
    queryFn: async ({ signal }) => {
      const counts = await countsOf(view, reader, signal);
      return counts && weekHeat(counts, view.params.zone);
    },
    enabled,
    refetchInterval: view.refreshIntervalMs,
  });
}

async function countsOf(view: StatsView, reader: StatsReader, signal: AbortSignal): Promise<CountAt[] | null> {
  const pieces = splitBounds(boundsOf(view, "range"), beginningOf(view.subject), Date.now());
  if (!pieces) return null;
  const stats = await Promise.all(pieces.map((piece) => reader.read(piece, "source", "hour", signal)));
  return stats.flatMap(({ series }) => series.map(({ start, clicks }) => ({ at: Date.parse(start), clicks })));
}
