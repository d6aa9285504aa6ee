/**
 * Decides from the URL whether a request is for the service (API, dashboard, docs) or for a short URL. Pure string
 * operations on `request.url`, in which the host may be written as the client did; runs on every redirect.
 */

import { typedSlug } from "./links/stored-slug.ts";

/**
 * First path segments that the service uses on its own host, besides `v` and digits. Never slugs, on any domain
 * (src/docs/decisions.md, Reserved words). @internal
 */
export const RESERVED_SEGMENTS: ReadonlySet<string> = new Set([
  "v1",
  "api",
  "dashboard",
  "docs",
  "mcp",
  "cdn",
  "qr",
  "health",
  "ready",
  "assets",
  "openapi.json",
  "asyncapi.json",
  "llms.txt",
  "llms-full.txt",
  "robots.txt",
  "favicon.ico",
  "sitemap.xml",
  ".well-known",
]);

/**
 * Sent by the service's own hosts when they are configured with https. Not sent on custom domains: browsers would
 * refuse plain HTTP for a year, also after the owner has moved the domain to a host without a certificate. Without
 * `includeSubDomains`, because subdomains of the service's hosts may belong to other systems.
 */
export const HSTS_HEADER = { name: "Strict-Transport-Security", value: "max-age=31536000" } as const;

export interface Hosts {
  baseUrl: string;
  /** `http:` or `https:`, for short URLs. */
  protocol: string;
  baseHostname: string;
  /**
   * Default domains by mode, as they are stored with links. They contain a port only when one is configured. Where both
   * modes have one host, that of test links is `testPathDomain` of it.
   */
  shortDomains: { live: string; test: string };
  /** The hosts of the default domains, by name without port. */
  shortDomainByHostname: ReadonlyMap<string, string>;
}

export type RequestTarget = { kind: "service" } | { kind: "visitor"; domain: string; slug: string; search: string };

/** Parses `request.url` with string operations. Constructing a `URL` would take a tenth of a redirect's CPU time. */
export function parseRequestUrl(url: string, hosts: Hosts): RequestTarget {
  const hostStart = url.indexOf("//") + 2;
  const pathStart = url.indexOf("/", hostStart);
  const searchStart = url.indexOf("?", pathStart);
  const hostname = withoutRootDot(hostnameOf(url.slice(hostStart, pathStart))).toLowerCase();
  const path = url.slice(pathStart + 1, searchStart < 0 ? undefined : searchStart);
  if (hostname === hosts.baseHostname && isServicePath(path)) return { kind: "service" };
  return {
    kind: "visitor",
    domain: shortDomainOf(hostname, hosts),
    slug: path,
    search: searchStart < 0 ? "" : url.slice(searchStart + 1),
  };
}

/**
 * The short domain of a host name. Default domains carry the configured port; custom domains never have one. @internal
 */
export function shortDomainOf(hostname: string, hosts: Hosts): string {
  return hosts.shortDomainByHostname.get(hostname) ?? hostname;
}

/** Whether a destination leads back to one of this service's default short domains, which would be a redirect loop. */
export function isServiceShortDomain(destination: URL, hosts: Pick<Hosts, "shortDomainByHostname">): boolean {
  const hostname = withoutRootDot(destination.hostname);
  return [...hosts.shortDomainByHostname.values()].some((domain) =>
    // A configured port (development) names one server on the host; without a port, the service may answer on all of
    // them.
    domain.includes(":")
      ? hostnameOf(domain) === hostname && domain.endsWith(`:${portOf(destination)}`)
      : domain === hostname,
  );
}

/** What is wrong with the configured hosts; null when nothing is, as far as can be told without DNS. */
export function hostsProblem({ baseHostname, shortDomains }: Hosts): string | null {
  const { live, test } = shortDomains;
  if (isLocal(baseHostname)) return null;
  const local = [live, test].find((domain) => isLocal(hostnameOf(domain)));
  return local === undefined ? null : `The service is on ${baseHostname}, but links are on ${local}`;
}

function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/** Whether a short domain is a customer's, not one of the configured ones. */
export function isCustomDomain(domain: string, { baseHostname, shortDomains }: Hosts): boolean {
  return domain !== baseHostname && domain !== shortDomains.live && domain !== shortDomains.test;
}

/** @param slug  as it is stored */
export function shortUrl(domain: string, slug: string, hosts: Hosts): string {
  return `${hosts.protocol}//${domain}/${typedSlug(slug)}`;
}

function isServicePath(path: string): boolean {
  return path === "" || isReservedPath(path);
}

/** Whether a path begins with a reserved segment, in any case. */
export function isReservedPath(path: string): boolean {
  const end = path.indexOf("/");
  return isReservedSegment(end < 0 ? path : path.slice(0, end));
}

/** Whether the service uses a first path segment, or will: `v` and digits stand for versions of the API. */
export function isReservedSegment(text: string): boolean {
  const segment = text.toLowerCase();
  return RESERVED_SEGMENTS.has(segment) || (segment.startsWith("v") && /^v[0-9]+$/.test(segment));
}

export function hostnameOf(host: string): string {
  const colon = host.lastIndexOf(":");
  return colon < 0 || host.endsWith("]") ? host : host.slice(0, colon);
}

/** Scheme and host of a normalised URL. */
export function originOf(url: string): string {
  return url.slice(0, url.indexOf("/", url.indexOf("//") + 2));
}

/** `example.com.` is the fully qualified form of the same host. */
export function withoutRootDot(hostname: string): string {
  return hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}
