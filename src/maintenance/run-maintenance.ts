/**
 * One run of the maintenance object: a share of each kind of work (outbox, copies, custom hostnames, closed accounts), so
 * that no kind starves another. The queues are tables of D1; this module stores nothing.
 */
import { objectCallsMax } from "../core/workers-plan.ts";
import { eraseClosedAccountChunk, nextAccountEraseAt } from "../store/accounts/closed-accounts.ts";
import { checkDueCopies, nextCopyCheckAt } from "../store/accounts/copy-checks.ts";
import { copyDueAccounts, nextCopyAt } from "../store/accounts/home-copies.ts";
import { nextHostnameReleaseAt, releaseDueHostnames } from "../store/domains/hostname-releases.ts";
import { wakeMaintenance } from "../store/maintenance-client.ts";
import { moveImagesToBucket } from "../store/images/object-images.ts";
import { sweepExpired } from "../store/sweep.ts";
import { deliverDue, nextDeliveryAt } from "../store/links/outbox.ts";

/** Calls to Cloudflare's API in one run; each also takes two queries. */
const RELEASES_PER_RUN_MAX = 2;
/** Each takes some queries of every database. */
const COPIES_PER_RUN_MAX = 5;

export interface MaintenanceRun {
  /** Where the next run continues its deliveries; "" at the start of a round. */
  deliveryCursor: string;
  /** When the next run is due, epoch ms; null when there is no work. */
  nextRunAt: number | null;
}

/** Does one run. Every step is idempotent: an interrupted run is repeated. */
export async function runMaintenance(env: Env, cursor: string): Promise<MaintenanceRun> {
  const limit = Number(env.MAINTENANCE_CALLS || objectCallsMax(env));
  const delivered = await deliverDue(env, cursor, Math.ceil(limit / 4));
  const copied = await copyDueAccounts(env, COPIES_PER_RUN_MAX);
  const compared = await checkDueCopies(env);
  const released = await releaseDueHostnames(env, RELEASES_PER_RUN_MAX);
  const erased = await eraseClosedAccountChunk(env, Math.max(limit - delivered.calls, 1));
  // Idle means that this run did nothing and ended at the end of a round. Work that appeared behind the cursor
  // meanwhile is found by its due time. Requiring a whole round in one run would never become idle with more accounts
  // than one run reads.
  const isIdle =
    delivered.cursor === "" && delivered.calls === 0 && copied === 0 && !compared && released === 0 && !erased;
  const next = isIdle ? await nextWorkAt(env) : Date.now();
  return { deliveryCursor: delivered.cursor, nextRunAt: next };
}

/** Called by the cron job: a request's wake-up call may have failed, and an operator's command cannot call objects. */
export async function wakeIfDue(env: Env): Promise<void> {
  const at = await nextWorkAt(env);
  if (at !== null && at <= Date.now()) await wakeMaintenance(env, at);
}

/** Deletes expired rows, and moves images into a bucket that was bound since. */
export async function runDaily(env: Env): Promise<void> {
  const done = await Promise.allSettled([sweepExpired(env), moveImagesToBucket(env)]);
  for (const outcome of done) if (outcome.status === "rejected") throw outcome.reason;
}

/** When the next work of any kind is due, epoch ms; null when there is none. */
async function nextWorkAt(env: Env): Promise<number | null> {
  const times = await Promise.all([
    nextDeliveryAt(env),
    nextCopyAt(env),
    nextCopyCheckAt(env),
    nextHostnameReleaseAt(env),
    nextAccountEraseAt(env),
  ]);
  return times.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null);
}
