/**
 * The clicks of a range by weekday and hour of the day, from hourly series, and the levels of color in which this card
 * and the world map show counts.
 */
import { useQuery } from "@tanstack/react-query";

import type { Stats } from "../../../../core/contract/stats.ts";
import { SERIES_BINS_MAX } from "../../../../core/limits.ts";
import { HOUR_MS, wallClock } from "../../../../core/time.ts";
import type { TimeBounds } from "./time-range.ts";
import { boundsOf, type StatsView, useStatsReader } from "./use-stats.ts";

const WEEKDAYS = 7;
export const HOURS_OF_DAY = 24;

/**
 * @param series  whose bins are hours by the zone's clock, or parts of them
 * @returns a row of 24 hours for each weekday from Monday
 * @internal
 */
export function weekHeat(series: Stats["series"], zone: string): number[][] {
  const heat = Array.from({ length: WEEKDAYS }, () => Array.from({ length: HOURS_OF_DAY }, () => 0));
  for (const { start, clicks } of series) {
    const { day, minute } = wallClock(zone, Date.parse(start));
    const [row, hour] = [heat[day], Math.floor(minute / 60)];
    if (row) row[hour] = (row[hour] ?? 0) + clicks;
  }
  return heat;
}

/** Two bins below the API's limit: if clocks change by part of an hour, an hour has two bins. */
const REQUEST_HOURS_MAX = SERIES_BINS_MAX - 2;
/** Some two and a half years. */
const REQUESTS_MAX = 12;

/**
 * Splits the range into pieces that the API can count by the hour; null if there would be too many.
 * @internal
 */
export function splitBounds({ from, to }: TimeBounds, createdAt: number, now: number): TimeBounds[] | null {
  // No clicks are older than the link.
  const start = Math.max(from ?? createdAt, createdAt);
  const spanMs = Math.max(0, Math.min(to ?? now, now) - start);
  const count = Math.max(1, Math.ceil(spanMs / (REQUEST_HOURS_MAX * HOUR_MS)));
  if (count > REQUESTS_MAX) return null;
  return Array.from({ length: count }, (_, i) => ({
    from: start + i * REQUEST_HOURS_MAX * HOUR_MS,
    to: i === count - 1 ? to : start + (i + 1) * REQUEST_HOURS_MAX * HOUR_MS,
  }));
}

/** Null if the range is too long to be counted by the hour. */
export function useWeekHeat(view: StatsView, enabled: boolean) {
  const { key, read } = useStatsReader(view);
  return useQuery({
    queryKey: [...key, "heat"],
    queryFn: async ({ signal }) => {
      const pieces = splitBounds(boundsOf(view, "range"), view.subject.beginsAt, Date.now());
      if (!pieces) return null;
      const count = { groupBy: "source", interval: "hour" } as const;
      const stats = await Promise.all(pieces.map((piece) => read(piece, count, signal)));
      return weekHeat(
        stats.flatMap(({ series }) => series),
        view.params.zone,
      );
    },
    enabled,
    refetchInterval: view.refreshIntervalMs,
  });
}

/**
 * The scale of colors is logarithmic between the fewest and the most clicks, so that one large count does not leave all
 * others in the lowest level, and begins each level at a round number.
 */
const LEVELS = 5;

export interface LevelStart {
  level: number;
  /** The lowest number of clicks of the level. */
  from: number;
}

/**
 * The levels in use, ascending; the last one is always 5. None without clicks.
 * @param least  the lowest count that is shown; not 0
 */
export function levelStarts(most: number, least = 1): LevelStart[] {
  if (most < 1) return [];
  const ratio = most / least;
  const steps = Array.from({ length: LEVELS }, (_, n) => rounded(least * ratio ** (n / (LEVELS - 1)), ratio));
  const distinct = [...new Set(steps)];
  return distinct.map((from, n) => ({ level: LEVELS - distinct.length + n + 1, from }));
}

/** 0 for no clicks, or fewer than the first level has. */
export function levelOf(clicks: number, starts: readonly LevelStart[]): number {
  return starts.findLast(({ from }) => clicks >= from)?.level ?? 0;
}

/** Rounded down, more finely if the counts are close to each other. */
function rounded(count: number, ratio: number): number {
  const unit = 10 ** Math.floor(Math.log10(count) + 1e-9);
  const digits = ratio >= 100 ? [1, 2, 5] : Array.from({ length: 9 }, (_, n) => n + 1);
  if (ratio < 5) digits.push(...Array.from({ length: 90 }, (_, n) => (n + 10) / 10));
  const steps = digits.map((digit) => Math.round(digit * unit)).filter((step) => step >= 1 && step <= count + 1e-9);
  return Math.max(1, ...steps);
}
