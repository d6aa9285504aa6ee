/** Texts of time ranges, and of a series' bins for the axis and the tooltip. */
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import { type DateStyle, formatIn } from "../../../formatting/dates.ts";
import { statsTexts } from "../../../texts/stats.ts";
import type { TimeRange } from "./time-range.ts";

const AXIS_STYLES: Record<Interval, DateStyle> = {
  minute: "time",
  hour: "hour",
  day: "dayAndMonth",
  week: "dayAndMonth",
  month: "monthAndYear",
};

const TITLE_STYLES: Record<Interval, DateStyle> = {
  minute: "dateTimeToMinute",
  hour: "dateTimeToMinute",
  day: "fullDate",
  week: "date",
  month: "month",
};

export function binLabel(start: string, interval: Interval, zone: string): string {
  return formatIn(AXIS_STYLES[interval], start, zone);
}

export function binTitle(start: string, interval: Interval, zone: string): string {
  const title = formatIn(TITLE_STYLES[interval], start, zone);
  return interval === "week" ? statsTexts.weekOf(title) : title;
}

/** A range of the statistics in words. */
export function rangeName(range: TimeRange): string {
  if (range.kind === "preset") return statsTexts.ranges[range.preset];
  return [range.first, range.last].map((day) => formatIn("date", day, "UTC")).join(" – ");
}
