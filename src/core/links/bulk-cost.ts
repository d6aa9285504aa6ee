/** What a bulk request counts against the limits of its account (store/accounts/quotas.ts). Pure. */
import { TAGS_PER_BULK_LINK } from "../limits.ts";

/** In links. @param sent  items of the request, refused ones included @param tags  changed: each is a row of its own */
export function bulkCost(sent: number, tags: number): number {
  return sent + Math.floor(tags / TAGS_PER_BULK_LINK);
}

/** Tags removed and added. Compared as typed, because a new spelling is written too. */
export function countChangedTags(before: readonly string[], after: readonly string[]): number {
  const [old, present] = [new Set(before), new Set(after)];
  return [...old, ...present].filter((tag) => !old.has(tag) || !present.has(tag)).length;
}
