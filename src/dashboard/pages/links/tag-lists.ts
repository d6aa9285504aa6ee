/** Lists of tags, compared without regard to case. Pure. */
import { tagKey } from "../../../core/links/tags.ts";

/** Those of a link stay as they are written there. */
export function addTags(tags: readonly string[], added: readonly string[]): string[] {
  return uniqueTags([...tags, ...added]);
}

export function removeTags(tags: readonly string[], removed: readonly string[]): string[] {
  const keys = new Set(removed.map(tagKey));
  return tags.filter((tag) => !keys.has(tagKey(tag)));
}

/** Each in the way it is written first. */
export function uniqueTags(tags: readonly string[]): string[] {
  const seen = new Set<string>();
  return tags.filter((tag) => !seen.has(tagKey(tag)) && seen.add(tagKey(tag)));
}
