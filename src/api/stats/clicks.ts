/** Clicks of a link, and of all links of the caller's account and mode: as pages, or as a file. */
import type { Context } from "hono";

import {
  type AccountClicksPage,
  type AccountClicksRequest,
  type AccountProgress,
  type ClickPlace,
  parsePlace,
  placeText,
} from "../../core/clicks/protocol/account-object-rpc.ts";
import type { ExportRequest, RowFormat } from "../../core/clicks/protocol/link-object-rpc.ts";
import { ROW_TYPES, wireClick } from "../../core/clicks/protocol/wire-click.ts";
import {
  ACCOUNT_CLICK_COLUMNS,
  AccountClick,
  AccountClickPage,
  AccountClicksQuery,
  AccountCsvFile,
  AccountExportQuery,
  Click,
  CLICK_COLUMNS,
  ClickPage,
  ClicksQuery,
  CsvFile,
  DashboardExportQuery,
  ExportQuery,
} from "../../core/contract/clicks.ts";
import { accountFiltersOf } from "../../core/contract/stats.ts";
import { ApiError } from "../../core/errors.ts";
import { typedSlug } from "../../core/hosts.ts";
import { timestamp } from "../../core/time.ts";
import { openAccountClicks, type ReadAccountPage } from "../../store/account-object-client.ts";
import { readClicks, readExportPage } from "../../store/link-object-client.ts";
import { UnavailableError } from "../../store/timeout.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { noQuery, pathParam, query, readQuery } from "../middleware/input.ts";
import type { RouteDoc } from "../openapi/route-doc.ts";
import { BYTE_ORDER_MARK, negotiateExport, sendExport } from "./send-export.ts";
import { filtersOf, rangeReversed } from "./stats.ts";

const listClicksDoc: RouteDoc = {
  id: "listClicks",
  tag: "Statistics",
  summary: "List clicks",
  description:
    "Returns every recorded click, including those of bots, in the order of `seq`. To filter clicks, send any grouping of the statistics as a parameter. Continue with `next_after` while `has_more` is true. A page can have fewer clicks than `limit`, or none, if rules or destinations are very long or if few clicks match. When `has_more` is false, you are up to date.\n\nIf `Accept` prefers `text/csv` or `application/x-ndjson`, the response is a file of all matching clicks until now, streamed. If the connection breaks, continue with the last `seq` as `after`.",
  ok: {
    status: 200,
    description: "A page of clicks, or a file of all clicks.",
    schema: ClickPage,
    alternatives: { [ROW_TYPES.csv]: CsvFile, [ROW_TYPES.ndjson]: Click },
    headers: ["Content-Disposition"],
  },
  errors: ["too_many_exports", "too_many_reads"],
};

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

/** Route for browsers: saving the target of a plain link sends no custom headers. */
export const downloadClicksRoute = createHandlers(access("stats:read"), loadLink, async (c) => {
  const format = pathParam(c, "format");
  if (format !== "csv" && format !== "ndjson") throw new ApiError("not_found", "The format must be csv or ndjson.");
  const sent = readQuery(c, DashboardExportQuery);
  return exportClicks(c, format, sent, format === "csv" ? BYTE_ORDER_MARK : "");
});

function exportClicks(
  c: Context<ApiEnv>,
  format: RowFormat,
  { after, limit, ...chosen }: ExportQuery & { exclude?: string | undefined } = readQuery(c, ExportQuery),
  mark = "",
): Promise<Response> {
  const { link } = c.var;
  const wanted = { format, ...timeBoundsOf(chosen), ...filtersOf(chosen) };
  const readPage = async (request: Pick<ExportRequest, "after" | "limit" | "end">) => {
    const page = await readExportPage(c.env, link, { ...wanted, ...request });
    if (page.kind === "erased_meanwhile") throw new UnavailableError("the log was erased");
    return page;
  };
  return sendExport(c, {
    format,
    name: `${typedSlug(link)}-clicks`,
    columns: CLICK_COLUMNS,
    mark,
    after,
    limit,
    goOn: "continue with the last seq as after",
    open: async () => readPage,
  });
}

type ClickRecordPage = Awaited<ReturnType<typeof readClicks>>;

/** @param after  as sent: an empty page repeats it, so that a polling client resumes from there */
export function wireClickPage({ clicks, hasMore, next }: ClickRecordPage, after: number): ClickPage {
  const data = clicks.map(wireClick);
  return { data, has_more: hasMore, next_after: next ?? data.at(-1)?.seq ?? after };
}

/** Epoch ms; null if the range is not bounded. @throws ApiError validation_failed */
function timeBoundsOf(sent: { from?: string | undefined; to?: string | undefined }) {
  const [from = null, to = null] = [sent.from, sent.to].map((text) => (text === undefined ? null : Date.parse(text)));
  if (from !== null && to !== null && from > to) throw rangeReversed();
  return { from, to };
}

