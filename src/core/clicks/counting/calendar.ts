/**
 * Bins of a time series in the calendar of an IANA time zone. A day of 23 or 25 hours is one day. Times are epoch ms,
 * UTC. Pure.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, localToInstant, offsetAt } from "../../time.ts";
import type { Interval } from "./groupings.ts";

const QUARTER_HOUR_MS = 15 * MINUTE_MS;

/**
 * Returns the start of each bin of the half-open range. The first bin contains `from`, so it may begin earlier.
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

/**
 * Finds the bin of each click. Clicks must not fall into an earlier bin than the previous click, or before the first
 * bin.
 */
export class BinFinder {
  readonly #starts: readonly number[];
  #bin = 0;

  constructor(starts: readonly number[]) {
    this.#starts = starts;
  }

  /** Returns -1 if the series is empty. */
  indexOf(at: number): number {
    if (this.#starts.length === 0) return -1;
    while ((this.#starts[this.#bin + 1] ?? Infinity) <= at) this.#bin++;
    return this.#bin;
  }
}

/** The start of the bin that contains an instant. */
export function binStart(interval: Interval, zone: string, at: number): number {
  if (interval === "minute") return at - floorMod(at, MINUTE_MS);
  if (interval === "hour") return hourStart(zone, at);
  return localToInstant(zone, localStart(interval, at + offsetAt(zone, at)));
}

/** Start of the local hour, or the clock change within it. */
function hourStart(zone: string, at: number): number {
  const start = at - floorMod(at + offsetAt(zone, at), HOUR_MS);
  return clockChange(zone, start, at) ?? start;
}

/** End of the local hour, or the clock change before it: by half an hour on Lord Howe, at 02:45 on Chatham. */
function hourEnd(zone: string, start: number): number {
  const end = start + HOUR_MS - floorMod(start + offsetAt(zone, start), HOUR_MS);
  return clockChange(zone, start, end - 1) ?? end;
}

/** The clock change after `start` and up to `last`, at most an hour apart; null when there is none. */
function clockChange(zone: string, start: number, last: number): number | null {
  const offset = offsetAt(zone, last);
  if (offsetAt(zone, start) === offset) return null;
  let change = last - floorMod(last, QUARTER_HOUR_MS);
  while (offsetAt(zone, change - 1) === offset) change -= QUARTER_HOUR_MS;
  return change;
}

function nextBin(interval: Interval, zone: string, start: number): number {
  if (interval === "minute") return start + MINUTE_MS;
  if (interval === "hour") return hourEnd(zone, start);
  const local = localStart(interval, start + offsetAt(zone, start));
  return localToInstant(zone, nextLocalStart(interval, local));
}

/** Local midnight at which the day, week or month of a local time began. */
function localStart(interval: "day" | "week" | "month", local: number): number {
  const midnight = local - floorMod(local, DAY_MS);
  if (interval === "day") return midnight;
  const date = new Date(midnight);
  if (interval === "week") return midnight - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return date.setUTCDate(1);
}

function nextLocalStart(interval: "day" | "week" | "month", local: number): number {
  if (interval !== "month") return local + (interval === "day" ? 1 : 7) * DAY_MS;
  const date = new Date(local);
  return date.setUTCMonth(date.getUTCMonth() + 1);
}

function floorMod(value: number, unit: number): number {
  return ((value % unit) + unit) % unit;
}
