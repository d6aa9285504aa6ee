/** Calls to the maintenance object, which continues work that requests have begun (src/maintenance). */

export type ScheduledJob = "minute" | "day";

/** A single object: its work is small batches, one after another. */
const OBJECT_NAME = "maintenance";

/**
 * Schedules a run at `at`, epoch ms. Never throws: if the call fails, the cron job wakes the object within a minute.
 */
export async function wakeMaintenance(env: Env, at: number): Promise<void> {
  try {
    await env.MAINTENANCE.getByName(OBJECT_NAME).wake(at);
  } catch (error) {
    console.warn("maintenance not woken", { error: String(error) });
  }
}

/**
 * Runs a cron job in the object: loading its code takes more CPU than the 10 ms that Workers' Free plan gives the Worker.
 * @throws when the object cannot be reached or the job fails; the next run makes up for it
 */
export async function runScheduled(env: Env, job: ScheduledJob): Promise<void> {
  await env.MAINTENANCE.getByName(OBJECT_NAME).runScheduled(job);
}