const RETRY_AFTER_SECONDS = 5;

const listAccountClicksDoc: RouteDoc = {
  id: "listAccountClicks",
  tag: "Statistics",
  summary: "List clicks of all links",
  description:
    "Returns every recorded click of every link, including bots and deleted links. Clicks are in time order, up to `as_of`, which is at most a minute ago. Clicks at the same time are ordered by `link_id`, then `seq`. To filter clicks, send any grouping of the statistics as a parameter, or `link_id`, `tag` and `domain`. Continue with `next_after` while `has_more` is true. A page can have fewer clicks than `limit`, or none.\n\nIf `Accept` prefers `text/csv` or `application/x-ndjson`, the response is a file of all matching clicks, streamed. If the connection breaks, continue with `occurred_at,link_id,seq` of the last row as `after`.\n\nThe first request about all links in 30 days starts to read past clicks. Until all are read, the response is 503 `unavailable` with the progress. A response never contains only a part of the clicks.",
  ok: {
    status: 200,
    description: "A page of clicks, or a file of all clicks.",
    schema: AccountClickPage,
    alternatives: { [ROW_TYPES.csv]: AccountCsvFile, [ROW_TYPES.ndjson]: AccountClick },
    headers: ["Content-Disposition", "Hoplink-As-Of"],
  },
  errors: ["too_many_exports", "too_many_reads"],
};

export const listAccountClicksRoute = createHandlers(
  access("stats:read", listAccountClicksDoc),
  negotiateExport(exportAccountClicks),
  query(AccountClicksQuery),
  (c) => {
    const { limit, ...sent } = c.req.valid("query");
    return respondAccountPage(c, wantedOf(sent), { after: placeOf(sent), limit });
  },
);

const LATEST_CLICKS = 100;

/** The latest clicks of all links, in time order: what the dashboard's live feed begins with. */
export const listLatestClicksRoute = createHandlers(access("stats:read"), noQuery, (c) =>
  respondAccountPage(c, { from: null, to: null, latest: LATEST_CLICKS }, { after: null, limit: LATEST_CLICKS }),
);

async function respondAccountPage(
  c: Context<ApiEnv>,
  wanted: Pick<AccountClicksRequest, "from" | "to" | "filters" | "latest">,
  request: Pick<AccountClicksRequest, "after" | "limit">,
) {
  const readPage = await openAccountClicks(c.env, c.var.caller, { format: "ndjson", ...wanted });
  const page = await readWhole(readPage, { ...request, end: null });
  const body: AccountClickPage = {
    data: rowsOf(page),
    has_more: !page.isLast,
    next_after: page.next && placeText(page.next),
    as_of: timestamp(page.asOf),
  };
  return respondJson(c, { status: 200, body });
}

function exportAccountClicks(c: Context<ApiEnv>, format: RowFormat): Promise<Response> {
  const sent = readQuery(c, AccountExportQuery);
  const wanted = { format, ...wantedOf(sent) };
  return sendExport<ClickPlace | null>(c, {
    format,
    name: "clicks",
    columns: ACCOUNT_CLICK_COLUMNS,
    after: placeOf(sent),
    limit: sent.limit,
    goOn: "continue with occurred_at,link_id,seq of the last row as after",
    open: async () => {
      const readPage = await openAccountClicks(c.env, c.var.caller, wanted);
      return async (request) => {
        const page = await readWhole(readPage, request);
        return { ...page, next: page.isLast || page.rows === request.limit ? null : page.next };
      };
    },
  });
}

/** @throws ApiError validation_failed */
function wantedOf(sent: Omit<AccountExportQuery, "after" | "limit">) {
  return { ...timeBoundsOf(sent), ...accountFiltersOf(sent) };
}

function placeOf({ after }: Pick<AccountExportQuery, "after">): ClickPlace | null {
  return after === undefined ? null : parsePlace(after);
}

/** @throws ApiError unavailable if clicks of the range are not known yet: it never returns only part of them */
async function readWhole(readPage: ReadAccountPage, request: Parameters<ReadAccountPage>[0]) {
  const page = await readPage(request);
  if (page.kind !== "incomplete") return page;
  // All pages must reflect the same moment.
  if (request.end !== null) throw new Error("clicks of the account were erased");
  throw new ApiError("unavailable", reasonOf(page), { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function reasonOf({ asOf, progress }: AccountProgress): string {
  if (progress !== undefined) {
    const percent = Math.floor(progress * 100);
    return `The clicks of the account are being read (${percent} % so far). Try again until all are read.`;
  }
  const known = timestamp(asOf);
  return `The clicks of some links cannot be read now. All clicks are available until ${known}. Try again, or send this time as to.`;
}

/** The object returns rows for files; a page returns them as a list. */
function rowsOf({ bytes }: AccountClicksPage): AccountClick[] {
  const lines = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AccountClick);
}
