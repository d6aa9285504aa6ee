/**
 * Statistics queries of their subject: a link, or all links of the account and mode. Each card has its own grouping;
 * range, time zone, bots and filters are shared.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";

import {
  type AccountGrouping,
  type Grouping,
  GROUPINGS,
  type Interval,
} from "../../../../core/clicks/counting/groupings.ts";
import { NONE_KEY } from "../../../../core/clicks/facts.ts";
import type { Click, ClickPage } from "../../../../core/contract/clicks.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { AccountStats, Stats } from "../../../../core/contract/stats.ts";
import { PAGE_CLICKS_MAX } from "../../../../core/limits.ts";
import { useAccount } from "../../../api/account.ts";
import { type ApiClient, queryClient, unwrap, useApi } from "../../../api/client.ts";
import { limitConcurrency } from "../../../api/waits.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { type ChangeStatsParams, hasFilters, isExcluded, type StatsFilters, type StatsParams } from "./stats-params.ts";
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

export function useStats(view: StatsView, groupBy: AccountGrouping, interval?: Interval, period: Period = "range") {
  return usePeriod(view, period, ["stats", groupBy, interval], ({ read }, bounds, signal) =>
    read(bounds, groupBy, interval, signal),
  );
}

/** Visitors of the range and of each bin, each counted once a day. A separate request: it counts click by click. */
export function useVisitors(view: StatsView, period: Period = "range") {
  return usePeriod(view, period, ["visitors", view.interval], ({ readVisitors }, bounds, signal) =>
    readVisitors(bounds, view.interval, signal),
  );
}

function usePeriod(
  view: StatsView,
  period: Period,
  key: readonly unknown[],
  read: (reader: StatsReader, bounds: TimeBounds, signal: AbortSignal) => Promise<ShownStats>,
) {
  const reader = useStatsReader(view);
  return useQuery({
    queryKey: [...reader.key, period === "before" ? view.params.comparison : period, ...key],
    queryFn: ({ signal }) => read(reader, boundsOf(view, period), signal),
    enabled: period === "range" || comparesPeriods(view),
    placeholderData: keepPreviousData,
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
  const before = shownBefore(view, useStats(view, "country", view.interval, "before"));
  const { range, zone, comparison } = view.params;
  if (!stats || !before || !comparison) return undefined;
  const clicks = clicksBefore(stats, before, view.interval, range, zone, comparison);
  return { name: texts.comparisons[comparison], total: before.total, clicks };
}

export function useVisitorsBefore(view: StatsView): ShownStats | undefined {
  return shownBefore(view, useVisitors(view, "before"));
}

function shownBefore(
  view: StatsView,
  { data, isPlaceholderData }: ReturnType<typeof useStats>,
): ShownStats | undefined {
  return comparesPeriods(view) && !isPlaceholderData ? data : undefined;
}

function comparesPeriods(view: StatsView): boolean {
  return view.params.comparison !== null && hasPeriodBefore(view);
}

/** The latest clicks that match the filters, newest first; undefined without filters, and until they are loaded. */
export function useMatchingClicks(view: StatsView): Click[] | undefined {
  const { key } = useStatsReader(view);
  const { api } = useApi();
  const link = view.subject.link;
  const { filters, includeBots } = view.params;
  const { data } = useQuery({
    queryKey: [...key, "matching"],
    queryFn: () => readLatestClicks(api, link?.id ?? "", boundsOf(view, "range")),
    enabled: link !== null && hasFilters(filters),
    placeholderData: keepPreviousData,
  });
  if (!hasFilters(filters)) return undefined;
  return data?.filter((click) => (includeBots || click.class === "human") && matchesFilters(click, filters));
}

/** Whether the link or the account existed during the whole period before the range. */
export function hasPeriodBefore({ subject, params: { range, zone, comparison } }: StatsView): boolean {
  const before = boundsBefore(range, zone, Date.now(), comparison ?? undefined);
  return before !== null && before.from >= subject.beginsAt;
}

/** Queries that count click by click wait for each other on the server, which refuses the fifth. */
const runScan = limitConcurrency(2);

export function useStatsReader({ subject, params }: Pick<StatsView, "subject" | "params">) {
  const { api, mode } = useApi();
  const { range, zone, includeBots, filters } = params;
  return {
    /** First part of the keys of all queries of this view. */
    key: [mode, "stats", subject.key, range, zone, includeBots, filters],
    read: (bounds: TimeBounds, groupBy: AccountGrouping, interval: Interval | undefined, signal: AbortSignal) => {
      const query = statsQueryOf(params, boundsIn(subject, bounds), groupBy, interval);
      const ask = () => readStats(api, subject, query, signal);
      return hasFilters(filters) ? runScan(ask, signal) : ask();
    },
    readVisitors: (bounds: TimeBounds, interval: Interval, signal: AbortSignal) => {
      const query = statsQueryOf(params, boundsIn(subject, bounds), "device", interval);
      return runScan(() => readStats(api, subject, { ...query, include: "uniques" }, signal), signal);
    },
  };
}

export type StatsReader = ReturnType<typeof useStatsReader>;

/** Without a start, the account's statistics would begin 30 days ago. */
function boundsIn(subject: StatsSubject, { from, to }: TimeBounds): TimeBounds {
  return { from: from ?? (subject.link ? null : subject.beginsAt), to };
}

export function boundsOf({ params: { range, zone, comparison } }: StatsView, period: Period): TimeBounds {
  const now = Date.now();
  const before = period === "before" ? boundsBefore(range, zone, now, comparison ?? undefined) : null;
  return before ?? timeBounds(range, zone, now);
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
  const key = subject.key;
  const { delayMs, minIntervalMs } = REFRESHES[subject.link ? "link" : "account"];
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastRefetchAt = useRef(0);
  const lastClick = useRef({ at: 0, refetches: 0 });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      lastClick.current = { at: 0, refetches: 0 };
    },
    [],
  );
  const schedule = useCallback(() => {
    if (timer.current !== undefined) return;
    const wait = Math.max(delayMs, lastRefetchAt.current + minIntervalMs - Date.now());
    timer.current = setTimeout(async () => {
      timer.current = undefined;
      lastRefetchAt.current = Date.now();
      lastClick.current.refetches++;
      await queryClient.invalidateQueries({ queryKey: [mode, "stats", key] });
      const { at, refetches } = lastClick.current;
      const isMissing = countedUpTo([mode, "stats", key]) < at;
      if (isMissing && refetches < REFRESHES_OF_CLICK_MAX) schedule();
    }, wait);
  }, [mode, key, delayMs, minIntervalMs]);
  return useCallback(() => {
    lastClick.current = { at: Date.now(), refetches: 0 };
    schedule();
  }, [schedule]);
}

