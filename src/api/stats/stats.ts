/** Statistics of a link, and of all links of the caller's account and mode. */
import type { Context } from "hono";
import type * as z from "zod";

import { NONE_KEY } from "../../core/clicks/facts.ts";
import type { Filter } from "../../core/clicks/counting/filters.ts";
import { type AccountGrouping, type Grouping, GROUPINGS } from "../../core/clicks/counting/groupings.ts";
import type { StatsData, StatsRequest } from "../../core/clicks/counting/stats.ts";
import {
  accountFiltersOf,
  AccountStats,
  AccountStatsQuery,
  DashboardAccountStatsQuery,
  DashboardStatsQuery,
  DEFAULT_RANGE_DAYS,
  sentFilters,
  Stats,
  StatsQuery,
} from "../../core/contract/stats.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { shortUrl } from "../../core/hosts.ts";
import { figure, SCAN_CLICKS_MAX, SERIES_BINS_MAX } from "../../core/limits.ts";
import { timestamp, DAY_MS } from "../../core/time.ts";
import { readAccountStats } from "../../store/account-object-client.ts";
import { readStats } from "../../store/link-object-client.ts";
import { readLinkAddresses } from "../../store/links/links.ts";
import { readQrNames } from "../../store/qr-codes.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { query } from "../middleware/input.ts";
import type { RouteDoc } from "../openapi/route-doc.ts";

/**
 * Converts a query about a link or an account to a statistics request.
 * @param start  beginning of the range if none was sent, epoch ms
 * @param mayBeEarlier  whether it then begins with the first click if that is earlier
 * @throws ApiError validation_failed
 */
function toStatsRequest<G extends AccountGrouping>(
  sent: Omit<StatsQuery, Grouping | "group_by"> & { group_by: G; exclude?: string | undefined },
  filters: Pick<StatsRequest<G>, "filters">,
  start: number,
  mayBeEarlier = false,
): StatsRequest<G> {
  const request = {
    ...filters,
    ...(sent.include === "uniques" ? { uniques: true } : {}),
    groupBy: sent.group_by,
    from: sent.from === undefined ? start : Date.parse(sent.from),
    ...(sent.from === undefined && mayBeEarlier && { sinceFirst: true }),
    to: sent.to === undefined ? null : Date.parse(sent.to),
    interval: sent.interval ?? null,
    timezone: sent.timezone,
    includeBots: sent.include_bots === "true",
  };
  if (!("sinceFirst" in request)) requireInOrder(request);
  return request;
}

/** Omitted without filters. */
export function filtersOf(sent: Partial<Record<Grouping | "exclude", string | undefined>>): { filters?: Filter[] } {
  const filters = sentFilters(GROUPINGS, sent);
  return filters.length > 0 ? { filters } : {};
}

function wireStats(
  { groupBy, from, interval }: Pick<StatsRequest, "from" | "interval"> & { groupBy: string },
  stats: StatsData,
  names: ReadonlyMap<string, string>,
): Stats {
  return {
    total: stats.total,
    ...wireUniques(stats),
    group_by: groupBy,
    buckets: stats.buckets.map((bucket) => ({
      key: bucket.key,
      ...wireName(names.get(bucket.key)),
      clicks: bucket.clicks,
      ...wireUniques(bucket),
    })),
    interval,
    series: stats.series.map((bin) => ({ start: timestamp(bin.start), clicks: bin.clicks, ...wireUniques(bin) })),
    from: timestamp(stats.from ?? from),
    to: timestamp(stats.to),
  };
}

function wireName(name: string | undefined): { name?: string } {
  return name === undefined ? {} : { name };
}

/** Names of QR codes by id; none with another grouping. */
async function bucketNames(
  { env, var: { caller } }: Context<ApiEnv>,
  { groupBy }: { groupBy: AccountGrouping },
  { buckets }: StatsData,
): Promise<ReadonlyMap<string, string>> {
  const codes = groupBy === "qr" ? buckets.map(({ key }) => key).filter((key) => key !== NONE_KEY) : [];
  return codes.length === 0 ? new Map() : readQrNames(env, caller, codes);
}

function wireUniques({ uniqueVisitors }: { uniqueVisitors?: number }): { unique_visitors?: number } {
  return uniqueVisitors === undefined ? {} : { unique_visitors: uniqueVisitors };
}

/**
 * How far the clock behind an earlier response's `to` may be ahead of this one, so that a client that polls with it as
 * `from` is not refused.
 */
const CLOCK_SKEW_MAX_MS = 10_000;

/** @param to  null means now @throws ApiError validation_failed */
export function requireInOrder({ from, to }: { from: number; to: number | null }): void {
  if (from > (to ?? Date.now() + CLOCK_SKEW_MAX_MS)) throw rangeReversed();
}

export function rangeReversed(): ApiError {
  return validationFailed([{ path: "from", code: "out_of_range", message: "from must not be later than to" }]);
}

