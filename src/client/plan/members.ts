/** Which members of a link a file sets, and when two values of one are the same. Pure. */
import { UpdateLink } from "../../core/contract/links.ts";
import { canonicalJson } from "../../core/contract/primitives.ts";
import { tagKey } from "../../core/links/case-folding.ts";
import { timestamp } from "../../core/time.ts";
import type { Link } from "../api-types.ts";
import type { FileLink } from "./links-file.ts";

export type Member = keyof UpdateLink;

/** All that can be changed, in the order of the API. */
export const MEMBERS = Object.keys(UpdateLink.shape) as readonly Member[];

/** A member's value; null where it is not set, also where that is written as an empty list or `false`. */
export function memberOf(link: FileLink | Link, member: Member): unknown {
  const value: unknown = link[member] ?? null;
  if (value === false || (Array.isArray(value) && value.length === 0)) return null;
  return typeof value === "string" && member.endsWith("_at") ? timestamp(Date.parse(value)) : value;
}

/** As the file wants it: with the tag by which its links are known. */
export function wantedMember(link: FileLink, member: Member, managedBy: string | undefined): unknown {
  if (member !== "tags") return memberOf(link, member);
  const tags = withManagedTag(link.tags ?? [], managedBy);
  return tags.length === 0 ? null : tags;
}

/** Where in the list the file's own tag stands does not matter. */
export function isAsWanted(link: Link, wanted: FileLink, member: Member, managedBy: string | undefined): boolean {
  if (member !== "tags") return isSame(memberOf(link, member), memberOf(wanted, member));
  if (managedBy !== undefined && !hasTag(link.tags, managedBy)) return false;
  return isSame(withoutManagedTag(link.tags ?? [], managedBy), withoutManagedTag(wanted.tags ?? [], managedBy));
}

/** Names within an object stand in any order. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** `managedBy` is the tag by which a link is known to belong to a file. @param tags  as the file has them */
export function withManagedTag(tags: readonly string[], managedBy: string | undefined): string[] {
  return managedBy === undefined || hasTag(tags, managedBy) ? [...tags] : [...tags, managedBy];
}

/** @param tags  as a link has them */
export function withoutManagedTag(tags: readonly string[], managedBy: string | undefined): string[] {
  return tags.filter((tag) => managedBy === undefined || tagKey(tag) !== tagKey(managedBy));
}

export function hasTag(tags: readonly string[] | undefined, tag: string): boolean {
  return tags?.some((each) => tagKey(each) === tagKey(tag)) ?? false;
}
