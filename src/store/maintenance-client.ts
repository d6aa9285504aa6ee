/** Calls to the maintenance object, which continues work that requests have begun (src/maintenance). */

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
