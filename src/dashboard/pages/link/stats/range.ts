/**
 * Ranges of time that a person picks, as the API wants them: half-open, and without an end where "now" is meant, so that
 * the server's clock decides. Pure: the time and the zone are arguments. Times are epoch ms, UTC.
 */
import type { Interval } from "../../../../core/clicks/groupings.ts";
import { timestamp } from "../../../../core/timestamp.ts";
import { localToInstant, offsetAt } from "../../../../core/time-zone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export type Preset = "hour" | "day" | "week" | "month" | "quarter" | "year" | "all";

/** `days` are whole days of the zone, today among them. */
const PRESETS: Record<Preset, { label: string; span?: number; days?: number }> = {
  hour: { label: "Last hour", span: HOUR_MS },
  day: { label: "Last 24 hours", span: DAY_MS },
  week: { label: "Last 7 days", days: 7 },
  month: { label: "Last 30 days", days: 30 },
  quarter: { label: "Last 90 days", days: 90 },
  year: { label: "Last 12 months", days: 365 },
  all: { label: "All time" },
};

export const PRESET_CHOICES = Object.entries(PRESETS).map(([value, { label }]) => ({ value: value as Preset, label }));

export type Range = { kind: "preset"; preset: Preset } | { kind: "custom"; from: number; to: number };

export interface Bounds {
  /** Null: since the link was made. */
  from: number | null;
  /** Null: until now. */
  to: number | null;
}

export function boundsOf(range: Range, zone: string, now: number): Bounds {
  if (range.kind === "custom") return { from: range.from, to: range.to };
  const preset = PRESETS[range.preset];
  if (preset.span !== undefined) return { from: now - preset.span, to: null };
  if (preset.days !== undefined) return { from: daysAgo(preset.days - 1, zone, now), to: null };
  return { from: null, to: null };
}

/** The parameters of the statistics' range. */
export function rangeQuery({ from, to }: Bounds): { from?: string; to?: string } {
  return {
    ...(from === null ? {} : { from: timestamp(from) }),
    ...(to === null ? {} : { to: timestamp(to) }),
  };
}

/** An interval with bars wide enough to see. */
export function intervalFor(range: Range, createdAt: number, now: number): Interval {
  const { from, to } = boundsOf(range, "UTC", now);
  const span = (to ?? now) - (from ?? createdAt);
  if (span <= 2 * HOUR_MS) return "minute";
  if (span <= 3 * DAY_MS) return "hour";
  if (span <= 120 * DAY_MS) return "day";
  return span <= 2 * 366 * DAY_MS ? "week" : "month";
}

/** Whole days as a calendar shows them (`YYYY-MM-DD`, both included), as instants of a zone. */
export function customRange(firstDay: string, lastDay: string, zone: string): Range {
  return {
    kind: "custom",
    from: localToInstant(zone, Date.parse(firstDay)),
    to: localToInstant(zone, Date.parse(lastDay) + DAY_MS),
  };
}

/** The days of a range in a zone, as a calendar shows them. */
export function daysOf({ from, to }: { from: number; to: number }, zone: string): [string, string] {
  return [dayOf(zone, from), dayOf(zone, to - 1)];
}

function dayOf(zone: string, at: number): string {
  return timestamp(at + offsetAt(zone, at)).slice(0, 10);
}

function daysAgo(days: number, zone: string, now: number): number {
  const local = now + offsetAt(zone, now);
  const midnight = local - (((local % DAY_MS) + DAY_MS) % DAY_MS);
  return localToInstant(zone, midnight - days * DAY_MS);
}
