/**
 * The parameters of the statistics, as one object and as the query of the page's address: reload, Back and a shared
 * address show the same. The filters are named after the groupings, each with one or more values.
 */
import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";

import {
  ACCOUNT_GROUPINGS,
  type AccountGrouping,
  GROUPINGS,
  type Interval,
  INTERVALS,
} from "../../../../core/clicks/counting/groupings.ts";
import { FILTER_VALUES_MAX, FILTERS_MAX_CHARS } from "../../../../core/limits.ts";
import { isTimeZone } from "../../../../core/time.ts";
import { browserTimeZone } from "../../../formatting/dates.ts";
import {
  type ComparedPeriod,
  COMPARISONS,
  DEFAULT_RANGES,
  parseRange,
  type RangePreset,
  type TimeRange,
} from "./time-range.ts";

/** The values of a grouping are alternatives; all groupings must match. */
export type StatsFilters = Partial<Record<AccountGrouping, readonly string[]>> & {
  /** The groupings of which no value may match. */
  exclude?: readonly AccountGrouping[];
};

/** The values allowed in a page's address, and its defaults. */
interface StatsScope {
  groupings: readonly AccountGrouping[];
  range: RangePreset;
}

export const LINK_SCOPE: StatsScope = { groupings: GROUPINGS, range: DEFAULT_RANGES.link };
export const ACCOUNT_SCOPE: StatsScope = { groupings: ACCOUNT_GROUPINGS, range: DEFAULT_RANGES.account };

/**
 * The cards, by their parameter, whose value is the grouping that is shown.
 * @internal
 */
export const CARDS = ["links", "places", "sources", "devices", "campaigns", "routing"] as const;
export type Card = (typeof CARDS)[number];

export interface StatsParams {
  range: TimeRange;
  /** Null: selected to suit the range. */
  interval: Interval | null;
  zone: string;
  includeBots: boolean;
  /** What is shown beside the range. */
  comparison: ComparedPeriod | null;
  filters: StatsFilters;
  /** For cards that do not show their first grouping. */
  cards: Partial<Record<Card, AccountGrouping>>;
}

/**
 * Missing or invalid parameters get the default.
 * @internal
 */
export function parseStatsParams(search: URLSearchParams, browserZone: string, scope = LINK_SCOPE): StatsParams {
  const zone = search.get("tz") ?? "";
  return {
    range: parseRange(search, scope.range),
    interval: INTERVALS.find((interval) => interval === search.get("interval")) ?? null,
    zone: isTimeZone(zone) ? zone : browserZone,
    includeBots: search.get("bots") === "true",
    comparison: COMPARISONS.find((comparison) => comparison === search.get("compare")) ?? null,
    filters: parseFilters(search, scope),
    cards: Object.fromEntries(
      CARDS.flatMap((card) => {
        const grouping = scope.groupings.find((one) => one === search.get(card));
        return grouping ? [[card, grouping]] : [];
      }),
    ),
  };
}

/**
 * The query with these parameters; those of the page's other parts stay as they are.
 * @internal
 */
export function writeStatsParams(
  search: URLSearchParams,
  params: StatsParams,
  browserZone: string,
  scope = LINK_SCOPE,
): URLSearchParams {
  const written = new URLSearchParams(search);
  for (const name of OWN_NAMES) written.delete(name);
  const { range, interval, zone, includeBots, comparison, filters, cards } = params;
  const set = (name: string, value: string | false | null | undefined) => value && written.set(name, value);
  set("range", range.kind === "preset" && range.preset !== scope.range && range.preset);
  set("from", range.kind === "days" && range.first);
  set("to", range.kind === "days" && range.last);
  set("interval", interval);
  // Days depend on a zone: everyone who opens the address sees the same ones.
  set("tz", (zone !== browserZone || range.kind === "days") && zone);
  set("bots", includeBots && "true");
  set("compare", comparison);
  for (const grouping of scope.groupings) for (const value of filters[grouping] ?? []) written.append(grouping, value);
  for (const grouping of filters.exclude ?? []) written.append("exclude", grouping);
  for (const card of CARDS) set(card, cards[card]);
  return written;
}

export function hasFilters(filters: StatsFilters): boolean {
  return Object.keys(filters).length > 0;
}

/** Whether clicks with the filter's values are left out. */
export function isExcluded({ exclude = [] }: StatsFilters, grouping: AccountGrouping): boolean {
  return exclude.includes(grouping);
}

/** Whether a click matches. @param keyOf  its key in a grouping */
export function matchesFilters(
  { exclude = [], ...included }: StatsFilters,
  keyOf: (grouping: AccountGrouping) => string,
): boolean {
  const groupings = Object.keys(included) as (keyof typeof included)[];
  return groupings.every((one) => included[one]?.includes(keyOf(one)) !== exclude.includes(one));
}

/** Replaces the filter of a grouping; without values, removes it. */
export function withFilter(
  filters: StatsFilters,
  grouping: AccountGrouping,
  values: readonly string[],
  isNegated = isExcluded(filters, grouping),
): StatsFilters {
  const { [grouping]: _, exclude = [], ...others } = filters;
  const excluded = exclude.filter((one) => one !== grouping);
  if (isNegated && values.length > 0) excluded.push(grouping);
  return {
    ...others,
    ...(values.length > 0 ? { [grouping]: values } : {}),
    ...(excluded.length > 0 ? { exclude: excluded } : {}),
  };
}

/** Adds a value, or removes it. */
export function toggleFilter(filters: StatsFilters, grouping: AccountGrouping, value: string): StatsFilters {
  const values = filters[grouping] ?? [];
  const changed = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return withFilter(filters, grouping, changed);
}

const VIEW_NAMES = ["range", "from", "to", "interval", "tz", "bots", "compare", "exclude"];
const OWN_NAMES = [...VIEW_NAMES, ...ACCOUNT_GROUPINGS, ...CARDS];

/** At most as many as a request may have. */
function parseFilters(search: URLSearchParams, { groupings }: StatsScope): StatsFilters {
  const filters: StatsFilters = {};
  let chars = 0;
  for (const grouping of groupings) {
    const values = [...new Set(search.getAll(grouping))].filter((value) => {
      const sentChars = 2 * value.length + 1;
      if (value === "" || chars + sentChars > FILTERS_MAX_CHARS) return false;
      chars += sentChars;
      return true;
    });
    if (values.length > 0) filters[grouping] = values.slice(0, FILTER_VALUES_MAX);
  }
  const exclude = groupings.filter((one) => filters[one] && search.getAll("exclude").includes(one));
  return exclude.length > 0 ? { ...filters, exclude } : filters;
}

export type ChangeStatsParams = (changes: Partial<StatsParams>) => void;

/** The parameters of the statistics, kept in the page's address. Each change adds a step to the browser's history. */
export function useStatsParams(scope: StatsScope): [StatsParams, ChangeStatsParams] {
  const [search, setSearch] = useSearchParams();
  const text = search.toString();
  // The search object is new at each render; the parameters change only with the address.
  const params = useMemo(() => parseStatsParams(new URLSearchParams(text), browserTimeZone(), scope), [text, scope]);
  const change: ChangeStatsParams = useCallback(
    (changes) =>
      setSearch((current) => {
        const changed = { ...parseStatsParams(current, browserTimeZone(), scope), ...changes };
        return writeStatsParams(current, changed, browserTimeZone(), scope);
      }),
    [setSearch, scope],
  );
  return [params, change];
}
