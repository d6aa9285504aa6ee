/** Look-up of short domains, to validate links and to find links by slug. */
import { isWorkersDev } from "../../core/deployment/settings.ts";
import type { DomainStatus } from "../../core/domains/domain-verification.ts";
import type { KnownDomains } from "../../core/links/link-validation.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { currentTenureSql, findDomainsWithLinks } from "../links/domain-joins.ts";
import { queryRows } from "../statements.ts";

/**
 * Finds the names that are short domains of this service: the caller's own, verified ones of other accounts, and the
 * workers.dev host, whose links keep working after the deployment gets its own hosts.
 */
export async function findKnownDomains(env: Env, caller: Caller, names: readonly string[]): Promise<KnownDomains> {
  if (names.length === 0) return new Map();
  const sql = `SELECT named.value AS domain, own.status FROM json_each(?3) named
      LEFT JOIN domains own INDEXED BY domains_by_owner
        ON own.account_id = ?1 AND own.mode = ?2 AND own.domain = named.value
    WHERE own.id IS NOT NULL OR EXISTS
      (SELECT 1 FROM domains d INDEXED BY domains_verified WHERE d.domain = named.value AND d.verified_at IS NOT NULL)`;
  const values = [caller.accountId, caller.mode, JSON.stringify(names)];
  const results = await queryRows<{ domain: string; status: DomainStatus | null }>(env.DB, sql, values);
  const formerHosts = await findDomainsWithLinks(env, names.filter(isWorkersDev));
  return new Map([
    ...formerHosts.map((domain) => [domain, null] as const),
    ...results.map(({ domain, status }) => [domain, status] as const),
  ]);
}

/** What a domain says of new addresses on it. */
export interface DomainRules {
  /** Null if it is not the caller's. */
  status: DomainStatus | null;
  isCaseSensitive: boolean;
  tenure: number;
}

/** Returns the rules of the given domains, the service's own included. */
export async function readDomainRules(
  env: Env,
  { accountId, mode }: Caller,
  names: readonly string[],
): Promise<ReadonlyMap<string, DomainRules>> {
  if (names.length === 0) return new Map();
  const sql = `SELECT named.value AS domain, own.status, own.case_sensitive, ${currentTenureSql("named.value")} AS tenure
    FROM json_each(?3) named LEFT JOIN domains own INDEXED BY domains_by_owner
      ON own.account_id = ?1 AND own.mode = ?2 AND own.domain = named.value`;
  type Row = Omit<DomainRules, "isCaseSensitive"> & { domain: string; case_sensitive: number | null };
  const rows = await queryRows<Row>(env.DB, sql, [accountId, mode, JSON.stringify(names)]);
  return new Map(
    rows.map(({ domain, case_sensitive, ...rules }) => [domain, { ...rules, isCaseSensitive: case_sensitive === 1 }]),
  );
}

/** Returns the names of the caller's domains, regardless of status. */
export async function listDomainNames(env: Env, { accountId, mode }: Caller): Promise<string[]> {
  const sql = "SELECT domain FROM domains WHERE account_id = ?1 AND mode = ?2";
  const results = await queryRows<{ domain: string }>(env.DB, sql, [accountId, mode]);
  return results.map(({ domain }) => domain);
}
