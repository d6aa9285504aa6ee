/**
 * Statistics as asked and as answered, between the API and a link's object. Pure.
 * Ranges are half-open `[from, to)` in epoch ms, exact to the millisecond.
 */
import { CLICK_FIELDS, type ClickField } from "./click-formats.ts";
import { addClicks, type Bucket, type ClickCount, type Tally } from "./tally.ts";
import { DIRECT_KEY, type Grouping, type Interval, NO_QR_KEY, OTHER_KEY, UNKNOWN_KEY } from "./groupings.ts";
import type { RouteKeys } from "../links/link-snapshot.ts";

export interface StatsRequest {
  groupBy: Grouping;
  from: number;
  /** Null is now. */
  to: number | null;
  interval: Interval | null;
  timezone: string;
  includeBots: boolean;
}

export interface StatsData {
  total: number;
  buckets: Bucket[];
  series: { start: number; clicks: number }[];
  to: number;
}

/** How each grouping's key is worded from the value a click carries for it; "" is "not known" or "none". */
export const GROUPING_KEYS: Record<
  Grouping,
  { field: StoredField; key: (value: string, routes: RouteKeysLookup) => string }
> = {
  country: { field: "country", key: orUnknown },
  continent: { field: "continent", key: orUnknown },
  region: { field: "region", key: orUnknown },
  city: { field: "city", key: orUnknown },
  device: { field: "device", key: orUnknown },
  os: { field: "os", key: orUnknown },
  browser: { field: "browser", key: orUnknown },
  language: { field: "language", key: orUnknown },
  referrer: { field: "referrer", key: (value) => value || DIRECT_KEY },
  rule: { field: "route", key: (value, routes) => routes(value)?.rule ?? OTHER_KEY },
  destination: { field: "route", key: (value, routes) => routes(value)?.destination ?? OTHER_KEY },
  source: { field: "qr", key: (value) => (value ? "qr" : "link") },
  qr: { field: "qr", key: (value) => value || NO_QR_KEY },
};

/** What a click is counted by in the log. `route` is `<revision>.<rule>`. */
export type StoredField = Exclude<ClickField, "class" | "rule"> | "route";
export const STORED_FIELDS: readonly StoredField[] = CLICK_FIELDS.filter((field) => field !== "class").map((field) =>
  field === "rule" ? "route" : field,
);

/** Words a stored route; null when the revision is not known (clicks folded into `other`). */
export type RouteKeysLookup = (route: string) => RouteKeys | null;

/**
 * Most characters of keys in one answer: as long as 500 of the longest destinations. A rule may take 50,000, and each
 * change of a link makes another.
 */
const KEYS_MAX_CHARS = 4 * 1024 * 1024;

/** Counts by the keys of a grouping. Keys that no longer fit into an answer are counted as `other`. */
export function tallyByKey(stored: Tally, groupBy: Grouping, routes: RouteKeysLookup): Tally {
  const { field, key } = GROUPING_KEYS[groupBy];
  const tally: Tally = new Map();
  let chars = 0;
  for (const [value, { human, nonHuman }] of field === "route" ? mostClickedFirst(stored) : stored) {
    const statsKey = chars < KEYS_MAX_CHARS ? key(value, routes) : OTHER_KEY;
    if (!tally.has(statsKey)) chars += statsKey.length;
    addClicks(tally, statsKey, human, nonHuman);
  }
  return tally;
}

function mostClickedFirst(tally: Tally): [string, ClickCount][] {
  return [...tally].sort(([, a], [, b]) => b.human + b.nonHuman - a.human - a.nonHuman);
}

function orUnknown(value: string): string {
  return value || UNKNOWN_KEY;
}
