/**
 * Which door a request knocks at: the service's (API, dashboard, docs) or a visitor's (a short URL).
 * Pure text work on `request.url`, which the runtime has already normalised; runs on every redirect.
 */

/** First path segments that belong to the service on its own host, and so are never slugs anywhere. */
export const RESERVED_SEGMENTS: ReadonlySet<string> = new Set([
  "v1",
  "api",
  "dashboard",
  "docs",
  "cdn",
  "qr",
  "health",
  "assets",
  "openapi.json",
  "robots.txt",
  "favicon.ico",
  "sitemap.xml",
  ".well-known",
]);

/**
 * Sent by the service's own hosts where they are configured with https. Never by customers' domains: whoever takes a
 * domain away from here, to a host without a certificate, would lose visitors for a year. Nor for hosts below ours,
 * which are others' business.
 */
export const HSTS_HEADER = { name: "Strict-Transport-Security", value: "max-age=31536000" } as const;

export interface Hosts {
  baseUrl: string;
  /** `http:` or `https:`, for short URLs. */
  protocol: string;
  baseHostname: string;
  /** Default domains by mode; with a port only where one is configured. */
  shortDomains: { live: string; test: string };
  /** Those domains by their host names, without ports. */
  shortDomainByHostname: ReadonlyMap<string, string>;
}

export type RequestTarget = { kind: "service" } | { kind: "visitor"; domain: string; slug: string; search: string };

export function hostsOf(config: { BASE_URL: string; SHORT_DOMAIN: string; TEST_SHORT_DOMAIN: string }): Hosts {
  const base = new URL(config.BASE_URL);
  const shortDomains = { live: config.SHORT_DOMAIN.toLowerCase(), test: config.TEST_SHORT_DOMAIN.toLowerCase() };
  return {
    baseUrl: base.origin,
    protocol: base.protocol,
    baseHostname: base.hostname,
    shortDomains,
    shortDomainByHostname: new Map(Object.values(shortDomains).map((domain) => [hostnameOf(domain), domain])),
  };
}

/** Reads the door off a URL, without building a URL object: that alone would cost a tenth of a redirect. */
export function parseRequestUrl(url: string, hosts: Hosts): RequestTarget {
  const hostStart = url.indexOf("//") + 2;
  const pathStart = url.indexOf("/", hostStart);
  const searchStart = url.indexOf("?", pathStart);
  const hostname = withoutRootDot(hostnameOf(url.slice(hostStart, pathStart)));
  const path = url.slice(pathStart + 1, searchStart < 0 ? undefined : searchStart);
  if (hostname === hosts.baseHostname && isServicePath(path)) return { kind: "service" };
  return {
    kind: "visitor",
    domain: shortDomainOf(hostname, hosts),
    slug: path,
    search: searchStart < 0 ? "" : url.slice(searchStart + 1),
  };
}

/** The short domain behind a host name: ours carry a configured port, a customer's never does. @internal */
export function shortDomainOf(hostname: string, hosts: Hosts): string {
  return hosts.shortDomainByHostname.get(hostname) ?? hostname;
}

/** Whether a destination would come back to one of this instance's own short domains. */
export function isServiceShortDomain(destination: URL, hosts: Hosts): boolean {
  const hostname = withoutRootDot(destination.hostname);
  return Object.values(hosts.shortDomains).some((domain) =>
    // With a port (development) only that port is ours; without one every port of the host may be.
    domain.includes(":")
      ? hostnameOf(domain) === hostname && domain.endsWith(`:${portOf(destination)}`)
      : domain === hostname,
  );
}

/** Whether a short domain is a customer's, not one that is configured. */
export function isCustomDomain(domain: string, { baseHostname, shortDomains }: Hosts): boolean {
  return domain !== baseHostname && domain !== shortDomains.live && domain !== shortDomains.test;
}

export function shortUrl(domain: string, slug: string, hosts: Hosts): string {
  return `${hosts.protocol}//${domain}/${slug}`;
}

function isServicePath(path: string): boolean {
  return path === "" || path.startsWith("/") || isReservedPath(path);
}

/** Whether a path begins with a segment that is never a slug. */
export function isReservedPath(path: string): boolean {
  const end = path.indexOf("/");
  return RESERVED_SEGMENTS.has((end < 0 ? path : path.slice(0, end)).toLowerCase());
}

/** A host without its port. */
export function hostnameOf(host: string): string {
  const colon = host.lastIndexOf(":");
  return colon < 0 || host.endsWith("]") ? host : host.slice(0, colon);
}

/** `example.com.` is the same host, fully qualified. */
function withoutRootDot(hostname: string): string {
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}
