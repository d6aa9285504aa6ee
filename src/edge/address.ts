/**
 * What a URL addresses: the service, a link that may exist, or nothing at all. Remembered for plain URLs, because a
 * busy link is asked for by the same one thousands of times a second.
 */
import { GenerationCache } from "../core/generation-cache.ts";
import { doorOf, type Hosts } from "../core/hosts.ts";
import { objectName } from "../core/link-snapshot.ts";

export interface LinkAddress {
  kind: "link";
  domain: string;
  slug: string;
  /** Key of the link in this isolate, and the name of its object. */
  name: string;
  /** Query string without the question mark. */
  search: string;
}

export type Address = { kind: "service" } | { kind: "nowhere" } | LinkAddress;

const REMEMBERED = 2_000;
/** Slugs have 64 characters at most; what is much longer is no address of a link. */
const REMEMBERED_MAX_CHARS = 200;

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
  const slug = slugOf(door.slug);
  if (slug === null) return { kind: "nowhere" };
  return { kind: "link", domain: door.domain, slug, name: objectName(door.domain, slug), search: door.search };
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
