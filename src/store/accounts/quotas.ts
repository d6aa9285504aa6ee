/**
 * Quotas of QR codes (links: directory/link-quota.ts; stored responses: directory/idempotency.ts). The counting
 * statement enforces the quota: above the limit it yields NULL, and the NOT NULL constraint rolls the transaction back.
 * Concurrent requests therefore cannot exceed it.
 */
import { MINUTE_MS, timestamp, utcDay } from "../../core/time.ts";
import { ApiError } from "../../core/errors.ts";
import { BULK_WINDOWS, bulkLinksLeft, type BulkWindow } from "../../core/http/rate-limit-headers.ts";
import { figure, LINK_QR_CODES_MAX, QR_BYTES_MAX, QR_CODES_MAX } from "../../core/limits.ts";
import { countLinks } from "../directory/link-quota.ts";
import { prepareNamed, queryRow } from "../statements.ts";
import type { Caller } from "./api-keys.ts";
import { secondsToEnd } from "./rate-limits.ts";
import { refusedWith } from "../timeout.ts";

/**
 * Counts a QR code before its image is stored: an image whose row cannot be written is never removed.
 * @throws ApiError quota_exceeded
 */
export async function countQrCode(env: Env, { accountId, plan }: Caller, linkId: string, bytes: number): Promise<void> {
  const ofLink = env.DB.prepare(
    `INSERT INTO link_qr_counts (account_id, link_id, codes) VALUES (?1, ?2, 1)
     ON CONFLICT (account_id, link_id) DO UPDATE SET codes = iif(codes < ?3, codes + 1, NULL)`,
  ).bind(accountId, linkId, LINK_QR_CODES_MAX);
  const ofAccount = env.DB.prepare(
    `INSERT INTO qr_counts (account_id, codes, bytes) VALUES (?1, 1, ?2)
     ON CONFLICT (account_id) DO UPDATE SET
       codes = iif(codes < ?3, codes + 1, NULL),
       bytes = iif(bytes + excluded.bytes <= ?4, bytes + excluded.bytes, NULL)`,
  ).bind(accountId, bytes, QR_CODES_MAX[plan], QR_BYTES_MAX[plan]);
  const most = `${QR_CODES_MAX[plan]} QR codes or ${QR_BYTES_MAX[plan]} bytes of their images`;
  await refusedWith(env.DB.batch([ofLink, ofAccount]), {
    qr_quota_of_link: () => {
      const message = `This link has ${LINK_QR_CODES_MAX} QR codes, the maximum for a link.`;
      return new ApiError("quota_exceeded", message, { param: "link_id" });
    },
    qr_quota: () => new ApiError("quota_exceeded", `This account has reached the limit of the ${plan} plan: ${most}.`),
  });
}

/** Reverts the count of a code whose image was not stored. */
export async function uncountQrCode(env: Env, { accountId }: Caller, linkId: string, bytes: number): Promise<void> {
  const ofLink = "UPDATE link_qr_counts SET codes = codes - 1 WHERE account_id = ?1 AND link_id = ?2";
  const ofAccount = "UPDATE qr_counts SET codes = codes - 1, bytes = bytes - ?2 WHERE account_id = ?1";
  await env.DB.batch([
    env.DB.prepare(ofLink).bind(accountId, linkId),
    env.DB.prepare(ofAccount).bind(accountId, bytes),
  ]);
}

/*
 * Limits on an account's links in bulk requests, per minute and per UTC day. One row of the home database counts both,
 * regardless of the links' databases.
 */

/** Counts in the later of two minutes: a clock that is behind cannot reopen a window. */
const COUNT_SQL = `INSERT INTO bulk_counts (account_id, minute, minute_links, day_links)
  VALUES (:account_id, :minute, :cost, :cost)
  ON CONFLICT (account_id) DO UPDATE SET
    minute = max(minute, excluded.minute),
    minute_links = iif(iif(minute >= :minute, minute_links, 0) + :cost <= :minute_max,
      iif(minute >= :minute, minute_links, 0) + :cost, NULL),
    day_links = iif(iif(minute / 1440 >= :day, day_links, 0) + :cost <= :day_max,
      iif(minute / 1440 >= :day, day_links, 0) + :cost, NULL)`;

/**
 * Counts a bulk request in the transaction of its changes.
 * @param cost  in links; null when the request is not a bulk request
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
  return refusedWith(write([count]), {
    bulk_limit: async () => rateLimited(plan, cost, await readBulkUse(env, accountId, now), now),
  });
}

/** Links counted in the current windows, or in later ones. */
type BulkUse = Record<BulkWindow, number>;

async function readBulkUse(env: Env, accountId: string, now: number): Promise<BulkUse> {
  const { minute, day } = windowsAt(now);
  const sql = `SELECT iif(minute >= ?2, minute_links, 0) AS minute, iif(minute / 1440 >= ?3, day_links, 0) AS day
    FROM bulk_counts WHERE account_id = ?1`;
  const use = await queryRow<BulkUse>(env.DB, sql, [accountId, minute, day]);
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
  const advice = cost > BULK_WINDOWS.minute.max[plan] ? " Send fewer links in each request." : "";
  return new ApiError(
    "rate_limited",
    `This account can change ${figure(max[plan])} links per ${window} in bulk requests. Counted for this request: ${figure(cost)}. Left until ${timestamp(end)}: ${figure(left)}.${advice}`,
    { retryAfterSeconds, headers: { RateLimit: bulkLinksLeft(window, left, retryAfterSeconds) } },
  );
}

/** An account's use of its quotas: the counts that enforce them, and the few rows that are counted on request. */
export interface Usage {
  /** Epoch ms. */
  accountCreatedAt: number;
  links: number;
  linksCreated: number;
  keys: number;
  domains: number;
  qrCodes: number;
  qrImageBytes: number;
  socialImageBytes: number;
  /** Bytes stored on this UTC day. */
  idempotencyBytes: number;
  bulkLinks: BulkUse;
}

const USAGE_SQL = `SELECT a.created_at AS accountCreatedAt,
    (SELECT count(*) FROM api_keys WHERE account_id = ?1 AND mode = ?2 AND revoked_at IS NULL) AS keys,
    (SELECT count(*) FROM domains WHERE account_id = ?1 AND mode = ?2) AS domains,
    coalesce(q.codes, 0) AS qrCodes, coalesce(q.bytes, 0) AS qrImageBytes,
    coalesce(s.bytes, 0) AS socialImageBytes,
    iif(i.counted_on = ?3, i.bytes, 0) AS idempotencyBytes
  FROM accounts a
  LEFT JOIN qr_counts q ON q.account_id = a.id
  LEFT JOIN social_image_counts s ON s.account_id = a.id
  LEFT JOIN idempotency_counts i ON i.account_id = a.id
  WHERE a.id = ?1`;

export async function readUsage(env: Env, { accountId, mode }: Caller): Promise<Usage> {
  const now = Date.now();
  const [row, { links, made }, bulkLinks] = await Promise.all([
    queryRow<Omit<Usage, "links" | "linksCreated" | "bulkLinks">>(env.DB, USAGE_SQL, [accountId, mode, utcDay(now)]),
    countLinks(env, accountId),
    readBulkUse(env, accountId, now),
  ]);
  if (!row) throw new Error(`the account ${accountId} was closed during the request`);
  return { ...row, links, linksCreated: made, bulkLinks };
}
