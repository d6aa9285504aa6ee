/**
 * Time ranges of the statistics as parameters of the API: half-open, and without an end if "now" is meant, so that the
 * server's clock decides. Pure: the current time and the time zone are arguments. Times are epoch ms, UTC.
 */
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, timestamp, localToInstant, offsetAt } from "../../../../core/time.ts";

export type RangePreset = "hour" | "day" | "week" | "month" | "quarter" | "year" | "all";

/** `days` are calendar days of the time zone, including today. */
const RANGE_PRESETS: Record<RangePreset, { spanMs?: number; days?: number }> = {
  hour: { spanMs: HOUR_MS },
  day: { spanMs: DAY_MS },
  week: { days: 7 },
  month: { days: 30 },
  quarter: { days: 90 },
  year: { days: 365 },
  all: {},
};

export const RANGE_PRESET_NAMES = Object.keys(RANGE_PRESETS) as RangePreset[];

/** `days`: calendar days of the time zone, `YYYY-MM-DD`, including the last one. */
export type TimeRange = { kind: "preset"; preset: RangePreset } | { kind: "days"; first: string; last: string };

export function isAllTime(range: TimeRange): boolean {
  return range.kind === "preset" && range.preset === "all";
}

export interface TimeBounds {
  /** Null: the creation of the link or the account. */
  from: number | null;
  /** Null: now, by the server's clock. */
  to: number | null;
}

export function timeBounds(range: TimeRange, zone: string, now: number): TimeBounds {
  if (range.kind === "days") return { from: midnight(zone, range.first), to: midnight(zone, range.last, 1) };
  const preset = RANGE_PRESETS[range.preset];
  if (preset.spanMs !== undefined) return { from: startOfMinute(now) - preset.spanMs, to: null };
  if (preset.days !== undefined) return { from: midnightDaysAgo(preset.days - 1, zone, now), to: null };
  return { from: null, to: null };
}

/**
 * The previous period of the same length, as far as the range has gone: a week until now is compared with the seven
 * days before it until this time of day. Days are moved by the calendar. Null for all time, which has none.
 */
export function boundsBefore(range: TimeRange, zone: string, now: number): { from: number; to: number } | null {
  const { from, to } = timeBounds(range, zone, now);
  if (from === null) return null;
  const end = Math.min(to ?? now, startOfMinute(now));
  if (end <= from) return null;
  const days = daysOf(range);
  if (days === null) return { from: from - (end - from), to: from };
  const shift = (at: number) => localToInstant(zone, at + offsetAt(zone, at) - days * DAY_MS);
  return { from: shift(from), to: Math.min(shift(end), from) };
}

/** The current day of a time zone, until now. */
export function todayBounds(zone: string, now: number): TimeBounds {
  return { from: midnightDaysAgo(0, zone, now), to: null };
}

/** Query parameters of the statistics. */
export function timeBoundsQuery({ from, to }: TimeBounds): { from?: string; to?: string } {
  return {
    ...(from === null ? {} : { from: timestamp(from) }),
    ...(to === null ? {} : { to: timestamp(to) }),
  };
}

/**
 * Ranges that begin at `start` (epoch ms) or later, to replace one that began too early: whole days up to the end of
 * the range, and presets, longest first.
 */
export function laterRanges(range: TimeRange, zone: string, start: number, now: number): TimeRange[] {
  const first = firstWholeDay(zone, start);
  const last = range.kind === "days" ? range.last : localDay(zone, now);
  const days: TimeRange[] = first <= last ? [{ kind: "days", first, last }] : [];
  if (range.kind === "days") return days;
  const fits = (preset: RangePreset) => (timeBounds({ kind: "preset", preset }, zone, now).from ?? 0) >= start;
  const presets = RANGE_PRESET_NAMES.filter(fits).toReversed();
  return [...days, ...presets.map((preset) => ({ kind: "preset" as const, preset }))];
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

/** If the address has no valid range, returns the page's default preset. */
export function parseRange(search: URLSearchParams, otherwise: RangePreset = "all"): TimeRange {
  const [first = "", last = ""] = [search.get("from") ?? "", search.get("to") ?? ""];
  if (isCalendarDay(first) && isCalendarDay(last) && first <= last) return { kind: "days", first, last };
  const preset = RANGE_PRESET_NAMES.find((name) => name === search.get("range")) ?? otherwise;
  return { kind: "preset", preset };
}

/**
 * Whether a text is an existing calendar day, `YYYY-MM-DD`.
 * @internal
 */
export function isCalendarDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && timestamp(at).startsWith(text);
}

function daysOf(range: TimeRange): number | null {
  if (range.kind === "days") return (Date.parse(range.last) - Date.parse(range.first)) / DAY_MS + 1;
  return RANGE_PRESETS[range.preset].days ?? null;
}

/** A range that slides with the clock begins at a full minute, so that requests within a minute are identical. */
function startOfMinute(at: number): number {
  return at - (at % MINUTE_MS);
}

function localDay(zone: string, at: number): string {
  return timestamp(at + offsetAt(zone, at)).slice(0, 10);
}

function firstWholeDay(zone: string, start: number): string {
  const day = localDay(zone, start);
  return midnight(zone, day) >= start ? day : localDay(zone, midnight(zone, day, 1));
}

function midnight(zone: string, day: string, daysLater = 0): number {
  return localToInstant(zone, Date.parse(day) + daysLater * DAY_MS);
}

function midnightDaysAgo(days: number, zone: string, now: number): number {
  return midnight(zone, localDay(zone, now), -days);
}
