/**
 * URLs in the words of strangers. Reading an international host name takes time by the square of its length, so a text
 * whose host can be none is refused unread. Pure; redirects read `Referer` by it.
 */

/** What DNS allows, and after it a final dot and a port. */
const AUTHORITY_MAX_CHARS = 253 + ".:65535".length;

/** The URL; null when the text is none, or has a host that is too long. */
export function parseUrl(text: string): URL | null {
  return hasOverlongHost(text) ? null : URL.parse(text);
}

/** Counts all that stands before the path. Parsers skip white space, and take any number of slashes, of both kinds. */
export function hasOverlongHost(text: string): boolean {
  const authority = /^[^:]*:[\s/\\]*([^/\\?#]*)/.exec(text)?.[1] ?? "";
  return authority.length > AUTHORITY_MAX_CHARS;
}
