/**
 * Time ranges of the statistics as parameters of the API: half-open, and without an end if "now" is meant, so that the
 * server's clock decides. Pure: the current time and the time zone are arguments. Times are epoch ms, UTC.
 * Also the texts for ranges, and for a series' bins on the axis and in the tooltip.
 */
import { binStart } from "../../../../core/clicks/counting/calendar.ts";
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, timestamp, localToInstant, offsetAt } from "../../../../core/time.ts";
import { type DateStyle, formatIn } from "../../../formatting/dates.ts";
import { statsTexts } from "../../../texts/stats.ts";

type CalendarUnit = "day" | "week" | "month" | "quarter" | "year";

interface Preset {
  /** Up to now. */
  spanMs?: number;
  /** Calendar days of the time zone up to now, including today. */
  days?: number;
  /** A period of the time zone's calendar: the current one until now, or the one before it. */
  unit?: CalendarUnit;
  back?: 0 | 1;
}

const PRESETS = {
  today: { unit: "day", back: 0 },
  yesterday: { unit: "day", back: 1 },
  "this-week": { unit: "week", back: 0 },
  "last-week": { unit: "week", back: 1 },
  "this-month": { unit: "month", back: 0 },
  "last-month": { unit: "month", back: 1 },
  "this-quarter": { unit: "quarter", back: 0 },
  "last-quarter": { unit: "quarter", back: 1 },
  "this-year": { unit: "year", back: 0 },
  "last-year": { unit: "year", back: 1 },
  hour: { spanMs: HOUR_MS },
  day: { spanMs: DAY_MS },
  week: { days: 7 },
  month: { days: 30 },
  quarter: { days: 90 },
  year: { days: 365 },
  all: {},
} as const satisfies Record<string, Preset>;

export type RangePreset = keyof typeof PRESETS;

/** @internal */
export const RANGE_PRESET_NAMES = Object.keys(PRESETS) as RangePreset[];
const isCalendarRange = (name: RangePreset) => "unit" in PRESETS[name];
export const CALENDAR_RANGE_NAMES = RANGE_PRESET_NAMES.filter(isCalendarRange);
export const SLIDING_RANGE_NAMES = RANGE_PRESET_NAMES.filter((name) => !isCalendarRange(name));

/** Ranges of pages without one in their address. */
export const DEFAULT_RANGES = { link: "all", account: "month" } as const satisfies Record<string, RangePreset>;

export const COMPARISONS = ["period", "year"] as const;
/** With the previous period of the same length, or with the same time a year before. */
export type ComparedPeriod = (typeof COMPARISONS)[number];

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
  const { unit, back = 0, spanMs, days }: Preset = PRESETS[range.preset];
  if (unit) {
    const start = unitStart(unit, zone, now);
    const at = (unitsLater: number) => localToInstant(zone, moved(start, unit, unitsLater));
    return { from: at(-back), to: back === 0 ? null : at(0) };
  }
  if (spanMs !== undefined) return { from: startOfMinute(now) - spanMs, to: null };
  if (days !== undefined) return { from: midnight(zone, localDay(zone, now), 1 - days), to: null };
  return { from: null, to: null };
}

/**
 * The range that this one is compared with, as far as this one has gone: a week until now is compared with the seven
 * days before it until this time of day. Days are moved by the calendar. Null for all time, which has none.
 */
export function boundsBefore(
  range: TimeRange,
  zone: string,
  now: number,
  comparison: ComparedPeriod = "period",
): { from: number; to: number } | null {
  const { from, to } = timeBounds(range, zone, now);
  if (from === null) return null;
  const end = Math.min(to ?? now, startOfMinute(now));
  if (end <= from) return null;
  const [unit, count] = distanceOf(range, comparison);
  const shift = (at: number) =>
    unit === null ? at - count : localToInstant(zone, moved(calendarTime(zone, at), unit, -count));
  const before = { from: shift(from), to: shift(end) };
  // On 29 February, the last 24 hours begin and end at the same time of 28 February a year before.
  return before.from < before.to ? before : null;
}

type CountedStats = Pick<Stats, "from" | "series">;

const BIN_MS = { day: DAY_MS, week: 7 * DAY_MS, month: (365.2425 / 12) * DAY_MS };

/**
 * The clicks of what a range is compared with, by the start of the range's bin in the same place: at the same local time
 * of the same day, or in the same week or month. There are none for the 31st beside a shorter month, or an hour that a
 * clock change skipped.
 */
