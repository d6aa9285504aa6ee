/** The request for a link's statistics that a set of parameters means. Pure. */
import { type Grouping, GROUPINGS, type Interval } from "../../../../core/clicks/groupings.ts";
import type { StatsFilters, StatsParams } from "./stats-params.ts";
import { type TimeBounds, timeBounds, timeBoundsQuery } from "./time-range.ts";

type AskedParams = Pick<StatsParams, "range" | "zone" | "includeBots">;
type CountedParams = Pick<StatsParams, "zone" | "includeBots"> & { filters?: StatsFilters };

/** @param interval  of the series; without one the response has no series */
export function statsQuery(params: AskedParams, groupBy: Grouping, interval: Interval | undefined, now: number) {
  return statsQueryOf(params, timeBounds(params.range, params.zone, now), groupBy, interval);
}

export function statsQueryOf(
  { zone, includeBots, filters = {} }: CountedParams,
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
    ...filtersQuery(filters),
  };
}

/** Values of one filter are separated by commas, so those within a value are escaped. */
export function filtersQuery(filters: StatsFilters): Partial<Record<Grouping, string>> {
  return Object.fromEntries(
    GROUPINGS.flatMap((grouping) => {
      const values = filters[grouping];
      return values ? [[grouping, values.map((value) => value.replaceAll(/[\\,]/g, "\\$&")).join(",")]] : [];
    }),
  );
}
