/**
 * Test links of a deployment with one host for both modes: they are below `/t/` there. Stored, their domain is
 * `<host>/t`, so that domain and slug are their address as everywhere, and neither mode finds a link of the other. On
 * the wire `domain` is the host. Runs on redirects. Pure.
 */
import type { Mode } from "../account.ts";
import type { Hosts } from "../hosts.ts";

const TEST_SEGMENT = "t";
const TEST_SUFFIX = `/${TEST_SEGMENT}`;

/** The domain of a host's test links. */
export function testPathDomain(host: string): string {
  return host + TEST_SUFFIX;
}

/** The host of a stored domain, which is what the API calls its domain. */
export function linkHost(domain: string): string {
  return domain.endsWith(TEST_SUFFIX) ? domain.slice(0, -TEST_SUFFIX.length) : domain;
}

/** The stored form of a domain that a caller names. */
export function storedDomain(name: string, mode: Mode, { shortDomains }: Hosts): string {
  return name === linkHost(shortDomains[mode]) ? shortDomains[mode] : name;
}

/**
 * What follows `t/` in a path, with that letter in any case, or percent-encoded as slugs may be.
 * @param path  without its first slash
 * @returns null where there is no such beginning, or nothing follows
 */
export function belowTestPath(path: string): string | null {
  return /^(?:t|%[57]4)\/(.+)$/i.exec(path)?.[1] ?? null;
}

/** Whether a slug is where the test links of its host are: `t` on a deployment with one host. */
export function isTestPath(slug: string, domain: string, { shortDomains }: Hosts): boolean {
  return slug.length === 1 && slug.toLowerCase() === TEST_SEGMENT && shortDomains.test === testPathDomain(domain);
}
