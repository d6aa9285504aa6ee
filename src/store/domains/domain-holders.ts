/**
 * The holders of domain names. Each account that claims a name, from another holder or after one, starts a tenure. Its
 * number is the time, epoch ms, or the previous number plus one if the clock is behind. A link has the tenure of the
 * holder who created it. A link of an earlier tenure has ended permanently: visitors get 410, its owner can still read
 * its statistics, and its address is free for the current holder. `domain_holders` keeps the last holder of a released
 * name, so adding it again resumes the same tenure.
 */
import { ApiError } from "../../core/errors.ts";
import type { Hosts } from "../../core/hosts.ts";
import type { LinkRecord } from "../links/link-rows.ts";
import { queryRows } from "../statements.ts";

type LinkOfTenure = Pick<LinkRecord, "domain" | "tenure">;

/** Returns the current tenures of the given domains that were ever held. */
export async function findTenures(env: Env, domains: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (domains.length === 0) return new Map();
  const sql = "SELECT domain, tenure FROM domain_holders WHERE domain IN (SELECT value FROM json_each(?1))";
  const results = await queryRows<{ domain: string; tenure: number }>(env.DB, sql, [JSON.stringify(domains)]);
  return new Map(results.map(({ domain, tenure }) => [domain, tenure]));
}

export function isTransferred({ domain, tenure }: LinkOfTenure, tenures: ReadonlyMap<string, number>): boolean {
  return (tenures.get(domain) ?? 0) > tenure;
}

/** Call before changing a link or printing its address. @throws ApiError domain_transferred */
export async function requireNotTransferred(env: Env, { shortDomains }: Hosts, link: LinkRecord): Promise<void> {
  if (link.domain === shortDomains[link.mode]) return;
  if (isTransferred(link, await findTenures(env, [link.domain]))) throw domainTransferred(link.domain);
}

export function domainTransferred(domain: string): ApiError {
  return new ApiError(
    "domain_transferred",
    `${domain} now belongs to another account. Links on it can only be read and deleted.`,
  );
}
