/** A link's statistics and its click log. */
import { ClicksQuery } from "../../core/contract/clicks.ts";
import { StatsQuery } from "../../core/contract/stats.ts";
import { readClicks, readStats } from "../../store/link-object-client.ts";
import { createHandlers } from "../context.ts";
import { respondJson } from "../json-response.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { query } from "../middleware/input.ts";
import { getLinkStatsDoc, listClicksDoc } from "./docs.ts";
import { exportClicks } from "./export.ts";
import { negotiateExport } from "./send-export.ts";
import { COUNTED_ONE_BY_ONE, rangeTooLarge, requireInOrder, tooManyIntervals } from "./stats-problems.ts";
import { filtersOf, timeBoundsOf, toStatsRequest, wireClickPage, wireStats } from "./wire.ts";

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
    if (stats.kind === "too_many_clicks") throw rangeTooLarge(stats.from, COUNTED_ONE_BY_ONE);
    return respondJson(c, { status: 200, body: wireStats(request, stats) });
  },
);

export const listClicksRoute = createHandlers(
  access("stats:read"),
  listClicksDoc,
  loadLink,
  negotiateExport(exportClicks),
  query(ClicksQuery),
  async (c) => {
    const { after, limit, ...chosen } = c.req.valid("query");
    const { from, to } = timeBoundsOf(chosen);
    const bounds = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
    const page = await readClicks(c.env, c.var.link, { after, limit, ...bounds, ...filtersOf(chosen) });
    return respondJson(c, { status: 200, body: wireClickPage(page, after) });
  },
);
