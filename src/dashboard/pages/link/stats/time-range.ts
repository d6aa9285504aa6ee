/**
 * Time ranges of the statistics as parameters of the API: half-open, and without an end where "now" is meant, so that
 * the server's clock decides. Pure: the current time and the time zone are arguments. Times are epoch ms, UTC.
 */
import type { Interval } from "../../../../core/clicks/groupings.ts";
import { DAY_MS, HOUR_MS } from "../../../../core/durations.ts";
import { timestamp } from "../../../../core/timestamp.ts";
import { localToInstant, offsetAt } from "../../../../core/time-zone.ts";

export type RangePreset = "hour" | "day" | "week" | "month" | "quarter" | "year" | "all";

/** `days` are calendar days of the time zone, including today. */
const RANGE_PRESETS: Record<RangePreset, { label: string; spanMs?: number; days?: number }> = {
  hour: { label: "Last hour", spanMs: HOUR_MS },
  day: { label: "Last 24 hours", spanMs: DAY_MS },
  week: { label: "Last 7 days", days: 7 },
  month: { label: "Last 30 days", days: 30 },
  quarter: { label: "Last 90 days", days: 90 },
  year: { label: "Last 12 months", days: 365 },
  all: { label: "All time" },
};

export const RANGE_PRESET_OPTIONS = Object.entries(RANGE_PRESETS).map(([value, { label }]) => ({
  value: value as RangePreset,
  label,
}));

export type TimeRange = { kind: "preset"; preset: RangePreset } | { kind: "custom"; from: number; to: number };

export interface TimeBounds {
  /** Null: the link's creation. */
  from: number | null;
  /** Null: now, by the server's clock. */
  to: number | null;
}

export function timeBounds(range: TimeRange, zone: string, now: number): TimeBounds {
  if (range.kind === "custom") return { from: range.from, to: range.to };
  const preset = RANGE_PRESETS[range.preset];
  if (preset.spanMs !== undefined) return { from: now - preset.spanMs, to: null };
  if (preset.days !== undefined) return { from: midnightDaysAgo(preset.days - 1, zone, now), to: null };
  return { from: null, to: null };
}

/** Query parameters of the statistics. */
export function timeBoundsQuery({ from, to }: TimeBounds): { from?: string; to?: string } {
  return {
    ...(from === null ? {} : { from: timestamp(from) }),
    ...(to === null ? {} : { to: timestamp(to) }),
  };
}

/** An interval with bars wide enough to see, and never too many for the API. */
export function defaultInterval(range: TimeRange, createdAt: number, now: number): Interval {
  const { from, to } = timeBounds(range, "UTC", now);
  const span = (to ?? now) - (from ?? createdAt);
  if (span <= 2 * HOUR_MS) return "minute";
  if (span <= 3 * DAY_MS) return "hour";
  if (span <= 120 * DAY_MS) return "day";
  return span <= 2 * 366 * DAY_MS ? "week" : "month";
}

/** @param firstDay  `YYYY-MM-DD`, as `lastDay`; both are included */
export function customDaysRange(firstDay: string, lastDay: string, zone: string): TimeRange {
  return {
    kind: "custom",
    from: localToInstant(zone, Date.parse(firstDay)),
    to: localToInstant(zone, Date.parse(lastDay) + DAY_MS),
  };
}

/** First and last day, `YYYY-MM-DD`. */
export function rangeDays({ from, to }: { from: number; to: number }, zone: string): [string, string] {
  return [calendarDay(zone, from), calendarDay(zone, to - 1)];
}

function calendarDay(zone: string, at: number): string {
  return timestamp(at + offsetAt(zone, at)).slice(0, 10);
}

function midnightDaysAgo(days: number, zone: string, now: number): number {
  const local = now + offsetAt(zone, now);
  const midnight = local - (((local % DAY_MS) + DAY_MS) % DAY_MS);
  return localToInstant(zone, midnight - days * DAY_MS);
}
