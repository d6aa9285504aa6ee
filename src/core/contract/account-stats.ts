/** Statistics of all links of an account and mode. */
import { z } from "zod";

import { ACCOUNT_GROUPINGS } from "../clicks/account-stats.ts";
import { ACCOUNT_FILTERS } from "./account-filters.ts";
import { filtersFit, filterParameters } from "./filters.ts";
import { groupByParameter, Stats, STATS_EXAMPLE, STATS_PARAMETERS } from "./stats.ts";
import { FROM_EXAMPLE, TimestampIn, TimestampOut } from "./timestamps.ts";

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
