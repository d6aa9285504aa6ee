/**
 * The state of a link that a redirect needs, and the names of Durable Objects. Plain data: read from D1, cached in
 * isolates, sent with clicks, and stored by the link's object. Pure.
 */
import type { Mode } from "../account.ts";
import { isExactSlug, shortAddress } from "../hosts.ts";
import type { QrKey } from "../qr/token.ts";
import { LINK_MEMBER_LIST, type LinkAlias, type RedirectContent, UNSET_CONTENT } from "./link-members.ts";
import { canonicalText, DEFAULT_RULE_KEY, type RoutableLink } from "./routing.ts";

export type LinkOrigin = "api" | "dashboard";

export interface LinkSnapshot extends RoutableLink, RedirectContent {
  id: string;
  accountId: string;
  mode: Mode;
  origin: LinkOrigin;
  domain: string;
  /** As stored (core/hosts.ts). */
  slug: string;
  /** The slug as typed, if it is not ASCII. */
  typedSlug?: string;
  /** Incremented by every change. */
  revision: number;
  /** `restricted`: active, but it does not redirect everyone. Releases that do not know this state redirect no one. */
  state: "active" | "restricted" | "disabled" | "deleted";
  /** Secret: the key for the tokens of the link's QR codes. */
  qrKey: QrKey;
  /** Name of the link's object, if an earlier holder of the domain had a link at the address (`objectNameOf`). */
  objectName?: string;
}

/** The state of a link that is neither disabled nor deleted. `links_restricted` (schema.sql) has the same condition. */
export function openStateOf({ paused, password }: RedirectContent): "active" | "restricted" {
  return paused || password ? "restricted" : "active";
}

/** Whether a link is neither disabled nor deleted, nor in a state of a later release. */
export function isOpen({ state }: Pick<LinkSnapshot, "state">): boolean {
  return state === "active" || state === "restricted";
}

/** The values that replace an account's content in a deleted link. */
const TOMBSTONE_FIELDS: Partial<LinkSnapshot> = {
  ...Object.fromEntries(
    LINK_MEMBER_LIST.filter(({ affects }) => affects !== "nothing").map(({ field }) => [field, UNSET_CONTENT[field]]),
  ),
  qrKey: "",
};

/** The tombstone of a deleted link: its address, id and account. */
export function tombstoneOf(link: LinkSnapshot): LinkSnapshot {
  return { ...link, ...TOMBSTONE_FIELDS, state: "deleted" };
}

/** Statistics keys of a route. */
export interface RouteKeys {
  rule: string;
  destination: string;
}

/** @param rule  index as stored with the click; "" when none matched */
export function routeKeys(link: RoutableLink, rule: string): RouteKeys {
  const chosen = rule === "" ? undefined : link.routing[Number(rule)];
  return chosen
    ? { rule: canonicalText(chosen.if), destination: chosen.to }
    : { rule: DEFAULT_RULE_KEY, destination: link.url };
}

/** Memory of a snapshot without its texts, which take up to two bytes per character. */
const SNAPSHOT_OVERHEAD_BYTES = 500;

const bytesBySnapshot = new WeakMap<LinkSnapshot, number>();

/** Estimated memory of a snapshot. Rules may be 64 KiB of text, so each snapshot is measured once. */
export function snapshotBytes(link: LinkSnapshot): number {
  const known = bytesBySnapshot.get(link);
  if (known !== undefined) return known;
  const routing = link.routing.length === 0 ? 0 : JSON.stringify(link.routing).length;
  const slugs = 4 * (link.typedSlug?.length ?? 0);
  const others = [link.social, link.aliases].reduce((sum, each) => sum + (each ? JSON.stringify(each).length : 0), 0);
  const chars = link.url.length + (link.fallbackUrl?.length ?? 0) + slugs + routing + others;
  const bytes = SNAPSHOT_OVERHEAD_BYTES + 2 * chars;
  bytesBySnapshot.set(link, bytes);
  return bytes;
}

/** The members of a link that determine the name of its object. */
export type ObjectAddress = Pick<LinkSnapshot, "domain" | "slug" | "objectName">;

/**
 * Name of a link's Durable Object: domain and slug, or the name stored with the link. The object of an address belongs
 * permanently to the first link there, so a later holder's link gets its own object.
 */
export function objectNameOf({ domain, slug, objectName }: ObjectAddress): string {
  return objectName ?? addressObjectName(domain, slug);
}

/** Name of an address's Durable Object. Domain and slug never change, so it is found without a database. */
export function addressObjectName(domain: string, slug: string): string {
  return `${domain}/${isExactSlug(slug) ? slug : slug.toLowerCase()}`;
}

/** Name of a link's own object, if the object of its address stores another link's clicks. No slug contains an `@`. */
export function ownObjectName({ domain, slug, id }: Pick<LinkSnapshot, "domain" | "slug" | "id">): string {
  return `${addressObjectName(domain, slug)}@${id}`;
}

/** Which of a link's addresses are aliases, and which were. */

/** An address in a period in which an account held its domain. */
export type AliasAddress = Pick<LinkAlias, "domain" | "slug" | "tenure">;

export function isSameAddress(one: AliasAddress, other: AliasAddress): boolean {
  return one.tenure === other.tenure && nameOf(one) === nameOf(other);
}

function nameOf({ domain, slug }: AliasAddress): string {
  return addressObjectName(domain, slug);
}

/** The aliases that the others lack. */
export function aliasesBeyond(aliases: readonly LinkAlias[], others: readonly AliasAddress[]): LinkAlias[] {
  return aliases.filter((alias) => !others.some((other) => isSameAddress(alias, other)));
}

/** What a visitor of one of a link's aliases, present or removed, finds: the link, or a tombstone. */
export function linkAtAlias(link: LinkSnapshot, via: AliasAddress): { link: LinkSnapshot; alias?: string } {
  const alias = link.aliases?.find((each) => isSameAddress(each, via));
  return alias ? { link, alias: shortAddress(alias) } : { link: tombstoneOf(link) };
}
