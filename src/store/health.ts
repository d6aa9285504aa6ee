/** Whether the database answers at all. */
import { within } from "./patience.ts";

const PATIENCE_MS = 2_000;

export async function isDatabaseUp(env: Env): Promise<boolean> {
  const answer = within(PATIENCE_MS, env.DB.prepare("SELECT 1").first());
  return answer.then(
    () => true,
    () => false,
  );
}
