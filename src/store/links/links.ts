/**
 * Links in D1. Every function but the redirect's look-up takes the caller and names account and mode in its SQL.
 * A change is told to the link's object before it is answered, so that busy isolates hear of it with their next click.
 */
import { ApiError, validationFailed } from "../../core/errors.ts";
import { hostsOf } from "../../core/hosts.ts";
import { ID_RANDOM_WORDS, randomSlug, SLUG_RANDOM_WORDS, timeOrderedId } from "../../core/identifiers.ts";
import { type LinkSnapshot, addressObjectName } from "../../core/links/link-snapshot.ts";
import { qrKeyOf } from "../../core/qr/token.ts";
import type { RoutingRule } from "../../core/links/routing.ts";
import type { Caller } from "../accounts/caller.ts";
import { storeResponseStatements, type IdempotentRequest } from "../idempotency.ts";
import {
  countLinksStatement,
  UNLIMITED_ALLOWANCE,
  isLinkQuotaError,
  type LinkAllowance,
  readLinkAllowance,
} from "../accounts/quotas.ts";
import { type LinkRecord, type LinkRow, linkRecordOf, snapshotOf } from "./link-rows.ts";
import { deliverChange } from "./outbox.ts";

/** A link to be made. Times are epoch ms. */
export interface NewLink {
  url: string;
  slug: string | null;
  domain: string;
  routing: RoutingRule[];
  expiresAt: number | null;
}

/** What an update sets; what is left out stays. */
export interface LinkChanges {
  url?: string;
  routing?: RoutingRule[];
  expiresAt?: number | null;
}

/** Revisions that `If-Match` allows; null when any will do. */
export type ExpectedRevisions = readonly number[] | null;

/** Links of an account that is not open answer 410, whatever their own state. */
export type AccountState = "open" | "suspended" | "closed";

/** A link with what a redirect must know of its account. */
export interface FoundLink {
  link: LinkSnapshot;
  account: AccountState;
  /** Since when somebody listens to the account's live stream, epoch ms; 0 when nobody does. */
  feedSince: number;
}

/** Tries before giving up: against random slugs that are taken, and against others who write at the same time. */
const MAX_TRIES = 5;

/** A link of a request that was made, or why not: its slug is taken, or the account has no room for it. */
export type CreateLinkOutcome = { link: LinkRecord } | { taken: NewLink } | { refusal: ApiError };

/**
 * Makes links, all in one transaction with their count and with what is kept of the answer for `once`.
 * A chosen slug that is taken leaves out that link alone, and so does a quota those that pass it.
 * @param toStored  null when nothing is to be kept
 * @throws ApiError validation_failed when a domain ceased to be active meanwhile; nothing is made then
 * @throws whatever D1 throws when `once` has been used by another request in the meantime; the caller looks again
 */
export async function createLinks(
  env: Env,
  caller: Caller,
  links: readonly NewLink[],
  idempotentRequest: IdempotentRequest | null,
  toStored: (outcomes: CreateLinkOutcome[]) => unknown,
): Promise<CreateLinkOutcome[]> {
  let allowance = UNLIMITED_ALLOWANCE;
  for (let attempt = 1; ; attempt++) {
    const outcomes = await planLinks(env, caller, links, allowance);
    const made = outcomes.flatMap((outcome) => ("link" in outcome ? [outcome.link] : []));
    const statements = made.map((link) => insertLinkStatement(env, link));
    if (made.length > 0) statements.push(countLinksStatement(env, caller, made.length));
    const stored = toStored(outcomes);
    if (stored !== null) statements.push(...storeResponseStatements(env, caller, idempotentRequest, stored));
    try {
      if (statements.length > 0) await env.DB.batch(statements);
      return outcomes;
    } catch (error) {
      if (isDomainNotActiveError(error)) throw domainNotActive();
      if (isLinkQuotaError(error)) {
        allowance = await readLinkAllowance(env, caller);
        if (attempt === MAX_TRIES) throw allowance.refusal();
        continue;
      }
      // Someone took a slug between the plan and the write: plan again.
      if (attempt === MAX_TRIES || !isAddressTakenError(error)) throw error;
    }
  }
}

