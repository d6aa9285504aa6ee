/** Clicks by weekday and hour of the day, in a time zone. Pure. */
import { DAY_MS, HOUR_MS } from "../../../../core/durations.ts";
import { offsetAt } from "../../../../core/time-zone.ts";

const WEEKDAYS = 7;
export const HOURS_OF_DAY = 24;

/** A count of clicks from an instant on, epoch ms: the start of an hour by the zone's clock. */
export interface CountAt {
  at: number;
  clicks: number;
}

/** @returns a row for each weekday from Monday, of 24 hours */
export function weekHeat(counts: readonly CountAt[], zone: string): number[][] {
  const heat = Array.from({ length: WEEKDAYS }, () => Array.from({ length: HOURS_OF_DAY }, () => 0));
  for (const { at, clicks } of counts) {
    const local = at + offsetAt(zone, at);
    const row = heat[(Math.floor(local / DAY_MS) + 3) % WEEKDAYS];
    const hour = Math.floor((local % DAY_MS) / HOUR_MS);
    if (row) row[hour] = (row[hour] ?? 0) + clicks;
  }
  return heat;
}
