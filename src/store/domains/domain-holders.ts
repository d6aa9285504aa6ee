/**
 * Who holds a domain name. Each account that claims it, from another or after another, begins a tenure, whose number is the
 * time, epoch ms, or one more than that of the tenure before where the clock is behind. A link has the tenure of the holder who created it. A link of an earlier tenure has ended for good:
 * visitors get 410, its owner still reads its statistics, and its address is free for the current holder. The table
 * `domain_holders` keeps the last holder of a name that was given up, so who adds it again goes on with the same tenure.
 */
import { ApiError } from "../../core/errors.ts";
import type { LinkRecord } from "../links/link-rows.ts";

type LinkOfTenure = Pick<LinkRecord, "domain" | "tenure">;

/** The current tenures of those of the domains that were ever held. */
export async function findTenures(env: Env, domains: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (domains.length === 0) return new Map();
  const { results } = await env.DB.prepare(
    "SELECT domain, tenure FROM domain_holders WHERE domain IN (SELECT value FROM json_each(?1))",
  )
    .bind(JSON.stringify(domains))
    .all<{ domain: string; tenure: number }>();
  return new Map(results.map(({ domain, tenure }) => [domain, tenure]));
}

export function isTransferred({ domain, tenure }: LinkOfTenure, tenures: ReadonlyMap<string, number>): boolean {
  return (tenures.get(domain) ?? 0) > tenure;
}

/** To be called before a link is changed, or its address printed. @throws ApiError domain_transferred */
export async function requireNotTransferred(env: Env, link: LinkOfTenure): Promise<void> {
  if (isTransferred(link, await findTenures(env, [link.domain]))) throw domainTransferred(link.domain);
}

export function domainTransferred(domain: string): ApiError {
  return new ApiError(
    "domain_transferred",
    `${domain} has passed to somebody else: links on it can be read and deleted`,
  );
}
