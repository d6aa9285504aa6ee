/** Times as people type them. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/durations.ts";
import { usageFailure } from "./failure.ts";

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** What `--help` says of it. */
export const TIME_SYNTAX = "2026-12-24, 2026-12-24T18:00, with an offset or Z, or";

/** `30d` is thirty days ago. @returns ISO 8601 @throws Failure */
export function pastTime(text: string, now: number): string {
  return instant(text, now, -1);
}

/** `30d` is in thirty days. */
export function comingTime(text: string, now: number): string {
  return instant(text, now, 1);
}

function instant(text: string, now: number, direction: 1 | -1): string {
  const [, amount, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const at = amount === undefined ? writtenTime(text) : now + direction * Number(amount) * (UNITS[unit] ?? 0);
  if (!Number.isNaN(new Date(at).getTime())) return new Date(at).toISOString();
  throw usageFailure(
    `“${text}” is no time`,
    "Write 2026-12-24, 2026-12-24T18:00, 2026-12-24T18:00:00Z, or 30m, 12h, 7d, 4w.",
  );
}

const WRITTEN = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/** Without an offset in the time zone of the machine, where a day alone is its beginning. */
function writtenTime(text: string): number {
  const [, day, time = "00:00", seconds = ":00", offset = ""] = WRITTEN.exec(text) ?? [];
  // Date.parse reads 30 February as 2 March.
  if (day === undefined || !isDay(day)) return Number.NaN;
  return Date.parse(`${day}T${time}${seconds}${offset.toUpperCase()}`);
}

function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
