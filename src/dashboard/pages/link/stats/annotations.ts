/**
 * What happened to a link while clicks were counted: changes from its history that affect where visitors go, and notes.
 * Pure.
 */
import { binStarts } from "../../../../core/clicks/counting/calendar.ts";
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import type { LinkNote } from "../../../../core/contract/dashboard.ts";
import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { historyTexts } from "../../../texts/history.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";

export interface Annotation {
  /** ISO 8601. */
  at: string;
  text: string;
  /** Can be edited and deleted, unlike changes. */
  note?: LinkNote;
}

/** The annotations of a bin, by their numbers in the list below the chart. */
export interface NumberedAnnotation {
  start: string;
  numbers: number[];
}

const SHOWN_MEMBERS = ["url", "routing", "paused", "disabled"] as const;

/** @param revisions  newest first; the creation of the link is no change */
function changesIn(revisions: readonly LinkRevision[]): Annotation[] {
  return revisions.flatMap((revision) => {
    const changed = SHOWN_MEMBERS.filter((member) => revision.changed?.includes(member));
    if (changed.length === 0) return [];
    const names = changed.map((member) => {
      if (member === "url" || member === "routing") return texts.changes[member];
      const { on, off } = historyTexts.flags[member];
      return revision[member] ? on : off;
    });
    return [{ at: revision.changed_at, text: texts.changedIn(names.join(", "), revision.revision) }];
  });
}

export function annotationsOf(revisions: readonly LinkRevision[], notes: readonly LinkNote[]): Annotation[] {
  return [...changesIn(revisions), ...notes.map((note) => ({ at: note.at, text: note.text, note }))];
}

/**
 * Those within a range, oldest first.
 * @param to  epoch ms; a range until now ends later than the statistics that are shown
 */
export function annotationsWithin(annotations: readonly Annotation[], from: string, to: number): Annotation[] {
  return annotations
    .filter(({ at }) => Date.parse(at) >= Date.parse(from) && Date.parse(at) < to)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** The bins of annotations, which are numbered in their order from 1. */
export function annotatedBins(
  annotations: readonly Annotation[],
  series: Stats["series"],
  interval: Interval,
  zone: string,
): NumberedAnnotation[] {
  const last = series.at(-1)?.start;
  if (last === undefined) return [];
  const bins = new Map<string, number[]>();
  for (const [index, { at }] of annotations.entries()) {
    const bin = binAt(Date.parse(at), interval, zone);
    const start = bin < last ? bin : last;
    bins.set(start, [...(bins.get(start) ?? []), index + 1]);
  }
  return [...bins].map(([start, numbers]) => ({ start, numbers }));
}

/** The start of the last bin if the range ends within it; null if all bins are complete. */
export function incompleteBin({ series, to }: Stats, interval: Interval, zone: string): string | null {
  const start = binAt(Date.parse(to), interval, zone);
  return start === to ? null : (series.at(-1)?.start ?? null);
}

function binAt(at: number, interval: Interval, zone: string): string {
  return new Date(binStarts(interval, zone, at, at + 1, 1)?.[0] ?? at).toISOString();
}
