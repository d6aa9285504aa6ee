/** The end of the click log, for the list of the latest clicks under filters, which the live stream does not know. */
import { NONE_KEY } from "../../../../core/clicks/facts.ts";
import { type Grouping, GROUPINGS } from "../../../../core/clicks/groupings.ts";
import type { Click, ClickPage } from "../../../../core/contract/clicks.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { PAGE_CLICKS_MAX } from "../../../../core/limits.ts";
import { type ApiClient, unwrap } from "../../../api/client.ts";
import type { StatsFilters } from "./stats-params.ts";
import { statsQueryOf } from "./stats-query.ts";
import { type TimeBounds, timeBoundsQuery } from "./time-range.ts";

/** The last page of the log within the range, newest first. */
export async function readLatestClicks(api: ApiClient, id: string, bounds: TimeBounds): Promise<Click[]> {
  // The log counts a link's clicks from 1, in the order of their times: their number is the last one.
  const upToEnd = statsQueryOf({ zone: "UTC", includeBots: true }, { ...bounds, from: null }, "source", undefined);
  const { total } = await unwrap<Stats>(api.links[":id"].stats.$get({ param: { id }, query: upToEnd }));
  const after = Math.max(0, total - PAGE_CLICKS_MAX);
  const query = { after, limit: PAGE_CLICKS_MAX, ...timeBoundsQuery(bounds) };
  const { data } = await unwrap<ClickPage>(api.links[":id"].clicks.$get({ param: { id }, query }));
  return data.toReversed();
}

export function matchesFilters(click: Click, filters: StatsFilters): boolean {
  return GROUPINGS.every((grouping) => filters[grouping]?.includes(clickKey(click, grouping)) ?? true);
}

function clickKey(click: Click, grouping: Grouping): string {
  return grouping === "qr" ? (click.qr_id ?? NONE_KEY) : String(click[grouping]);
}
