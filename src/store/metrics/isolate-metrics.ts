/**
 * The counts of this isolate and their reports to the maintenance object. Counting adds to a plain number, so it costs
 * redirects nothing. Reports are sent in the background of a request, at most one a minute. The first one waits until
 * the isolate has lived for a minute and served two redirects. Counts since the last report are lost when the isolate
 * ends. They contain nothing about visitors, links or accounts.
 */
import { isFreePlan } from "../../core/deployment/settings.ts";
import {
  FREE_REPORT_CHANCE,
  mergeCounts,
  type Metric,
  REPORT_INTERVAL_MS,
  zeroCounts,
} from "../../core/metrics/metrics.ts";
import { sendReport } from "../maintenance-client.ts";
import { withTimeout } from "../timeout.ts";

/** Lets the reporting request, and concurrent ones, finish their counts. */
const GATHER_MS = 2_000;
const REPORT_TIMEOUT_MS = 5_000;

let counts = zeroCounts();
let intervalMs = REPORT_INTERVAL_MS;
/** Time by `performance.now()`; null before the isolate's first redirect. */
let nextReportAt: number | null = null;

export function count(metric: Metric, by = 1): void {
  counts[metric] += by;
}

export function countMax(metric: "queue_max_ms", value: number): void {
  if (value > counts[metric]) counts[metric] = value;
}

/** Reports the counts if a report is due. Called before a redirect's look-up is counted. Never throws. */
export function reportIfDue(env: Env, ctx: Pick<ExecutionContext, "waitUntil">): void {
  const now = performance.now();
  // A deployment replaces all isolates at the same time: first reports are spread over the second minute.
  nextReportAt ??= now + (1 + Math.random()) * intervalMs;
  if (now < nextReportAt || counts.lookups === 0) return;
  if (isFreePlan(env) && Math.random() >= FREE_REPORT_CHANCE) return;
  nextReportAt = now + intervalMs;
  ctx.waitUntil(report(env, now));
}

/** @param startedAt  by `performance.now()` */
async function report(env: Env, startedAt: number): Promise<void> {
  await new Promise((done) => setTimeout(done, GATHER_MS));
  const reported = counts;
  counts = zeroCounts();
  try {
    intervalMs = await withTimeout(REPORT_TIMEOUT_MS, sendReport(env, { counts: reported, intervalMs }));
    nextReportAt = startedAt + intervalMs;
  } catch {
    // A call that timed out may have been counted: counting twice is better than missing a failure.
    counts = mergeCounts(counts, reported);
  }
}
