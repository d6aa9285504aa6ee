/**
 * Rate limits per minute. The binding counts within one Cloudflare location and does not report when its window ends,
 * so the key includes the minute of the clock. The count restarts at every full minute, which makes `Retry-After`
 * exact.
 */
import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { ApiError } from "../../core/errors.ts";
import { exhaustedRateLimit, type RateLimitName, type RateLimitSubject } from "../../core/http/rate-limit-headers.ts";
import type { Caller } from "./api-keys.ts";
import { queryRow, changeRows } from "../statements.ts";

/** The counted actions, and each plan's bindings: one for the key, one with five times the limit for its account. */
const RATE_LIMITS = {
  requests: {
    free: { key: "RATE_FREE", account: "RATE_FREE_ACCOUNT" },
    premium: { key: "RATE_PREMIUM", account: "RATE_PREMIUM_ACCOUNT" },
    words: "sent too many requests",
  },
  qr: {
    free: { key: "QR_FREE", account: "QR_FREE_ACCOUNT" },
    premium: { key: "QR_PREMIUM", account: "QR_PREMIUM_ACCOUNT" },
    words: "created too many QR codes or uploaded too many images",
  },
} as const satisfies Record<RateLimitName, unknown>;

/**
 * Counts a request for its key, then for its account; a request refused for the key does not count against the account.
 * All sessions of an account count as one key.
 * @throws ApiError rate_limited, with the seconds until the minute ends
 */
export async function enforceRequestRate(env: Env, caller: Caller, limit: RateLimitName): Promise<void> {
  const { [caller.plan]: bindings, words } = RATE_LIMITS[limit];
  const subject = caller.origin === "api" ? "key" : "account";
  const used = (of: RateLimitSubject) => (seconds: number) => ({ RateLimit: exhaustedRateLimit(limit, of, seconds) });
  const ofKey = `This ${subject} has ${words} within a minute.`;
  await enforceRate(env[bindings.key], caller.rateKey, ofKey, used("key"));
  await enforceRate(
    env[bindings.account],
    caller.accountId,
    `This account has ${words} within a minute.`,
    used("account"),
  );
}

/** @param headersOf  headers of a refusal, by the seconds until the minute ends @throws ApiError rate_limited */
export async function enforceRate(
  binding: RateLimit,
  name: string,
  message: string,
  headersOf: (seconds: number) => Record<string, string> = () => ({}),
): Promise<void> {
  const seconds = await consumeRate(binding, name);
  if (seconds === null) return;
  throw new ApiError("rate_limited", message, { retryAfterSeconds: seconds, headers: headersOf(seconds) });
}

/** Counts a request. @returns null when it is allowed, else the seconds until the minute ends */
export async function consumeRate(binding: RateLimit, name: string): Promise<number | null> {
  const now = Date.now();
  const { success } = await binding.limit({ key: `${name}:${Math.floor(now / MINUTE_MS)}` });
  return success ? null : secondsToEnd(now, MINUTE_MS);
}

/** Seconds until a fixed window ends, for `Retry-After`. Rounded up: a retry may be a second late, never early. */
export function secondsToEnd(now: number, windowMs: number): number {
  return Math.min(windowMs / 1_000, Math.floor((windowMs - (now % windowMs)) / 1_000) + 1);
}

/**
 * Counts an attempt within an hour, before it is checked, so that concurrent attempts cannot exceed the limit. In D1,
 * because the count must be valid across isolates.
 * @param now  epoch ms
 * @returns seconds until the next attempt is allowed; 0 if this one is
 */
export async function countHourlyAttempt(
  { DB }: Pick<Env, "DB">,
  key: string,
  max: number,
  now: number,
): Promise<number> {
  const sql = `INSERT INTO attempts (id, key, count, last_request) VALUES (?1, ?2, 1, ?3)
    ON CONFLICT (key) DO UPDATE SET count = iif(last_request > ?4, count + 1, 1),
      last_request = iif(last_request > ?4, last_request, ?3)
    RETURNING count, last_request`;
  const values = [crypto.randomUUID(), key, now, now - HOUR_MS];
  const row = await queryRow<{ count: number; last_request: number }>(DB, sql, values);
  if (!row || row.count <= max) return 0;
  return Math.ceil((row.last_request + HOUR_MS - now) / 1_000);
}

/** Takes back the count of attempts that turned out to be right. */
export async function uncountAttempts({ DB }: Pick<Env, "DB">, keys: readonly string[]): Promise<void> {
  const sql = "UPDATE attempts SET count = count - 1 WHERE count > 0 AND key IN (SELECT value FROM json_each(?1))";
  await changeRows(DB, sql, [JSON.stringify(keys)]);
}
