/** Filters as query parameters: named like the groupings, with the keys of their buckets as values. */
import * as z from "zod";

import { parseFilterValues } from "../clicks/counting/filters.ts";
import { figure, FILTER_VALUES_MAX, FILTERS_MAX_CHARS } from "../limits.ts";

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
