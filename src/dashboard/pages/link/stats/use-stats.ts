/** The statistics a page shows. Every part asks for its own grouping, in the same range, zone and classes of clicks. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";

import type { Stats } from "../../../../core/contract/contract.ts";
import type { Grouping, Interval } from "../../../../core/clicks/groupings.ts";
import { ApiError, isRetryable } from "../../../api/api-error.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { timeBounds, type TimeRange, timeBoundsQuery } from "./time-range.ts";

/** What all parts have in common. */
export interface StatsView {
  linkId: string;
  range: TimeRange;
  zone: string;
  includeBots: boolean;
  /** Ms between looks, or false. */
  refreshIntervalMs: number | false;
}

/** @param interval  also asks for the series */
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
/** Six questions each time: this keeps a page that many people click on well below the limit of requests. */
const REFRESH_MIN_INTERVAL_MS = 8_000;

/** Asks for the statistics again when somebody clicked: soon after the first click, then not too often. */
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