/** @param from  the earliest allowed beginning @param why  completes "too many to" */
export function rangeTooLarge(from: number, why: string): ApiError {
  const least = `from must be ${timestamp(from)} or later`;
  const message = `The range has more than ${figure(SCAN_CLICKS_MAX)} clicks, which is too many to ${why}: ${least}`;
  return new ApiError("range_too_large", message, {
    param: "from",
    errors: [{ path: "from", code: "too_small", message: least }],
  });
}

type Refused = { kind: "too_many_bins" } | { kind: "too_many_clicks"; from: number };

export function refusalOf(refused: Refused): ApiError {
  if (refused.kind === "too_many_clicks") return rangeTooLarge(refused.from, "count with filters or by unique visitor");
  const message = `The range has more than ${SERIES_BINS_MAX} intervals. Choose a longer interval or a shorter range.`;
  return new ApiError("too_many_intervals", message, { param: "interval" });
}

const getLinkStatsDoc: RouteDoc = {
  id: "getLinkStats",
  tag: "Statistics",
  summary: "Retrieve link statistics",
  description:
    "Counts every click in `[from, to)`, exact to the millisecond. The counts of a past range never change, so you can poll with the last `to` as `from` and add up the results. The sum of the buckets, the sum of the series and `total` are always equal, also with filters. If you filter by several groupings, a click must match all of them.",
  ok: { status: 200, description: "The statistics.", schema: Stats },
  errors: ["too_many_intervals", "range_too_large", "too_many_reads"],
};

export const getLinkStatsRoute = createHandlers(
  access("stats:read", getLinkStatsDoc),
  loadLink,
  query(StatsQuery),
  async (c) => respondLinkStats(c, c.req.valid("query")),
);

/** For the dashboard, whose filters may be negated. */
export const getDashboardLinkStatsRoute = createHandlers(
  access("stats:read"),
  loadLink,
  query(DashboardStatsQuery),
  async (c) => respondLinkStats(c, c.req.valid("query")),
);

async function respondLinkStats(c: Context<ApiEnv>, sent: z.infer<typeof DashboardStatsQuery>) {
  const { link } = c.var;
  const request = toStatsRequest(sent, filtersOf(sent), link.createdAt, true);
  const stats = await readStats(c.env, link, request);
  if (stats.kind !== "stats") throw refusalOf(stats);
  requireInOrder({ to: request.to, from: stats.from ?? request.from });
  return respondJson(c, { status: 200, body: wireStats(request, stats, await bucketNames(c, request, stats)) });
}

const getAccountStatsDoc: RouteDoc = {
  id: "getAccountStats",
  tag: "Statistics",
  summary: "Retrieve statistics of all links",
  description:
    "Counts every click of every link in `[from, to)` up to `as_of`, exact to the millisecond. The counts equal the sum of the statistics of each link, including deleted links. The keys of `link` buckets are link IDs. `tag` buckets use the current tags of links. A link with several tags counts in the bucket of each, so these buckets can add up to more than `total`.\n\n`as_of` is at most a minute ago, except after the first request in 30 days, which starts to read past clicks. `as_of` then grows with `progress` until all are read.",
  ok: { status: 200, description: "The statistics.", schema: AccountStats },
  errors: ["too_many_intervals", "range_too_large", "too_many_reads"],
};

export const getAccountStatsRoute = createHandlers(
  access("stats:read", getAccountStatsDoc),
  query(AccountStatsQuery),
  async (c) => respondAccountStats(c, c.req.valid("query"), bucketNames),
);

/** For the dashboard, whose filters may be negated, and which shows links by name. */
export const getDashboardStatsRoute = createHandlers(
  access("stats:read"),
  query(DashboardAccountStatsQuery),
  async (c) => respondAccountStats(c, c.req.valid("query"), bucketAndLinkNames),
);

async function respondAccountStats(
  c: Context<ApiEnv>,
  sent: z.infer<typeof DashboardAccountStatsQuery>,
  namesOf: typeof bucketNames,
) {
  const request = toStatsRequest(sent, accountFiltersOf(sent), Date.now() - DEFAULT_RANGE_DAYS * DAY_MS);
  const stats = await readAccountStats(c.env, c.var.caller, request);
  if (stats.kind !== "stats") throw refusalOf(stats);
  const body: AccountStats = {
    // Before the requested beginning if the account's past has not been read that far.
    ...wireStats({ ...request, from: Math.min(request.from, stats.to) }, stats, await namesOf(c, request, stats)),
    as_of: timestamp(stats.asOf),
    ...(stats.progress === undefined ? {} : { progress: stats.progress }),
  };
  return respondJson(c, { status: 200, body });
}

/** The table shows fewer until it is expanded, and then looks up the others as they come into view. */
const NAMED_LINKS_MAX = 100;

/** Short URLs of the most clicked links by id. Deleted links have none. */
const bucketAndLinkNames: typeof bucketNames = async (c, request, stats) => {
  if (request.groupBy !== "link") return bucketNames(c, request, stats);
  const ids = stats.buckets.slice(0, NAMED_LINKS_MAX).map(({ key }) => key);
  const links = await readLinkAddresses(c.env, c.var.caller, ids);
  return new Map(links.map((link) => [link.id, shortUrl(link, c.var.hosts)]));
};
