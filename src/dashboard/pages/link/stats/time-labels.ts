/** Texts for time ranges, and for a series' bins on the axis and in the tooltip. */
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import { type DateStyle, formatIn } from "../../../formatting/dates.ts";
import { statsTexts } from "../../../texts/stats.ts";
import type { TimeRange } from "./time-range.ts";

const BIN_STYLES: Record<Interval, { axis: DateStyle[]; title: DateStyle }> = {
  minute: { axis: ["time"], title: "dateTimeToMinute" },
  // One format of both would write the hour with one digit, unlike all other times.
  hour: { axis: ["dayAndMonth", "time"], title: "dateTimeToMinute" },
  day: { axis: ["dayAndMonth"], title: "fullDate" },
  week: { axis: ["dayAndMonth"], title: "date" },
  month: { axis: ["monthAndYear"], title: "month" },
};

export function binLabel(start: string, interval: Interval, zone: string): string {
  return BIN_STYLES[interval].axis.map((style) => formatIn(style, start, zone)).join(", ");
}

export function binTitle(start: string, interval: Interval, zone: string): string {
  const title = formatIn(BIN_STYLES[interval].title, start, zone);
  return interval === "week" ? statsTexts.weekOf(title) : title;
}

/** A range of the statistics in words. */
export function rangeName(range: TimeRange): string {
  if (range.kind === "preset") return statsTexts.ranges[range.preset];
  return [range.first, range.last].map((day) => formatIn("date", day, "UTC")).join(" – ");
}
