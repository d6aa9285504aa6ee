/**
 * Filters of statistics: a click counts when it has one of the wanted keys of every grouping that is filtered by. Pure.
 */
import { type CountedField, isNumberField } from "../encoding/click-columns.ts";
import type { AccountGrouping, Grouping, GroupingKeys, KeysOfGrouping } from "./groupings.ts";

export interface Filter<G extends AccountGrouping = Grouping> {
  grouping: G;
  /** Keys, as buckets have them. */
  values: string[];
}

export type AccountFilter = Filter<AccountGrouping>;

export interface FieldFilter {
  field: CountedField;
  /** @param value  as stored */
  matches: (value: string | number) => boolean;
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

export function compileFilters<G extends AccountGrouping>(
  filters: readonly Filter<G>[],
  keysOfGrouping: KeysOfGrouping<G>,
): FieldFilter[] {
  return filters.map(({ grouping, values }) => {
    const keys = keysOfGrouping(grouping);
    const wanted = new Set(values);
    return { field: keys.field, matches: byKeys(keys, (found) => found.some((key) => wanted.has(key))) };
  });
}

/** An account may have a million links. */
const REMEMBERED_MAX = 50_000;

/**
 * What follows from the keys of a value. Remembered only of what the account itself makes up, whose keys are long to make:
 * of texts that a visitor sends there may be any number.
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
