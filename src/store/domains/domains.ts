/**
 * Short domains in D1: create, read, list, update, delete. A name may be pending for many accounts; the index
 * `domains_verified` allows only one to have verified it. Queries are restricted to the caller's account and mode;
 * about other accounts, they reveal only that a name is verified.
 */
import type { ListDomainsQuery } from "../../core/contract/domains.ts";
import { NOT_CHECKED } from "../../core/domains/domain-verification.ts";
import { ApiError } from "../../core/errors.ts";
import type { PageDesign } from "../../core/http/plain-page.ts";
import { BASE32_ALPHABET, ID_RANDOM_WORDS, randomText, timeOrderedId } from "../../core/identifiers.ts";
import { DOMAINS_HELD_FACTOR, DOMAINS_MAX, WELL_KNOWN_MAX_BYTES } from "../../core/limits.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { storeResponseStatements, type IdempotentRequest } from "../directory/idempotency.ts";
import { findSlugCase } from "../links/domain-joins.ts";
import { changeDomain } from "../directory/domain-changes.ts";
import { changeRows, type Page, pageOf, prepareNamed, queryRow, queryRows } from "../statements.ts";
import {
  CHANGE_ASSIGNMENTS_SQL,
  changeValues,
  type DomainChanges,
  type DomainRecord,
  domainRecordOf,
  insertDomainSql,
  insertValues,
} from "./domain-rows.ts";
import { refusedWith } from "../timeout.ts";

/** 32 characters of base 32: 160 random bits. */
const VERIFICATION_TOKEN_CHARS = 32;

export function newDomainRecord(domain: string, caseSensitive: boolean): DomainRecord {
  const now = Date.now();
  return {
    id: timeOrderedId("dom_", now, crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS))),
    domain,
    token: randomText(BASE32_ALPHABET, crypto.getRandomValues(new Uint32Array(VERIFICATION_TOKEN_CHARS))),
    status: "pending",
    findings: { cname: NOT_CHECKED, txt: NOT_CHECKED },
    rootUrl: null,
    notFoundUrl: null,
    expiredUrl: null,
    customHostnameId: null,
    caseSensitive,
    peek: true,
    wellKnown: null,
    createdAt: now,
    verifiedAt: null,
    checkStartedAt: null,
    checkedAt: null,
  };
}

/**
 * The subqueries yield NULL if another account has verified the name (`domain`) or a quota is used up (`token`,
 * `status`). The NOT NULL constraints then roll back the transaction, so concurrent requests cannot pass the check
 * together. A name that the account held last adds no row to `domain_holders`.
 */
const INSERT_SQL = insertDomainSql({
  domain: `iif(EXISTS (SELECT 1 FROM domains WHERE domain = :domain AND verified_at IS NOT NULL
                       AND NOT (account_id = :account_id AND mode = :mode) AND id IS NOT :lapsed_id), NULL, :domain)`,
  token: `iif((SELECT count(*) FROM domains WHERE account_id = :account_id AND mode = :mode) < :domains_max,
              :token, NULL)`,
  status: `iif((SELECT count(*) FROM domain_holders WHERE account_id = :account_id AND mode = :mode) < :held_max
               OR EXISTS (SELECT 1 FROM domain_holders WHERE domain = :domain AND account_id = :account_id AND mode = :mode),
               :status, NULL)`,
});

/**
 * Stores a new domain, in one transaction with the stored response of the request.
 * @param lapsedId  id of another account's verified domain whose TXT record is gone: it does not block this one
 * @throws ApiError domain_taken when the caller already has the domain, or another account has verified it;
 *   quota_exceeded, also when the caller has held too many names
 */
export async function createDomain(
  env: Env,
  caller: Caller,
  domain: DomainRecord,
  lapsedId: string | null,
  idempotentRequest: IdempotentRequest | null,
  response: unknown,
): Promise<void> {
  const { accountId: account_id, mode, plan } = caller;
  const max = DOMAINS_MAX[plan];
  const heldMax = max * DOMAINS_HELD_FACTOR;
  const values = { account_id, mode, lapsed_id: lapsedId, domains_max: max, held_max: heldMax };
  const insertStatement = prepareNamed(env.DB, INSERT_SQL, { ...insertValues(domain), ...values });
  const stored = storeResponseStatements(env, caller, idempotentRequest, response);
  await refusedWith(env.DB.batch([insertStatement, ...stored]), {
    domain_of_another: () => domainTaken(domain, "is verified by another account or in the other mode"),
    domain_quota: () => quotaExceeded(`This account has ${max} ${mode} domains, the limit of the ${plan} plan.`),
    held_domains_quota: () =>
      quotaExceeded(
        `This account has held ${heldMax} ${mode} domains, including deleted ones, the limit of the ${plan} plan.`,
      ),
    domain_own_already: () => domainTaken(domain, "is already one of your domains"),
  });
}

function quotaExceeded(message: string): ApiError {
  return new ApiError("quota_exceeded", message);
}

function domainTaken({ domain }: DomainRecord, why: string): ApiError {
  return new ApiError("domain_taken", `The domain ${domain} ${why}.`, { param: "domain" });
}

/** @throws ApiError domain_not_found when the domain is not the caller's, or belongs to the other mode */
export async function readDomain(env: Env, caller: Caller, id: string): Promise<DomainRecord> {
  const sql = "SELECT * FROM domains WHERE account_id = ?1 AND mode = ?2 AND id = ?3";
  const row = await queryRow(env.DB, sql, [caller.accountId, caller.mode, id]);
  if (!row) throw new ApiError("domain_not_found");
  return domainRecordOf(row);
}

