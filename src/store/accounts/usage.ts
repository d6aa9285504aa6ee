/** An account's use of its quotas: the counts that enforce them, and the few rows that are counted on request. */
import { utcDay } from "../../core/time.ts";
import { countLinks } from "../directory/link-quota.ts";
import { type BulkUse, readBulkUse } from "./quotas.ts";
import type { Caller } from "./api-keys.ts";

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
    env.DB.prepare(USAGE_SQL)
      .bind(accountId, mode, utcDay(now))
      .first<Omit<Usage, "links" | "linksCreated" | "bulkLinks">>(),
    countLinks(env, accountId),
    readBulkUse(env, accountId, now),
  ]);
  if (!row) throw new Error(`the account ${accountId} was closed during the request`);
  return { ...row, links, linksCreated: made, bulkLinks };
}