export function isAddressTakenError(error: unknown): boolean {
  return String(error).includes("UNIQUE constraint failed: links.domain");
}

export function isDomainNotActiveError(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: links.domain");
}

export function domainNotActive(): ApiError {
  const message = "domain is not active any more, so it takes no new links";
  return validationFailed([{ path: "domain", code: "not_active", message }]);
}

/** Settles ids, times and slugs, and finds which chosen slugs are taken: in the table, or twice in the request. */
async function planLinks(
  env: Env,
  caller: Caller,
  links: readonly NewLink[],
  allowance: LinkAllowance,
): Promise<CreateLinkOutcome[]> {
  const now = Date.now();
  const taken = await findTakenAddresses(env, links);
  let remaining = allowance.links;
  const ids = links.map(() => timeOrderedId("lnk_", now, randomWords(ID_RANDOM_WORDS))).sort();
  return links.map((link, i) => {
    const slug = link.slug ?? randomSlug(randomWords(SLUG_RANDOM_WORDS));
    const address = `${link.domain}/${slug.toLowerCase()}`;
    if (taken.has(address) && link.slug !== null) return { taken: link };
    if (remaining-- <= 0) return { refusal: allowance.refusal() };
    taken.add(address);
    return { link: newLinkRecord(caller, { ...link, slug }, now, ids[i]) };
  });
}

/** A link as it is at first. */
export function newLinkRecord(
  { accountId, mode, origin }: Caller,
  link: NewLink & { slug: string },
  now = Date.now(),
  id = timeOrderedId("lnk_", now, randomWords(ID_RANDOM_WORDS)),
): LinkRecord {
  const qrKey = qrKeyOf(crypto.getRandomValues(new Uint8Array(16)));
  return { ...link, id, accountId, mode, origin, revision: 1, state: "active", qrKey, createdAt: now, updatedAt: now };
}

async function findTakenAddresses(env: Env, links: readonly NewLink[]): Promise<Set<string>> {
  const chosen = links.flatMap(({ domain, slug }) => (slug === null ? [] : [[domain, slug]]));
  if (chosen.length === 0) return new Set();
  const { results } = await env.DB.prepare(
    `SELECT l.domain, l.slug FROM json_each(?1) wanted
     JOIN links l ON l.domain = wanted.value ->> 0 AND l.slug = wanted.value ->> 1 AND l.successor_id IS NULL`,
  )
    .bind(JSON.stringify(chosen))
    .all<{ domain: string; slug: string }>();
  return new Set(results.map(({ domain, slug }) => `${domain}/${slug.toLowerCase()}`));
}

/** Whether a slug was issued on a domain, now or once. */
export async function isSlugTaken(env: Env, domain: string, slug: string): Promise<boolean> {
  const row = await env.DB.prepare("SELECT 1 FROM links WHERE domain = ?1 AND slug = ?2 AND successor_id IS NULL")
    .bind(domain, slug)
    .first();
  return row !== null;
}

