/** Statistics of all links of the caller's account and mode. */
import type { AccountStatsRequest } from "../../core/clicks/counting/stats.ts";
import {
  accountFiltersOf,
  AccountStats,
  AccountStatsQuery,
  DEFAULT_RANGE_DAYS,
} from "../../core/contract/account-stats.ts";
import { DAY_MS } from "../../core/durations.ts";
import { timestamp } from "../../core/timestamp.ts";
import { readAccountStats } from "../../store/account-stats.ts";
import { createHandlers } from "../context.ts";
import { respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { query } from "../middleware/input.ts";
import { routeDoc } from "../openapi/route-doc.ts";
import {
  COUNTED_ONE_BY_ONE,
  rangeTooLarge,
  requireInOrder,
  statsOptionsOf,
  tooManyIntervals,
  wireStats,
} from "./wire.ts";

const getAccountStatsDoc = routeDoc({
  id: "getAccountStats",
  tag: "Statistics",
  summary: "Click statistics of all links",
  description:
    "Counts every click of every link in `[from, to)` up to `as_of`, exact to the millisecond: the sum of the links' own statistics, deleted links included. Buckets of `link` are ids. Tags are those that links have now: a link with several tags counts in the bucket of each, so those may add up to more than `total`.\n\n`as_of` is at most a minute ago, except after the first question in 30 days, which begins to read the clicks of the past: `as_of` grows while `progress` does.",
  ok: { status: 200, description: "The statistics.", schema: AccountStats },
  errors: ["too_many_intervals", "range_too_large"],
});

export const getAccountStatsRoute = createHandlers(
  access("stats:read"),
  getAccountStatsDoc,
  query(AccountStatsQuery),
  async (c) => {
    const request = toAccountStatsRequest(c.req.valid("query"), Date.now());
    requireInOrder(request);
    const stats = await readAccountStats(c.env, c.var.caller, request);
    if (stats.kind === "too_many_bins") throw tooManyIntervals();
    if (stats.kind === "too_many_clicks") throw rangeTooLarge(stats.from, COUNTED_ONE_BY_ONE);
    const body: AccountStats = {
      // Before the range began, where the past is not read that far.
      ...wireStats({ ...request, from: Math.min(request.from, stats.to) }, stats),
      as_of: timestamp(stats.asOf),
      ...(stats.progress === undefined ? {} : { progress: stats.progress }),
    };
    return respondJson(c, { status: 200, body });
  },
);

function toAccountStatsRequest(sent: AccountStatsQuery, now: number): AccountStatsRequest {
  return {
    ...statsOptionsOf(sent),
    ...accountFiltersOf(sent),
    groupBy: sent.group_by,
    from: sent.from === undefined ? now - DEFAULT_RANGE_DAYS * DAY_MS : Date.parse(sent.from),
  };
}
