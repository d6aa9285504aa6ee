/** The groupings and intervals of statistics, for a link and for all links of an account. Pure. */
import type { CountedField, DictionaryField } from "../encoding/click-columns.ts";
import type { RouteKeys } from "../../links/link-snapshot.ts";
import { factKey, mapFacts, NONE_KEY, type StoredField, type VisitFact } from "../facts.ts";

/** Key of the bucket for everything without a separate bucket; also an ordinary key of some groupings. */
export const OTHER_KEY = "other";

/** Looks up the keys of a stored route; null for an unknown route, such as that of clicks folded into `other`. */
export type RouteKeysLookup = (route: string) => RouteKeys | null;

/** What a link's log needs for its keys. */
export interface LinkKeys {
  routeKeysOf: RouteKeysLookup;
  /** The address of the link's own slug (core/hosts.ts, `shortAddress`). */
  address: string;
}

interface GroupingRule {
  field: StoredField | "imported";
  /** The key of a stored value; "" means unknown or none. */
  key: (value: string, link: LinkKeys) => string;
}

const { country, device, referrer, continent, region, city, os, browser, language, ...otherFacts } = mapFacts(byFact);

/** Ordered as in the API reference. */
export const GROUPING_RULES = {
  country,
  device,
  referrer,
  rule: { field: "route", key: (value, { routeKeysOf }) => routeKeysOf(value)?.rule ?? OTHER_KEY },
  continent,
  region,
  city,
  os,
  browser,
  language,
  destination: { field: "route", key: (value, { routeKeysOf }) => routeKeysOf(value)?.destination ?? OTHER_KEY },
  revision: { field: "route", key: (value) => /^[0-9]+(?=\.)/.exec(value)?.[0] ?? OTHER_KEY },
  source: { field: "qr", key: (value) => (value ? "qr" : "link") },
  qr: { field: "qr", key: (value) => value || NONE_KEY },
  address: { field: "address", key: (value, { address }) => value || address },
  ...otherFacts,
  imported: { field: "imported", key: importedKey },
} satisfies Record<string, GroupingRule>;

export type Grouping = keyof typeof GROUPING_RULES;

export const GROUPINGS = Object.keys(GROUPING_RULES) as readonly Grouping[];

export const ACCOUNT_GROUPINGS = [...(Object.keys(GROUPING_RULES) as Grouping[]), "link", "tag", "domain"] as const;
export type AccountGrouping = (typeof ACCOUNT_GROUPINGS)[number];

export const INTERVALS = ["minute", "hour", "day", "week", "month"] as const;

export type Interval = (typeof INTERVALS)[number];

/** Maximum buckets listed by key in one response; the remaining clicks are summed in one bucket. */
export const BUCKETS_MAX = 1_000;

/** @param value  as in columns: "" for clicks that were recorded here */
function importedKey(value: string): string {
  return value || "false";
}

function byFact(fact: VisitFact): GroupingRule {
  return { field: fact, key: (value) => factKey(fact, value) };
}

/** What a log counts for a grouping, and the keys of its values. */
export interface GroupingKeys {
  field: CountedField;
  /** The keys of a stored value: exactly one, except for tags. */
  keysOf: (value: string | number) => readonly string[];
  /** Whether keys may be long. If they do not all fit in a response, the most clicked ones are listed. */
  isLong?: true;
  /** Whether each value has a distinct key, so that keys of values with few clicks need not be looked up. */
  isOneToOne?: true;
}

/** The groupings of one log. */
export type KeysOfGrouping<G extends string = AccountGrouping> = (grouping: G) => GroupingKeys;

/** The groupings of a link's log. */
export function linkGroupings(link: LinkKeys): KeysOfGrouping<Grouping> {
  return (grouping) => {
    const { field, key } = GROUPING_RULES[grouping];
    const keysOf = (value: string | number) => [key(String(value), link)];
    return field === "route" ? { field, keysOf, isLong: true } : { field, keysOf };
  };
}

/** Lookups for the keys of an account's log. */
export interface AccountLookup {
  /** Returns the text of a number. */
  textOf: (field: DictionaryField, number: number) => string;
  /** Returns a link's current tags. */
  tagsOf: (linkId: string) => readonly string[];
}

/** The groupings of an account's log. */
export function accountGroupings({ textOf, tagsOf }: AccountLookup): KeysOfGrouping {
  const byText = (field: DictionaryField, fallback: string): GroupingKeys => {
    return { field, keysOf: (n) => [textOf(field, Number(n)) || fallback], isLong: true, isOneToOne: true };
  };
  const tagKeys = (number: string | number) => {
    const tags = tagsOf(linkIdIn(textOf("link", Number(number))));
    return tags.length > 0 ? tags : [NONE_KEY];
  };
  // Numbers as in `visitedColumn`.
  const addressOf = (number: number) => addressIn(textOf(number % 2 === 1 ? "alias" : "link", Math.floor(number / 2)));
  const rules: Record<Exclude<AccountGrouping, VisitFact>, GroupingKeys> = {
    link: { ...byText("link", ""), keysOf: (number) => [linkIdIn(textOf("link", Number(number)))] },
    tag: { field: "link", keysOf: tagKeys },
    domain: { field: "domain", keysOf: (domain) => [String(domain)] },
    rule: byText("rule", OTHER_KEY),
    destination: byText("destination", OTHER_KEY),
    revision: { field: "revision", keysOf: (number) => [String(number)] },
    source: { field: "code", keysOf: (number) => [number === 0 ? "link" : "qr"] },
    qr: byText("code", NONE_KEY),
    imported: { field: "imported", keysOf: (value) => [importedKey(String(value))] },
    // Not one to one: a domain's holder may have had two links at an address.
    address: { field: "visited", keysOf: (number) => [addressOf(Number(number))], isLong: true },
  };
  return (grouping) => {
    if (isIn(rules, grouping)) return rules[grouping];
    return { field: grouping, keysOf: (value) => [factKey(grouping, String(value))] };
  };
}

/**
 * Texts of links and aliases in an account's log: the link's id, a space, and the address of its own slug or of the
 * alias.
 */
export function addressText(linkId: string, address: string): string {
  return `${linkId} ${address}`;
}

export function linkIdIn(text: string): string {
  return text.split(" ", 1)[0] ?? "";
}

export function addressIn(text: string): string {
  return text.slice(text.indexOf(" ") + 1);
}

function isIn<T extends object>(rules: T, grouping: PropertyKey): grouping is keyof T {
  return Object.hasOwn(rules, grouping);
}
