/**
 * Queries of a link's statistics. Each card has its own grouping; range, time zone, bots and filters are shared. Without
 * filters the API counts; with filters the browser counts the clicks of the log.
 */
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";

import type { Mode } from "../../../../core/account.ts";
import type { Grouping, Interval } from "../../../../core/clicks/groupings.ts";
import type { Click } from "../../../../core/contract/clicks.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { ApiError, isRetryable } from "../../../api/api-error.ts";
import { type ApiClient, unwrap, useApi } from "../../../api/client.ts";
import { readClickLog, TooManyClicksError } from "./click-log.ts";
import { type ClickLog, matchingClicks, statsOfClicks } from "./filtered-stats.ts";
import { hasFilters, type StatsParams } from "./stats-params.ts";
import { statsQueryOf } from "./stats-query.ts";
import { boundsBefore, type TimeBounds, timeBounds } from "./time-range.ts";
import type { ChangeStatsParams } from "./use-stats-params.ts";

/** Shared by all cards. */
export interface StatsView {
  link: Link;
  params: StatsParams;
  change: ChangeStatsParams;
  /** Of the series. */
  interval: Interval;
  /** False: no polling. */
  refreshIntervalMs: number | false;
}

/** `before`: the period before the range, which must have one. */
export type Period = "range" | "before";

export function useStats(view: StatsView, groupBy: Grouping, interval?: Interval, period: Period = "range") {
  const reader = useStatsReader(view);
  return useQuery({
    ...queryDefaults,
    queryKey: [...reader.key, "stats", period, groupBy, interval],
    queryFn: () => reader.read(boundsOf(view, period), groupBy, interval),
    enabled: period === "range" || hasPeriodBefore(view),
    placeholderData: keepPreviousData,
    refetchInterval: view.refreshIntervalMs,
  });
}

/** The latest clicks that match the filters, newest first; undefined without filters, and until they were read. */
export function useMatchingClicks(view: StatsView, max: number): Click[] | undefined {
  const reader = useStatsReader(view);
  const { filters, includeBots } = view.params;
  const { data } = useQuery({
    ...queryDefaults,
    queryKey: [...reader.key, "matching"],
    queryFn: async () => matchingClicks(await reader.readLog(boundsOf(view, "range")), filters, includeBots),
    enabled: hasFilters(filters),
    placeholderData: keepPreviousData,
  });
  return hasFilters(filters) ? data?.slice(-max).reverse() : undefined;
}

/** Whether the link existed during the whole period before the range. */
export function hasPeriodBefore({ link, params: { range, zone } }: StatsView): boolean {
  const before = boundsBefore(range, zone, Date.now());
  return before !== null && before.from >= Date.parse(link.created_at);
}

export interface StatsReader {
  /** First part of the keys of all queries of this view. */
  key: readonly unknown[];
  read: (bounds: TimeBounds, groupBy: Grouping, interval: Interval | undefined) => Promise<Stats>;
  readLog: (bounds: TimeBounds) => Promise<ClickLog>;
}

export function useStatsReader({ link, params }: StatsView): StatsReader {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const { range, zone, includeBots, filters } = params;
  const readLog = (bounds: TimeBounds) => cachedClickLog(queries, api, mode, link, bounds);
  return {
    key: [mode, "stats", link.id, range, zone, includeBots, filters],
    readLog,
    read: async (bounds, groupBy, interval) => {
      if (!hasFilters(filters)) {
        const query = statsQueryOf(params, bounds, groupBy, interval);
        return unwrap<Stats>(api.links[":id"].stats.$get({ param: { id: link.id }, query }));
      }
      const log = await readLog(bounds);
      const stats = statsOfClicks(matchingClicks(log, filters, includeBots), log, groupBy, interval, zone);
      if (!stats) throw new ApiError(422, { code: "too_many_intervals", message: "too many intervals" });
      return stats;
    },
  };
}

export function boundsOf({ params: { range, zone } }: StatsView, period: Period): TimeBounds {
  const now = Date.now();
  const before = period === "before" ? boundsBefore(range, zone, now) : null;
  return before ?? timeBounds(range, zone, now);
}

/** How long the log serves the cards that ask at about the same time. */
const LOG_STALE_MS = 1_000;

function cachedClickLog(
  queries: QueryClient,
  api: ApiClient,
  mode: Mode,
  link: Link,
  bounds: TimeBounds,
): Promise<ClickLog> {
  const queryKey = [mode, "stats", link.id, "log", bounds];
  return queries.fetchQuery({
    ...queryDefaults,
    queryKey,
    queryFn: () => readClickLog(api, link, bounds, queries.getQueryData<ClickLog>(queryKey)),
    staleTime: LOG_STALE_MS,
  });
}

const queryDefaults = {
  retry: (failures: number, error: Error) =>
    failures < 3 && !(error instanceof TooManyClicksError) && (!(error instanceof ApiError) || isRetryable(error)),
  retryDelay: (failures: number, error: Error) =>
    error instanceof ApiError && error.retryAfter ? error.retryAfter * 1_000 : 1_000 * 2 ** failures,
};

const REFRESH_DELAY_MS = 700;
/** A refetch is up to ten requests: the pause keeps the page of a busy link below the rate limit. */
const REFRESH_MIN_INTERVAL_MS = 8_000;

/** Refetches the statistics after a click: soon after the first, then at most once per `REFRESH_MIN_INTERVAL_MS`. */
export function useRefetchOnClick(linkId: string): () => void {
  const { mode } = useApi();
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastRefetchAt = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    if (timer.current !== undefined) return;
    const wait = Math.max(REFRESH_DELAY_MS, lastRefetchAt.current + REFRESH_MIN_INTERVAL_MS - Date.now());
    timer.current = setTimeout(() => {
      timer.current = undefined;
      lastRefetchAt.current = Date.now();
      void queries.invalidateQueries({ queryKey: [mode, "stats", linkId] });
    }, wait);
  }, [queries, mode, linkId]);
}
