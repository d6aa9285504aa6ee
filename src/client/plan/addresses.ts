/** Domain and slug, by which links of a file and links of the account are the same. Pure. */
import { normalizedDomain } from "../../core/domains/domain-name.ts";

export interface Address {
  domain: string;
  slug: string;
}

/** As people read it: `go.example.com/spring`. */
export function addressText({ domain, slug }: Address): string {
  return `${domain}/${slug}`;
}

/** @returns a key that is equal for two addresses of one link @param caseSensitive  domains on which `Ab` is not `aB` */
export function addressKey({ domain, slug }: Address, caseSensitive: ReadonlySet<string>): string {
  return addressText({ domain, slug: caseSensitive.has(domain) ? slug : slug.toLowerCase() });
}

/** The address of a link in a file. @param defaults  the file's domain before the service's */
export function addressOf(
  { domain, slug }: { domain?: string | undefined; slug: string },
  ...defaults: readonly [file: string | undefined, service: string]
): Address {
  return { domain: normalizedDomain(domain ?? defaults[0] ?? defaults[1]), slug };
}
