/**
 * What a shared page shows of statistics: no number that a few visitors make up. Groups of the same range are counted up
 * to an instant that advances only after as many further clicks, so that two views differ by that many, too. Pure.
 */
import { DAY_MS, localToInstant } from "../../time.ts";
import { type Grouping, GROUPINGS, type Interval, OTHER_KEY } from "./groupings.ts";

/** Keys of the others are ids, numbers or addresses, which a page without the account cannot explain. */
const NOT_SHARED: readonly Grouping[] = ["qr", "revision", "imported", "address"];
export const SHARE_GROUPINGS = GROUPINGS.filter((grouping) => !NOT_SHARED.includes(grouping));

/** Clicks of the smallest group, and by which the counted clicks grow. */
export const SHARED_CLICKS_MIN = 5;
/** Groups listed by key. */
const SHARED_GROUPS_MAX = 100;

interface Group {
  key: string;
  clicks: number;
}

/**
 * Adds small groups to `other`, and then the smallest of the rest until `other` is not small itself: the total would
 * reveal it.
 * @param groups  most clicks first
 */
export function sharedGroups(groups: readonly Group[]): Group[] {
  const shown = groups.filter(({ key, clicks }) => key !== OTHER_KEY && clicks >= SHARED_CLICKS_MIN);
  shown.splice(SHARED_GROUPS_MAX);
  const sum = (some: readonly Group[]) => some.reduce((clicks, group) => clicks + group.clicks, 0);
  let other = sum(groups) - sum(shown);
  while (other > 0 && other < SHARED_CLICKS_MIN && shown.length > 0) other += shown.pop()?.clicks ?? 0;
  return other > 0 ? [...shown, { key: OTHER_KEY, clicks: other }] : shown;
}

/** Whole days of a time zone, `YYYY-MM-DD`. Null: from the beginning, or until now. */
export interface SharedDays {
  first: string | null;
  last: string | null;
  timezone: string;
}

/**
 * Epoch ms; null as in the days. The first day is fixed: if it moved from day to day, two views would reveal the clicks
 * of one.
 */
export function sharedBounds({ first, last, timezone }: SharedDays): { from: number | null; to: number | null } {
  return {
    from: first === null ? null : localToInstant(timezone, Date.parse(first)),
    to: last === null ? null : localToInstant(timezone, Date.parse(last) + DAY_MS),
  };
}

/** Never shorter than a day. */
export function sharedInterval(from: number, to: number): Interval {
  if (to - from <= 120 * DAY_MS) return "day";
  return to - from <= 2 * 366 * DAY_MS ? "week" : "month";
}
