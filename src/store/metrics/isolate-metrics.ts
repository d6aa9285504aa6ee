/**
 * The counts of this isolate and their reports to the maintenance object. Counting is an addition to a plain number, so
 * redirects pay nothing for it. At most one report a minute, from the background of a request, and none before the isolate
 * has lived for a minute and served two redirects: what an isolate has counted since its last report is lost when it ends.
 * Nothing of visitors, links or accounts is in it.
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

/** Lets the request that reports, and those beside it, finish what they count. */
const GATHER_MS = 2_000;
const REPORT_TIMEOUT_MS = 5_000;

let counts = zeroCounts();
let intervalMs = REPORT_INTERVAL_MS;
/** By `performance.now()`; null before the isolate's first redirect. */
let nextReportAt: number | null = null;

export function count(metric: Metric, by = 1): void {
  counts[metric] += by;
}

export function countMax(metric: "queue_max_ms", value: number): void {
  if (value > counts[metric]) counts[metric] = value;
}

/** Reports what was counted, where that is due. Called before a redirect's look-up is counted. Never throws. */
export function reportIfDue(env: Env, ctx: Pick<ExecutionContext, "waitUntil">): void {
  const now = performance.now();
  // A deployment replaces all isolates at once: the first reports of the new ones are spread over the second minute.
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
    // A call that timed out may have been counted: better twice than a failure that nobody sees.
    counts = mergeCounts(counts, reported);
  }
}
