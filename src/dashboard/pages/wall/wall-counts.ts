/** The numbers of the wall screen: the statistics of the current day, and the clicks received from the stream since. */
import { useInterval } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Stats } from "../../../core/contract/stats.ts";
import { MINUTE_MS } from "../../../core/time.ts";
import { useApi } from "../../api/client.ts";
import { statsQueryOf } from "../link/stats/stats-query.ts";
import { timeBounds } from "../link/stats/time-range.ts";
import { readStats, type StatsSubject } from "../link/stats/use-stats.ts";

const TICK_MS = 5_000;
const LINKS_MAX = 5;

const NONE: Stats["buckets"] = [];

/** The statistics of the current day in the browser's time zone, fetched again every minute. */
export function useToday(subject: StatsSubject, zone: string) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), TICK_MS, { autoInvoke: true });
  const countries = useDay(subject, zone, now, "country").data;
  const links = useDay(subject, zone, now, "link").data;
  return {
    /** Null until known. */
    total: countries?.total ?? null,
    visitors: countries?.unique_visitors ?? null,
    countries: countries?.buckets ?? NONE,
    links: links?.buckets.slice(0, LINKS_MAX) ?? NONE,
    /** The totals include every earlier click, epoch ms. */
    countedUpTo: countries ? Date.parse(countries.to) : 0,
    now,
  };
}

export type Today = ReturnType<typeof useToday>;

function useDay(subject: StatsSubject, zone: string, now: number, groupBy: "country" | "link") {
  const { api, mode } = useApi();
  const bounds = timeBounds({ kind: "preset", preset: "today" }, zone, now);
  const query = statsQueryOf({ zone, includeBots: false }, bounds, groupBy, undefined);
  const uniques = groupBy === "country" ? { include: "uniques" as const } : {};
  return useQuery({
    queryKey: [mode, "stats", "account", "today", groupBy, bounds.from],
    queryFn: ({ signal }) => readStats(api, subject, { ...query, ...uniques }, signal),
    refetchInterval: MINUTE_MS,
    // A wall screen's window does not always have the focus.
    refetchIntervalInBackground: true,
    placeholderData: keepPreviousData,
  });
}

/** Older ones are dropped: by then, the statistics include them. */
const KEPT_MS = 15 * 60_000;

/** Times of the stream's clicks in the last minutes. */
export function addArrivals(times: readonly number[], added: readonly number[], now: number): number[] {
  return [...times.filter((at) => at > now - KEPT_MS), ...added];
}

export function arrivalsIn(times: readonly number[], from: number, to: number): number {
  return times.filter((at) => at >= from && at < to).length;
}
