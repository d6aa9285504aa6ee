/** From when on an operator should look, as the operator's page shows and the guide advises. Pure. */
import { MINUTE_MS } from "../durations.ts";
import type { Metric, MetricCounts } from "./metrics.ts";

/** Shares in percent of their whole; the longest wait in ms. */
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
