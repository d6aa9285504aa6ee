/**
 * Formats dates and times in the browser's language and hour format, and in its chosen time zone unless a page has its
 * own.
 */
import { DAY_MS, offsetAt } from "../../core/time.ts";
import { browserTimeZone } from "./time-zones.ts";

const FORMATS = {
  date: { dateStyle: "medium" },
  dateTime: { dateStyle: "medium", timeStyle: "medium" },
  dateTimeToMinute: { dateStyle: "medium", timeStyle: "short" },
  dayAndMonth: { day: "numeric", month: "short" },
  fullDate: { dateStyle: "full" },
  hourOfDay: { hour: "numeric" },
  month: { month: "long", year: "numeric" },
  monthAndYear: { month: "short", year: "numeric" },
  time: { timeStyle: "short" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type DateStyle = keyof typeof FORMATS;

/** Formats are cached, because creating one takes milliseconds. */
const formatsCache = new Map<string, Intl.DateTimeFormat>();

/** @param timestamp  ISO 8601, as the API writes it */
export function formatDate(timestamp: string): string {
  return formatIn("date", timestamp);
}

export function formatDateTime(timestamp: string, zone?: string): string {
  return formatIn("dateTime", timestamp, zone);
}

export function formatDateTimeRange(from: string, to: string, zone: string): string {
  return formatFor("dateTimeToMinute", zone).formatRange(new Date(from), new Date(to));
}

/** Days alone, if the period begins with one: that it ends now or at midnight says little. */
export function formatPeriod(from: string, to: string, zone: string): string {
  const start = Date.parse(from);
  const beginsDay = (start + offsetAt(zone, start)) % DAY_MS === 0;
  return beginsDay
    ? formatFor("date", zone).formatRange(start, Date.parse(to) - 1)
    : formatDateTimeRange(from, to, zone);
}

/** Returns anything that is not a timestamp unchanged. */
export function formatIn(style: DateStyle, timestamp: string, zone?: string): string {
  const at = Date.parse(timestamp);
  return Number.isNaN(at) ? timestamp : formatFor(style, zone).format(at);
}

/** A full hour of the day, from 0 to 23. */
export function formatHourOfDay(hour: number): string {
  return formatFor("hourOfDay", "UTC").format(Date.UTC(2024, 0, 1, hour));
}

/** @param day  0 is Monday */
export function formatWeekday(day: number, style: "short" | "long"): string {
  return new Intl.DateTimeFormat(undefined, { weekday: style, timeZone: "UTC" }).format(Date.UTC(2024, 0, 1 + day));
}

function formatFor(style: DateStyle, zone = browserTimeZone()): Intl.DateTimeFormat {
  const key = `${style} ${zone}`;
  let format = formatsCache.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(undefined, { ...FORMATS[style], timeZone: zone });
    formatsCache.set(key, format);
  }
  return format;
}
