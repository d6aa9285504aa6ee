/**
 * Short domains in D1. A name may be pending for many; the database lets one alone be verified (`domains_verified`).
 * What is the caller's is named by account and mode in the SQL. Of others these functions only tell who has verified a
 * name, and to redirects its landing pages.
 */
import { DOMAINS_MAX, type ListDomainsQuery } from "../../core/contract/contract.ts";
import type { Mode } from "../../core/credentials.ts";
import { type DomainStatus, type Findings, NOT_CHECKED } from "../../core/domains/domain-verification.ts";
import { ApiError } from "../../core/errors.ts";
import { BASE32_ALPHABET, ID_RANDOM_WORDS, randomText, timeOrderedId } from "../../core/identifiers.ts";
import type { KnownDomains } from "../../core/links/link-validation.ts";
import type { Caller } from "../accounts/caller.ts";
import { type JsonResponse, storeResponseStatements, type IdempotentRequest } from "../idempotency.ts";

/** Times are epoch ms. */
export interface DomainRecord {
  id: string;
  domain: string;
  /** What the TXT record must say. */
  token: string;
  status: DomainStatus;
  findings: Findings;
  rootUrl: string | null;
  notFoundUrl: string | null;
  customHostnameId: string | null;
  createdAt: number;
  verifiedAt: number | null;
  checkStartedAt: number | null;
  checkedAt: number | null;
}

/** What an update sets; what is left out stays. */
export interface DomainChanges {
  rootUrl?: string | null;
  notFoundUrl?: string | null;
}

interface DomainRow {
  account_id: string;
  mode: Mode;
  id: string;
  domain: string;
  token: string;
  status: DomainStatus;
  findings: string;
  root_url: string | null;
  not_found_url: string | null;
  custom_hostname_id: string | null;
  created_at: number;
  verified_at: number | null;
  check_started_at: number | null;
  checked_at: number | null;
}

/** 32 characters of base 32: 160 random bits. */
const VERIFICATION_TOKEN_CHARS = 32;

export function newDomainRecord(domain: string): DomainRecord {
  const now = Date.now();
  return {
    id: timeOrderedId("dom_", now, crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS))),
    domain,
    token: randomText(BASE32_ALPHABET, crypto.getRandomValues(new Uint32Array(VERIFICATION_TOKEN_CHARS))),
    status: "pending",
    findings: { cname: NOT_CHECKED, txt: NOT_CHECKED },
    rootUrl: null,
    notFoundUrl: null,
    customHostnameId: null,
    createdAt: now,
    verifiedAt: null,
    checkStartedAt: null,
    checkedAt: null,
  };
}

/**
 * Keeps a new domain, in one transaction with the answer that is kept for `once`.
 * @param lapsedId  of a holder of the name who does not prove it any more, and so stands in nobody's way
 * @throws ApiError domain_taken when the caller has it already, or somebody has verified it; quota_exceeded
 */
export async function createDomain(
  env: Env,
  caller: Caller,
  domain: DomainRecord,
  lapsedId: string | null,
  idempotentRequest: IdempotentRequest | null,
  response: JsonResponse,
): Promise<void> {
  // A name that is verified becomes NULL here, which the column refuses, and the whole transaction with it. So does the
  // token of one domain too many.
  const insertStatement = env.DB.prepare(
    `INSERT INTO domains (account_id, mode, id, domain, token, status, findings, created_at)
     VALUES (?1, ?2, ?3,
       iif(EXISTS (SELECT 1 FROM domains WHERE domain = ?4 AND verified_at IS NOT NULL
                   AND NOT (account_id = ?1 AND mode = ?2) AND id IS NOT ?9), NULL, ?4),
       iif((SELECT count(*) FROM domains WHERE account_id = ?1 AND mode = ?2) < ?10, ?5, NULL), ?6, ?7, ?8)`,
  ).bind(
    caller.accountId,
    caller.mode,
    domain.id,
    domain.domain,
    domain.token,
    domain.status,
    JSON.stringify(domain.findings),
    domain.createdAt,
    lapsedId,
    DOMAINS_MAX[caller.plan],
  );
  try {
    await env.DB.batch([insertStatement, ...storeResponseStatements(env, caller, idempotentRequest, response)]);
  } catch (error) {
    if (String(error).includes("NOT NULL constraint failed: domains.domain"))
      throw domainTaken(domain, "is verified elsewhere");
    if (String(error).includes("NOT NULL constraint failed: domains.token")) throw domainQuotaExceeded(caller);
    if (String(error).includes("domains.account_id")) throw domainTaken(domain, "is among your domains already");
    throw error;
  }
}

function domainQuotaExceeded({ plan, mode }: Caller): ApiError {
  const message = `This account has ${DOMAINS_MAX[plan]} ${mode} domains, the most that the plan ${plan} allows`;
  return new ApiError("quota_exceeded", message);
}

function domainTaken({ domain }: DomainRecord, why: string): ApiError {
  return new ApiError("domain_taken", `The domain ${domain} ${why}`, { param: "domain" });
}

