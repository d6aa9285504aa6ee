/**
 * What each isolate counts for the operator's page, and how two counts become one. Pure. Counts are sent to the
 * maintenance object, whose release may be another one: metrics are only added, and unknown ones are ignored.
 */
import { MINUTE_MS } from "../durations.ts";
import type { SettledDecision } from "../links/visit-decision.ts";

/** `sum`: two counts are added; `max`: the larger one stays. */
type Merge = "sum" | "max";

const VISITS: Record<SettledDecision["kind"], Merge> = {
  redirect: "sum",
  gone: "sum",
  missing: "sum",
  rate_limited: "sum",
  unavailable: "sum",
  method_not_allowed: "sum",
};

/** In the order of the table's columns. */
export const METRICS = {
  ...VISITS,
  /** Links that redirects have read from D1, and how long they waited for it. */
  lookups: "sum",
  lookup_ms: "sum",
  slow_lookups: "sum",
  /** D1 failed or took too long: the link came from its object or from the cache, if at all. */
  failed_lookups: "sum",
  /** Calls to objects that stored clicks, and the clicks that they stored. */
  batches: "sum",
  clicks: "sum",
  /** Calls that are tried again, and how many of them failed because the object had too many. */
  failed_batches: "sum",
  overloads: "sum",
  dropped_clicks: "sum",
  /** The longest that a click has waited in an isolate until it was stored. */
  queue_max_ms: "max",
  /** Requests to the API, the dashboard and the documentation, and those that met an internal error. */
  requests: "sum",
  failed_requests: "sum",
} as const satisfies Record<string, Merge>;

export type Metric = keyof typeof METRICS;
export type MetricCounts = Record<Metric, number>;

/** What an isolate sends. `intervalMs`: how often it does. */
export interface MetricsReport {
  counts: MetricCounts;
  intervalMs: number;
}

export const METRIC_NAMES = Object.keys(METRICS) as Metric[];

/** A look-up from which on it is slow: visitors notice. */
export const SLOW_LOOKUP_MS = 250;

export function zeroCounts(): MetricCounts {
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, 0])) as MetricCounts;
}

export function mergeCounts(a: MetricCounts, b: MetricCounts): MetricCounts {
  const merge = (name: Metric) => (METRICS[name] === "max" ? Math.max(a[name], b[name]) : a[name] + b[name]);
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, merge(name)])) as MetricCounts;
}

/** Counts as another release or an isolate has sent them: what is missing is 0, what is unknown is left out. */
export function parseCounts(sent: Readonly<Record<string, unknown>>): MetricCounts {
  const parse = (value: unknown) => (Number.isFinite(value) ? Math.max(Math.round(Number(value)), 0) : 0);
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, parse(sent[name])])) as MetricCounts;
}

/**
 * Thresholds from which an operator should look, as the operator's page shows and the guide advises. Shares in percent of
 * their whole; the longest wait in ms.
 */
const FAILED_LOOKUPS_MAX_PERCENT = 1;
const SLOW_LOOKUPS_MAX_PERCENT = 5;
const FAILED_REQUESTS_MAX_PERCENT = 1;
const QUEUE_MAX_MS = MINUTE_MS;

const ALERTS: Partial<Record<Metric, (counts: MetricCounts) => boolean>> = {
  unavailable: ({ unavailable }) => unavailable > 0,
  failed_lookups: ({ failed_lookups, lookups }) => failed_lookups * 100 > lookups * FAILED_LOOKUPS_MAX_PERCENT,
  slow_lookups: ({ slow_lookups, lookups }) => slow_lookups * 100 > lookups * SLOW_LOOKUPS_MAX_PERCENT,
  dropped_clicks: ({ dropped_clicks }) => dropped_clicks > 0,
  queue_max_ms: ({ queue_max_ms }) => queue_max_ms > QUEUE_MAX_MS,
  failed_requests: ({ failed_requests, requests }) => failed_requests * 100 > requests * FAILED_REQUESTS_MAX_PERCENT,
};

export function isAlarming(metric: Metric, counts: MetricCounts): boolean {
  return ALERTS[metric]?.(counts) ?? false;
}
