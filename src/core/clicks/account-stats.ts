/** Requests of an account's statistics, and the keys of its groupings. Pure. */
import { type AccountField, type CountedField } from "./account-fields.ts";
import { factKey, NONE_KEY, type VisitFact } from "./facts.ts";
import { type Grouping, GROUPING_RULES, OTHER_KEY } from "./groupings.ts";
import type { StatsRequest } from "./stats.ts";

export const ACCOUNT_GROUPINGS = [...(Object.keys(GROUPING_RULES) as Grouping[]), "link", "tag", "domain"] as const;
export type AccountGrouping = Grouping | "link" | "tag" | "domain";

export interface AccountFilter {
  grouping: AccountGrouping;
  /** Keys, as buckets have them. */
  values: string[];
}

export interface AccountStatsRequest extends Omit<StatsRequest, "groupBy" | "filters"> {
  groupBy: AccountGrouping;
  filters?: AccountFilter[];
}

/** What the keys of stored values are looked up in. */
export interface AccountLookup {
  /** The text of a number. */
  textOf: (field: "link" | "rule" | "destination" | "qr", number: number) => string;
  /** The tags that a link has now. */
  tagsOf: (linkId: string) => readonly string[];
}

interface AccountGroupingRule {
  field: CountedField;
  /** The keys of a stored value: one, but for tags. */
  keys: (value: string | number, lookup: AccountLookup) => readonly string[];
  /** Whether each value has a key of its own, so that those of few clicks need not be looked up. */
  isOneToOne?: true;
}

const RULES: Record<Exclude<AccountGrouping, VisitFact>, AccountGroupingRule> = {
  link: { field: "link", keys: (number, { textOf }) => [textOf("link", Number(number))], isOneToOne: true },
  tag: {
    field: "link",
    keys: (number, { textOf, tagsOf }) => {
      const tags = tagsOf(textOf("link", Number(number)));
      return tags.length > 0 ? tags : [NONE_KEY];
    },
  },
  domain: { field: "domain", keys: (domain) => [String(domain)] },
  rule: {
    field: "rule",
    keys: (number, { textOf }) => [textOf("rule", Number(number)) || OTHER_KEY],
    isOneToOne: true,
  },
  destination: {
    field: "destination",
    keys: (number, { textOf }) => [textOf("destination", Number(number)) || OTHER_KEY],
    isOneToOne: true,
  },
  revision: { field: "revision", keys: (number) => [String(number)] },
  source: { field: "qr", keys: (number) => [number === 0 ? "link" : "qr"] },
  qr: { field: "qr", keys: (number, { textOf }) => [textOf("qr", Number(number)) || NONE_KEY], isOneToOne: true },
};

export function accountGroupingRule(grouping: AccountGrouping): AccountGroupingRule {
  return isOwnRule(grouping)
    ? RULES[grouping]
    : { field: grouping, keys: (value) => [factKey(grouping, String(value))] };
}

function isOwnRule(grouping: AccountGrouping): grouping is keyof typeof RULES {
  return Object.hasOwn(RULES, grouping);
}

/** A filter on stored values. Whether one matches is found once for each. */
export interface AccountFieldFilter {
  field: AccountField;
  matches: (value: string | number) => boolean;
}

export function compileAccountFilters(
  { filters = [], includeBots }: Pick<AccountStatsRequest, "filters" | "includeBots">,
  lookup: AccountLookup,
): AccountFieldFilter[] {
  const compiled = filters.map(({ grouping, values }): AccountFieldFilter => {
    const { field, keys } = accountGroupingRule(grouping);
    const wanted = new Set(values);
    return { field, matches: memoized((value) => keys(value, lookup).some((key) => wanted.has(key))) };
  });
  return includeBots ? compiled : [{ field: "class", matches: (letter) => letter === "h" }, ...compiled];
}

/** Values that a visitor can make up are not kept, as there may be any number. */
function memoized(matches: (value: string | number) => boolean): (value: string | number) => boolean {
  const known = new Map<number, boolean>();
  return (value) => {
    if (typeof value === "string") return matches(value);
    const answer = known.get(value) ?? matches(value);
    known.set(value, answer);
    return answer;
  };
}
