/**
 * Filters of statistics: a click counts when it has one of the wanted keys of every grouping that is filtered by. Pure.
 */
import type { StoredField } from "./facts.ts";
import { type Grouping, GROUPING_RULES, type RouteKeysLookup } from "./groupings.ts";

export interface Filter {
  grouping: Grouping;
  /** Keys, as buckets have them. */
  values: string[];
}

export interface FieldFilter {
  field: StoredField;
  /** @param value  as stored */
  matches: (value: string) => boolean;
}

/**
 * The values of a parameter, which are separated by commas. A comma in a value is written `\,`, a backslash `\\`.
 * @returns null when a backslash stands before anything else
 */
export function parseFilterValues(text: string): string[] | null {
  const values = [""];
  for (const [token] of text.matchAll(/\\?[^]/g)) {
    if (token === ",") values.push("");
    else if (token === "\\" || /^\\[^\\,]/.test(token)) return null;
    else values.push((values.pop() ?? "") + token.slice(-1));
  }
  return values;
}

export function compileFilters(filters: readonly Filter[], routes: RouteKeysLookup): FieldFilter[] {
  return filters.map(({ grouping, values }) => {
    const { field, key } = GROUPING_RULES[grouping];
    const wanted = new Set(values);
    const matches = (value: string) => wanted.has(key(value, routes));
    return { field, matches: field === "route" ? memoized(matches) : matches };
  });
}

/** The text of a rule is long to make, and a log has few routes. */
function memoized(matches: (value: string) => boolean): (value: string) => boolean {
  const known = new Map<string, boolean>();
  return (value) => {
    const answer = known.get(value) ?? matches(value);
    known.set(value, answer);
    return answer;
  };
}
