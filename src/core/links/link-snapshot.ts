/** What a redirect knows of a link: plain data that is cached in isolates and kept in the link's Durable Object. */

import type { Mode } from "../account.ts";
import type { QrKey } from "../qr/token.ts";
import { canonicalText, DEFAULT_RULE_KEY, type RoutableLink } from "./routing.ts";

export type LinkOrigin = "api" | "dashboard";

export interface LinkSnapshot extends RoutableLink {
  id: string;
  accountId: string;
  mode: Mode;
  origin: LinkOrigin;
  domain: string;
  slug: string;
  /** Grows by one with every change. */
  revision: number;
  state: "active" | "disabled" | "deleted";
  /** Secret: what the tokens of the link's QR codes are made with. */
  qrKey: QrKey;
  /** The link whose address this one took over: another account's, from when the domain was theirs. */
  predecessorId?: string;
  /** The link that took this one's address over, which has ended this one. */
  successorId?: string;
}

/** What a deleted link has in place of what its account wrote, in memory and in the database. */
export const TOMBSTONE_FIELDS: Pick<LinkSnapshot, "url" | "routing" | "expiresAt" | "qrKey"> = {
  url: "",
  routing: [],
  expiresAt: null,
  qrKey: "",
};

/** What is left of a link that was deleted: its address, id and account. */
export function tombstoneOf(link: LinkSnapshot): LinkSnapshot {
  return { ...link, ...TOMBSTONE_FIELDS, state: "deleted" };
}

/** The words for where a click went, by index of the rule as stored with the click; "" when none matched. */
export interface RouteKeys {
  rule: string;
  destination: string;
}

export function routeKeys(link: RoutableLink, rule: string): RouteKeys {
  const chosen = rule === "" ? undefined : link.routing[Number(rule)];
  return chosen
    ? { rule: canonicalText(chosen.if), destination: chosen.to }
    : { rule: DEFAULT_RULE_KEY, destination: link.url };
}

/** Of a snapshot besides its texts, which V8 may keep in two bytes a character. */
const SNAPSHOT_OVERHEAD_BYTES = 500;

const bytesBySnapshot = new WeakMap<LinkSnapshot, number>();

/** About how much memory a snapshot takes. Rules may be 64 KiB of text, so each snapshot is measured once. */
export function snapshotBytes(link: LinkSnapshot): number {
  const known = bytesBySnapshot.get(link);
  if (known !== undefined) return known;
  const routing = link.routing.length === 0 ? 0 : JSON.stringify(link.routing).length;
  const bytes = SNAPSHOT_OVERHEAD_BYTES + 2 * (link.url.length + routing);
  bytesBySnapshot.set(link, bytes);
  return bytes;
}

/** What an object is found by. */
export type ObjectAddress = Pick<LinkSnapshot, "domain" | "slug"> & Partial<Pick<LinkSnapshot, "id" | "predecessorId">>;

/**
 * Name of a link's Durable Object. That of its address, unless the link took the address over: the object there keeps the
 * clicks of the link before, and tells whom it was succeeded by.
 */
export function objectNameOf({ domain, slug, id, predecessorId }: ObjectAddress): string {
  return predecessorId === undefined || id === undefined
    ? addressObjectName(domain, slug)
    : ownObjectName({ domain, slug, id });
}

/** Name of an address's Durable Object. Domain and slug never change, so it is found without the database. */
export function addressObjectName(domain: string, slug: string): string {
  return `${domain}/${slug.toLowerCase()}`;
}

/** Name of the object of a link where that of its address has the clicks of another one. */
export function ownObjectName({ domain, slug, id }: Pick<LinkSnapshot, "domain" | "slug" | "id">): string {
  return `${addressObjectName(domain, slug)}/${id}`;
}
