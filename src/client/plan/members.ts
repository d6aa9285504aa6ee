/** The members of a link that a file sets, and the comparison of their values. Pure. */
import { UpdateLink } from "../../core/contract/links.ts";
import { canonicalJson } from "../../core/contract/primitives.ts";
import { type TypedAlias, aliasText } from "../../core/links/alias-texts.ts";
import { canonicalSlug, tagKey } from "../../core/links/case-folding.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import { isUnset } from "../../core/links/link-members.ts";
import { timestamp } from "../../core/time.ts";
import type { CreateLink, Link } from "../api-types.ts";
import type { FileLink } from "./links-file.ts";

export type Member = keyof UpdateLink;

/** Everything that can be changed, in the API's order. */
export const MEMBERS = Object.keys(UpdateLink.shape) as readonly Member[];

/**
 * A member's value; null if it is not set, including an empty list, `false` or a default. Of a password, only whether
 * there is one: plans show no password, and the service returns none.
 */
export function memberOf(link: FileLink | CreateLink | Link, member: Member): unknown {
  if (member === "password") {
    const { password, password_protected } = link as FileLink;
    return Boolean(password) || password_protected || null;
  }
  const value: unknown = (link as FileLink)[member];
  if (isUnset(member, value)) return null;
  if (member === "aliases") return (value as TypedAlias[]).map((alias) => shortAlias(alias, link.domain));
  return typeof value === "string" && member.endsWith("_at") ? timestamp(Date.parse(value)) : value;
}

/** The link's own domain is the default. */
function shortAlias({ slug, domain }: TypedAlias, own: string | undefined): TypedAlias {
  return { slug, ...(domain && domain !== own && { domain }) };
}

/** Aliases in any order, with their domains. */
function aliasKeys(aliases: readonly TypedAlias[] | null | undefined, own: string): string[] {
  return (aliases ?? [])
    .map(({ slug, domain = own }) => aliasText({ domain: normalizedDomain(domain), slug: canonicalSlug(slug) }))
    .sort();
}

/** The name of a member in plans and in files that `pull` writes. */
export function shownName(member: Member): string {
  return member === "password" ? "password_protected" : member;
}

/** The value that the file wants, including the tag that marks its links. */
export function wantedMember(link: FileLink, member: Member, managedBy: string | undefined): unknown {
  if (member !== "tags") return memberOf(link, member);
  const tags = withManagedTag(link.tags ?? [], managedBy);
  return tags.length === 0 ? null : tags;
}

/** Ignores the position of the file's own tag in the list. */
export function isAsWanted(link: Link, wanted: FileLink, member: Member, managedBy: string | undefined): boolean {
  if (member === "aliases") return isSame(aliasKeys(link.aliases, link.domain), aliasKeys(wanted.aliases, link.domain));
  if (member !== "tags") return isSame(memberOf(link, member), memberOf(wanted, member));
  if (managedBy !== undefined && !hasTag(link.tags, managedBy)) return false;
  return isSame(withoutManagedTag(link.tags ?? [], managedBy), withoutManagedTag(wanted.tags ?? [], managedBy));
}

/** Ignores the order of names in an object. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** @param tags  as in the file @param managedBy  the tag that marks the links of a file */
export function withManagedTag(tags: readonly string[], managedBy: string | undefined): string[] {
  return managedBy === undefined || hasTag(tags, managedBy) ? [...tags] : [...tags, managedBy];
}

/** @param tags  as on the link */
export function withoutManagedTag(tags: readonly string[], managedBy: string | undefined): string[] {
  return tags.filter((tag) => managedBy === undefined || tagKey(tag) !== tagKey(managedBy));
}

export function hasTag(tags: readonly string[] | undefined, tag: string): boolean {
  return tags?.some((each) => tagKey(each) === tagKey(tag)) ?? false;
}
