/** Grouped statistics of a link. */
import * as z from "zod";

import { type AccountFilter, parseFilterValues } from "../clicks/counting/filters.ts";
import {
  BUCKETS_MAX,
  GROUPINGS,
  INTERVALS,
  ACCOUNT_GROUPINGS,
  type AccountGrouping,
} from "../clicks/counting/groupings.ts";
import { normalizedDomain } from "../domains/domain-name.ts";
import { figure, FILTER_VALUES_MAX, FILTERS_MAX_CHARS, TAG_MAX_CHARS } from "../limits.ts";
import { tagKey } from "../links/case-folding.ts";
import { isTimeZone } from "../time.ts";
import { FROM_EXAMPLE, TimestampIn, TimestampOut, TO_EXAMPLE } from "./primitives.ts";

const FilterValues = z
  .string()
  .max(FILTERS_MAX_CHARS)
  .refine((text) => parseFilterValues(text) !== null, {
    error: "must not have a backslash except before a comma or a backslash",
    abort: true,
  })
  .refine((text) => parseFilterValues(text)?.every((value) => value !== ""), "must not have an empty value")
  .refine(
    (text) => (parseFilterValues(text)?.length ?? 0) <= FILTER_VALUES_MAX,
    `must have at most ${FILTER_VALUES_MAX} values`,
  );

/** Schemas of the parameters. */
export function filterParameters<Name extends string>(names: readonly Name[]) {
  const parameters = names.map((name) => [
    name,
    FilterValues.optional().meta({
      description: `Only clicks with this key of the grouping \`${name}\`. Separate alternatives with commas: \`a,b\`. Escape a comma in a key as \`\\,\` and a backslash as \`\\\\\`.`,
    }),
  ]);
  return Object.fromEntries(parameters) as Record<Name, z.ZodOptional<typeof FilterValues>>;
}

type SentFilters<Name extends string> = Partial<Record<Name, string | undefined>>;

/** Checks a query as a whole: it may have a few long filters, or many short ones. */
export function filtersFit<Name extends string>(names: readonly Name[]) {
  return (sent: SentFilters<Name>, context: z.RefinementCtx): void => {
    const filters = names.filter((name) => sent[name] !== undefined);
    const chars = filters.reduce((sum, name) => sum + (sent[name]?.length ?? 0), 0);
    if (chars <= FILTERS_MAX_CHARS) return;
    const message = `and the other filters must together have at most ${figure(FILTERS_MAX_CHARS)} characters`;
    context.addIssue({ code: "custom", path: filters.slice(-1), message });
  };
}

/** Names of filters that are negated, separated by commas. Only the dashboard's API accepts it. */
export function excludedFilters<Name extends string>(names: readonly Name[]) {
  const known: ReadonlySet<string> = new Set(names);
  return z
    .string()
    .refine((text) => text.split(",").every((name) => known.has(name)), "must be names of filters, separated by commas")
    .optional();
}

/** The filters of a validated query. */
export function sentFilters<Name extends string>(
  names: readonly Name[],
  sent: SentFilters<Name> & { exclude?: string | undefined },
): { grouping: Name; values: string[]; isNegated?: true }[] {
  const excluded: readonly string[] = sent.exclude?.split(",") ?? [];
  return names.flatMap((grouping) => {
    const values = parseFilterValues(sent[grouping] ?? "");
    if (sent[grouping] === undefined || !values) return [];
    return [{ grouping, values, ...(excluded.includes(grouping) && { isNegated: true as const }) }];
  });
}

export const IncludeBots = z
  .enum(["true", "false"])
  .default("false")
  .meta({ description: "Whether to include declared bots and prefetches." });

/** Parameters shared by both queries: all except `group_by`, `from` and the filters. */
export const STATS_PARAMETERS = {
  to: TimestampIn.optional().meta({ description: "End of the range, exclusive. Defaults to now.", ...TO_EXAMPLE }),
  interval: z
    .enum(INTERVALS)
    .optional()
    .meta({ description: "Adds a series. Weeks begin on Monday.", examples: ["day"] }),
  timezone: z
    .string()
    .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin")
    .default("UTC")
    .meta({ description: "IANA time zone of the series." }),
  include_bots: IncludeBots,
  include: z
    .enum(["uniques"])
    .optional()
    .meta({ description: "Adds `unique_visitors` to the response, its buckets and its series." }),
};

function groupByParameter<Name extends string>(groupings: readonly Name[]) {
  return z.enum(groupings).meta({ description: "What to group clicks by.", examples: ["country"] });
}

