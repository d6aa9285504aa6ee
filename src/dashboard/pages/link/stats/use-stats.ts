/**
 * Statistics queries of their subject: a link, or all links of the account and mode. Each card has its own grouping;
 * range, time zone, bots and filters are shared.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";

import type { AccountGrouping, Grouping, Interval } from "../../../../core/clicks/counting/groupings.ts";
import { NONE_KEY } from "../../../../core/clicks/facts.ts";
import type { Click, ClickPage } from "../../../../core/contract/clicks.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { AccountStats, Stats } from "../../../../core/contract/stats.ts";
import { PAGE_CLICKS_MAX } from "../../../../core/limits.ts";
import { useAccount } from "../../../api/account.ts";
import { type ApiClient, queryClient, unwrap, useApi } from "../../../api/client.ts";
import { limitConcurrency } from "../../../api/waits.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { type ChangeStatsParams, hasFilters, matchesFilters, type StatsParams } from "./stats-params.ts";
import { statsQueryOf } from "./stats-query.ts";
import { boundsBefore, clicksBefore, type TimeBounds, timeBounds, timeBoundsQuery } from "./time-range.ts";

export interface StatsSubject {
  /** Null for all links. */
  link: Link | null;
  /** Follows `[mode, "stats"]` in query keys. */
  key: string;
  /** Used in file names. */
  name: string;
  /** No clicks are older. Epoch ms. */
  beginsAt: number;
}

/** Imported clicks may be older than the link. */
export function useLinkSubject(link: Link): StatsSubject {
  const { api, mode } = useApi();
  const { id, slug, created_at } = link;
  const query = { group_by: "source" as const, to: created_at };
  const { data } = useQuery({
    queryKey: [mode, "first-click", id],
    queryFn: () => unwrap<Stats>(api.links[":id"].stats.$get({ param: { id }, query })),
    staleTime: Infinity,
  });
  const beginsAt = Date.parse(data?.from ?? created_at);
  return useMemo(() => ({ link, key: id, name: slug, beginsAt }), [link, id, slug, beginsAt]);
}

/** Common to both responses; the account's also says how far it extends. */
export type ShownStats = Stats & Partial<Pick<AccountStats, "as_of" | "progress">>;

type StatsRequest = ReturnType<typeof statsQueryOf> & { include?: "uniques" };

export function readStats(
  api: ApiClient,
  subject: StatsSubject,
  query: StatsRequest,
  signal: AbortSignal,
): Promise<ShownStats> {
  const options = { init: { signal } };
  if (!subject.link) return unwrap<ShownStats>(api.stats.$get({ query }, options));
  // The page of a link offers no others.
  const groupBy = query.group_by as Grouping;
  return unwrap<Stats>(
    api.links[":id"].stats.$get({ param: { id: subject.link.id }, query: { ...query, group_by: groupBy } }, options),
  );
}

/** All links of the account, as the subject of statistics. */
export function useAccountSubject(): StatsSubject {
  const createdAt = useAccount().data?.created_at;
  return useMemo(
    () => ({ link: null, key: "account", name: "all-links", beginsAt: createdAt ? Date.parse(createdAt) : 0 }),
    [createdAt],
  );
}

/** Shared by all cards. */
export interface StatsView {
  subject: StatsSubject;
  params: StatsParams;
  change: ChangeStatsParams;
  /** Interval of the series. */
  interval: Interval;
  /** False: no polling. */
  refreshIntervalMs: number | false;
}

/** `before`: what the range is compared with, which must exist. */
type Period = "range" | "before";

/** A query of the statistics. */
interface Count {
  groupBy: AccountGrouping;
  /** The interval of the series. */
  interval?: Interval | undefined;
  include?: "uniques";
}

export function useStats(view: StatsView, groupBy: AccountGrouping, interval?: Interval, period: Period = "range") {
  return usePeriod(view, period, { groupBy, interval });
}

/** Visitors of the range and of each bin, each counted once a day. A separate request: it counts click by click. */
export function useVisitors(view: StatsView, period: Period = "range") {
  return usePeriod(view, period, { groupBy: "device", interval: view.interval, include: "uniques" });
}

function usePeriod(view: StatsView, period: Period, count: Count) {
  const { key, read } = useStatsReader(view);
  return useQuery<ShownStats>({
    queryKey: [...key, period === "before" ? view.params.comparison : period, count],
    queryFn: ({ signal }) => read(boundsOf(view, period), count, signal),
    enabled: period === "range" || hasPeriodBefore(view),
    placeholderData: (previous) => (period === "range" ? previous : undefined),
    refetchInterval: ({ state }) => (state.data?.progress !== undefined ? FILLING_REFRESH_MS : view.refreshIntervalMs),
  });
}

export interface ComparedStats {
  name: string;
  total: number;
  /** By the start of the bin of the range that has the same place. */
  clicks: ReadonlyMap<string, number>;
}

/** What the range is compared with, if a comparison is requested. @param stats  of the range */
export function useStatsBefore(view: StatsView, stats: Stats | undefined): ComparedStats | undefined {
  const { data: before } = useStats(view, "country", view.interval, "before");
  const { range, zone, comparison } = view.params;
  if (!stats || !before || !comparison) return undefined;
  const clicks = clicksBefore(stats, before, view.interval, range, zone, comparison);
  return { name: texts.comparisons[comparison], total: before.total, clicks };
}

