/**
 * Formats dates and times in the browser's language and hour format, and in its chosen time zone unless a page has its
 * own.
 */
import { once } from "../../core/memory/caches.ts";
import { DAY_MS, isTimeZone, localToInstant, offsetAt, timestamp } from "../../core/time.ts";

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

/**
 * The time zone in which this browser shows dates: its own, or another that its user has chosen. It is read when it is
 * needed: the first use of `Intl` takes a phone longer than all code before the first paint.
 */

const STORAGE_KEY = "hoplink-time-zone";

export const systemTimeZone: () => string = once(() => new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC");

/** Null if the user has chosen none, or the browser does not support it any more. */
export function chosenTimeZone(): string | null {
  const zone = typeof localStorage === "undefined" ? null : localStorage.getItem(STORAGE_KEY);
  return zone !== null && isTimeZone(zone) ? zone : null;
}

/** Pages read the zone when they are loaded. @param zone  null for the browser's own */
export function chooseTimeZone(zone: string | null): void {
  if (zone === null) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, zone);
}

export const browserTimeZone: () => string = once(() => chosenTimeZone() ?? systemTimeZone());

/** The chosen one first. Some browsers do not list UTC. */
export const timeZoneOptions: () => string[] = once(() => [
  ...new Set([browserTimeZone(), systemTimeZone(), "UTC", ...Intl.supportedValuesOf("timeZone")]),
]);

/** The value of a `datetime-local` input: the wall clock of a time zone. @param instant  RFC 3339, or empty */
export function toDatetimeLocal(instant: string, zone: string): string {
  const at = Date.parse(instant);
  return Number.isNaN(at) ? "" : timestamp(at + offsetAt(zone, at)).slice(0, 19);
}

/**
 * @param shown  the instant that the input showed at first. It stays unless the input was edited: an hour that occurs
 *   twice, when clocks go back, would become the first one
 * @returns RFC 3339 in UTC; empty if the input is empty or incomplete
 */
export function fromDatetimeLocal(text: string, zone: string, shown = ""): string {
  if (text === toDatetimeLocal(shown, zone)) return shown;
  const local = Date.parse(`${text}Z`);
  return Number.isNaN(local) ? "" : timestamp(localToInstant(zone, local));
}
