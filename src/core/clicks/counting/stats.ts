/**
 * Requests and results of statistics, between the API and the objects with the click logs. Pure. Ranges are half-open
 * `[from, to)` in epoch ms, exact to the millisecond.
 */
import type { Problem } from "../../errors.ts";
import { CLICK_FIELDS } from "../encoding/click-formats.ts";
import type { StoredField } from "../facts.ts";
import type { Filter } from "./filters.ts";
import {
  type AccountGrouping,
  BUCKETS_MAX,
  type Grouping,
  GROUPING_RULES,
  type GroupingKeys,
  type Interval,
  OTHER_KEY,
} from "./groupings.ts";
import { addClicks, type Bucket, type TextTally, UNLISTED_KEY, type ValueCount } from "./tally.ts";

export interface StatsRequest<G extends AccountGrouping = Grouping> {
  groupBy: G;
  from: number;
  /** Whether the range begins with the first click if that is before `from`. */
  sinceFirst?: boolean;
  /** Null means now. */
  to: number | null;
  interval: Interval | null;
  timezone: string;
  includeBots: boolean;
  /** All filters must match. Omitted if there are none. */
  filters?: Filter<G>[];
  /** Whether unique visitors are counted. */
  uniques?: boolean;
}

export type AccountStatsRequest = StatsRequest<AccountGrouping>;

export interface StatsData extends Uniques {
  total: number;
  buckets: (Bucket & Uniques)[];
  series: ({ start: number; clicks: number } & Uniques)[];
  /** Omitted if it is that of the request. */
  from?: number;
  to: number;
}

interface Uniques {
  /** Omitted if not requested. */
  uniqueVisitors?: number;
}

/** Whether summaries cannot provide the result. */
export function needsScan({ filters, uniques }: Pick<AccountStatsRequest, "filters" | "uniques">): boolean {
  return uniques === true || (filters !== undefined && filters.length > 0);
}

/** Whether this release knows all groupings of a request. The caller may run a later release. */
export function knowsGroupings({ groupBy, filters = [] }: Partial<Pick<StatsRequest, "filters" | "groupBy">>): boolean {
  const groupings = filters.map(({ grouping }) => grouping);
  if (groupBy !== undefined) groupings.push(groupBy);
  return groupings.every((name) => Object.hasOwn(GROUPING_RULES, name));
}

/** The fields by which clicks of a link are counted: columns of a summary, in this order. */
export const STORED_FIELDS: readonly StoredField[] = CLICK_FIELDS.filter(
  (field) => field !== "class" && field !== "query",
).map((field) => (field === "rule" ? "route" : field));

/**
 * Limit of the keys' characters in one response: 500 of the longest destinations. A rule may have 50,000 characters,
 * and each change of a link adds rules.
 */
export const KEYS_MAX_CHARS = 4 * 1024 * 1024;

/** Counts by the keys of a grouping. Keys that do not fit the response are counted as `other`. */
export function tallyByKey(
  counts: readonly ValueCount[],
  { keysOf, isLong, isOneToOne }: GroupingKeys,
  includeBots: boolean,
): TextTally {
  const least = isOneToOne ? leastListed(counts, includeBots) : 0;
  const tally: TextTally = new Map();
  let chars = 0;
  for (const { value, human, nonHuman } of isLong ? mostClickedFirst(counts) : counts) {
    if (isOneToOne && human + (includeBots ? nonHuman : 0) < least) {
      // Too few clicks to be listed, so the text is not read.
      addClicks(tally, UNLISTED_KEY, human, nonHuman);
      continue;
    }
    for (const key of chars < KEYS_MAX_CHARS ? keysOf(value) : [OTHER_KEY]) {
      if (!tally.has(key)) chars += key.length;
      addClicks(tally, key, human, nonHuman);
    }
  }
  return tally;
}

/** Clicks of the last listed value. Equally clicked values may be listed too, depending on their keys. */
function leastListed(counts: readonly ValueCount[], includeBots: boolean): number {
  const clicks = Float64Array.from(counts, ({ human, nonHuman }) => human + (includeBots ? nonHuman : 0)).sort();
  return clicks.at(-BUCKETS_MAX) ?? 0;
}

function mostClickedFirst(counts: readonly ValueCount[]): ValueCount[] {
  return [...counts].sort((a, b) => b.human + b.nonHuman - a.human - a.nonHuman);
}

/** Details in the message of `range_too_large`. */

const TIMESTAMP = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

/** The earliest allowed start of a range that was too large, epoch ms; null if the problems do not contain one. */
export function earliestStart(problems: readonly Problem[]): number | null {
  const start = problems.find(({ path }) => path === "from")?.message.match(TIMESTAMP)?.[0];
  return start === undefined ? null : Date.parse(start);
}
