/** The cost of a bulk request, counted against its account's limits (store/accounts/quotas.ts). Pure. */
import {
  BULK_LINKS_PER_PASSWORD,
  IMPORT_BYTES_PER_BULK_LINK,
  IMPORT_CLICKS_PER_BULK_LINK,
  TAGS_PER_BULK_LINK,
} from "../limits.ts";

/**
 * Cost in links.
 * @param sent  items of the request, including refused ones
 * @param tags  changed tags: each is a row
 * @param passwords  new passwords: each takes CPU time
 * @param aliases  changed aliases
 */
export function bulkCost(sent: number, tags: number, passwords: number, aliases: number): number {
  return sent + Math.floor(tags / TAGS_PER_BULK_LINK) + BULK_LINKS_PER_PASSWORD * passwords + aliases;
}

/** Cost in links of a request that imports clicks. @param chars  of its body */
export function importCost(clicks: number, chars: number): number {
  return 1 + Math.floor(Math.max(clicks / IMPORT_CLICKS_PER_BULK_LINK, chars / IMPORT_BYTES_PER_BULK_LINK));
}

/** Number of removed and added tags. Compared as typed, because a new spelling is also written. */
export function countChangedTags(before: readonly string[], after: readonly string[]): number {
  const [old, present] = [new Set(before), new Set(after)];
  return [...old, ...present].filter((tag) => !old.has(tag) || !present.has(tag)).length;
}
