/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). The limiter only reports whether a
 * request is allowed, so the remaining quota is known only on a refusal, when it is zero. Links in bulk requests are
 * counted exactly, but only when a request is executed, so their remaining quota is also sent only on a refusal. Pure.
 */
import type { Plan } from "../account.ts";
import {
  ACCOUNT_LIMIT_FACTOR,
  BULK_LINKS_MAX_PER_DAY,
  BULK_LINKS_MAX_PER_MINUTE,
  QR_REQUESTS_MAX_PER_MINUTE,
  REQUESTS_MAX_PER_MINUTE,
} from "../limits.ts";

const WINDOW_SECONDS = 60;

const PER_MINUTE = { requests: REQUESTS_MAX_PER_MINUTE, qr: QR_REQUESTS_MAX_PER_MINUTE } as const;

export type RateLimitName = keyof typeof PER_MINUTE;
export type RateLimitSubject = "key" | "account";

/** Windows in which links of bulk requests are counted. */
export const BULK_WINDOWS = {
  minute: { seconds: 60, max: BULK_LINKS_MAX_PER_MINUTE },
  day: { seconds: 86_400, max: BULK_LINKS_MAX_PER_DAY },
} as const;

export type BulkWindow = keyof typeof BULK_WINDOWS;

/** The policies that apply to a request. */
export function rateLimitPolicy(plan: Plan, names: readonly RateLimitName[]): string {
  return names
    .flatMap((name) => {
      const most = PER_MINUTE[name][plan];
      return [policy(name, "key", most), policy(name, "account", most * ACCOUNT_LIMIT_FACTOR)];
    })
    .join(", ");
}

/** The additional policies that apply to a bulk request. */
export function bulkLinksPolicy(plan: Plan): string {
  return Object.entries(BULK_WINDOWS)
    .map(([window, { seconds, max }]) => `"links-${window}";q=${max[plan]};w=${seconds};qu="links"`)
    .join(", ");
}

export function bulkLinksLeft(window: BulkWindow, left: number, seconds: number): string {
  return `"links-${window}";r=${left};t=${seconds}`;
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