/** The latest clicks that match the filters, newest first; undefined without filters, and until they are loaded. */
export function useMatchingClicks(view: StatsView): Click[] | undefined {
  const { key } = useStatsReader(view);
  const { api } = useApi();
  const link = view.subject.link;
  const { filters, includeBots } = view.params;
  const { data } = useQuery({
    queryKey: [...key, "matching"],
    queryFn: () => readLatestClicks(api, link?.id ?? "", PAGE_CLICKS_MAX, boundsOf(view, "range")),
    enabled: link !== null && hasFilters(filters),
    placeholderData: keepPreviousData,
  });
  if (!hasFilters(filters)) return undefined;
  const isMatch = (click: Click) => matchesFilters(filters, (grouping) => keyOf(click, grouping));
  return data?.data.filter((click) => (includeBots || click.class === "human") && isMatch(click)).toReversed();
}

/** Whether a comparison is requested, and the link or the account existed during the whole period before the range. */
export function hasPeriodBefore(view: StatsView): boolean {
  const before = boundsOfBefore(view);
  return before !== null && before.from >= view.subject.beginsAt;
}

/** Queries that count click by click wait for each other on the server, which refuses the fifth. */
const runScan = limitConcurrency(2);

export function useStatsReader({ subject, params }: StatsView) {
  const { api, mode } = useApi();
  const { range, zone, includeBots, filters } = params;
  return {
    /** First part of the keys of all queries of this view. */
    key: [mode, "stats", subject.key, range, zone, includeBots, filters],
    read: ({ from, to }: TimeBounds, { groupBy, interval, include }: Count, signal: AbortSignal) => {
      // Without a start, the account's statistics would begin 30 days ago.
      const bounds = { from: from ?? (subject.link ? null : subject.beginsAt), to };
      const query = { ...statsQueryOf(params, bounds, groupBy, interval), ...(include && { include }) };
      const ask = () => readStats(api, subject, query, signal);
      return include || hasFilters(filters) ? runScan(ask, signal) : ask();
    },
  };
}

export function boundsOf(view: StatsView, period: Period): TimeBounds {
  const { range, zone } = view.params;
  return (period === "before" && boundsOfBefore(view)) || timeBounds(range, zone, Date.now());
}

function boundsOfBefore({ params: { range, zone, comparison } }: StatsView) {
  return comparison && boundsBefore(range, zone, Date.now(), comparison);
}

/** A refetch is up to ten requests: pauses keep the page of a busy link below the rate limit. */
const FILLING_REFRESH_MS = 8_000;
const REFRESHES = {
  link: { delayMs: 700, minIntervalMs: 8_000 },
  account: { delayMs: 2_000, minIntervalMs: 20_000 },
} as const;
/** The account's statistics may be a minute old: they are fetched up to this many times until a click is in them. */
const REFRESHES_OF_CLICK_MAX = 5;

/** Refetches the statistics after a click: soon after the first, then at intervals. */
export function useRefetchOnClick(subject: StatsSubject): () => void {
  const { mode } = useApi();
  const queryKey = [mode, "stats", subject.key];
  const { delayMs, minIntervalMs } = REFRESHES[subject.link ? "link" : "account"];
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const state = useRef({ refetchedAt: 0, clickAt: 0, refetches: 0 });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      state.current.clickAt = 0;
    },
    [],
  );
  const schedule = () => {
    if (timer.current !== undefined) return;
    const wait = Math.max(delayMs, state.current.refetchedAt + minIntervalMs - Date.now());
    timer.current = setTimeout(async () => {
      timer.current = undefined;
      state.current.refetchedAt = Date.now();
      state.current.refetches++;
      await queryClient.invalidateQueries({ queryKey });
      const { clickAt, refetches } = state.current;
      if (countedUpTo(queryKey) < clickAt && refetches < REFRESHES_OF_CLICK_MAX) schedule();
    }, wait);
  };
  return () => {
    Object.assign(state.current, { clickAt: Date.now(), refetches: 0 });
    schedule();
  };
}

/** Epoch ms; infinite for a link, whose statistics include every click. */
function countedUpTo(queryKey: readonly unknown[]): number {
  const answers = queryClient.getQueriesData<Partial<ShownStats>>({ queryKey, type: "active" });
  return Math.min(...answers.map(([, stats]) => (stats?.as_of === undefined ? Infinity : Date.parse(stats.as_of))));
}

/**
 * The last clicks of a link's log within the bounds, in chronological order, and those recorded during the request.
 * @param most  number of the log's last entries up to the end
 */
export async function readLatestClicks(
  api: ApiClient,
  id: string,
  most: number,
  bounds: TimeBounds = { from: null, to: null },
): Promise<ClickPage> {
  // The log numbers a link's clicks from 1 without gaps, so their total is the last number.
  const upToEnd = statsQueryOf({ zone: "UTC", includeBots: true }, { ...bounds, from: null }, "source", undefined);
  const { total } = await unwrap<Stats>(api.links[":id"].stats.$get({ param: { id }, query: upToEnd }));
  const query = { after: Math.max(0, total - most), limit: PAGE_CLICKS_MAX, ...timeBoundsQuery(bounds) };
  return unwrap<ClickPage>(api.links[":id"].clicks.$get({ param: { id }, query }));
}

function keyOf(click: Click, grouping: AccountGrouping): string {
  // A link's own click log has no others.
  const key = grouping === "qr" ? (click.qr_id ?? NONE_KEY) : click[grouping as Exclude<Grouping, "qr">];
  return String(key);
}