export function clicksBefore(
  stats: CountedStats,
  before: CountedStats,
  interval: Interval,
  range: TimeRange,
  zone: string,
  comparison: ComparedPeriod,
): Map<string, number> {
  const distanceMs = Date.parse(stats.from) - Date.parse(before.from);
  const distance = distanceOf(range, comparison);
  const [unit, count] =
    interval === "week" || interval === "month" || (interval === "day" && distance[0] === null)
      ? ([interval, Math.round(distanceMs / BIN_MS[interval])] as const)
      : distance;
  // The day begins later if a clock change skips its midnight.
  const binAt = (local: number) => binStart(interval, "UTC", local);
  // A range that slides with the clock has hours of its own when the clock repeats one.
  const binOf = (at: number) => (unit === null ? binStart(interval, zone, at) : binAt(localTime(zone, at)));
  const binBefore = (at: number) =>
    unit === null ? binOf(at - count) : binAt(moved(localTime(zone, at), unit, -count));
  const clicksAt = new Map(before.series.map(({ start, clicks }) => [binOf(Date.parse(start)), clicks]));
  const found = new Map<string, number>();
  // The last first: 1 March also has the place to which 29 to 31 May are moved. But 29 February is moved to the 28th.
  for (const { start } of unit === "year" ? stats.series : stats.series.toReversed()) {
    const bin = binBefore(Date.parse(start));
    const clicks = clicksAt.get(bin);
    if (clicks !== undefined) found.set(start, clicks);
    clicksAt.delete(bin);
  }
  return found;
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
  const presets = SLIDING_RANGE_NAMES.filter(fits).toReversed();
  return [...days, ...presets.map((preset) => ({ kind: "preset" as const, preset }))];
}

/** An interval with bars wide enough to see, and never too many for the API. */
export function defaultInterval(range: TimeRange, zone: string, createdAt: number, now: number): Interval {
  const { from, to } = timeBounds(range, zone, now);
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

/** From a range back to what it is compared with: by the calendar, or in ms if it slides with the clock. */
function distanceOf(range: TimeRange, comparison: ComparedPeriod): readonly [CalendarUnit | null, number] {
  if (comparison === "year") return ["year", 1];
  if (range.kind === "days") return ["day", (Date.parse(range.last) - Date.parse(range.first)) / DAY_MS + 1];
  const { unit, days, spanMs = 0 }: Preset = PRESETS[range.preset];
  if (unit) return [unit, 1];
  return days === undefined ? [null, spanMs] : ["day", days];
}

/** The local time at which the current day, week, month, quarter or year began. Weeks begin on Monday. */
function unitStart(unit: CalendarUnit, zone: string, now: number): number {
  const date = new Date(localDay(zone, now));
  const month = date.getUTCMonth();
  if (unit === "day") return date.getTime();
  if (unit === "week") return date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return date.setUTCMonth(unit === "month" ? month : unit === "quarter" ? month - (month % 3) : 0, 1);
}

const MONTHS_OF = { month: 1, quarter: 3, year: 12 } as const;

/** A local time, moved by the calendar. */
function moved(local: number, unit: CalendarUnit, count: number): number {
  if (unit === "day" || unit === "week") return local + count * (unit === "day" ? 1 : 7) * DAY_MS;
  const date = new Date(local);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + count * MONTHS_OF[unit]);
  if (date.getUTCDate() === day) return date.getTime();
  // 1 March would be the day after 29 February: a range of that day would be compared with nothing.
  if (unit === "year") return date.setUTCDate(0);
  // A shorter month ends before this day.
  return unitStart("month", "UTC", date.getTime());
}

/** A range that slides with the clock begins at a full minute, so that requests within a minute are identical. */
function startOfMinute(at: number): number {
  return at - (at % MINUTE_MS);
}

function localTime(zone: string, at: number): number {
  return at + offsetAt(zone, at);
}

/** The local time; at the start of a day, its midnight, even if a clock change skips it. */
function calendarTime(zone: string, at: number): number {
  const day = localDay(zone, at);
  return midnight(zone, day) === at ? Date.parse(day) : localTime(zone, at);
}

function localDay(zone: string, at: number): string {
  return timestamp(localTime(zone, at)).slice(0, 10);
}

function firstWholeDay(zone: string, start: number): string {
  const day = localDay(zone, start);
  return midnight(zone, day) >= start ? day : localDay(zone, midnight(zone, day, 1));
}

function midnight(zone: string, day: string, daysLater = 0): number {
  return localToInstant(zone, Date.parse(day) + daysLater * DAY_MS);
}

const BIN_STYLES: Record<Interval, { axis: DateStyle[]; title: DateStyle }> = {
  minute: { axis: ["time"], title: "dateTimeToMinute" },
  // One format of both would write the hour with one digit, unlike all other times.
  hour: { axis: ["dayAndMonth", "time"], title: "dateTimeToMinute" },
  day: { axis: ["dayAndMonth"], title: "fullDate" },
  week: { axis: ["dayAndMonth"], title: "date" },
  month: { axis: ["monthAndYear"], title: "month" },
};

export function binLabel(start: string, interval: Interval, zone: string): string {
  return BIN_STYLES[interval].axis.map((style) => formatIn(style, start, zone)).join(", ");
}

export function binTitle(start: string, interval: Interval, zone: string): string {
  const title = formatIn(BIN_STYLES[interval].title, start, zone);
  return interval === "week" ? statsTexts.weekOf(title) : title;
}

/** A range of the statistics in words. */
export function rangeName(range: TimeRange): string {
  if (range.kind === "preset") return statsTexts.ranges[range.preset];
  return [range.first, range.last].map((day) => formatIn("date", day, "UTC")).join(" – ");
}
