/** A link's statistics and its click log. */
import { ClicksQuery } from "../../core/contract/clicks.ts";
import { StatsQuery } from "../../core/contract/stats.ts";
import { SERIES_BINS_MAX } from "../../core/clicks/groupings.ts";
import { ApiError } from "../../core/errors.ts";
import { readClicks, readStats } from "../../store/link-object-client.ts";
import { createHandlers } from "../context.ts";
import { respondJson } from "../json-response.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { query } from "../middleware/input.ts";
import { getLinkStatsDoc, listClicksDoc } from "./docs.ts";
import { negotiateExport } from "./export.ts";
import {
  filtersOf,
  rangeTooLarge,
  requireInOrder,
  timeBoundsOf,
  toStatsRequest,
  wireClickPage,
  wireStats,
} from "./wire.ts";

export const getLinkStatsRoute = createHandlers(
  access("stats:read"),
  getLinkStatsDoc,
  loadLink,
  query(StatsQuery),
  async (c) => {
    const { link } = c.var;
    const request = toStatsRequest(c.req.valid("query"), link);
    requireInOrder(request);
    const stats = await readStats(c.env, link, request);
    if (stats.kind === "too_many_bins") throw tooManyIntervals();
    if (stats.kind === "too_many_clicks") throw rangeTooLarge(stats.from, "count under filters or by visitor");
    return respondJson(c, { status: 200, body: wireStats(request, stats) });
  },
);

export const listClicksRoute = createHandlers(
  access("stats:read"),
  listClicksDoc,
  loadLink,
  negotiateExport,
  query(ClicksQuery),
  async (c) => {
    const { after, limit, ...chosen } = c.req.valid("query");
    const { from, to } = timeBoundsOf(chosen);
    const bounds = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
    const page = await readClicks(c.env, c.var.link, { after, limit, ...bounds, ...filtersOf(chosen) });
    return respondJson(c, { status: 200, body: wireClickPage(page, after) });
  },
);

function tooManyIntervals(): ApiError {
  const message = `The range holds more than ${SERIES_BINS_MAX} intervals: choose a longer interval or a shorter range`;
  return new ApiError("too_many_intervals", message, { param: "interval" });
}
