/**
 * Creates links, in one transaction with their count and the response that is stored for a retry. Chooses random slugs
 * and repeats the transaction when a concurrent request takes one. Bodies are validated before
 * (core/links/link-validation.ts).
 */
import { type ApiError, validationFailed } from "../../core/errors.ts";
import { hostsOfLink } from "../../core/host-settings.ts";
import { ID_RANDOM_WORDS, randomSlug, SLUG_RANDOM_WORDS, timeOrderedId } from "../../core/identifiers.ts";
import { qrKeyOf } from "../../core/qr/token.ts";
import type { Caller } from "../accounts/caller.ts";
import { storeResponseStatements, type IdempotentRequest } from "../idempotency.ts";
import { prepareNamed } from "../named-statement.ts";
import {
  countLinksStatement,
  UNLIMITED_ALLOWANCE,
  isLinkQuotaError,
  type LinkAllowance,
  readLinkAllowance,
} from "./link-quota.ts";
import { INSERT_LINK_SQL, insertValues, type LinkContent, type LinkRecord } from "./link-rows.ts";
import { groupByDatabase, linksDatabase, transactionDatabase } from "./links-database.ts";

/** A link to be created. Times are epoch ms. */
export interface NewLink extends LinkContent {
  /** Null for a random slug. */
  slug: string | null;
  domain: string;
}

/** Attempts: random slugs may be taken, and concurrent requests may take slugs or use up the quota. */
const MAX_TRIES = 5;

/** The created link, or the reason for a rejection: its slug is taken, or the account's quota is used up. */
export type CreateLinkOutcome = { link: LinkRecord } | { taken: NewLink } | { refusal: ApiError };

/**
 * Creates links in one transaction with their count and the stored response of the request. A taken slug rejects only
 * its own link. When the quota is reached, the remaining links are rejected.
 * @param toStored  builds the stored payload; null to store nothing
 * @throws ApiError validation_failed when a domain ceased to be active meanwhile; nothing is created then
 * @throws the UNIQUE error of D1 when a concurrent request with the same key committed first; `idempotent`
 *   (api/middleware/idempotency.ts) then replays its response
 */
export async function createLinks(
  env: Env,
  caller: Caller,
  links: readonly NewLink[],
  idempotentRequest: IdempotentRequest | null,
  toStored: (outcomes: CreateLinkOutcome[]) => unknown,
): Promise<CreateLinkOutcome[]> {
  const database = transactionDatabase(env);
  let allowance = UNLIMITED_ALLOWANCE;
  for (let attempt = 1; ; attempt++) {
    const outcomes = await planLinks(env, caller, links, allowance);
    const made = outcomes.flatMap((outcome) => ("link" in outcome ? [outcome.link] : []));
    const statements = made.map((link) => insertLinkStatement(env, database, link));
    if (made.length > 0) statements.push(countLinksStatement(database, caller, made.length));
    const stored = toStored(outcomes);
    if (stored !== null) statements.push(...storeResponseStatements(database, caller, idempotentRequest, stored));
    try {
      if (statements.length > 0) await database.batch(statements);
      return outcomes;
    } catch (error) {
      if (isDomainNotActiveError(error)) throw domainNotActive();
      if (isLinkQuotaError(error)) {
        allowance = await readLinkAllowance(env, caller);
        if (attempt === MAX_TRIES) throw allowance.refusal();
        continue;
      }
      // A concurrent request took a slug between the plan and the write: plan again.
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

/** Assigns ids, times and slugs, and finds chosen slugs that are taken: in the table, or twice in the request. */
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

/** A new link, at revision 1. */
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
  const chosen = links.flatMap(({ domain, slug }) => (slug === null ? [] : [{ domain, slug }]));
  const found = [...groupByDatabase(env, chosen)].map(([database, addresses]) =>
    database
      .prepare(
        `SELECT l.domain, l.slug FROM json_each(?1) wanted
         JOIN links l ON l.domain = wanted.value ->> 0 AND l.slug = wanted.value ->> 1 AND l.successor_id IS NULL`,
      )
      .bind(JSON.stringify(addresses.map(({ domain, slug }) => [domain, slug])))
      .all<{ domain: string; slug: string }>(),
  );
  const rows = (await Promise.all(found)).flatMap(({ results }) => results);
  return new Set(rows.map(({ domain, slug }) => `${domain}/${slug.toLowerCase()}`));
}

/** Whether a slug is in use on a domain, or was: slugs are never issued again. */
export async function isSlugTaken(env: Env, domain: string, slug: string): Promise<boolean> {
  const row = await linksDatabase(env, { domain, slug })
    .prepare("SELECT 1 FROM links WHERE domain = ?1 AND slug = ?2 AND successor_id IS NULL")
    .bind(domain, slug)
    .first();
  return row !== null;
}

/** The transaction fails when the domain is no longer active (`isDomainNotActiveError`). */
export function insertLinkStatement(env: Env, database: D1Database, link: LinkRecord): D1PreparedStatement {
  const onCustomDomain = link.domain !== hostsOfLink(env, link.domain).shortDomains[link.mode];
  return prepareNamed(database, INSERT_LINK_SQL, insertValues(link, onCustomDomain));
}

function randomWords(count: number): Uint32Array {
  return crypto.getRandomValues(new Uint32Array(count));
}
