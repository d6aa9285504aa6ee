import type { Mode } from "./account.ts";
import { SLUG_MAX_CHARS, SLUG_SEGMENTS_MAX } from "./limits.ts";
import { canonicalSlug, foldSlug, isAscii } from "./links/case-folding.ts";

/**
 * Decides from the URL whether a request is for the service (API, dashboard, docs) or for a short URL. Pure string
 * operations on `request.url`, in which the host may be written as the client did; runs on every redirect.
 */

/**
 * First path segments that the service uses on its own host, besides `v` and digits. They are never slugs, on any
 * domain (src/docs/decisions.md, Reserved words).
 * @internal
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
  "setup",
  "report",
  "share",
  "oauth",
  "dev",
]);

/**
 * Sent by the service's own hosts when they are configured with https. Not sent on custom domains: browsers would
 * refuse plain HTTP for a year, even after the owner has moved the domain to a host without a certificate. Without
 * `includeSubDomains`, because subdomains of the service's hosts may belong to other systems.
 */
export const HSTS_HEADER = { name: "Strict-Transport-Security", value: "max-age=31536000" } as const;

export interface Hosts {
  baseUrl: string;
  /** `http:` or `https:`, for short URLs. */
  protocol: string;
  baseHostname: string;
  /**
   * Default domains by mode, as stored with links. They contain a port only if one is configured. If both modes share a
   * host, the domain of test links is its `testPathDomain`.
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
 * The short domain of a host name. Default domains carry the configured port; custom domains never have one.
 * @internal
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

/** The problem with the configured hosts; null if none can be detected without DNS. */
export function hostsProblem({ baseHostname, shortDomains }: Hosts): string | null {
  const { live, test } = shortDomains;
  if (isLocal(baseHostname)) return null;
  const local = [live, test].find((domain) => isLocal(hostnameOf(domain)));
  return local === undefined ? null : `The service is on ${baseHostname}, but links are on ${local}`;
}

function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/** Whether a short domain is a customer's rather than a configured one. */
export function isCustomDomain(domain: string, { baseHostname, shortDomains }: Hosts): boolean {
  return domain !== baseHostname && domain !== shortDomains.live && domain !== shortDomains.test;
}

/** Whether a host is one of the service's own short domains, for links of either mode. */
export function isDefaultDomain(host: string, { shortDomains }: Pick<Hosts, "shortDomains">): boolean {
  return host === shortDomains.live || host === linkHost(shortDomains.test);
}

export function shortUrl(link: StoredSlug & { domain: string }, hosts: Hosts): string {
  return `${hosts.protocol}//${shortAddress(link)}`;
}

/** `domain/slug` as in a short URL, the key of statistics by address: at most 1,156 ASCII characters. */
export function shortAddress(link: StoredSlug & { domain: string }): string {
  return `${link.domain}/${slugPath(typedSlug(link))}`;
}

function isServicePath(path: string): boolean {
  return path === "" || isReservedPath(path);
}

/** Whether a path begins with a reserved segment, ignoring case. */
export function isReservedPath(path: string): boolean {
  const end = path.indexOf("/");
  return isReservedSegment(end < 0 ? path : path.slice(0, end));
}

/** Whether the service uses, or will use, a first path segment: `v` and digits stand for API versions. */
export function isReservedSegment(text: string): boolean {
  const segment = text.toLowerCase();
  return RESERVED_SEGMENTS.has(segment) || (segment.startsWith("v") && /^v[0-9]+$/.test(segment));
}

/** Includes `t`, below which a deployment with one host has its test links. `ſetup` leads to `setup`. */
export function isReservedSlug(slug: string): boolean {
  const [first = ""] = foldSlug(slug).split("/", 1);
  return isReservedSegment(first) || first === TEST_SEGMENT;
}

export function hostnameOf(host: string): string {
  const colon = host.lastIndexOf(":");
  return colon < 0 || host.endsWith("]") ? host : host.slice(0, colon);
}

/** Scheme and host of a normalized URL. */
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

/**
 * How slugs are read from paths and stored. `links.slug` is what an address is looked up by (`COLLATE NOCASE`, names of
 * objects): the slug as typed if it is ASCII, otherwise folded, with the typed form in `links.typed_slug`. Exact slugs,
 * on case-sensitive domains, are stored folded, then as typed with a mark before each ASCII capital: `Ab` is `~ab!^ab`,
 * `aB` is `~ab!a^b`. So they differ even if case is ignored, no other slug looks like them (none begins with `~`), and
 * all that differ only in case are adjacent in the index.
 */

const MARK = "~";
const END_OF_KEY = "!";
/** The character after `END_OF_KEY`. */
const AFTER_END = '"';

/** The stored form of a slug that is matched in any case. */
export function anyCaseSlug(slug: string): string {
  return isAscii(slug) ? slug : foldSlug(slug);
}

/** The stored form of a slug that is matched exactly. */
export function exactSlug(slug: string): string {
  const letters = canonicalSlug(slug).normalize("NFC");
  return MARK + foldSlug(slug) + END_OF_KEY + letters.replace(/[A-Z]/g, (capital) => `^${capital.toLowerCase()}`);
}

/**
 * The stored forms of a typed slug: for links that are matched case-insensitively, and for those that are matched
 * exactly. A slug that looks like a stored form cannot have been typed. It maps to empty slugs, which no link has.
 */
export function storedForms(slug: string): [anyCase: string, exact: string] {
  return isExactSlug(slug) ? ["", ""] : [anyCaseSlug(slug), exactSlug(slug)];
}

/** Whether a stored slug is matched exactly. */
export function isExactSlug(stored: string): boolean {
  return stored.startsWith(MARK);
}

/** A slug in its stored form; as typed if that cannot be restored from it. */
export interface StoredSlug {
  slug: string;
  typedSlug?: string | null;
}

/** A slug as typed. */
export function typedSlug({ slug, typedSlug: typed }: StoredSlug): string {
  if (typed || !isExactSlug(slug)) return typed || slug;
  return slug.slice(slug.indexOf(END_OF_KEY) + 1).replace(/\^./g, (marked) => marked.charAt(1).toUpperCase());
}

/** Equal for all stored slugs that visitors could mean by the same letters. */
export function slugKey(stored: string): string {
  return isExactSlug(stored) ? stored.slice(1, stored.indexOf(END_OF_KEY)) : stored.toLowerCase();
}

/**
 * The stored slugs of the other kind that visitors could mean by the same letters, as a closed range: for an exact slug
 * the one that is matched case-insensitively, otherwise all exact ones.
 */
export function conflictingSlugs(stored: string): { from: string; to: string } {
  const key = slugKey(stored);
  if (isExactSlug(stored)) return { from: key, to: key };
  return { from: MARK + key + END_OF_KEY, to: MARK + key + AFTER_END };
}

/** Spelled as people and programs spell slugs of `SLUG_MAX_CHARS`, decomposed and percent-encoded. */
const PATH_MAX_CHARS = 4_096;
/** Bounds the memory of what is remembered of unknown addresses. Folding makes texts longer. */
const FOLDED_MAX_CHARS = 512;

const NOT_IN_ASCII_SLUG = /[^\w\-.~/]/;
/** `#` and `*` begin emoji. */
const NOT_IN_SLUG = /[^\w\-.~/#*\u0080-\uffff]/;
/** A segment that is empty, or that begins or ends with a punctuation mark. */
const BAD_SEGMENT = /^[-._~/]|[-._~/](?:\/|$)|\/[-._~]/;

/**
 * The slug in a path, which may end with a slash, since mail programs and people add one. Null for a path that no slug
 * can have, which spares the database the look-ups of scanners.
 */
export function parseSlug(path: string): string | null {
  if (path.length > PATH_MAX_CHARS) return null;
  const slug = decodePath(path.endsWith("/") ? path.slice(0, -1) : path);
  if (slug === null || slug === "" || BAD_SEGMENT.test(slug)) return null;
  const isPossible = isAscii(slug)
    ? slug.length <= SLUG_MAX_CHARS && !NOT_IN_ASCII_SLUG.test(slug)
    : !NOT_IN_SLUG.test(slug) && foldSlug(slug).length <= FOLDED_MAX_CHARS;
  return isPossible ? slug : null;
}

/** `.` and `..`, which programs may resolve after the redirect. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * The segments of a path of which links may forward a part, in the form of the request. Null for other paths.
 * @param path  without its first slash
 */
export function forwardableSegments(path: string): string[] | null {
  const segments = path.split("/", SLUG_SEGMENTS_MAX + 2);
  // A slash at the end is forwarded, but forwards nothing alone.
  const names = segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  const isForwardable =
    names.length > 1 &&
    names.length <= SLUG_SEGMENTS_MAX &&
    !names.some((name) => name === "" || DOT_SEGMENT.test(name));
  return isForwardable ? names : null;
}

/** Decodes each segment of a path once. @returns null for an invalid encoding, or an encoded slash or backslash */
export function decodePath(path: string): string | null {
  if (!path.includes("%")) return path;
  if (/%(?:2f|5c)/i.test(path)) return null;
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** A slug as the path of its short URL. */
export function slugPath(slug: string): string {
  return isAscii(slug) && !slug.includes("#") ? slug : slug.split("/").map(encodeURIComponent).join("/");
}

/**
 * Test links of a deployment with one host for both modes: they are below `/t/` there. Their stored domain is
 * `<host>/t`, so that domain and slug form their address as everywhere, and neither mode finds a link of the other. On
 * the wire, `domain` is the host.
 */

const TEST_SEGMENT = "t";
const TEST_SUFFIX = `/${TEST_SEGMENT}`;

/** The domain of a host's test links. */
export function testPathDomain(host: string): string {
  return host + TEST_SUFFIX;
}

/** The host of a stored domain, which the API shows as the domain. */
export function linkHost(domain: string): string {
  return domain.endsWith(TEST_SUFFIX) ? domain.slice(0, -TEST_SUFFIX.length) : domain;
}

/** The stored form of a domain that a caller names. */
export function storedDomain(name: string, mode: Mode, { shortDomains }: Hosts): string {
  return name === linkHost(shortDomains[mode]) ? shortDomains[mode] : name;
}

/**
 * The part of a path after `t/`. The `t` may be a capital or percent-encoded, as in slugs.
 * @param path  without its first slash
 * @returns null if the path does not begin like this, or nothing follows
 */
export function belowTestPath(path: string): string | null {
  return /^(?:t|%[57]4)\/(.+)$/i.exec(path)?.[1] ?? null;
}

/** Whether a slug is the path of its host's test links: `t` on a deployment with one host. */
export function isTestPath(slug: string, domain: string, { shortDomains }: Hosts): boolean {
  return slug.length === 1 && slug.toLowerCase() === TEST_SEGMENT && shortDomains.test === testPathDomain(domain);
}

/**
 * Parses untrusted URLs. Parsing an international host name takes quadratic time, so a text whose host is longer than
 * DNS allows is refused without parsing. Redirects use it for `Referer`.
 */

/** The longest host name in DNS, with a final dot and a port. */
const AUTHORITY_MAX_CHARS = 253 + ".:65535".length;

/** @returns null when the text is not a URL or its host is too long */
export function parseUrl(text: string): URL | null {
  return hasOverlongHost(text) ? null : URL.parse(text);
}

/**
 * Measures everything before the path. URL parsers skip white space after the scheme and accept any number of slashes
 * and backslashes, so this does too.
 */
export function hasOverlongHost(text: string): boolean {
  const authority = /^[^:]*:[\s/\\]*([^/\\?#]*)/.exec(text)?.[1] ?? "";
  return authority.length > AUTHORITY_MAX_CHARS;
}
