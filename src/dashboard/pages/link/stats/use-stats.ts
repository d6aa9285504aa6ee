/** The statistics a page shows. Every part asks for its own grouping, in the same range, zone and classes of clicks. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";

import type { Stats } from "../../../../core/contract/contract.ts";
import type { Grouping, Interval } from "../../../../core/clicks/groupings.ts";
import { ApiError } from "../../../api/api-error.ts";
import { answer, useApi } from "../../../api/client.ts";
import { boundsOf, type Range, rangeQuery } from "./range.ts";

/** What all parts have in common. */
export interface StatsView {
  linkId: string;
  range: Range;
  zone: string;
  includeBots: boolean;
  /** Ms between looks, or false. */
  refreshEvery: number | false;
}

/** @param interval  also asks for the series */
export function useStats(view: StatsView, groupBy: Grouping, interval?: Interval) {
  const { api, mode } = useApi();
  const { linkId, range, zone, includeBots, refreshEvery } = view;
  return useQuery({
    queryKey: [mode, "stats", linkId, range, zone, includeBots, groupBy, interval],
    queryFn: () =>
      answer<Stats>(
        api.links[":id"].stats.$get({
          param: { id: linkId },
          query: {
            group_by: groupBy,
            timezone: zone,
            include_bots: includeBots ? "true" : "false",
            ...(interval ? { interval } : {}),
            ...rangeQuery(boundsOf(range, zone, Date.now())),
          },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: refreshEvery,
    retry: (failures, error) => failures < 3 && (!(error instanceof ApiError) || mayPass(error)),
    retryDelay: (failures, error) =>
      error instanceof ApiError && error.retryAfter ? error.retryAfter * 1_000 : 1_000 * 2 ** failures,
  });
}

function mayPass({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

const FIRST_MS = 700;
/** Six questions each time: this keeps a page that many people click on well below the limit of requests. */
const APART_MS = 8_000;

/** Asks for the statistics again when somebody clicked: soon after the first click, then not too often. */
export function useRefreshOnClick(linkId: string): () => void {
  const { mode } = useApi();
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    if (timer.current !== undefined) return;
    const wait = Math.max(FIRST_MS, last.current + APART_MS - Date.now());
    timer.current = setTimeout(() => {
      timer.current = undefined;
      last.current = Date.now();
      void queries.invalidateQueries({ queryKey: [mode, "stats", linkId] });
    }, wait);
  }, [queries, mode, linkId]);
}
