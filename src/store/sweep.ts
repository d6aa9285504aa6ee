/** What is past its time and goes once a day. */
import { sweepResponses } from "./idempotency.ts";
import { sweepSessions } from "./auth/sessions.ts";

/** Each is done, whatever becomes of the others. @throws the first error there was */
export async function sweepExpired(env: Env): Promise<void> {
  const done = await Promise.allSettled([sweepResponses(env), sweepSessions(env)]);
  for (const outcome of done) if (outcome.status === "rejected") throw outcome.reason;
}
