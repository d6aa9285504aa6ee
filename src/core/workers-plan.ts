/** What the plan of Workers allows (src/docs/deploy.md, Workers' Free plan). Pure. */
import { HOUR_MS, MINUTE_MS } from "./durations.ts";

/** Unless the operator says otherwise, the plan that allows less. */
export function isFreePlan({ WORKERS_PLAN }: { WORKERS_PLAN?: string }): boolean {
  return WORKERS_PLAN !== "paid";
}

/**
 * How long a stream lasts at most, in ms; then its client connects again, with the last id. An invocation may make 50 calls
 * on the Free plan and 10,000 on the paid one, and a stream makes up to three every four seconds to check its access: out
 * of calls, it would not learn that its key was revoked.
 */
export function streamLifetimeMs(settings: { WORKERS_PLAN?: string }): number {
  return isFreePlan(settings) ? MINUTE_MS : 3 * HOUR_MS;
}
