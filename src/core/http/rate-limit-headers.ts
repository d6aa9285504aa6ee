/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). The limiter says only whether a request
 * is allowed, so what remains is known where nothing does: with a refusal. Pure.
 */
import type { Plan } from "../account.ts";
import { ACCOUNT_LIMIT_FACTOR, QR_REQUESTS_MAX_PER_MINUTE, REQUESTS_MAX_PER_MINUTE } from "../limits.ts";

const WINDOW_SECONDS = 60;

const PER_MINUTE = { requests: REQUESTS_MAX_PER_MINUTE, qr: QR_REQUESTS_MAX_PER_MINUTE } as const;

export type RateLimitName = keyof typeof PER_MINUTE;
export type RateLimitSubject = "key" | "account";

/** The policies that a request counts for. */
export function rateLimitPolicy(plan: Plan, names: readonly RateLimitName[]): string {
  return names
    .flatMap((name) => {
      const most = PER_MINUTE[name][plan];
      return [policy(name, "key", most), policy(name, "account", most * ACCOUNT_LIMIT_FACTOR)];
    })
    .join(", ");
}

/** @param seconds  until the window ends */
export function exhaustedRateLimit(name: RateLimitName, subject: RateLimitSubject, seconds: number): string {
  return `"${policyName(name, subject)}";r=0;t=${seconds}`;
}

function policy(name: RateLimitName, subject: RateLimitSubject, most: number): string {
  return `"${policyName(name, subject)}";q=${most};w=${WINDOW_SECONDS}`;
}

function policyName(name: RateLimitName, subject: RateLimitSubject): string {
  return `${name}-${subject}`;
}
