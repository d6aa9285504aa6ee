/**
 * Bins of a time series by the calendar of an IANA zone: a day of 23 or 25 hours is one day.
 * Times are epoch ms, UTC. Pure.
 */
import type { Interval } from "./groupings.ts";
import { instantOf, offsetAt } from "./time-zone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Where each bin of the half-open range begins: the first holds `from`, so it may begin before it.
 * @returns ascending starts; null when there would be more than `max`
 */
export function binStarts(interval: Interval, zone: string, from: number, to: number, max: number): number[] | null {
  const starts: number[] = [];
  for (let start = binStart(interval, zone, from); from < to && start < to; start = nextBin(interval, zone, start)) {
    if (starts.length === max) return null;
    starts.push(start);
  }
  return starts;
}

/** Index of the bin that holds `at`, or -1 before the first. */
export function binOf(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function binStart(interval: Interval, zone: string, at: number): number {
  if (interval === "minute") return at - modulo(at, MINUTE_MS);
  const local = at + offsetAt(zone, at);
  if (interval === "hour") return at - modulo(local, HOUR_MS);
  return instantOf(zone, localStart(interval, local));
}

function nextBin(interval: Interval, zone: string, start: number): number {
  if (interval === "minute") return start + MINUTE_MS;
  // A bin of a clock change by half an hour is cut short there, after which hours are whole again.
  if (interval === "hour") return start + HOUR_MS - modulo(start + offsetAt(zone, start), HOUR_MS);
  const local = localStart(interval, start + offsetAt(zone, start));
  return instantOf(zone, localNext(interval, local));
}

/** Local midnight on which the day, week or month of a local time began. */
function localStart(interval: "day" | "week" | "month", local: number): number {
  const midnight = local - modulo(local, DAY_MS);
  if (interval === "day") return midnight;
  const date = new Date(midnight);
  if (interval === "week") return midnight - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function localNext(interval: "day" | "week" | "month", local: number): number {
  if (interval !== "month") return local + (interval === "day" ? 1 : 7) * DAY_MS;
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function modulo(value: number, unit: number): number {
  return ((value % unit) + unit) % unit;
}