/** Epoch ms; infinite for a link, whose statistics include every click. */
function countedUpTo(queryKey: readonly unknown[]): number {
  const answers = queryClient.getQueriesData<Partial<ShownStats>>({ queryKey, type: "active" });
  return Math.min(...answers.map(([, stats]) => (stats?.as_of === undefined ? Infinity : Date.parse(stats.as_of))));
}

/** Visitors of each bin of a series, by its start. */
export type VisitorsByStart = ReadonlyMap<string, number>;

/** Undefined until they are counted. */
export function visitorsByStart(stats: Stats | undefined): VisitorsByStart | undefined {
  return stats && new Map(stats.series.map(({ start, unique_visitors }) => [start, unique_visitors ?? 0]));
}

/** The last page of the click log within the range, newest first: the live stream does not support the filters. */
async function readLatestClicks(api: ApiClient, id: string, bounds: TimeBounds): Promise<Click[]> {
  // The log numbers a link's clicks from 1 in chronological order, so their total is the last number.
  const upToEnd = statsQueryOf({ zone: "UTC", includeBots: true }, { ...bounds, from: null }, "source", undefined);
  const { total } = await unwrap<Stats>(api.links[":id"].stats.$get({ param: { id }, query: upToEnd }));
  const after = Math.max(0, total - PAGE_CLICKS_MAX);
  const query = { after, limit: PAGE_CLICKS_MAX, ...timeBoundsQuery(bounds) };
  const { data } = await unwrap<ClickPage>(api.links[":id"].clicks.$get({ param: { id }, query }));
  return data.toReversed();
}

function matchesFilters(click: Click, filters: StatsFilters): boolean {
  return GROUPINGS.every((grouping) => {
    const values = filters[grouping];
    return !values || values.includes(clickKey(click, grouping)) !== isExcluded(filters, grouping);
  });
}

function clickKey(click: Click, grouping: Grouping): string {
  return grouping === "qr" ? (click.qr_id ?? NONE_KEY) : String(click[grouping]);
}
