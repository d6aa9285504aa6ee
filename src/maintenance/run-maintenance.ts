/** One piece of maintenance: some of each kind of work, so that none waits for another. */
import { eraseClosedAccountChunk, nextAccountEraseAt } from "../store/accounts/closed-accounts.ts";
import { nextHostnameReleaseAt, releaseDueHostnames } from "../store/domains/hostname-releases.ts";
import { wakeMaintenance } from "../store/maintenance-client.ts";
import { deliverDue, nextDeliveryAt } from "../store/links/outbox.ts";

/** Calls to Cloudflare's API in a piece; each takes two queries as well. */
const RELEASES_PER_RUN_MAX = 2;

export interface MaintenanceRun {
  /** Where the next round of deliveries goes on. */
  deliveryCursor: string;
  /** When the next piece is due, epoch ms; null when nothing waits. */
  nextRunAt: number | null;
}

/** Every step may be done twice, and a piece that is cut off is begun again. */
export async function runMaintenance(env: Env, cursor: string): Promise<MaintenanceRun> {
  const limit = Number(env.MAINTENANCE_CALLS);
  const delivered = await deliverDue(env, cursor, Math.ceil(limit / 2));
  const released = await releaseDueHostnames(env, RELEASES_PER_RUN_MAX);
  const erased = await eraseClosedAccountChunk(env, limit - delivered.calls);
  // What came up meanwhile behind the cursor is found by its time. To ask for a round in one piece would never end where
  // more accounts wait than a piece looks at.
  const isIdle = delivered.cursor === "" && delivered.calls === 0 && released === 0 && !erased;
  const next = isIdle ? await nextWorkAt(env) : Date.now();
  return { deliveryCursor: delivered.cursor, nextRunAt: next };
}

/** The cron job's part: the object may not have been woken, and an operator's command cannot wake it. */
export async function wakeIfDue(env: Env): Promise<void> {
  const at = await nextWorkAt(env);
  if (at !== null && at <= Date.now()) await wakeMaintenance(env, at);
}

/** When work is due, epoch ms; null when none waits. */
async function nextWorkAt(env: Env): Promise<number | null> {
  const times = await Promise.all([nextDeliveryAt(env), nextHostnameReleaseAt(env), nextAccountEraseAt(env)]);
  return times.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null);
}
