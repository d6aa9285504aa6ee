/** What the plan of Workers allows (src/docs/deploy.md, Workers' Free plan). Pure. */
import { HOUR_MS, MINUTE_MS } from "../durations.ts";

/** Unless the operator says otherwise, the plan that allows less. */
export function isFreePlan({ WORKERS_PLAN }: { WORKERS_PLAN?: string }): boolean {
  return WORKERS_PLAN !== "paid";
}

/**
 * Calls to objects in one request or one run of maintenance. An invocation may make 50 calls on the Free plan, which
 * count queries, each of a batch for itself in the worst case; these leave room for the queries beside them. On the paid
 * plan it may make 10,000 calls.
 * @internal
 */
export const OBJECT_CALLS_MAX = { free: 32, paid: 500 } as const;

/** Queries of databases in one invocation, each statement of a batch counted. */
const QUERIES_MAX = { free: 50, paid: 1_000 } as const;

export function queriesMax(settings: { WORKERS_PLAN?: string }): number {
  return QUERIES_MAX[isFreePlan(settings) ? "free" : "paid"];
}

export function objectCallsMax(settings: { WORKERS_PLAN?: string }): number {
  return OBJECT_CALLS_MAX[isFreePlan(settings) ? "free" : "paid"];
}

/**
 * Clicks that one response may export, so that its pages are calls that an invocation may make: a click of usual length
 * takes 300 to 500 bytes.
 */
export const EXPORT_CLICKS_MAX = { free: 50_000, paid: 10_000_000 } as const;

export function exportClicksMax(settings: { WORKERS_PLAN?: string }): number {
  return EXPORT_CLICKS_MAX[isFreePlan(settings) ? "free" : "paid"];
}

/**
 * How long a stream lasts at most, in ms; then its client connects again, with the last id. An invocation may make 50 calls
 * on the Free plan and 10,000 on the paid one, and a stream makes up to three every four seconds to check its access: out
 * of calls, it would not learn that its key was revoked.
 */
export function streamLifetimeMs(settings: { WORKERS_PLAN?: string }): number {
  return isFreePlan(settings) ? MINUTE_MS : 3 * HOUR_MS;
}
