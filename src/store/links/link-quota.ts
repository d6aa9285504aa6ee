/**
 * The quota of links. The count is in the links' database, and the counting statement enforces the quota: above the
 * limit it yields NULL, and the NOT NULL constraint rolls the transaction back. Concurrent requests therefore cannot
 * exceed it. With a second database each would enforce the limit for its own share, so the sum must be checked before
 * the transaction.
 */
import { LINKS_CREATED_FACTOR, LINKS_MAX } from "../../core/limits.ts";
import { ApiError } from "../../core/errors.ts";
import type { Caller } from "../accounts/caller.ts";
import { linkDatabases } from "./links-database.ts";

/** Counts the links created in the same transaction, which fails above the quota (`isLinkQuotaError`). */
export function countLinksStatement(
  database: D1Database,
  { accountId, plan }: Caller,
  made: number,
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO link_counts (account_id, links, made) VALUES (?1, ?2, ?2)
       ON CONFLICT (account_id) DO UPDATE SET
         links = iif(links + excluded.links <= ?3, links + excluded.links, NULL),
         made = iif(made + excluded.made <= ?4, made + excluded.made, NULL)`,
    )
    .bind(accountId, made, LINKS_MAX[plan], LINKS_MAX[plan] * LINKS_CREATED_FACTOR);
}

export function isLinkQuotaError(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: link_counts.");
}

/** The links that an account may still create, and the error for one more. */
export interface LinkAllowance {
  links: number;
  refusal: () => ApiError;
}

export const UNLIMITED_ALLOWANCE: LinkAllowance = { links: Infinity, refusal: () => new ApiError("quota_exceeded") };

export async function readLinkAllowance(env: Env, { accountId, plan }: Caller): Promise<LinkAllowance> {
  const { links, made } = await countLinks(env, accountId);
  const toHave = LINKS_MAX[plan] - links;
  const toMake = LINKS_MAX[plan] * LINKS_CREATED_FACTOR - made;
  const reason =
    toMake < toHave
      ? `has made ${made} links; deleted ones hold their slugs for ever, so ${LINKS_MAX[plan] * LINKS_CREATED_FACTOR} is`
      : `has ${links} links, and ${LINKS_MAX[plan]} is`;
  const refusal = () => new ApiError("quota_exceeded", `This account ${reason} the most that the plan ${plan} allows`);
  return { links: Math.max(0, Math.min(toHave, toMake)), refusal };
}

/** Links that are not deleted, and links ever created, of both modes. */
export async function countLinks(env: Env, accountId: string): Promise<{ links: number; made: number }> {
  const rows = await Promise.all(
    linkDatabases(env).map((database) =>
      database
        .prepare("SELECT links, made FROM link_counts WHERE account_id = ?1")
        .bind(accountId)
        .first<{ links: number; made: number }>(),
    ),
  );
  const total = { links: 0, made: 0 };
  for (const row of rows) {
    total.links += row?.links ?? 0;
    total.made += row?.made ?? 0;
  }
  return total;
}