/** @throws ApiError domain_not_found when the domain is not the caller's, or belongs to the other mode */
export async function readDomain(env: Env, caller: Caller, id: string): Promise<DomainRecord> {
  const row = await env.DB.prepare("SELECT * FROM domains WHERE account_id = ?1 AND mode = ?2 AND id = ?3")
    .bind(caller.accountId, caller.mode, id)
    .first<DomainRow>();
  if (!row) throw new ApiError("domain_not_found");
  return domainRecordOf(row);
}

/** Newest first, paged by id, which begins with the creation time. */
export async function listDomains(
  env: Env,
  caller: Caller,
  { cursor, limit }: ListDomainsQuery,
): Promise<{ domains: DomainRecord[]; hasMore: boolean }> {
  const { results } = await env.DB.prepare(
    `SELECT * FROM domains WHERE account_id = ?1 AND mode = ?2 AND id < coalesce(?3, '~') ORDER BY id DESC LIMIT ?4`,
  )
    .bind(caller.accountId, caller.mode, cursor ?? null, limit + 1)
    .all<DomainRow>();
  return { domains: results.slice(0, limit).map(domainRecordOf), hasMore: results.length > limit };
}

/** @throws ApiError domain_not_found */
export async function updateDomain(
  env: Env,
  caller: Caller,
  id: string,
  changes: DomainChanges,
): Promise<DomainRecord> {
  const row = await env.DB.prepare(
    `UPDATE domains SET root_url = iif(?4, ?5, root_url), not_found_url = iif(?6, ?7, not_found_url)
     WHERE account_id = ?1 AND mode = ?2 AND id = ?3 RETURNING *`,
  )
    .bind(
      caller.accountId,
      caller.mode,
      id,
      "rootUrl" in changes ? 1 : 0,
      changes.rootUrl ?? null,
      "notFoundUrl" in changes ? 1 : 0,
      changes.notFoundUrl ?? null,
    )
    .first<DomainRow>();
  if (!row) throw new ApiError("domain_not_found");
  return domainRecordOf(row);
}

/**
 * Gives a domain up. One statement, so that no link can be made on it meanwhile. An index has the live links on custom
 * domains alone: an account may have very many elsewhere, and very many tombstones on this one.
 * @throws ApiError domain_not_found, domain_in_use while links that are not deleted are on it
 */
export async function deleteDomain(env: Env, caller: Caller, id: string): Promise<DomainRecord> {
  const row = await env.DB.prepare(
    `DELETE FROM domains WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND NOT EXISTS
       (SELECT 1 FROM links l INDEXED BY links_on_custom_domains WHERE l.account_id = ?1 AND l.mode = ?2
        AND l.domain = domains.domain AND l.on_custom_domain = 1 AND l.deleted_at IS NULL)
     RETURNING *`,
  )
    .bind(caller.accountId, caller.mode, id)
    .first<DomainRow>();
  if (row) return domainRecordOf(row);
  const { domain } = await readDomain(env, caller, id);
  throw new ApiError("domain_in_use", `Links live on ${domain}: delete them first`);
}

/**
 * Begins a check, unless one began within `freshMs`: of requests that come together one asks DNS, not all.
 * @returns null when no check is due, or there is no such domain
 */
export async function startCheckIfDue(
  env: Env,
  caller: Caller,
  id: string,
  now: number,
  minIntervalMs: number,
): Promise<DomainRecord | null> {
  const row = await env.DB.prepare(
    `UPDATE domains SET check_started_at = ?4
     WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND (check_started_at IS NULL OR check_started_at <= ?4 - ?5)
     RETURNING *`,
  )
    .bind(caller.accountId, caller.mode, id, now, minIntervalMs)
    .first<DomainRow>();
  return row && domainRecordOf(row);
}

/** Who has verified a name, and what their TXT record must say. */
export interface DomainHolder {
  id: string;
  token: string;
}

/** Who but the caller has verified a name; null when nobody has. */
export async function findOtherHolder(env: Env, caller: Caller, domain: string): Promise<DomainHolder | null> {
  return env.DB.prepare(
    "SELECT id, token FROM domains WHERE domain = ?3 AND verified_at IS NOT NULL AND NOT (account_id = ?1 AND mode = ?2)",
  )
    .bind(caller.accountId, caller.mode, domain)
    .first<DomainHolder>();
}

/** How long a lapsed holder's custom hostname waits for the new holder's records to lead here. */
const HOSTNAME_GRACE_MS = 86_400_000;

/**
 * Makes a name the caller's alone. Of several that prove it at the same moment the database lets one through.
 * @param lapsedId  of a holder who does not prove it any more, and is replaced in the same transaction: a check of theirs
 *   that is under way is void, and what Cloudflare keeps for the name is left for the new holder to take over: noted to
 *   be deleted a day later, unless it is the new holder's by then (store/domains/hostname-releases.ts)
 * @returns false when somebody was first
 */
