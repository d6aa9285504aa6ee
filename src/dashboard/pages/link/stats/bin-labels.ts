/** Labels of a series' bins for the axis and the tooltip, in a time zone. */
import type { Interval } from "../../../../core/clicks/groupings.ts";
import { type DateStyle, formatIn } from "../../../formatting/dates.ts";
import { statsTexts } from "../../../texts/stats.ts";

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
