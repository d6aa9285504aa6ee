/** The groupings and intervals of statistics. Pure. */
import type { RouteKeys } from "../links/link-snapshot.ts";
import { factKey, NONE_KEY, type StoredField, type VisitFact } from "./facts.ts";

/** Key of the bucket that takes what has none of its own; also an ordinary key of some groupings. */
export const OTHER_KEY = "other";

/**
 * Looks up the keys of a stored route; null for a route that is not stored, which is the case for clicks folded into
 * `other`.
 */
export type RouteKeysLookup = (route: string) => RouteKeys | null;

interface GroupingRule {
  field: StoredField;
  /** The key of a stored value; "" is "not known" or "none". */
  key: (value: string, routes: RouteKeysLookup) => string;
}

/** In the order of the API reference. */
export const GROUPING_RULES = {
  country: byFact("country"),
  device: byFact("device"),
  referrer: byFact("referrer"),
  rule: { field: "route", key: (value, routes) => routes(value)?.rule ?? OTHER_KEY },
  continent: byFact("continent"),
  region: byFact("region"),
  city: byFact("city"),
  os: byFact("os"),
  browser: byFact("browser"),
  language: byFact("language"),
  destination: { field: "route", key: (value, routes) => routes(value)?.destination ?? OTHER_KEY },
  revision: { field: "route", key: (value) => /^[0-9]+(?=\.)/.exec(value)?.[0] ?? OTHER_KEY },
  source: { field: "qr", key: (value) => (value ? "qr" : "link") },
  qr: { field: "qr", key: (value) => value || NONE_KEY },
  utm_source: byFact("utm_source"),
  utm_medium: byFact("utm_medium"),
  utm_campaign: byFact("utm_campaign"),
  utm_term: byFact("utm_term"),
  utm_content: byFact("utm_content"),
} satisfies Record<string, GroupingRule>;

export type Grouping = keyof typeof GROUPING_RULES;

export const GROUPINGS = Object.keys(GROUPING_RULES) as readonly Grouping[];

export const INTERVALS = ["minute", "hour", "day", "week", "month"] as const;

export type Interval = (typeof INTERVALS)[number];

/** Buckets listed by key in one response; the remaining clicks are summed in one bucket. */
export const BUCKETS_MAX = 1_000;

function byFact(fact: VisitFact): GroupingRule {
  return { field: fact, key: (value) => factKey(fact, value) };
}
