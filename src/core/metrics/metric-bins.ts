/** The periods of the operator's page, and their bins. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../durations.ts";
import { type MetricCounts, zeroCounts } from "./metrics.ts";

/** Bins are wide enough that a chart has about a hundred. */
export const METRIC_PERIODS = {
  hour: { lengthMs: HOUR_MS, binMs: MINUTE_MS },
  day: { lengthMs: DAY_MS, binMs: 15 * MINUTE_MS },
  week: { lengthMs: 7 * DAY_MS, binMs: 2 * HOUR_MS },
} as const;

export type MetricPeriod = keyof typeof METRIC_PERIODS;

/** Counts from `at` on, epoch ms, until the next bin. */
export interface MetricBin {
  at: number;
  counts: MetricCounts;
}

/** Where the first bin of a period begins that ends with the bin of `now`, epoch ms. */
export function firstBinAt(period: MetricPeriod, now: number): number {
  const { lengthMs, binMs } = METRIC_PERIODS[period];
  return lastBinAt(period, now) - lengthMs + binMs;
}

/** Every bin of the period in order, with zeros where nothing was reported. */
export function fillBins(period: MetricPeriod, now: number, reported: readonly MetricBin[]): MetricBin[] {
  const { lengthMs, binMs } = METRIC_PERIODS[period];
  const byStart = new Map(reported.map((bin) => [bin.at, bin]));
  const first = firstBinAt(period, now);
  return Array.from({ length: lengthMs / binMs }, (_, index) => {
    const at = first + index * binMs;
    return byStart.get(at) ?? { at, counts: zeroCounts() };
  });
}

function lastBinAt(period: MetricPeriod, now: number): number {
  const { binMs } = METRIC_PERIODS[period];
  return Math.floor(now / binMs) * binMs;
}

/**
 * How often an isolate reports its counts. Each report is a call to one object and a written row: with many isolates, each
 * reports less often.
 */
const REPORTS_PER_MINUTE = 60;
export const REPORT_INTERVAL_MS = MINUTE_MS;
/** Longer, and the charts would lag behind by too much. */
const REPORT_INTERVAL_MAX_MS = 10 * MINUTE_MS;

/**
 * @param reports  how many there were within a minute
 * @param intervalMs  at which isolates made them
 */
export function nextIntervalMs(reports: number, intervalMs: number): number {
  const wanted = (reports / REPORTS_PER_MINUTE) * intervalMs;
  return Math.min(Math.max(wanted, REPORT_INTERVAL_MS), REPORT_INTERVAL_MAX_MS);
}
