/**
 * Parsing of untrusted URLs. Parsing an international host name takes quadratic time, so a text whose host is longer
 * than DNS allows is refused without parsing. Pure; redirects parse `Referer` with it.
 */

/** The longest host name in DNS, with a final dot and a port. */
const AUTHORITY_MAX_CHARS = 253 + ".:65535".length;

/** @returns null when the text is not a URL or its host is too long */
export function parseUrl(text: string): URL | null {
  return hasOverlongHost(text) ? null : URL.parse(text);
}

/**
 * Measures everything before the path. URL parsers skip white space after the scheme and accept any number of slashes
 * and backslashes, so this does too.
 */
export function hasOverlongHost(text: string): boolean {
  const authority = /^[^:]*:[\s/\\]*([^/\\?#]*)/.exec(text)?.[1] ?? "";
  return authority.length > AUTHORITY_MAX_CHARS;
}
