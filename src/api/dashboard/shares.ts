/**
 * Shared pages: the owner's routes, and the statistics that anyone with the URL can read. A viewer chooses nothing, and
 * sees nothing but what the owner has chosen.
 */
import type { Context } from "hono";

import type { Interval } from "../../core/clicks/counting/groupings.ts";
import {
  SHARED_CLICKS_MIN,
  sharedBounds,
  sharedGroups,
  sharedInterval,
} from "../../core/clicks/counting/shared-stats.ts";
import type { StatsRequest } from "../../core/clicks/counting/stats.ts";
import { ListSharesQuery, type SharedStats, ShareIn } from "../../core/contract/dashboard.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { tagKey } from "../../core/links/case-folding.ts";
import { GenerationCache } from "../../core/memory/caches.ts";
import { MINUTE_MS, timestamp, timestampOrNull } from "../../core/time.ts";
import { readAccountStats } from "../../store/account-object-client.ts";
import type { Caller } from "../../store/accounts/api-keys.ts";
import { readStats } from "../../store/link-object-client.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { readLink } from "../../store/links/links.ts";
import { NetworkRateLimit } from "../../store/network-limit.ts";
import {
  advanceShares,
  createShare,
  deleteShare,
  findSharedPage,
  listShares,
  type SharedPage,
  type ShareSubject,
} from "../../store/shares.ts";
import { withTimeout } from "../../store/timeout.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { access, countRequest } from "../middleware/access.ts";
import { body, noQuery, pathParam, query } from "../middleware/input.ts";
import { refusalOf } from "../stats/stats.ts";

/** @throws ApiError link_not_found */
async function subjectOf(
  { env, var: { caller } }: Context<ApiEnv>,
  { link_id, tag = "" }: { link_id?: string | undefined; tag?: string | undefined },
): Promise<ShareSubject> {
  if (link_id === undefined) return `tag:${tagKey(tag)}`;
  return (await readLink(env, caller, link_id)).id as ShareSubject;
}

export const listSharesRoute = createHandlers(access(null), query(ListSharesQuery), async (c) => {
  const { link_id, tag } = c.req.valid("query");
  const subject = link_id === undefined && tag === undefined ? null : await subjectOf(c, { link_id, tag });
  const data = await listShares(c.env, c.var.caller, c.var.hosts.baseUrl, subject);
  return respondJson(c, { status: 200, body: { data } });
});

export const createShareRoute = createHandlers(access(null), body(ShareIn), async (c) => {
  const { link_id, tag, expires_at, ...settings } = c.req.valid("json");
  const expiresAt = expires_at === null ? null : Date.parse(expires_at);
  const { to } = sharedBounds(settings);
  const problems = [
    ...(expiresAt !== null && expiresAt <= Date.now() ? [problem("expires_at", "must be in the future")] : []),
    // Until it is over, groups of a range grow click by click.
    ...(to !== null && to > Date.now() ? [problem("last", "must be a day that is over, or null")] : []),
  ];
  if (problems.length > 0) throw validationFailed(problems);
  const subject = await subjectOf(c, { link_id, tag });
  const share = await createShare(c.env, c.var.caller, c.var.hosts.baseUrl, subject, settings, expiresAt);
  return respondJson(c, { status: 201, body: share });
});

function problem(path: string, words: string) {
  return { path, code: "invalid_value", message: `${path} ${words}` };
}

export const revokeShareRoute = createHandlers(access(null), noQuery, async (c) => {
  if (!(await deleteShare(c.env, c.var.caller, pathParam(c, "id")))) throw notShared();
  return c.body(null, 204);
});

function notShared(): ApiError {
  return new ApiError("not_found", "This page is not shared, or no longer.");
}

const VIEWS_MAX_PER_MINUTE = 60;
const views = new NetworkRateLimit(VIEWS_MAX_PER_MINUTE);

/**
 * Reads the page of the path's token, and its link, from the primary, so that revoking or deleting it takes effect with
 * the next view.
 * @throws ApiError rate_limited
 */
export async function sharedPageOf(c: Context<ApiEnv>): Promise<ViewedPage | null> {
  countRequest(views, c.req.raw.headers, "This network has opened too many shared pages within a minute.");
  const page = await findSharedPage(c.env, pathParam(c, "token"), Date.now());
  if (!page || page.subject.startsWith("tag:")) return page && { ...page, link: null };
  const link = await readLink(c.env, callerOf(page), page.subject).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "link_not_found") return null;
    throw error;
  });
  return link && { ...page, link };
}

/** `link`: null for a tag. */
type ViewedPage = SharedPage & { link: LinkRecord | null };

function callerOf({ accountId, mode }: Pick<SharedPage, "accountId" | "mode">): Caller {
  return { accountId, mode, plan: "free", scopes: [], origin: "dashboard", rateKey: "" };
}

