/** Grouped statistics of a link. */
import { z } from "zod";

import { BUCKETS_MAX, GROUPINGS, INTERVALS } from "../clicks/counting/groupings.ts";
import { figure } from "../limits.ts";
import { isTimeZone } from "../time-zone.ts";
import { filtersFit, filterParameters } from "./filters.ts";
import { FROM_EXAMPLE, TimestampIn, TimestampOut, TO_EXAMPLE } from "./primitives.ts";

export const IncludeBots = z
  .enum(["true", "false"])
  .default("false")
  .meta({ description: "Adds declared bots and prefetches to people." });

/** All but the filters and what the buckets stand for. */
export const STATS_PARAMETERS = {
  to: TimestampIn.optional().meta({ description: "First instant not counted; now when omitted.", ...TO_EXAMPLE }),
  interval: z
    .enum(INTERVALS)
    .optional()
    .meta({ description: "Asks for a series. Weeks begin on Monday.", examples: ["day"] }),
  timezone: z
    .string()
    .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin")
    .default("UTC")
    .meta({ description: "IANA zone of the series' bins." }),
  include_bots: IncludeBots,
  include: z
    .enum(["uniques"])
    .optional()
    .meta({ description: "Adds `unique_visitors` to the response, its buckets and its series." }),
};

export function groupByParameter<Name extends string>(groupings: readonly Name[]) {
  return z.enum(groupings).meta({ description: "What the buckets stand for.", examples: ["country"] });
}

export const StatsQuery = z
  .strictObject({
    group_by: groupByParameter(GROUPINGS).default("country"),
    from: TimestampIn.optional().meta({
      description: "First instant counted; the link's `created_at` when omitted.",
      ...FROM_EXAMPLE,
    }),
    ...STATS_PARAMETERS,
    ...filterParameters(GROUPINGS),
  })
  .superRefine(filtersFit(GROUPINGS));

export type StatsQuery = z.infer<typeof StatsQuery>;

const UniqueVisitors = z.int().optional().meta({
  description: "With `include=uniques`: visitors among these clicks, each counted once a UTC day.",
});

export const STATS_EXAMPLE = {
  total: 3,
  group_by: "country",
  buckets: [
    { key: "DE", clicks: 2 },
    { key: "US", clicks: 1 },
  ],
  interval: "day",
  series: [{ start: "2026-11-21T00:00:00.000Z", clicks: 3 }],
  from: "2026-11-21T09:00:00.000Z",
  to: "2026-11-21T18:00:00.000Z",
};

export const Stats = z
  .strictObject({
    total: z.int(),
    unique_visitors: UniqueVisitors,
    group_by: z.string(),
    buckets: z.array(z.strictObject({ key: z.string(), clicks: z.int(), unique_visitors: UniqueVisitors })).meta({
      description: `By clicks, most first, then by key. After ${figure(BUCKETS_MAX)} the rest is added up as \`other\`.`,
    }),
    interval: z.string().nullable(),
    series: z.array(z.strictObject({ start: TimestampOut, clicks: z.int(), unique_visitors: UniqueVisitors })).meta({
      description:
        "One for each interval of the range, zeros included. `start` is where the interval begins by the calendar.",
    }),
    from: TimestampOut,
    to: TimestampOut,
  })
  .meta({
    id: "Stats",
    examples: [STATS_EXAMPLE],
  });

export type Stats = z.infer<typeof Stats>;
