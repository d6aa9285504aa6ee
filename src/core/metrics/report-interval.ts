/**
 * How often an isolate reports its counts. Each report is a call to one object and a written row: with many isolates,
 * each reports less often.
 */
import { MINUTE_MS } from "../durations.ts";

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
