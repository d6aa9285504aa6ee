/** A range of the statistics in words. */
import { formatIn } from "../../../formatting/dates.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import type { TimeRange } from "./time-range.ts";

export function rangeName(range: TimeRange): string {
  if (range.kind === "preset") return texts.ranges[range.preset];
  return [range.first, range.last].map((day) => formatIn("date", day, "UTC")).join(" – ");
}
