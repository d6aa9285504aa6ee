/** Visitors of each bin of a series, by its start. Pure. */
import type { Stats } from "../../../../core/contract/stats.ts";

export type VisitorsByStart = ReadonlyMap<string, number>;

/** Undefined until they were counted. */
export function visitorsByStart(stats: Stats | undefined): VisitorsByStart | undefined {
  return stats && new Map(stats.series.map(({ start, unique_visitors }) => [start, unique_visitors ?? 0]));
}
