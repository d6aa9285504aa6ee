/**
 * What a URL addresses: the service, a link that may exist, or nothing at all. Remembered for plain URLs, because a
 * busy link is asked for by the same one thousands of times a second.
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { doorOf, type Hosts, isCustomDomain, isReservedPath } from "../core/hosts.ts";
import { objectName } from "../core/link-snapshot.ts";

export interface LinkAddress {
  kind: "link";
  domain: string;
  slug: string;
  /** Key of the link in this isolate, and the name of its object. */
  name: string;
  /** Query string without the question mark. */
  search: string;
  landing: Landing;
  /** Whether browsers are told to come by https from now on. */
  hsts: boolean;
}

/** What can be no link. */
export interface NoAddress {
  kind: "nowhere";
  domain: string;
  landing: Landing;
}

/** Which page of a customer's domain stands in for a link that is not there; null where there is none. */
export type Landing = "root" | "not_found" | null;

export type Address = { kind: "service" } | NoAddress | LinkAddress;

const REMEMBERED = 2_000;
/** Slugs have 64 characters at most; what is much longer is no address of a link. */
const REMEMBERED_MAX_CHARS = 200;

/** DNS allows no longer name, with room for a port in development; a client may send any. */
const DOMAIN_MAX_CHARS = 253 + 6;

const addresses = new GenerationCache<Address>(REMEMBERED);

export function addressOf(url: string, hosts: Hosts): Address {
  const known = addresses.get(url);
  if (known) return known;
  const address = read(url, hosts);
  if (url.length <= REMEMBERED_MAX_CHARS && !url.includes("?")) addresses.set(url, address);
  return address;
}

function read(url: string, hosts: Hosts): Address {
  const door = doorOf(url, hosts);
  if (door.kind === "service") return door;
  const { domain, search } = door;
  if (domain.length > DOMAIN_MAX_CHARS) return { kind: "nowhere", domain: "", landing: null };
  const slug = slugOf(door.slug);
  const isCustom = isCustomDomain(domain, hosts);
  const landing = isCustom ? landingOf(door.slug) : null;
  const hsts = !isCustom && hosts.protocol === "https:";
  if (slug === null) return { kind: "nowhere", domain, landing };
  return { kind: "link", domain, slug, name: objectName(domain, slug), search, landing, hsts };
}

/** Machines that ask for robots.txt and the like want an answer, not a page. */
function landingOf(path: string): Landing {
  if (path === "") return "root";
  return isReservedPath(path) ? null : "not_found";
}

/** The slug of a path, or null for what can be none: saves the database look-ups of scanners. */
function slugOf(path: string): string | null {
  const slug = path.includes("%") ? decoded(path) : path;
  return slug.length <= 64 && /^[A-Za-z0-9_-]+$/.test(slug) ? slug : null;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
