/** What is past its time and goes once a day. */
import { sweepClosedAccounts } from "./closed-accounts.ts";
import { sweepAnswers } from "./idempotency.ts";
import { sweepSessions } from "./sessions.ts";

export async function sweep(env: Env): Promise<void> {
  await Promise.all([sweepAnswers(env), sweepSessions(env), sweepClosedAccounts(env)]);
}
