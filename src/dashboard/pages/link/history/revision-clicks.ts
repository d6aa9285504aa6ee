/** Clicks of each version of a link. Pure. */
import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import type { Stats } from "../../../../core/contract/stats.ts";

/**
 * Clicks under a version: those counted under its number, and under the numbers after the version before, which had the
 * same content.
 * @param before  the version before; undefined for the first
 */
export function clicksOfRevision(
  buckets: Stats["buckets"],
  { revision }: Pick<LinkRevision, "revision">,
  before: Pick<LinkRevision, "revision"> | undefined,
): number {
  const first = (before?.revision ?? 0) + 1;
  return buckets.reduce((sum, { key, clicks }) => {
    const number = Number(key);
    return number >= first && number <= revision ? sum + clicks : sum;
  }, 0);
}
