import type { z as Zod } from "zod";

import { boundedMemo } from "./memory/caches.ts";

/** Units of time, in milliseconds. A day is 24 hours: calendar days are in `clicks/calendar.ts`. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The day in UTC, counted from 1970. @param at  epoch ms */
export function utcDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

/** The first of some times; null if none is set. */
export function earliest(times: readonly (number | null)[]): number | null {
  const set = times.filter((at) => at !== null);
  return set.length === 0 ? null : Math.min(...set);
}

/** Timestamps as text: RFC 3339 in, ISO 8601 in UTC with milliseconds out. Pure. */

const RFC_3339_PATTERN =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** Whether a text is an RFC 3339 date-time with an existing day, whose year has four digits in UTC as well. */
export function isTimestamp(text: string): boolean {
  const [, day] = RFC_3339_PATTERN.exec(text) ?? [];
  const midnight = day === undefined ? NaN : Date.parse(day);
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(midnight) || !timestamp(midnight).startsWith(`${day}T`)) return false;
  return /^\d{4}-/.test(timestamp(Date.parse(text)));
}

export function timestampSchema(z: Pick<typeof Zod, "string">) {
  return z
    .string()
    .refine(isTimestamp, "must be an RFC 3339 time with seconds and an offset or Z, such as 2026-12-31T23:59:59Z")
    .meta({ format: "date-time" });
}

export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

export function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}

/**
 * Converts instants to local time in IANA zones and back, with the runtime's zone data (Intl). Instants are epoch ms. A
 * "local" number is a wall clock's reading, encoded as if it were UTC. Pure: never reads the clock.
 */

/**
 * Offsets change only on the quarter hour, so one cached offset is valid for a quarter. (The last exception, in 2022,
 * was a station in Antarctica.)
 */
const QUARTER_HOUR_MS = 15 * MINUTE_MS;
const OFFSETS_CACHE_MAX_ENTRIES = 20_000;

/**
 * Per generation, of which there are two. Each format takes about 50 kB outside the heap, and callers can name 600
 * zones.
 */
const FORMATS_CACHE_MAX_ENTRIES = 32;

const offsetsCache = new Map<string, number>();

/**
 * More than the existing zones: a body may name 100 in each of many links, and Intl needs 0.15 ms for one not yet
 * cached.
 */
const ZONES_CACHE_MAX_ENTRIES = 1_024;

/** A zone as Intl writes it, by its name in lower case; null if Intl does not know it. */
const writtenZone = boundedMemo(ZONES_CACHE_MAX_ENTRIES, (name): string | null => {
  try {
    return formatFor(name).resolvedOptions().timeZone;
  } catch {
    return null;
  }
});

/**
 * Whether the runtime knows `name` as an IANA zone. Bare offsets such as `+02:00` are not zones. Texts that cannot be
 * names are not cached, because callers choose them.
 */
export function isTimeZone(name: string): boolean {
  return /^[A-Za-z][\w+\-/]{0,99}$/.test(name) && writtenZone(name.toLowerCase()) !== null;
}

/** The zone's name in IANA's capitalization. Aliases and unknown names are returned unchanged. */
export function canonicalTimeZone(name: string): string {
  const written = isTimeZone(name) ? writtenZone(name.toLowerCase()) : null;
  return written?.toLowerCase() === name.toLowerCase() ? written : name;
}

/** Local time minus UTC at the instant `at`, in ms. */
export function offsetAt(zone: string, at: number): number {
  if (zone === "UTC") return 0;
  const quarter = Math.floor(at / QUARTER_HOUR_MS);
  const key = `${zone}@${quarter}`;
  let offset = offsetsCache.get(key);
  if (offset === undefined) {
    offset = readOffset(zone, quarter * QUARTER_HOUR_MS);
    if (offsetsCache.size >= OFFSETS_CACHE_MAX_ENTRIES) offsetsCache.clear();
    offsetsCache.set(key, offset);
  }
  return offset;
}

/**
 * The first instant at which a wall clock in `zone` shows `local`. A local time that a clock change skips is later by the
 * length of the gap: a day whose midnight is skipped begins at the change.
 */
export function localToInstant(zone: string, local: number): number {
  const before = local - offsetAt(zone, local - DAY_MS);
  const after = local - offsetAt(zone, local + DAY_MS);
  const shown = [Math.min(before, after), Math.max(before, after)].filter((at) => at + offsetAt(zone, at) === local);
  return shown[0] ?? Math.max(before, after);
}

export interface WallClock {
  /** Day of the week; 0 is Monday. */
  day: number;
  /** Minute of the day. */
  minute: number;
}

/** The reading of a wall clock in `zone`. */
export function wallClock(zone: string, at: number): WallClock {
  return clockAt(at + offsetAt(zone, at));
}

/** The wall clock's reading at a local time. */
export function clockAt(local: number): WallClock {
  const minutes = Math.floor(local / MINUTE_MS);
  const day = Math.floor(minutes / 1440);
  // 1 January 1970 was a Thursday.
  return { day: (((day + 3) % 7) + 7) % 7, minute: minutes - day * 1440 };
}

function readOffset(zone: string, at: number): number {
  const part: Record<string, number> = {};
  // Callers choose the capitalization; without folding, one zone could fill the cache in thousands of spellings.
  for (const { type, value } of formatFor(zone.toLowerCase()).formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; setUTCFullYear does not.
  return new Date(0).setUTCFullYear(year, month - 1, day) + Date.UTC(1970, 0, 1, hour, minute, second) - at;
}

const formatFor = boundedMemo(FORMATS_CACHE_MAX_ENTRIES, (timeZone) => {
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
});
