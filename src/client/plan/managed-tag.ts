/** The tag by which a link is known to belong to a file. Pure. */
import { tagKey } from "../../core/links/case-folding.ts";

/** @param tags  as the file has them */
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
