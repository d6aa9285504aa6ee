/** A link's statistics and its click log. */
import type { Context } from "hono";

import type { ExportRequest, RowFormat } from "../../core/clicks/protocol/link-object-rpc.ts";
import { ROW_TYPES } from "../../core/clicks/protocol/wire-click.ts";
import { Click, CLICK_COLUMNS, ClickPage, ClicksQuery, CsvFile, ExportQuery } from "../../core/contract/clicks.ts";
import { Stats, StatsQuery } from "../../core/contract/stats.ts";
import { ApiError } from "../../core/errors.ts";
import { typedSlug } from "../../core/hosts.ts";
import { readClicks, readExportPage, readStats } from "../../store/link-object-client.ts";
import { UnavailableError } from "../../store/timeout.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { respondJson } from "../json-response.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { pathParam, query, readQuery } from "../middleware/input.ts";
import type { RouteDoc } from "../openapi/route-doc.ts";
import { BYTE_ORDER_MARK, negotiateExport, sendExport } from "./send-export.ts";
import {
  COUNTED_ONE_BY_ONE,
  filtersOf,
  rangeTooLarge,
  timeBoundsOf,
  tooManyIntervals,
  toStatsRequest,
  wireClickPage,
  wireStats,
} from "./wire.ts";

const getLinkStatsDoc: RouteDoc = {
  id: "getLinkStats",
  tag: "Statistics",
  summary: "Click statistics",
  description:
    "Counts every click in `[from, to)`, exact to the millisecond. A finished range never changes, so polling with the last `to` as `from` adds up. The sum of buckets, the sum of the series and `total` are always equal, under filters too: a click counts when it has one of the wanted keys of every grouping that is a parameter.",
  ok: { status: 200, description: "The statistics.", schema: Stats },
  errors: ["too_many_intervals", "range_too_large", "too_many_reads"],
};

const listClicksDoc: RouteDoc = {
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
  errors: ["too_many_exports", "too_many_reads"],
};

export const getLinkStatsRoute = createHandlers(
  access("stats:read", getLinkStatsDoc),
  loadLink,
  query(StatsQuery),
  async (c) => {
    const { link } = c.var;
    const sent = c.req.valid("query");
    const request = toStatsRequest(sent, filtersOf(sent), link.createdAt);
    const stats = await readStats(c.env, link, request);
    if (stats.kind === "too_many_bins") throw tooManyIntervals();
    if (stats.kind === "too_many_clicks") throw rangeTooLarge(stats.from, COUNTED_ONE_BY_ONE);
    return respondJson(c, { status: 200, body: wireStats(request, stats) });
  },
);

export const listClicksRoute = createHandlers(
  access("stats:read", listClicksDoc),
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

/** For a browser, which saves what a plain link leads to and sends no headers of ours with it. */
export const downloadClicksRoute = createHandlers(access("stats:read"), loadLink, async (c) => {
  const format = pathParam(c, "format");
  if (format !== "csv" && format !== "ndjson") throw new ApiError("not_found", "Files are csv or ndjson");
  return exportClicks(c, format, format === "csv" ? BYTE_ORDER_MARK : "");
});

function exportClicks(c: Context<ApiEnv>, format: RowFormat, mark = ""): Promise<Response> {
  const { link } = c.var;
  const { after, limit, ...chosen } = readQuery(c, ExportQuery);
  const wanted = { format, ...timeBoundsOf(chosen), ...filtersOf(chosen) };
  const readPage = async (request: Pick<ExportRequest, "after" | "limit" | "end">) => {
    const page = await readExportPage(c.env, link, { ...wanted, ...request });
    if (page.kind === "erased_meanwhile") throw new UnavailableError("the log was erased");
    return page;
  };
  return sendExport(c, {
    format,
    name: `${typedSlug(link.slug)}-clicks`,
    columns: CLICK_COLUMNS,
    mark,
    after,
    limit,
    goOn: "go on with the last seq as after",
    open: async () => readPage,
  });
}
