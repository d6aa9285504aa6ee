/** Calls to the maintenance object, which goes on with what a request began. */

/** One object for all: its work is small pieces, one after the other. */
const OBJECT_NAME = "maintenance";

/** Has work looked for at `at`, epoch ms. If this fails, the cron job wakes it within a minute. */
export async function wakeMaintenance(env: Env, at: number): Promise<void> {
  try {
    await env.MAINTENANCE.getByName(OBJECT_NAME).wake(at);
  } catch (error) {
    console.warn("maintenance not woken", { error: String(error) });
  }
}
