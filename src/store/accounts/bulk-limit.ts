/**
 * Limits on the links of an account in bulk requests: by the minute and by the UTC day. One row of the home database
 * counts both, wherever the links are. The counting statement enforces the limits, as those of quotas.ts do: above one it
 * yields NULL, and the NOT NULL constraint rolls the transaction back.
 */
import { MINUTE_MS, utcDay } from "../../core/durations.ts";
import { ApiError } from "../../core/errors.ts";
import { BULK_WINDOWS, type BulkWindow, bulkLinksLeft } from "../../core/http/rate-limit-headers.ts";
import { figure } from "../../core/limits.ts";
import { timestamp } from "../../core/timestamp.ts";
import { prepareNamed } from "../named-statement.ts";
import type { Caller } from "./caller.ts";
import { secondsToEnd } from "./rate-limits.ts";

/** Counts in the later of two minutes: a clock that is behind cannot open a window again. */
const COUNT_SQL = `INSERT INTO bulk_counts (account_id, minute, minute_links, day_links)
  VALUES (:account_id, :minute, :cost, :cost)
  ON CONFLICT (account_id) DO UPDATE SET
    minute = max(minute, excluded.minute),
    minute_links = iif(iif(minute >= :minute, minute_links, 0) + :cost <= :minute_max,
      iif(minute >= :minute, minute_links, 0) + :cost, NULL),
    day_links = iif(iif(minute / 1440 >= :day, day_links, 0) + :cost <= :day_max,
      iif(minute / 1440 >= :day, day_links, 0) + :cost, NULL)`;

function isBulkLimitError(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: bulk_counts.");
}

/**
 * Counts a bulk request in the transaction of what it writes.
 * @param cost  in links; null when the request is no bulk request
 * @param write  runs a transaction of the home database that begins with the given statements
 * @throws ApiError rate_limited
 */
export async function countingBulkLinks<T>(
  env: Env,
  { accountId, plan }: Caller,
  cost: number | null,
  write: (count: D1PreparedStatement[]) => Promise<T>,
): Promise<T> {
  if (cost === null) return write([]);
  const now = Date.now();
  const count = prepareNamed(env.DB, COUNT_SQL, {
    account_id: accountId,
    cost,
    ...windowsAt(now),
    minute_max: BULK_WINDOWS.minute.max[plan],
    day_max: BULK_WINDOWS.day.max[plan],
  });
  try {
    return await write([count]);
  } catch (error) {
    if (!isBulkLimitError(error)) throw error;
    throw rateLimited(plan, cost, await readBulkUse(env, accountId, now), now);
  }
}

/** Links counted in the windows of now, or in later ones. */
export type BulkUse = Record<BulkWindow, number>;

export async function readBulkUse(env: Env, accountId: string, now: number): Promise<BulkUse> {
  const { minute, day } = windowsAt(now);
  const use = await env.DB.prepare(
    `SELECT iif(minute >= ?2, minute_links, 0) AS minute, iif(minute / 1440 >= ?3, day_links, 0) AS day
     FROM bulk_counts WHERE account_id = ?1`,
  )
    .bind(accountId, minute, day)
    .first<BulkUse>();
  return use ?? { minute: 0, day: 0 };
}

/** The windows, numbered from 1970-01-01. */
function windowsAt(now: number): Record<BulkWindow, number> {
  return { minute: Math.floor(now / MINUTE_MS), day: utcDay(now) };
}

/** @param now  when the request was counted */
function rateLimited(plan: Caller["plan"], cost: number, used: BulkUse, now: number): ApiError {
  const leftIn = (name: BulkWindow) => Math.max(0, BULK_WINDOWS[name].max[plan] - used[name]);
  const window = cost > leftIn("day") ? "day" : "minute";
  const { seconds, max } = BULK_WINDOWS[window];
  const left = leftIn(window);
  const end = now - (now % (seconds * 1_000)) + seconds * 1_000;
  const retryAfterSeconds = secondsToEnd(now, seconds * 1_000);
  return new ApiError(
    "rate_limited",
    `This account can change ${figure(max[plan])} links a ${window} in bulk requests. This request counts as ${figure(cost)}, and ${figure(left)} are left until ${timestamp(end)}`,
    { retryAfterSeconds, headers: { RateLimit: bulkLinksLeft(window, left, retryAfterSeconds) } },
  );
}
