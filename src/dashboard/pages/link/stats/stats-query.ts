/** The request for a link's statistics that a set of parameters means. Pure. */
import type { Grouping, Interval } from "../../../../core/clicks/groupings.ts";
import type { StatsParams } from "./stats-params.ts";
import { type TimeBounds, timeBounds, timeBoundsQuery } from "./time-range.ts";

type AskedParams = Pick<StatsParams, "range" | "zone" | "includeBots">;

/** @param interval  of the series; without one the response has no series */
export function statsQuery(params: AskedParams, groupBy: Grouping, interval: Interval | undefined, now: number) {
  return statsQueryOf(params, timeBounds(params.range, params.zone, now), groupBy, interval);
}

export function statsQueryOf(
  { zone, includeBots }: Pick<AskedParams, "zone" | "includeBots">,
  bounds: TimeBounds,
  groupBy: Grouping,
  interval: Interval | undefined,
) {
  return {
    group_by: groupBy,
    timezone: zone,
    include_bots: includeBots ? ("true" as const) : ("false" as const),
    ...(interval ? { interval } : {}),
    ...timeBoundsQuery(bounds),
  };
}