const CACHE_MS = MINUTE_MS;
const CACHE_MAX_ENTRIES = 50;

interface CountedPage {
  stats: SharedStats;
  readAt: number;
}

/** Statistics by the page's id. A response has at most 150 KB. */
const cache = new GenerationCache<CountedPage>(CACHE_MAX_ENTRIES);

export const sharedStatsRoute = createHandlers(noQuery, async (c) => {
  c.header("X-Robots-Tag", "noindex");
  const page = await sharedPageOf(c);
  if (!page) throw notShared();
  const cached = cache.get(page.id);
  const isFresh = cached && Date.now() - cached.readAt < CACHE_MS;
  const { stats } = isFresh ? cached : await countOnce(c, page);
  return respondJson(c, { status: 200, body: stats });
});

/** Pages that a view is counting, by id. Its request owns the I/O, and passes the promise to its `waitUntil`. */
const counting = new Map<string, { counted: Promise<CountedPage>; since: number }>();
/** If a count takes longer, its request may have been canceled: then its promise never settles. */
const COUNTING_MAX_MS = 30_000;

/**
 * Simultaneous views of a page share one count. Each has looked the page up itself.
 * @throws TimeoutError
 */
async function countOnce(c: Context<ApiEnv>, page: ViewedPage): Promise<CountedPage> {
  let running = counting.get(page.id);
  if (!running || Date.now() - running.since >= COUNTING_MAX_MS) {
    running = { counted: countPage(c.env, page), since: Date.now() };
    counting.set(page.id, running);
    c.executionCtx.waitUntil(running.counted.catch(() => undefined));
  }
  try {
    return await withTimeout(COUNTING_MAX_MS, running.counted);
  } finally {
    if (counting.get(page.id) === running) counting.delete(page.id);
  }
}

async function countPage(env: Env, page: ViewedPage): Promise<CountedPage> {
  const readAt = Date.now();
  const counted = { readAt, stats: await countShared(env, page) };
  cache.set(page.id, counted);
  return counted;
}

type Question = Pick<StatsRequest, "groupBy" | "from" | "to" | "sinceFirst"> & { interval?: Interval };

/** Reads statistics of the page's link or tag. */
function readerOf(env: Env, { link, timezone, ...page }: ViewedPage) {
  const requestOf = (question: Question) => ({ interval: null, includeBots: false, timezone, ...question });
  if (link) return { start: link.createdAt, read: (question: Question) => readStats(env, link, requestOf(question)) };
  const filters = [{ grouping: "tag" as const, values: [page.subject.slice("tag:".length)] }];
  const read = (question: Question) => readAccountStats(env, callerOf(page), { ...requestOf(question), filters });
  return { start: 0, read };
}

async function countShared(env: Env, page: ViewedPage): Promise<SharedStats> {
  const { start, read } = readerOf(env, page);
  const ask = async (question: Question) => {
    const answer = await read(question);
    if (answer.kind !== "stats") throw refusalOf(answer);
    return answer;
  };
  const bounds = sharedBounds(page);
  const range = { from: bounds.from ?? start, to: bounds.to, ...(bounds.from === null && { sinceFirst: true }) };
  const first = await ask({ ...range, groupBy: "source" });
  const from = first.from ?? range.from;
  const interval = sharedInterval(from, first.to);
  const { total, series, to } = await ask({ groupBy: "source", from, to: first.to, interval });
  const until =
    bounds.to ?? (await countedUntil(env, page, from, (since) => ask({ groupBy: "source", from: since, to })));
  const groups: SharedStats["groups"] = [];
  // One after the other: those of a tag read click by click.
  for (const groupBy of page.group_by) {
    const counted = until === null ? null : await ask({ groupBy, from: Math.min(from, until), to: until });
    groups.push({ group_by: groupBy, buckets: counted ? sharedGroups(counted.buckets) : [] });
  }
  return {
    name: page.name,
    timezone: page.timezone,
    last: page.last,
    total,
    interval,
    series: series.map((bin) => ({ start: timestamp(bin.start), clicks: bin.clicks })),
    from: timestamp(Math.min(from, to)),
    to: timestamp(to),
    groups_until: timestampOrNull(until),
    groups,
  };
}

/** Up to when groups of a range without an end are counted; null for none yet. */
async function countedUntil(
  env: Env,
  page: SharedPage,
  from: number,
  ask: (since: number) => Promise<{ total: number; to: number }>,
): Promise<number | null> {
  const fresh = await ask(Math.max(page.countedUntil ?? 0, from));
  if (fresh.total < SHARED_CLICKS_MIN) return page.countedUntil;
  return advanceShares(env, page, fresh.to);
}
