/** Builds the statistics request for a set of parameters. Pure. */
import type { AccountGrouping, Interval } from "../../../../core/clicks/counting/groupings.ts";
import type { StatsFilters, StatsParams } from "./stats-params.ts";
import { type TimeBounds, timeBoundsQuery } from "./time-range.ts";

type CountedParams = Pick<StatsParams, "zone" | "includeBots"> & { filters?: StatsFilters };

/** @param interval  of the series; without one the response has no series */
export function statsQueryOf<G extends AccountGrouping>(
  { zone, includeBots, filters = {} }: CountedParams,
  bounds: TimeBounds,
  groupBy: G,
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

/** Values of one filter are separated by commas, so commas within a value are escaped. */
export function filtersQuery({ exclude, ...filters }: StatsFilters): Record<string, string> {
  const parameters = Object.entries(filters).map(([grouping, values]) => [
    parameterOf(grouping),
    values.map((value) => value.replaceAll(/[\\,]/g, "\\$&")).join(","),
  ]);
  return { ...Object.fromEntries(parameters), ...(exclude ? { exclude: exclude.map(parameterOf).join(",") } : {}) };
}

function parameterOf(grouping: string): string {
  return grouping === "link" ? "link_id" : grouping;
}
