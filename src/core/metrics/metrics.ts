/**
 * What each isolate counts for the operator's page, and how two counts become one. Pure. Counts are sent to the
 * maintenance object, whose release may be another one: metrics are only added, and unknown ones are ignored.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time.ts";

/** `sum`: two counts are added; `max`: the larger one stays. */
type Merge = "sum" | "max";

/** Only what no other source reports: Cloudflare's dashboard has requests, errors and CPU. In the order of the table's columns. */
export const METRICS = {
  /** Visits that got 503. */
  unavailable: "sum",
  /** Links that redirects have read from D1. */
  lookups: "sum",
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
const QUEUE_MAX_MS = MINUTE_MS;

const ALERTS: Partial<Record<Metric, (counts: MetricCounts) => boolean>> = {
  unavailable: ({ unavailable }) => unavailable > 0,
  failed_lookups: ({ failed_lookups, lookups }) => failed_lookups * 100 > lookups * FAILED_LOOKUPS_MAX_PERCENT,
  slow_lookups: ({ slow_lookups, lookups }) => slow_lookups * 100 > lookups * SLOW_LOOKUPS_MAX_PERCENT,
  dropped_clicks: ({ dropped_clicks }) => dropped_clicks > 0,
  queue_max_ms: ({ queue_max_ms }) => queue_max_ms > QUEUE_MAX_MS,
};

export function isAlarming(metric: Metric, counts: MetricCounts): boolean {
  return ALERTS[metric]?.(counts) ?? false;
}

/** The periods of the operator's page, in ms. */
export const METRIC_PERIODS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const;

export type MetricPeriod = keyof typeof METRIC_PERIODS;

/**
 * How often an isolate reports its counts. Each report is a call to one object and a written row: with many isolates, each
 * reports less often.
 */
export const REPORTS_PER_MINUTE = 60;
export const REPORT_INTERVAL_MS = MINUTE_MS;
/**
 * The same on Workers' Free plan, where a report takes what a redirect takes. No interval bounds the reports of isolates
 * that serve few redirects each and do not know of each other. The plan's own quota of requests does: where each redirect
 * reports with a probability of `FREE_REPORT_CHANCE`, a day has no more reports than this, however many isolates there are.
 * @internal
 */
export const FREE_REPORTS_PER_MINUTE = 3;
/** To Workers. */
const FREE_REQUESTS_PER_DAY = 100_000;
export const FREE_REPORT_CHANCE = (FREE_REPORTS_PER_MINUTE * DAY_MS) / MINUTE_MS / FREE_REQUESTS_PER_DAY;
/** Longer, and the figures would lag behind by too much. */
const REPORT_INTERVAL_MAX_MS = 10 * MINUTE_MS;

/**
 * @param reports  how many there were within a minute
 * @param intervalMs  at which isolates made them
 */
export function nextIntervalMs(reports: number, intervalMs: number): number {
  const wanted = (reports / REPORTS_PER_MINUTE) * intervalMs;
  return Math.min(Math.max(wanted, REPORT_INTERVAL_MS), REPORT_INTERVAL_MAX_MS);
}
