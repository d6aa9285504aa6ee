/**
 * Clicks of a link in the last 30 days, for its row. One request per link, a few at a time, so that they neither delay
 * the user's next action nor exhaust the account's requests.
 */
import { queryOptions } from "@tanstack/react-query";

import type { Mode } from "../../../core/account.ts";
import { offsetAt, utcDay } from "../../../core/time.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { browserTimeZone } from "../../formatting/dates.ts";
import { timeBounds, timeBoundsQuery } from "../link/stats/time-range.ts";
import { limitConcurrency } from "../../api/waits.ts";

const REQUESTS_AT_ONCE_MAX = 4;
const STALE_MS = 2 * 60_000;
const KEPT_MS = 30 * 60_000;

const runLimited = limitConcurrency(REQUESTS_AT_ONCE_MAX);

export type RowStats = Awaited<ReturnType<typeof readRowStats>>;

export function rowStatsQuery(mode: Mode, id: string) {
  return queryOptions({
    queryKey: [mode, "row-stats", id],
    queryFn: ({ signal }) => runLimited(() => readRowStats(mode, id, signal), signal),
    staleTime: STALE_MS,
    gcTime: KEPT_MS,
    // After a night, the row would show the clicks of the day before.
    refetchOnWindowFocus: ({ state }) => Date.now() - state.dataUpdatedAt > KEPT_MS,
  });
}

async function readRowStats(mode: Mode, id: string, signal: AbortSignal) {
  const bounds = timeBounds({ kind: "preset", preset: "month" }, browserTimeZone(), Date.now());
  const series = { group_by: "device", interval: "day", timezone: browserTimeZone() } as const;
  const query = { ...series, ...timeBoundsQuery(bounds) };
  const request = apiClients[mode].links[":id"].stats.$get({ param: { id }, query }, { init: { signal } });
  const stats = await unwrap(request);
  return {
    total: stats.total,
    /** Clicks of each day, oldest first; the last one is today. */
    days: stats.series.map(({ clicks }) => clicks),
    /** Start of the last day with a click; null if there are none. */
    lastDay: stats.series.findLast(({ clicks }) => clicks > 0)?.start ?? null,
  };
}

/** Days of the calendar between the start of a day and now: 0 is today. */
export function daysAgo(dayStart: string, now: number, zone = browserTimeZone()): number {
  const dayOf = (at: number) => utcDay(at + offsetAt(zone, at));
  return dayOf(now) - dayOf(Date.parse(dayStart));
}
