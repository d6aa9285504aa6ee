/** `If-None-Match` (RFC 9110, 13.1.2). Pure. */

/** A tag may contain commas, so the list is not split at them. */
const TAGS = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Whether the client already has this representation. Compares weakly: `W/` makes no difference.
 * @param etag  strong, as sent
 */
export function hasCurrentEtag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === "*" || (ifNoneMatch.match(TAGS)?.includes(etag) ?? false);
}
