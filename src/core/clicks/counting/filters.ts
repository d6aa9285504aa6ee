/**
 * Filters of statistics. A click counts if, for every filtered grouping, it has one of the requested keys, or none of
 * them if the filter is negated. Pure.
 */
import { type CountedField, isNumberField } from "../encoding/click-columns.ts";
import type { AccountGrouping, Grouping, GroupingKeys, KeysOfGrouping } from "./groupings.ts";

export interface Filter<G extends AccountGrouping = Grouping> {
  grouping: G;
  /** Keys as in buckets. */
  values: string[];
  /** Whether clicks with one of the keys are left out instead. */
  isNegated?: true;
}

export type AccountFilter = Filter<AccountGrouping>;

export interface FieldFilter {
  field: CountedField;
  /** @param value  stored value */
  matches: (value: string | number) => boolean;
}

/**
 * Parses the values of a parameter, which are separated by commas. In a value, a comma is written `\,` and a backslash
 * `\\`.
 * @returns null when a backslash precedes any other character
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

export function compileFilters<G extends AccountGrouping>(
  filters: readonly Filter<G>[],
  keysOfGrouping: KeysOfGrouping<G>,
): FieldFilter[] {
  return filters.map(({ grouping, values, isNegated = false }) => {
    const keys = keysOfGrouping(grouping);
    const named = new Set(values);
    return { field: keys.field, matches: byKeys(keys, (found) => found.some((key) => named.has(key)) !== isNegated) };
  });
}

/** An account may have a million links. */
const REMEMBERED_MAX = 50_000;

/**
 * Returns a function from a value to what `answerTo` returns for its keys. Results are cached only for values that the
 * account itself defines and whose keys are slow to compute. Visitors may send any number of texts.
 */
export function byKeys<T>(
  { field, keysOf, isLong }: GroupingKeys,
  answerTo: (keys: readonly string[]) => T,
): (value: string | number) => T {
  if (!isLong && !isNumberField(field)) return (value) => answerTo(keysOf(value));
  const known = new Map<string | number, T>();
  return (value) => {
    const answer = known.get(value) ?? answerTo(keysOf(value));
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(value, answer);
    return answer;
  };
}