/** A domain that is not active any more becomes NULL, which the column refuses, and the whole transaction with it. */
export function insertLinkStatement(env: Env, link: LinkRecord): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, expires_at, created_at, updated_at, revision, qr_key, predecessor_id, on_custom_domain)
     VALUES (?1, ?2, ?3, ?4, iif(?14, (SELECT domain FROM domains
         WHERE account_id = ?1 AND mode = ?2 AND domain = ?5 AND status = 'active'), ?5), ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?15, ?14)`,
  ).bind(
    link.accountId,
    link.mode,
    link.id,
    link.origin,
    link.domain,
    link.slug,
    link.url,
    JSON.stringify(link.routing),
    link.expiresAt,
    link.createdAt,
    link.updatedAt,
    link.revision,
    link.qrKey,
    link.domain === hostsOf(env).shortDomains[link.mode] ? 0 : 1,
    link.predecessorId ?? null,
  );
}

/** @throws ApiError link_not_found when the link is not the caller's, belongs to the other mode, or was deleted */
export async function readLink(env: Env, caller: Caller, id: string): Promise<LinkRecord> {
  const row = await env.DB.prepare(
    "SELECT * FROM links WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND deleted_at IS NULL",
  )
    .bind(caller.accountId, caller.mode, id)
    .first<LinkRow>();
  if (!row) throw new ApiError("link_not_found");
  return linkRecordOf(row);
}

/**
 * Applies changes in one statement, so none is lost between two writers.
 * @throws ApiError precondition_failed, link_not_found
 */
export async function updateLink(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  id: string,
  changes: LinkChanges,
  expected: ExpectedRevisions,
): Promise<LinkRecord> {
  const row = await env.DB.prepare(
    `UPDATE links SET
       url = coalesce(?4, url),
       routing = coalesce(?5, routing),
       expires_at = iif(?6, ?7, expires_at),
       updated_at = max(?8, updated_at + 1),
       revision = revision + 1
     WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND deleted_at IS NULL
       AND (?9 IS NULL OR revision IN (SELECT value FROM json_each(?9)))
     RETURNING *`,
  )
    .bind(
      caller.accountId,
      caller.mode,
      id,
      changes.url ?? null,
      changes.routing ? JSON.stringify(changes.routing) : null,
      "expiresAt" in changes ? 1 : 0,
      changes.expiresAt ?? null,
      Date.now(),
      expected && JSON.stringify(expected),
    )
    .first<LinkRow>();
  if (!row) return throwNotUpdated(env, caller, id);
  await deliverChange(env, ctx, snapshotOf(row));
  return linkRecordOf(row);
}

/** No row was changed: the link is not there, or not at the revision that was asked for. */
export async function throwNotUpdated(env: Env, caller: Caller, id: string): Promise<never> {
  throw preconditionFailed(await readLink(env, caller, id));
}

export function preconditionFailed({ revision }: LinkRecord): ApiError {
  return new ApiError("precondition_failed", `If-Match does not name the current ETag, which is "${revision}"`, {
    param: "If-Match",
  });
}

/**
 * Puts a link out of service or back into it (operator). Null when no link has this address.
 * Isolates see it within ten seconds; its object is told by the maintenance object (store/links/outbox.ts).
 */
export async function setLinkDisabled(
  { DB }: Pick<Env, "DB">,
  domain: string,
  slug: string,
  disabled: boolean,
): Promise<string | null> {
  const row = await DB.prepare(
    `UPDATE links SET disabled_at = iif(?3, coalesce(disabled_at, ?4), NULL), revision = revision + 1
     WHERE domain = ?1 AND slug = ?2 AND successor_id IS NULL AND deleted_at IS NULL RETURNING id`,
  )
    .bind(domain, slug, disabled ? 1 : 0, Date.now())
    .first<{ id: string }>();
  return row?.id ?? null;
}

/** Where a link is found. `name` is that of its object (core/links/link-snapshot.ts). */
export interface LinkLookupKey {
  name: string;
  domain: string;
  slug: string;
}

/**
 * Links by their addresses, for redirects, in one query: whoever knows the address may visit.
 * @param freshness  a replica may not have heard of the newest writes; the primary has
 * @returns what was found, by name
 */
export async function findLinksByAddress(
  env: Env,
  keys: readonly LinkLookupKey[],
  freshness: "first-unconstrained" | "first-primary",
): Promise<Map<string, FoundLink>> {
  const { results } = await env.DB.withSession(freshness)
    .prepare(
      `SELECT l.*, coalesce(s.state, 'open') AS account, iif(f.until > ?2, f.since, 0) AS feed_since
       FROM json_each(?1) wanted
       CROSS JOIN links l ON l.domain = wanted.value ->> 0 AND l.slug = wanted.value ->> 1 AND l.successor_id IS NULL
       LEFT JOIN account_states s ON s.account_id = l.account_id
       LEFT JOIN feeds f ON f.account_id = l.account_id AND f.mode = l.mode`,
    )
    .bind(JSON.stringify(keys.map(({ domain, slug }) => [domain, slug])), Date.now())
    .all<LinkRow & { account: AccountState; feed_since: number }>();
  return new Map(
    results.map((row) => [
      addressObjectName(row.domain, row.slug),
      { link: snapshotOf(row), account: row.account, feedSince: row.feed_since },
    ]),
  );
}

function randomWords(count: number): Uint32Array {
  return crypto.getRandomValues(new Uint32Array(count));
}
