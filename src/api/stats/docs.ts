/** Statistics and the click log in the API reference. */
import { ROW_TYPES } from "../../core/clicks/click-rows.ts";
import { Click, ClickPage, CsvFile } from "../../core/contract/clicks.ts";
import { Stats } from "../../core/contract/stats.ts";
import { routeDoc } from "../openapi/route-doc.ts";

export const getLinkStatsDoc = routeDoc({
  id: "getLinkStats",
  tag: "Statistics",
  summary: "Click statistics",
  description:
    "Counts every click in `[from, to)`, exact to the millisecond. A finished range never changes, so polling with the last `to` as `from` adds up. The sum of buckets, the sum of the series and `total` are always equal, under filters too: a click counts when it has one of the wanted keys of every grouping that is a parameter.",
  ok: { status: 200, description: "The statistics.", schema: Stats },
  errors: ["too_many_intervals", "range_too_large"],
});

export const listClicksDoc = routeDoc({
  id: "listClicks",
  tag: "Statistics",
  summary: "The click log",
  description:
    "Every recorded click, people and bots, in the order of `seq`, or those that match filters: every grouping of the statistics is a parameter. Go on with `next_after` while `has_more` is true: where rules or destinations are very long, or where few clicks match, a page has fewer clicks than `limit`, or none. When `has_more` is false, you are up to date.\n\nWhere `Accept` prefers `text/csv` or `application/x-ndjson`, the response is a file with all of these clicks until now, streamed. If the connection breaks, go on with the last `seq` as `after`.",
  ok: {
    status: 200,
    description: "A page of clicks, or all of them as a file.",
    schema: ClickPage,
    alternatives: {
      [ROW_TYPES.csv]: CsvFile,
      [ROW_TYPES.ndjson]: Click,
    },
    headers: ["Content-Disposition"],
  },
  errors: ["too_many_exports"],
});
