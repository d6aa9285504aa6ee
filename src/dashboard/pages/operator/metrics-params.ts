/** The period of the operator's page in its address. Pure. */
import { METRIC_PERIODS, type MetricPeriod } from "../../../core/metrics/metric-bins.ts";

const DEFAULT_PERIOD: MetricPeriod = "hour";

/** What an address does not say, or says wrong, is the default. */
export function parsePeriod(search: URLSearchParams): MetricPeriod {
  const sent = search.get("period");
  return sent !== null && Object.hasOwn(METRIC_PERIODS, sent) ? (sent as MetricPeriod) : DEFAULT_PERIOD;
}

export function writePeriod(search: URLSearchParams, period: MetricPeriod): URLSearchParams {
  const written = new URLSearchParams(search);
  written.delete("period");
  if (period !== DEFAULT_PERIOD) written.set("period", period);
  return written;
}
