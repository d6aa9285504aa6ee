/** Daily deletion of expired rows. */
import { sweepResponses } from "./idempotency.ts";
import { sweepSessions } from "./auth/sessions.ts";
import { sweepOperatorTokens } from "./operators/operator-tokens.ts";

/** Every sweep runs, even if another one fails. @throws the first error */
export async function sweepExpired(env: Env): Promise<void> {
  const done = await Promise.allSettled([sweepResponses(env), sweepSessions(env), sweepOperatorTokens(env)]);
  for (const outcome of done) if (outcome.status === "rejected") throw outcome.reason;
}
