/** Parsers of options that several commands share: times, ranges, filters, whole numbers. */
import { type Command, InvalidArgumentError, Option, type OptionValues } from "@commander-js/extra-typings";

import { ACCOUNT_GROUPINGS } from "../../core/clicks/counting/groupings.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { usageFailure } from "./errors.ts";

/** @returns a parser of whole numbers in this range */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number of at least ${least}.`
        : `It must be ${least} to ${most}.`,
    );
  };
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** The format of a time, for `--help`. */
export const TIME_SYNTAX = "2026-12-24, 2026-12-24T18:00 (local, or with Z or an offset)";

/** `30d` means thirty days ago. @returns ISO 8601 @throws Failure */
export function pastTime(text: string, now: number): string {
  return instant(text, now, -1);
}

/** `30d` means in thirty days. */
export function comingTime(text: string, now: number): string {
  return instant(text, now, 1);
}

function instant(text: string, now: number, direction: 1 | -1): string {
  const [, amount, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const at = amount === undefined ? writtenTime(text) : now + direction * Number(amount) * (UNITS[unit] ?? 0);
  if (!Number.isNaN(new Date(at).getTime())) return new Date(at).toISOString();
  throw usageFailure(
    `Invalid time “${text}”`,
    "Use 2026-12-24, 2026-12-24T18:00 or 2026-12-24T18:00:00Z, or a duration such as 30m, 12h, 7d or 4w.",
  );
}

const WRITTEN = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/** Without an offset, the time is in the machine's time zone. A date alone means the start of that day. */
function writtenTime(text: string): number {
  const [, day, time = "00:00", seconds = ":00", offset = ""] = WRITTEN.exec(text) ?? [];
  // Date.parse accepts 30 February as 2 March.
  if (day === undefined || !isDay(day)) return Number.NaN;
  return Date.parse(`${day}T${time}${seconds}${offset.toUpperCase()}`);
}

function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

export interface RangeOptions {
  from?: string | undefined;
  to?: string | undefined;
  filter?: readonly string[] | undefined;
}

export function withRange<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  defaultFrom?: string,
) {
  return command
    .addOption(new Option("--from <TIME>", "Start of the range: a time, or an age such as 12h").default(defaultFrom))
    .option("--to <TIME>", "End of the range (default: now)")
    .option("--filter <NAME=KEYS>", "Only matching clicks: country=DE,AT or device=mobile (repeatable)", collect);
}

/** @returns query parameters @throws Failure */
export function rangeQuery({ from, to, filter = [] }: RangeOptions): Record<string, string> {
  const now = Date.now();
  const filters: Record<string, string> = {};
  for (const [name, keys] of filter.map(parseFilter)) filters[name] = filters[name] ? `${filters[name]},${keys}` : keys;
  return {
    ...filters,
    ...(from !== undefined && { from: pastTime(from, now) }),
    ...(to !== undefined && { to: pastTime(to, now) }),
  };
}

function parseFilter(text: string): [string, string] {
  const [, name = "", keys = ""] = /^(\w+)=(.+)$/su.exec(text) ?? [];
  const known = [...ACCOUNT_GROUPINGS.filter((grouping) => grouping !== "link"), "link_id"];
  if (known.includes(name)) return [name, keys];
  throw usageFailure(`Invalid filter “${text}”`, `Use NAME=KEY or NAME=KEY,KEY. Valid names: ${known.join(", ")}.`);
}