/** Lists newest first, paginated by id, which begins with the creation time. */
export async function listDomains(
  env: Env,
  caller: Caller,
  { cursor, limit }: ListDomainsQuery,
): Promise<Page<DomainRecord>> {
  const sql = `SELECT * FROM domains WHERE account_id = ?1 AND mode = ?2 AND id < coalesce(?3, '~') ORDER BY id DESC LIMIT ?4`;
  const results = await queryRows(env.DB, sql, [caller.accountId, caller.mode, cursor ?? null, limit + 1]);
  return pageOf(results.map(domainRecordOf), limit, ({ id }) => id);
}

/**
 * Chooses how slugs of a new domain are matched: like those of the caller's earlier links on it, if any.
 * @param sent  undefined when the request does not specify it
 * @throws ApiError domain_has_links when the earlier links are matched the other way
 */
export async function caseOfNewDomain(
  env: Env,
  caller: Caller,
  domain: string,
  sent: boolean | undefined,
): Promise<boolean> {
  const stored = await findSlugCase(env, { ...caller, domain });
  if (stored !== null && sent !== undefined && sent !== stored) throw domainHasLinks(domain);
  return stored ?? sent ?? false;
}

function domainHasLinks(domain: string): ApiError {
  const message = `You have created links on ${domain}, so case_sensitive can no longer change. Deleted links count too.`;
  return new ApiError("domain_has_links", message, { param: "case_sensitive" });
}

const updateSql = (condition: string) => `UPDATE domains SET ${CHANGE_ASSIGNMENTS_SQL}
  WHERE account_id = :account_id AND mode = :mode AND id = :id AND ${condition} RETURNING *`;

const UPDATE_SQL = updateSql("true");

/**
 * @throws ApiError domain_not_found; domain_has_links when the case setting of a domain with links would change;
 *   quota_exceeded when the files of all domains of the account would be too large
 */
export async function updateDomain(
  env: Env,
  caller: Caller,
  id: string,
  changes: DomainChanges,
): Promise<DomainRecord> {
  const message = `The well_known files of this account's domains would have more than ${WELL_KNOWN_MAX_BYTES} bytes.`;
  return refusedWith(writeChanges(env, caller, id, changes), {
    well_known_quota: () => new ApiError("quota_exceeded", message, { param: "well_known" }),
  });
}

async function writeChanges(env: Env, caller: Caller, id: string, changes: DomainChanges): Promise<DomainRecord> {
  const values = { ...changeValues(changes), account_id: caller.accountId, mode: caller.mode, id };
  if (changes.caseSensitive === undefined) {
    const row = await prepareNamed(env.DB, UPDATE_SQL, values).first();
    if (!row) throw new ApiError("domain_not_found");
    return domainRecordOf(row);
  }
  const row = await changeDomain(env, caller, {
    read: () => readDomain(env, caller, id),
    isBarredByLinks: ({ caseSensitive }) => caseSensitive !== changes.caseSensitive,
    bar: "links ever made",
    refusal: ({ domain }) => domainHasLinks(domain),
    statement: (condition, lock) => {
      const isAllowed = `(:changes ->> '$.case_sensitive' = case_sensitive OR ${condition})`;
      return prepareNamed(env.DB, updateSql(isAllowed), { ...values, lock });
    },
  });
  return domainRecordOf(row);
}

/**
 * How a domain's pages look. A column of its own: domains are read without it, because a logo is large.
 * @throws ApiError domain_not_found
 */
export async function readPageDesign(env: Env, { accountId, mode }: Caller, id: string): Promise<PageDesign> {
  const sql = "SELECT page FROM domains WHERE account_id = ?1 AND mode = ?2 AND id = ?3";
  const row = await queryRow<{ page: string | null }>(env.DB, sql, [accountId, mode, id]);
  if (!row) throw new ApiError("domain_not_found");
  return JSON.parse(row.page ?? "{}") as PageDesign;
}

/** @throws ApiError domain_not_found */
export async function writePageDesign(
  env: Env,
  { accountId, mode }: Caller,
  id: string,
  page: PageDesign,
): Promise<void> {
  const sql = "UPDATE domains SET page = nullif(?4, '{}') WHERE account_id = ?1 AND mode = ?2 AND id = ?3";
  const changes = await changeRows(env.DB, sql, [accountId, mode, id, JSON.stringify(page)]);
  if (changes === 0) throw new ApiError("domain_not_found");
}

const deleteSql = (condition: string) =>
  `DELETE FROM domains WHERE account_id = :account_id AND mode = :mode AND id = :id AND ${condition} RETURNING *`;

/** @throws ApiError domain_not_found; domain_in_use while it has links that are not deleted */
export async function deleteDomain(env: Env, caller: Caller, id: string): Promise<DomainRecord> {
  const values = { account_id: caller.accountId, mode: caller.mode, id };
  const row = await changeDomain(env, caller, {
    read: () => readDomain(env, caller, id),
    isBarredByLinks: () => true,
    bar: "live links",
    refusal: domainInUse,
    statement: (condition, lock) => prepareNamed(env.DB, deleteSql(condition), { ...values, lock }),
  });
  return domainRecordOf(row);
}

function domainInUse({ domain }: DomainRecord): ApiError {
  return new ApiError("domain_in_use", `${domain} still has links. Delete them first.`);
}
