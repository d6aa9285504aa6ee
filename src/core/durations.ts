/** Units of time, in milliseconds. A day is 24 hours: days of a calendar are in `clicks/calendar.ts`. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The day in UTC, counted from 1970. @param at  epoch ms */
export function utcDay(at: number): number {
  return Math.floor(at / DAY_MS);
}
