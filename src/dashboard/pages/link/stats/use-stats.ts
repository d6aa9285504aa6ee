/** Queries of a link's statistics. Each card has its own grouping; range, time zone and bots are shared. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";

import type { Stats } from "../../../../core/contract/stats.ts";
import type { Grouping, Interval } from "../../../../core/clicks/groupings.ts";
import { ApiError, isRetryable } from "../../../api/api-error.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { timeBounds, type TimeRange, timeBoundsQuery } from "./time-range.ts";

/** Shared by all cards. */
export interface StatsView {
  linkId: string;
  range: TimeRange;
  zone: string;
  includeBots: boolean;
  /** False: no polling. */
  refreshIntervalMs: number | false;
}

/** @param interval  of the series; without one the response has no series */
export function useStats(view: StatsView, groupBy: Grouping, interval?: Interval) {
  const { api, mode } = useApi();
  const { linkId, range, zone, includeBots, refreshIntervalMs } = view;
  return useQuery({
    queryKey: [mode, "stats", linkId, range, zone, includeBots, groupBy, interval],
    queryFn: () =>
      unwrap<Stats>(
        api.links[":id"].stats.$get({
          param: { id: linkId },
          query: {
            group_by: groupBy,
            timezone: zone,
            include_bots: includeBots ? "true" : "false",
            ...(interval ? { interval } : {}),
            ...timeBoundsQuery(timeBounds(range, zone, Date.now())),
          },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: refreshIntervalMs,
    retry: (failures, error) => failures < 3 && (!(error instanceof ApiError) || isRetryable(error)),
    retryDelay: (failures, error) =>
      error instanceof ApiError && error.retryAfter ? error.retryAfter * 1_000 : 1_000 * 2 ** failures,
  });
}

const REFRESH_DELAY_MS = 700;
/** A refetch is up to seven requests: the pause keeps the page of a busy link below the rate limit. */
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
