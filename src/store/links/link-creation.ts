/** How links are made: in one transaction with their count and the response that is stored for a retry. */
import { type ApiError, validationFailed } from "../../core/errors.ts";
import { hostsOf } from "../../core/hosts.ts";
import { ID_RANDOM_WORDS, randomSlug, SLUG_RANDOM_WORDS, timeOrderedId } from "../../core/identifiers.ts";
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
import type { LinkRecord } from "./link-rows.ts";

/** A link to be made. Times are epoch ms. */
export interface NewLink {
  url: string;
  slug: string | null;
  domain: string;
  routing: RoutingRule[];
  expiresAt: number | null;
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

function randomWords(count: number): Uint32Array {
  return crypto.getRandomValues(new Uint32Array(count));
}
