/**
 * Requests and results of statistics, between the API and a link's object. Pure. Ranges are half-open `[from, to)` in
 * epoch ms, exact to the millisecond.
 */
import { CLICK_FIELDS } from "./click-formats.ts";
import type { StoredField } from "./facts.ts";
import type { Filter } from "./filters.ts";
import { type Grouping, GROUPING_RULES, type Interval, OTHER_KEY, type RouteKeysLookup } from "./groupings.ts";
import { addClicks, type Bucket, type ClickCount, type Tally } from "./tally.ts";

export interface StatsRequest {
  groupBy: Grouping;
  from: number;
  /** Null means now. */
  to: number | null;
  interval: Interval | null;
  timezone: string;
  includeBots: boolean;
  /** All must hold. Left out without filters. */
  filters?: Filter[];
  /** Whether unique visitors are counted. */
  uniques?: boolean;
}

export interface StatsData {
  total: number;
  buckets: (Bucket & Partial<Uniques>)[];
  series: ({ start: number; clicks: number } & Partial<Uniques>)[];
  to: number;
  /** Left out where it was not asked for, here and in buckets and series. */
  uniqueVisitors?: number;
}

interface Uniques {
  uniqueVisitors: number;
}

/** Whether summaries cannot tell the answer. */
export function needsScan({ filters = [], uniques = false }: StatsRequest): boolean {
  return filters.length > 0 || uniques;
}

/** Whether this release knows all groupings of a request; its caller may run a later one. */
export function knowsGroupings({
  groupBy,
  filters = [],
}: Pick<StatsRequest, "filters"> & { groupBy?: Grouping }): boolean {
  const groupings = filters.map(({ grouping }) => grouping);
  if (groupBy !== undefined) groupings.push(groupBy);
  return groupings.every((name) => Object.hasOwn(GROUPING_RULES, name));
}

/** The fields by which clicks are counted: columns of a summary, in this order. */
export const STORED_FIELDS: readonly StoredField[] = CLICK_FIELDS.filter(
  (field) => field !== "class" && field !== "query",
).map((field) => (field === "rule" ? "route" : field));

/**
 * Limit of the keys' characters in one response: 500 of the longest destinations. A rule may have 50,000 characters,
 * and each change of a link adds rules.
 */
export const KEYS_MAX_CHARS = 4 * 1024 * 1024;

/** Counts by the keys of a grouping. Keys that do not fit the response are counted as `other`. */
export function tallyByKey(stored: Tally, groupBy: Grouping, routes: RouteKeysLookup): Tally {
  const { field, key } = GROUPING_RULES[groupBy];
  const tally: Tally = new Map();
  let chars = 0;
  for (const [value, { human, nonHuman }] of field === "route" ? mostClickedFirst(stored) : stored) {
    const statsKey = chars < KEYS_MAX_CHARS ? key(value, routes) : OTHER_KEY;
    if (!tally.has(statsKey)) chars += statsKey.length;
    addClicks(tally, statsKey, human, nonHuman);
  }
  return tally;
}

function mostClickedFirst(tally: Tally): [string, ClickCount][] {
  return [...tally].sort(([, a], [, b]) => b.human + b.nonHuman - a.human - a.nonHuman);
}