export const StatsQuery = z
  .strictObject({
    group_by: groupByParameter(GROUPINGS).default("country"),
    from: TimestampIn.optional().meta({
      description: "Start of the range, inclusive. Defaults to the link's `created_at`.",
      ...FROM_EXAMPLE,
    }),
    ...STATS_PARAMETERS,
    ...filterParameters(GROUPINGS),
  })
  .superRefine(filtersFit(GROUPINGS));

export type StatsQuery = z.infer<typeof StatsQuery>;

/** In the dashboard's API. */
export const DashboardStatsQuery = StatsQuery.safeExtend({ exclude: excludedFilters(GROUPINGS) });

const UniqueVisitors = z.int().optional().meta({
  description: "With `include=uniques`: unique visitors among these clicks. Each visitor is counted once per UTC day.",
});

const BucketName = z.string().optional().meta({
  description: "With `group_by=qr`: the name of the code, if it has one.",
});

const STATS_EXAMPLE = {
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
    buckets: z
      .array(z.strictObject({ key: z.string(), name: BucketName, clicks: z.int(), unique_visitors: UniqueVisitors }))
      .meta({
        description: `Sorted by clicks, most first, then by key. At most ${figure(BUCKETS_MAX)} are listed. The rest are added up as \`other\`.`,
      }),
    interval: z.string().nullable(),
    series: z.array(z.strictObject({ start: TimestampOut, clicks: z.int(), unique_visitors: UniqueVisitors })).meta({
      description:
        "One item for each interval of the range, including intervals without clicks. `start` is when the interval begins in the calendar.",
    }),
    from: TimestampOut,
    to: TimestampOut,
  })
  .meta({
    id: "Stats",
    examples: [STATS_EXAMPLE],
  });

export type Stats = z.infer<typeof Stats>;

/** Statistics of all links of an account and mode. Filters are those of a link, and link, tag and domain. */

/** The grouping of each filter. A link is identified by its id, as elsewhere. */
const GROUPING_OF_FILTER = {
  ...(Object.fromEntries(GROUPINGS.map((name) => [name, name])) as { [Name in (typeof GROUPINGS)[number]]: Name }),
  link_id: "link",
  tag: "tag",
  domain: "domain",
} as const satisfies Record<string, AccountGrouping>;

type AccountFilterName = keyof typeof GROUPING_OF_FILTER;
export const ACCOUNT_FILTERS = Object.keys(GROUPING_OF_FILTER) as readonly AccountFilterName[];

type SentAccountFilters = Partial<Record<AccountFilterName | "exclude", string | undefined>>;

/** Omitted without filters. */
export function accountFiltersOf(sent: SentAccountFilters): {
  filters?: AccountFilter[];
} {
  const filters = sentFilters(ACCOUNT_FILTERS, sent).map(({ grouping: name, values, ...filter }): AccountFilter => {
    const grouping = GROUPING_OF_FILTER[name];
    return { ...filter, grouping, values: values.map((value) => storedKey(grouping, value)) };
  });
  return filters.length > 0 ? { filters } : {};
}

/** Tags and domains match as in lists of links. Folding a text that is too long for a tag would be slow. */
function storedKey(grouping: AccountGrouping, value: string): string {
  if (grouping === "tag") return value.length > 2 * TAG_MAX_CHARS ? value : tagKey(value);
  return grouping === "domain" ? normalizedDomain(value) : value;
}

/** Default length of the range if no beginning is sent. */
export const DEFAULT_RANGE_DAYS = 30;

export const AccountStatsQuery = z
  .strictObject({
    group_by: groupByParameter(ACCOUNT_GROUPINGS).default("country"),
    from: TimestampIn.optional().meta({
      description: `Start of the range, inclusive. Defaults to ${DEFAULT_RANGE_DAYS} days ago.`,
      ...FROM_EXAMPLE,
    }),
    ...STATS_PARAMETERS,
    ...filterParameters(ACCOUNT_FILTERS),
  })
  .superRefine(filtersFit(ACCOUNT_FILTERS));

export type AccountStatsQuery = z.infer<typeof AccountStatsQuery>;

/** In the dashboard's API. */
export const DashboardAccountStatsQuery = AccountStatsQuery.safeExtend({ exclude: excludedFilters(ACCOUNT_FILTERS) });

export const AccountStats = Stats.extend({
  as_of: TimestampOut.meta({
    description: "Every click of every link before this time is counted. `to` is never later.",
  }),
  progress: z.number().min(0).max(1).optional().meta({
    description: "While past clicks are read for the first time: the part that has been read, from 0 to 1.",
  }),
}).meta({
  id: "AccountStats",
  examples: [{ ...STATS_EXAMPLE, as_of: "2026-11-21T18:00:00.000Z" }],
});

export type AccountStats = z.infer<typeof AccountStats>;
