/**
 * Counts of each isolate for the operator's page, and how two counts are merged. Pure. Counts are sent to the
 * maintenance object, which may run another release: metrics are only added, and unknown ones are ignored.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time.ts";

/** `sum`: counts are added; `max`: the larger one is kept. */
type Merge = "sum" | "max";

/**
 * Only metrics from no other source: Cloudflare's dashboard has requests, errors and CPU. In column order of the table.
 */
export const METRICS = {
  /** Visits with a 503 response. */
  unavailable: "sum",
  /** Link look-ups of redirects in D1. */
  lookups: "sum",
  slow_lookups: "sum",
  /** Look-ups that failed or timed out in D1: the link came from its object or from the cache, if at all. */
  failed_lookups: "sum",
  /** Calls to objects that stored clicks, and the number of stored clicks. */
  batches: "sum",
  clicks: "sum",
  /** Calls to be retried, and how many of them failed because the object was overloaded. */
  failed_batches: "sum",
  overloads: "sum",
  dropped_clicks: "sum",
  /** The longest time that a click waited in an isolate before it was stored. */
  queue_max_ms: "max",
} as const satisfies Record<string, Merge>;

export type Metric = keyof typeof METRICS;
export type MetricCounts = Record<Metric, number>;

/** Report of an isolate. `intervalMs`: the isolate's reporting interval. */
export interface MetricsReport {
  counts: MetricCounts;
  intervalMs: number;
}

export const METRIC_NAMES = Object.keys(METRICS) as Metric[];

/** A look-up that takes this long is slow: visitors notice. */
export const SLOW_LOOKUP_MS = 250;

export function zeroCounts(): MetricCounts {
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, 0])) as MetricCounts;
}

export function mergeCounts(a: MetricCounts, b: MetricCounts): MetricCounts {
  const merge = (name: Metric) => (METRICS[name] === "max" ? Math.max(a[name], b[name]) : a[name] + b[name]);
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, merge(name)])) as MetricCounts;
}

/** Counts from another release or an isolate: missing ones are 0, unknown ones are dropped. */
export function parseCounts(sent: Readonly<Record<string, unknown>>): MetricCounts {
  const parse = (value: unknown) => (Number.isFinite(value) ? Math.max(Math.round(Number(value)), 0) : 0);
  return Object.fromEntries(METRIC_NAMES.map((name) => [name, parse(sent[name])])) as MetricCounts;
}

/**
 * Thresholds that need an operator's attention, as on the operator's page and in the guide. Shares in percent of their
 * whole; the longest wait in ms.
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
 * Target number of reports per minute from all isolates. Each report is a call to one object and a written row: the
 * more isolates there are, the less often each reports.
 */
export const REPORTS_PER_MINUTE = 60;
export const REPORT_INTERVAL_MS = MINUTE_MS;
/**
 * The same on Workers' Free plan, where a report costs as much as a redirect. An interval cannot bound the reports of
 * isolates that serve few redirects each and do not know of each other. The plan's own request quota can: each redirect
 * reports with a probability of `FREE_REPORT_CHANCE`, so a day has no more reports than this, however many isolates
 * exist.
 * @internal
 */
export const FREE_REPORTS_PER_MINUTE = 3;
/** Requests to Workers. */
const FREE_REQUESTS_PER_DAY = 100_000;
export const FREE_REPORT_CHANCE = (FREE_REPORTS_PER_MINUTE * DAY_MS) / MINUTE_MS / FREE_REQUESTS_PER_DAY;
/** Bounds how far the figures lag behind. */
const REPORT_INTERVAL_MAX_MS = 10 * MINUTE_MS;

/**
 * @param reports  number of reports within a minute
 * @param intervalMs  interval of the isolates that sent them
 */
export function nextIntervalMs(reports: number, intervalMs: number): number {
  const wanted = (reports / REPORTS_PER_MINUTE) * intervalMs;
  return Math.min(Math.max(wanted, REPORT_INTERVAL_MS), REPORT_INTERVAL_MAX_MS);
}
