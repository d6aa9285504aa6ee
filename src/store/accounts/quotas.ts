/**
 * Quotas of QR codes and stored responses (of links: links/link-quota.ts). The counting statement enforces the quota:
 * above the limit it yields NULL, and the NOT NULL constraint rolls the transaction back. Concurrent requests therefore
 * cannot exceed it.
 */
import { utcDay } from "../../core/durations.ts";
import { ApiError } from "../../core/errors.ts";
import { LINK_QR_CODES_MAX, QR_BYTES_MAX, QR_CODES_MAX, STORED_RESPONSES_MAX_BYTES } from "../../core/limits.ts";
import type { Caller } from "./caller.ts";

/**
 * Counts a QR code before its image is stored: an image whose row cannot be written is never removed.
 * @throws ApiError quota_exceeded
 */
export async function countQrCode(env: Env, { accountId, plan }: Caller, linkId: string, bytes: number): Promise<void> {
  try {
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO link_qr_counts (account_id, link_id, codes) VALUES (?1, ?2, 1)
         ON CONFLICT (account_id, link_id) DO UPDATE SET codes = iif(codes < ?3, codes + 1, NULL)`,
      ).bind(accountId, linkId, LINK_QR_CODES_MAX),
      env.DB.prepare(
        `INSERT INTO qr_counts (account_id, codes, bytes) VALUES (?1, 1, ?2)
         ON CONFLICT (account_id) DO UPDATE SET
           codes = iif(codes < ?3, codes + 1, NULL),
           bytes = iif(bytes + excluded.bytes <= ?4, bytes + excluded.bytes, NULL)`,
      ).bind(accountId, bytes, QR_CODES_MAX[plan], QR_BYTES_MAX[plan]),
    ]);
  } catch (error) {
    throw asQrQuotaError(error, plan);
  }
}

/** The quota error for a failed count; the error itself when it has another cause. */
function asQrQuotaError(error: unknown, plan: Caller["plan"]): unknown {
  const failed = String(error);
  if (failed.includes("NOT NULL constraint failed: link_qr_counts.codes")) {
    return new ApiError(
      "quota_exceeded",
      `This link has ${LINK_QR_CODES_MAX} QR codes, the most that a link may have`,
      {
        param: "link_id",
      },
    );
  }
  if (!failed.includes("NOT NULL constraint failed: qr_counts.")) return error;
  const words = `${QR_CODES_MAX[plan]} QR codes or ${QR_BYTES_MAX[plan]} bytes of their images`;
  return new ApiError("quota_exceeded", `This account has ${words}, the most that the plan ${plan} allows`);
}

/** Counts the bytes of a response stored in the same transaction, which fails above the daily quota. */
export function countResponseStatement(
  database: D1Database,
  { accountId, plan }: Caller,
  bytes: number,
  now: number,
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO idempotency_counts (account_id, counted_on, bytes) VALUES (?1, ?2, ?3)
     ON CONFLICT (account_id) DO UPDATE SET
       bytes = iif(iif(counted_on = excluded.counted_on, bytes, 0) + excluded.bytes <= ?4,
         iif(counted_on = excluded.counted_on, bytes, 0) + excluded.bytes, NULL),
       counted_on = excluded.counted_on`,
    )
    .bind(accountId, utcDay(now), bytes, STORED_RESPONSES_MAX_BYTES[plan]);
}

/** Whether a transaction failed because of the quota of stored responses. */
export function isResponseQuotaError(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: idempotency_counts.bytes");
}
