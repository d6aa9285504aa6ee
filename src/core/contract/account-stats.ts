/** Statistics of all links of an account and mode, and their filters: those of a link's, and by link, tag and domain. */
import { z } from "zod";

import { ACCOUNT_GROUPINGS, type AccountGrouping, GROUPINGS } from "../clicks/counting/groupings.ts";
import type { AccountFilter } from "../clicks/counting/filters.ts";
import { normalizedDomain } from "../domains/domain-name.ts";
import { TAG_MAX_CHARS } from "../limits.ts";
import { tagKey } from "../links/case-folding.ts";
import { filterParameters, filtersFit, sentFilters } from "./filters.ts";
import { FROM_EXAMPLE, TimestampIn, TimestampOut } from "./primitives.ts";
import { groupByParameter, Stats, STATS_EXAMPLE, STATS_PARAMETERS } from "./stats.ts";

/** The grouping that each filter is by. A link is named by its id, as elsewhere. */
const GROUPING_OF_FILTER = {
  ...(Object.fromEntries(GROUPINGS.map((name) => [name, name])) as { [Name in (typeof GROUPINGS)[number]]: Name }),
  link_id: "link",
  tag: "tag",
  domain: "domain",
} as const satisfies Record<string, AccountGrouping>;

type AccountFilterName = keyof typeof GROUPING_OF_FILTER;
export const ACCOUNT_FILTERS = Object.keys(GROUPING_OF_FILTER) as readonly AccountFilterName[];

/** Left out without filters. */
export function accountFiltersOf(sent: Partial<Record<AccountFilterName, string | undefined>>): {
  filters?: AccountFilter[];
} {
  const filters = sentFilters(ACCOUNT_FILTERS, sent).map(({ grouping: name, values }): AccountFilter => {
    const grouping = GROUPING_OF_FILTER[name];
    return { grouping, values: values.map((value) => storedKey(grouping, value)) };
  });
  return filters.length > 0 ? { filters } : {};
}

/** Tags and domains are found as lists of links find them. Folding what is too long for a tag would take long. */
function storedKey(grouping: AccountGrouping, value: string): string {
  if (grouping === "tag") return value.length > 2 * TAG_MAX_CHARS ? value : tagKey(value);
  return grouping === "domain" ? normalizedDomain(value) : value;
}

/** How far back the range begins where no beginning is sent. */
export const DEFAULT_RANGE_DAYS = 30;

export const AccountStatsQuery = z
  .strictObject({
    group_by: groupByParameter(ACCOUNT_GROUPINGS).default("country"),
    from: TimestampIn.optional().meta({
      description: `First instant counted; ${DEFAULT_RANGE_DAYS} days ago when omitted.`,
      ...FROM_EXAMPLE,
    }),
    ...STATS_PARAMETERS,
    ...filterParameters(ACCOUNT_FILTERS),
  })
  .superRefine(filtersFit(ACCOUNT_FILTERS));

export type AccountStatsQuery = z.infer<typeof AccountStatsQuery>;

export const AccountStats = Stats.extend({
  as_of: TimestampOut.meta({
    description: "Every click of every link before this instant is counted. `to` is never later.",
  }),
  progress: z.number().min(0).max(1).optional().meta({
    description: "While the clicks of the past are read for the first time: how much of them is, from 0 to 1.",
  }),
}).meta({
  id: "AccountStats",
  examples: [{ ...STATS_EXAMPLE, as_of: "2026-11-21T18:00:00.000Z" }],
});

export type AccountStats = z.infer<typeof AccountStats>;
