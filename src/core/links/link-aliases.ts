/** Which of a link's addresses are aliases, and which were. Pure; redirects load it. */
import { shortAddress } from "../hosts.ts";
import type { LinkAlias } from "./link-members.ts";
import { addressObjectName, type LinkSnapshot, tombstoneOf } from "./link-snapshot.ts";

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
