/** Labels of a series' bins for the axis and the tooltip, in a time zone. Pure. */
import type { Interval } from "../../../../core/clicks/groupings.ts";

const AXIS_FORMATS: Record<Interval, Intl.DateTimeFormatOptions> = {
  minute: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { day: "numeric", month: "short" },
  week: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
};

const TITLE_FORMATS: Record<Interval, Intl.DateTimeFormatOptions> = {
  minute: { dateStyle: "medium", timeStyle: "short" },
  hour: { dateStyle: "medium", timeStyle: "short" },
  day: { dateStyle: "full" },
  week: { dateStyle: "medium" },
  month: { month: "long", year: "numeric" },
};

export function binLabel(start: string, interval: Interval, zone: string): string {
  return formatStart(start, AXIS_FORMATS[interval], zone);
}

export function binTitle(start: string, interval: Interval, zone: string): string {
  const title = formatStart(start, TITLE_FORMATS[interval], zone);
  return interval === "week" ? `Week of ${title}` : title;
}

function formatStart(start: string, options: Intl.DateTimeFormatOptions, zone: string): string {
  const at = Date.parse(start);
  return Number.isNaN(at) ? start : new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone }).format(at);
}
