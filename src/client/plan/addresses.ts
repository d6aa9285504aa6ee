/** Addresses (domain and slug), which identify links, and the check whether a domain can have links. Pure. */
import { normalizedDomain, parseDomainName } from "../../core/domains/domain-name.ts";
import { canonicalSlug, foldSlug } from "../../core/links/case-folding.ts";
import type { Domain } from "../api-types.ts";

export interface Address {
  domain: string;
  slug: string;
}

/** The address for people, such as `go.example.com/spring`. */
export function addressText({ domain, slug }: Address): string {
  return `${domain}/${slug}`;
}

/** @returns a key that is equal for two addresses of one link @param caseSensitive  the case-sensitive domains */
export function addressKey({ domain, slug }: Address, caseSensitive: ReadonlySet<string>): string {
  return addressText({ domain, slug: (caseSensitive.has(domain) ? canonicalSlug : foldSlug)(slug) });
}

/** The address of a link in a file. @param defaults  the file's domain, then the service's */
export function addressOf(
  { domain, slug }: { domain?: string | undefined; slug: string },
  ...defaults: readonly [file: string | undefined, service: string]
): Address {
  return { domain: normalizedDomain(domain ?? defaults[0] ?? defaults[1]), slug };
}

/** The account's domains by name. */
export type KnownDomains = ReadonlyMap<string, Pick<Domain, "status" | "records" | "case_sensitive">>;

/**
 * Explains why a domain cannot have links yet, and what its owner must do.
 * @returns words that follow the domain's name or a link's address; null if it can have links
 */
export function domainProblem(name: string, domains: KnownDomains): string | null {
  const domain = domains.get(name);
  if (!domain) {
    const read = parseDomainName(name);
    const why = "fault" in read ? read.fault : "is not in your account: add it in the dashboard under Domains";
    return `needs the domain ${name}, which ${why}`;
  }
  if (domain.status === "active") return null;
  const missing = domain.records.filter(({ status, value }) => status !== "active" && value !== null);
  const records = missing.map(({ type, name: at, value }) => `${type} ${at} → ${value}`).join(", ");
  return `needs the domain ${name}, which is ${domain.status}${records && `: in DNS, add ${records}`}`;
}
