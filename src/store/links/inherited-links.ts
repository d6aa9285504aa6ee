/**
 * Links on a domain that its former holder created: the current holder may see and end them. The domain changed hands,
 * the links did not: their rules, statistics and clicks belong to the other account and are never returned. Links are
 * named by slug: the holder knows the addresses, while ids belong to the other account.
 */
import { ApiError } from "../../core/errors.ts";
import { storedForms } from "../../core/links/stored-slug.ts";
import type { Caller } from "../accounts/caller.ts";
import { findTransferredDomains } from "../domains/domain-claims.ts";
import type { ChangeAuthor } from "./change-author.ts";
import { type LinkRecord, type LinkRow, snapshotOf } from "./link-rows.ts";
import { queryLinkDatabases, readLinkIn } from "./links-database.ts";
import { deliverChange } from "./outbox.ts";
import { writeLinkIn } from "./written-links.ts";

/** Times are epoch ms. */
export interface InheritedLinkRecord {
  domain: string;
  slug: string;
  state: "active" | "expired" | "disabled" | "deleted";
  createdAt: number;
}

export interface InheritedLinkRecordPage {
  links: InheritedLinkRecord[];
  /** Cursor of the next page; null when there is none. */
  nextCursor: string | null;
}

/** Links that one page scans, the holder's own included: D1 counts three rows read for each. */
const SCAN_MAX_LINKS = 5_000;

/** Selects the current link of an address, if another account or the other mode created it. */
const IS_INHERITED_SQL = "domain = ?1 AND successor_id IS NULL AND NOT (account_id = ?2 AND mode = ?3)";

type ScannedRow = Pick<LinkRow, "domain" | "slug" | "created_at" | "expires_at" | "disabled_at" | "deleted_at"> & {
  inherited: number;
  place: number;
};

/**
 * Inherited links in the order of their slugs; fewer than `limit`, or none, with a cursor when the scan was exhausted.
 */
export async function listInheritedLinks(
  env: Env,
  { accountId, mode }: Caller,
  domain: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<InheritedLinkRecordPage> {
  // The window function streams: SQLite stops as soon as enough rows have been returned. Rows that exhaust the scan are
  // returned whether they are inherited or not; the first of them is where the next page continues.
  const found = await queryLinkDatabases<ScannedRow>(
    env,
    ({ slug }) => slug,
    async (database) => {
      const { results: rows } = await database
        .prepare(
          `SELECT * FROM (
             SELECT domain, slug, created_at, expires_at, disabled_at, deleted_at,
               NOT (account_id = ?2 AND mode = ?3) AS inherited, row_number() OVER (ORDER BY slug) AS place
             FROM links INDEXED BY links_by_address
             WHERE domain = ?1 AND successor_id IS NULL AND slug > ?4 ORDER BY slug)
           WHERE inherited OR place >= ?5 LIMIT ?6`,
        )
        .bind(domain, accountId, mode, cursor ?? "", SCAN_MAX_LINKS, limit + 1)
        .all<ScannedRow>();
      return rows;
    },
  );
  const results = found.sort((one, other) => (one.slug.toLowerCase() < other.slug.toLowerCase() ? -1 : 1));
  const exhausted = results.findIndex(({ place }) => place >= SCAN_MAX_LINKS);
  const page = results.slice(0, exhausted < 0 ? limit : Math.min(exhausted + 1, limit));
  const now = Date.now();
  return {
    links: page.flatMap((row) => (row.inherited ? [inheritedLinkRecordOf(row, now)] : [])),
    nextCursor: (page.length < results.length && page.at(-1)?.slug) || null,
  };
}

/** Disables a link: its short URL answers 410. Idempotent. @throws ApiError link_not_found */
export async function disableInheritedLink(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  domain: string,
  slug: string,
): Promise<InheritedLinkRecord> {
  const disabledBy: ChangeAuthor = "domain_holder";
  const row = await writeLinkIn(env, { domain, slug }, (database) =>
    database
      .prepare(
        `UPDATE links SET disabled_at = ?4, revision = revision + 1,
         changed_at = max(?4, updated_at + 1, coalesce(changed_at, 0) + 1), changed_by = ?7
         WHERE ${IS_INHERITED_SQL} AND slug IN (?5, ?6) AND deleted_at IS NULL AND disabled_at IS NULL RETURNING *`,
      )
      .bind(domain, caller.accountId, caller.mode, Date.now(), ...storedForms(slug), disabledBy)
      .first<LinkRow>(),
  );
  if (row) await deliverChange(env, ctx, snapshotOf(row));
  return inheritedLinkRecordOf(row ?? (await readInheritedLink(env, caller, domain, slug)), Date.now());
}

/** @throws ApiError link_not_found */
export async function readInheritedLink(env: Env, caller: Caller, domain: string, slug: string): Promise<LinkRow> {
  const row = await readLinkIn(env, { domain, slug }, (database) =>
    database
      .prepare(`SELECT * FROM links WHERE ${IS_INHERITED_SQL} AND slug IN (?4, ?5)`)
      .bind(domain, caller.accountId, caller.mode, ...storedForms(slug))
      .first<LinkRow>(),
  );
  if (!row) throw new ApiError("link_not_found", "No link of another account has this slug on the domain");
  return row;
}

/**
 * Whether an address has a link that was inherited, or that the caller has taken over or made itself: a take-over that
 * is repeated finds the latter.
 * @throws ApiError link_not_found
 */
export async function requireLinkAt(env: Env, caller: Caller, domain: string, slug: string): Promise<void> {
  const own = await readLinkIn(env, { domain, slug }, (database) =>
    database
      .prepare(
        `SELECT 1 FROM links
         WHERE domain = ?1 AND slug IN (?4, ?5) AND account_id = ?2 AND mode = ?3 AND successor_id IS NULL`,
      )
      .bind(domain, caller.accountId, caller.mode, ...storedForms(slug))
      .first(),
  );
  if (!own) await readInheritedLink(env, caller, domain, slug);
}

/** @param now  epoch ms */
function inheritedLinkRecordOf(row: Omit<ScannedRow, "inherited" | "place">, now: number): InheritedLinkRecord {
  const isExpired = row.expires_at !== null && row.expires_at <= now;
  const state =
    row.deleted_at !== null ? "deleted" : row.disabled_at !== null ? "disabled" : isExpired ? "expired" : "active";
  return { domain: row.domain, slug: row.slug, state, createdAt: row.created_at };
}

/**
 * To be called before a link is changed, or its address printed: the domain may have passed to another account.
 * @throws ApiError domain_transferred
 */
export async function requireDomainNotTransferred(
  env: Env,
  caller: Caller,
  { domain }: Pick<LinkRecord, "domain">,
): Promise<void> {
  if ((await findTransferredDomains(env, caller, [domain])).has(domain)) throw domainTransferred(domain);
}

export function domainTransferred(domain: string): ApiError {
  return new ApiError(
    "domain_transferred",
    `${domain} has passed to somebody else: links on it can be read and deleted`,
  );
}
