/**
 * Creates links, in one transaction with their count and the response that is stored for a retry. Chooses random slugs
 * and repeats the transaction when a concurrent request takes one. Bodies are validated before
 * (core/links/link-validation.ts).
 */
import { type ApiError, validationFailed } from "../../core/errors.ts";
import { hostsOfLink } from "../../core/host-settings.ts";
import { LINK_ID_RANDOM_WORDS, linkIdStem, randomSlug, SLUG_RANDOM_WORDS } from "../../core/identifiers.ts";
import { linkIdOf } from "../../core/links/buckets.ts";
import { addressObjectName } from "../../core/links/link-snapshot.ts";
import { conflictingSlugs, exactSlug } from "../../core/links/stored-slug.ts";
import { qrKeyOf } from "../../core/qr/token.ts";
import type { Caller } from "../accounts/caller.ts";
import { findCaseSensitiveDomains } from "../domains/known-domains.ts";
import { storeResponseStatements, type IdempotentRequest } from "../idempotency.ts";
import { jsonTexts } from "../json-rows.ts";
import { prepareNamed } from "../named-statement.ts";
import { UnavailableError } from "../timeout.ts";
import { changeAuthorOf } from "./change-author.ts";
import {
  countLinksStatement,
  UNLIMITED_ALLOWANCE,
  isLinkQuotaError,
  type LinkAllowance,
  readLinkAllowance,
} from "./link-quota.ts";
import { INSERT_LINKS_SQL, insertedRow, type LinkContent, type LinkRecord } from "./link-rows.ts";
import { groupByDatabase, linksDatabase, transactionDatabase } from "./links-database.ts";

/** A link to be created. Times are epoch ms. */
export interface NewLink extends LinkContent {
  /** As typed; null for a random slug. */
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
 * @throws UnavailableError when concurrent requests keep taking slugs of this one
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
    const statements = insertLinksStatements(env, database, made);
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
      // A concurrent request took a slug, or changed the domain's case setting, between the plan and the write: plan again.
      if (!(isAddressTakenError(error) || isSlugOutdatedError(error))) throw error;
      if (attempt === MAX_TRIES) throw new UnavailableError("others keep taking the slugs of the request");
    }
  }
}

export function isAddressTakenError(error: unknown): boolean {
  return String(error).includes("UNIQUE constraint failed: links.domain");
}

function isSlugOutdatedError(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: links.slug");
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
  const storedSlug = await readSlugStorage(env, caller, links);
  const chosen = links.flatMap(({ domain, slug }) =>
    slug === null ? [] : [{ domain, slug: storedSlug(domain, slug) }],
  );
  const taken = await findTakenAddresses(env, chosen);
  let remaining = allowance.links;
  const stems = links.map(() => newIdStem(now)).sort();
  return links.map((link, i) => {
    const slug = storedSlug(link.domain, link.slug ?? randomSlug(randomWords(SLUG_RANDOM_WORDS)));
    const address = addressObjectName(link.domain, slug);
    if (taken.has(address) && link.slug !== null) return { taken: link };
    if (remaining-- <= 0) return { refusal: allowance.refusal() };
    taken.add(address);
    return { link: newLinkRecord(caller, { ...link, slug }, now, stems[i]) };
  });
}

/** A new link, at revision 1. */
export function newLinkRecord(
  caller: Caller,
  link: NewLink & { slug: string },
  now = Date.now(),
  idStem = newIdStem(now),
): LinkRecord {
  const id = linkIdOf(idStem, link.domain, link.slug);
  const { accountId, mode, origin } = caller;
  const qrKey = qrKeyOf(crypto.getRandomValues(new Uint8Array(16)));
  const times = { createdAt: now, updatedAt: now, changedAt: now };
  const changedBy = changeAuthorOf(caller);
  return { ...link, id, accountId, mode, origin, revision: 1, state: "active", qrKey, ...times, changedBy };
}

/** The stored form of a slug that is chosen now, by domain. Reads the database only for links on custom domains. */
async function readSlugStorage(
  env: Env,
  caller: Caller,
  links: readonly NewLink[],
): Promise<(domain: string, slug: string) => string> {
  const domains = new Set(links.map(({ domain }) => domain));
  const custom = [...domains].filter((domain) => isCustomDomainOf(env, { domain, mode: caller.mode }));
  const caseSensitive = await findCaseSensitiveDomains(env, caller, custom);
  return (domain, slug) => (caseSensitive.has(domain) ? exactSlug(slug) : slug);
}

type Address = Pick<LinkRecord, "domain" | "slug">;

/** Those of the addresses that have a link, or one that visitors could mean by them, by name (`addressObjectName`). */
async function findTakenAddresses(env: Env, addresses: readonly Address[]): Promise<Set<string>> {
  const found = [...groupByDatabase(env, addresses)].map(([database, wanted]) =>
    database
      .prepare(TAKEN_ADDRESSES_SQL)
      .bind(JSON.stringify(wanted.map(wantedAddress)))
      .all<{ name: string }>(),
  );
  const rows = (await Promise.all(found)).flatMap(({ results }) => results);
  return new Set(rows.map(({ name }) => name));
}

const TAKEN_ADDRESSES_SQL = `SELECT value ->> 0 AS name FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM links l
    WHERE l.domain = value ->> 1 AND l.slug = value ->> 2 AND l.successor_id IS NULL)
  OR EXISTS (SELECT 1 FROM links l
    WHERE l.domain = value ->> 1 AND l.slug BETWEEN value ->> 3 AND value ->> 4 AND l.successor_id IS NULL)`;

function wantedAddress({ domain, slug }: Address): string[] {
  const { from, to } = conflictingSlugs(slug);
  return [addressObjectName(domain, slug), domain, slug, from, to];
}

/** Whether a slug is in use on a domain, or was: slugs are never issued again. */
export async function isSlugTaken(env: Env, domain: string, slug: string): Promise<boolean> {
  const row = await linksDatabase(env, { domain, slug })
    .prepare("SELECT 1 FROM links WHERE domain = ?1 AND slug = ?2 AND successor_id IS NULL")
    .bind(domain, slug)
    .first();
  return row !== null;
}

/** The transaction fails when a domain is no longer active (`isDomainNotActiveError`), or does not take a slug any more. */
export function insertLinksStatements(
  env: Env,
  database: D1Database,
  links: readonly LinkRecord[],
): D1PreparedStatement[] {
  const rows = links.map((link) => insertedRow(link, isCustomDomainOf(env, link)));
  return jsonTexts(rows).map((text) => prepareNamed(database, INSERT_LINKS_SQL, { rows: text }));
}

function isCustomDomainOf(env: Env, { domain, mode }: Pick<LinkRecord, "domain" | "mode">): boolean {
  return domain !== hostsOfLink(env, domain).shortDomains[mode];
}

function newIdStem(now: number): string {
  return linkIdStem(now, randomWords(LINK_ID_RANDOM_WORDS));
}

function randomWords(count: number): Uint32Array {
  return crypto.getRandomValues(new Uint32Array(count));
}
