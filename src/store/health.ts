/** Health check of the database. */
import { withTimeout } from "./timeout.ts";

const HEALTH_TIMEOUT_MS = 2_000;

export async function isDatabaseUp(env: Env): Promise<boolean> {
  const probe = withTimeout(HEALTH_TIMEOUT_MS, env.DB.prepare("SELECT 1").first());
  return probe.then(
    () => true,
    () => false,
  );
}