export async function claimDomain(env: Env, caller: Caller, id: string, lapsedId: string | null): Promise<boolean> {
  const now = Date.now();
  const lapsedHolderSql = `domain = (SELECT domain FROM domains WHERE account_id = ?1 AND mode = ?2 AND id = ?3)
       AND verified_at IS NOT NULL AND id = ?4`;
  const noteHostnameStatement = env.DB.prepare(
    `INSERT INTO hostname_releases (id, domain, due_at) SELECT custom_hostname_id, domain, ?5 FROM domains
     WHERE ${lapsedHolderSql} AND custom_hostname_id IS NOT NULL ON CONFLICT DO NOTHING`,
  ).bind(caller.accountId, caller.mode, id, lapsedId, now + HOSTNAME_GRACE_MS);
  const unverifyStatement = env.DB.prepare(
    `UPDATE domains SET verified_at = NULL, status = iif(status = 'active', 'misconfigured', status),
       custom_hostname_id = NULL, check_started_at = NULL
     WHERE ${lapsedHolderSql}`,
  ).bind(caller.accountId, caller.mode, id, lapsedId);
  const claimStatement = env.DB.prepare(
    "UPDATE domains SET verified_at = ?4 WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND verified_at IS NULL",
  ).bind(caller.accountId, caller.mode, id, now);
  try {
    await env.DB.batch(
      lapsedId === null ? [claimStatement] : [noteHostnameStatement, unverifyStatement, claimStatement],
    );
    return true;
  } catch (error) {
    if (String(error).includes("UNIQUE constraint failed: domains.domain")) return false;
    throw error;
  }
}

/** Keeps what a check found. @returns null when it was void: the domain was deleted meanwhile, lost, or a later check began */
export async function saveCheck(
  env: Env,
  caller: Caller,
  checked: Pick<DomainRecord, "id" | "status" | "findings" | "customHostnameId" | "checkStartedAt">,
): Promise<DomainRecord | null> {
  const row = await env.DB.prepare(
    `UPDATE domains SET status = ?5, findings = ?6, custom_hostname_id = ?7, checked_at = ?8
     WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND check_started_at = ?4 RETURNING *`,
  )
    .bind(
      caller.accountId,
      caller.mode,
      checked.id,
      checked.checkStartedAt,
      checked.status,
      JSON.stringify(checked.findings),
      checked.customHostnameId,
      Date.now(),
    )
    .first<DomainRow>();
  return row && domainRecordOf(row);
}

/** Whether who has verified a domain now keeps this custom hostname for it. */
export async function isHostnameInUse(env: Env, domain: string, customHostnameId: string): Promise<boolean> {
  const row = await env.DB.prepare(
    "SELECT 1 FROM domains WHERE domain = ?1 AND verified_at IS NOT NULL AND custom_hostname_id = ?2",
  )
    .bind(domain, customHostnameId)
    .first();
  return row !== null;
}

/** Which of these names are short domains of this instance: the caller's own, or verified ones of others. */
export async function findKnownDomains(env: Env, caller: Caller, names: readonly string[]): Promise<KnownDomains> {
  if (names.length === 0) return new Map();
  const { results } = await env.DB.prepare(
    `SELECT named.value AS domain, own.status FROM json_each(?3) named
       LEFT JOIN domains own INDEXED BY domains_by_owner
         ON own.account_id = ?1 AND own.mode = ?2 AND own.domain = named.value
     WHERE own.id IS NOT NULL OR EXISTS
       (SELECT 1 FROM domains d INDEXED BY domains_verified WHERE d.domain = named.value AND d.verified_at IS NOT NULL)`,
  )
    .bind(caller.accountId, caller.mode, JSON.stringify(names))
    .all<{ domain: string; status: DomainStatus | null }>();
  return new Map(results.map(({ domain, status }) => [domain, status]));
}

/** Where visitors of a domain go who have not asked for a link. */
export interface LandingPages {
  rootUrl: string | null;
  notFoundUrl: string | null;
}

/**
 * For redirects: what the verified owners of domains have set, by domain; nothing for one that nobody has verified, or
 * whose owner's account is not open. Asked of the primary, because a replica may be late by any time, and seldom: the
 * answer is kept for a while.
 */
export async function findLandingPages(env: Env, domains: readonly string[]): Promise<Map<string, LandingPages>> {
  const { results } = await env.DB.withSession("first-primary")
    .prepare(
      `SELECT domain, root_url, not_found_url FROM domains
       WHERE verified_at IS NOT NULL AND domain IN (SELECT value FROM json_each(?1))
         AND NOT EXISTS (SELECT 1 FROM account_states s WHERE s.account_id = domains.account_id)`,
    )
    .bind(JSON.stringify(domains))
    .all<Pick<DomainRow, "domain" | "root_url" | "not_found_url">>();
  return new Map(results.map((row) => [row.domain, { rootUrl: row.root_url, notFoundUrl: row.not_found_url }]));
}

function domainRecordOf(row: DomainRow): DomainRecord {
  return {
    id: row.id,
    domain: row.domain,
    token: row.token,
    status: row.status,
    findings: JSON.parse(row.findings) as Findings,
    rootUrl: row.root_url,
    notFoundUrl: row.not_found_url,
    customHostnameId: row.custom_hostname_id,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
    checkStartedAt: row.check_started_at,
    checkedAt: row.checked_at,
  };
}
