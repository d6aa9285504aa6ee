/**
 * Parses the URL of a visit: it addresses the service, a link that may exist, or nothing. Makes no look-up. Results are
 * cached for URLs without a query string, since a busy link is visited by the same URL thousands of times a second.
 */
import { type HostSettings, hostsOf } from "../core/deployment/settings.ts";
import {
  isCustomDomain,
  isDefaultDomain,
  isReservedPath,
  parseRequestUrl,
  anyCaseSlug,
  exactSlug,
  forwardableSegments,
  isExactSlug,
  parseSlug,
  belowTestPath,
  isTestPath,
  testPathDomain,
} from "../core/hosts.ts";
import { addressObjectName, type LinkSnapshot } from "../core/links/link-snapshot.ts";
import { type WellKnownFile, wellKnownFileAt } from "../core/domains/well-known-files.ts";
import type { DefaultRedirectKind } from "../core/links/visit-decision.ts";
import { TextCache } from "../core/memory/caches.ts";

export interface LinkAddress {
  kind: "link";
  host: string;
  /** The domain as stored with the link: not the host alone if test links have a path. */
  domain: string;
  /** The stored slug of a link that is matched case-insensitively. */
  slug: string;
  /** Object name of a link that is matched case-insensitively, and its key in this isolate. */
  name: string;
  /** The link that is matched exactly; null on default domains, which have none. */
  exact: ExactAddress | null;
  /** What follows the slug in the path, as sent: only a link with `forward_path` is at this address. "" for nothing. */
  rest: string;
  /** The addresses of shorter slugs, longest first, whose links may forward the rest of the path. */
  shorter: readonly LinkAddress[];
  /** Query string without the question mark. */
  search: string;
  defaultRedirect: DefaultRedirectKind;
  /** Whether the visitor asks where the link leads, with a `+` after the slug (`redirect.ts`). */
  isPeek: boolean;
  /** The file for apps that is read at this path if there is no link. */
  file: WellKnownFile | null;
  /** Whether the response carries the HSTS header. */
  hsts: boolean;
}

/** The stored slug and the object's name of a link that is matched exactly (core/hosts.ts). */
interface ExactAddress {
  slug: string;
  name: string;
}

/** An address that no link can have. */
export interface UnmatchedAddress {
  kind: "no_link";
  host: string;
  defaultRedirect: DefaultRedirectKind;
  file: WellKnownFile | null;
}

type Address = { kind: "service" } | UnmatchedAddress | LinkAddress;

const ADDRESS_CACHE_MAX_ENTRIES = 2_000;

/** Longer URLs are rare, and bound the memory of the cache. */
const CACHED_URL_MAX_CHARS = 200;

const CACHED_SHORTER_MAX = 3;

/** The longest DNS name, with room for a port in development. */
const HOST_MAX_CHARS = 253 + 6;

const addressCache = new TextCache<Address>(ADDRESS_CACHE_MAX_ENTRIES);

export function parseAddress(url: string, settings: HostSettings): Address {
  const known = addressCache.get(url);
  if (known) return known;
  const address = parseUncached(url, settings);
  if (isSmall(address) && url.length <= CACHED_URL_MAX_CHARS && !url.includes("?")) addressCache.set(url, address);
  return address;
}

/** The addresses of a path with many segments take kilobytes. */
function isSmall(address: Address): boolean {
  return address.kind !== "link" || address.shorter.length <= CACHED_SHORTER_MAX;
}

function parseUncached(url: string, settings: HostSettings): Address {
  const hosts = hostsOf(settings, url);
  const target = parseRequestUrl(url, hosts);
  if (target.kind === "service") return target;
  const { domain: host, slug: path, search } = target;
  if (host.length > HOST_MAX_CHARS) return { kind: "no_link", host: "", defaultRedirect: null, file: null };
  // On every host: test links stay reachable when the deployment's hosts change.
  const testPath = belowTestPath(path);
  const domain = testPath === null ? host : testPathDomain(host);
  const peeked = peekedPath(testPath ?? path);
  const [longest, ...shorter] = candidatesIn(testPath ?? path, peeked);
  const isCustom = isCustomDomain(host, hosts);
  const defaultRedirect = isCustom || isDefaultDomain(host, hosts) ? defaultRedirectKindOf(path) : null;
  const file = isCustom ? wellKnownFileAt(path) : null;
  const hsts = !isCustom && hosts.protocol === "https:";
  if (!longest || isTestPath(longest.typed, domain, hosts)) return { kind: "no_link", host, defaultRedirect, file };
  const addressOf = ({ typed, rest }: Candidate): LinkAddress => {
    const slug = anyCaseSlug(typed);
    const exact = isCustom && testPath === null ? exactAddress(domain, typed) : null;
    const name = addressObjectName(domain, slug);
    const isPeek = peeked !== null && rest === "";
    return {
      kind: "link",
      host,
      domain,
      slug,
      name,
      exact,
      rest,
      shorter: [],
      search,
      defaultRedirect,
      isPeek,
      file,
      hsts,
    };
  };
  return { ...addressOf(longest), shorter: shorter.map(addressOf) };
}

/** The part of a path before a final `+`, which no slug contains; null without one, and directly after a slash. */
function peekedPath(path: string): string | null {
  const plusChars = path.endsWith("+") ? 1 : path.slice(-3).toLowerCase() === "%2b" ? 3 : 0;
  const before = path.slice(0, path.length - plusChars);
  return plusChars === 0 || before.endsWith("/") ? null : before;
}

/** A slug in a path, and what follows it. */
interface Candidate {
  typed: string;
  rest: string;
}

/** The slugs that a path may lead to, longest first. */
function candidatesIn(path: string, peeked: string | null): Candidate[] {
  const slug = parseSlug(peeked ?? path);
  const whole = slug === null ? [] : [{ typed: slug, rest: "" }];
  const names = forwardableSegments(path);
  if (!names) return whole;
  const shorter = names.slice(1).flatMap((_, i) => {
    const start = names.slice(0, i + 1).join("/");
    const typed = parseSlug(start);
    return typed === null ? [] : [{ typed, rest: path.slice(start.length) }];
  });
  return [...whole, ...shorter.toReversed()];
}

function exactAddress(domain: string, typed: string): ExactAddress {
  const slug = exactSlug(typed);
  return { slug, name: addressObjectName(domain, slug) };
}

/** A link, and the address of its alias if it was found by one. */
interface LinkFound {
  link: StoredAddress;
  via?: StoredAddress;
}

type StoredAddress = Pick<LinkSnapshot, "domain" | "slug">;

/** Key of an address's link in this isolate, and its object's name unless it was found by an alias. */
export function linkNameAt(address: LinkAddress, { link, via = link }: LinkFound): string {
  if (address.shorter.length > 0) return addressObjectName(via.domain, via.slug);
  return address.exact && isExactSlug(via.slug) ? address.exact.name : address.name;
}

/** What follows a found link's slug in the path; "" if the whole path is its slug. */
export function restOf(address: LinkAddress, found: LinkFound): string {
  if (address.shorter.length === 0) return address.rest;
  const name = linkNameAt(address, found);
  const at = [address, ...address.shorter].find((each) => each.name === name || each.exact?.name === name);
  return at?.rest ?? "";
}

/** Reserved paths such as robots.txt get a 404, never a redirect to the domain's page. */
function defaultRedirectKindOf(path: string): DefaultRedirectKind {
  if (path === "") return "root";
  return isReservedPath(path) ? null : "not_found";
}
