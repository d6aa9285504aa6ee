/** Comparison of user texts, such as tags. Pure. */

/**
 * Equal for texts that differ only in case, or in the encoding of their accents. Converts to upper case before lower,
 * so that `ß` equals `SS` and `ς` equals `Σ`; lower case before both, because `ẞ` has no other upper case.
 */
export function foldCase(text: string): string {
  return fold(text.normalize("NFC")).normalize("NFC");
}

function fold(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

/** Equal for tags that differ only in case, or in the encoding of their accents. */
export function tagKey(tag: string): string {
  return foldCase(tag);
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** A slug without differences that the same text has in different programs: in Unicode's forms, and in how emoji look. */
export function canonicalSlug(slug: string): string {
  return isAscii(slug) ? slug : slug.normalize("NFC").replace(/[\uFE0E\uFE0F]/g, "");
}

/**
 * Equal for slugs that are equal in Unicode's full case folding. Differs from `foldCase` for two letters: `ı` is not
 * `i`, and `σ` is `ς` wherever it is. In lower case, so folding again changes nothing.
 */
export function foldSlug(slug: string): string {
  if (isAscii(slug)) return slug.toLowerCase();
  const parts = canonicalSlug(slug).split("ı").map(fold);
  return parts.join("ı").replaceAll("ς", "σ").normalize("NFC");
}

/** Equal for addresses that lead to the same link. @param caseSensitive  the domains that distinguish case */
export function addressKey(
  { domain = "", slug }: { domain?: string | undefined; slug: string },
  caseSensitive: ReadonlySet<string>,
): string {
  return `${domain}/${(caseSensitive.has(domain) ? canonicalSlug : foldSlug)(slug)}`;
}

/** Counts code points, of which each has at most two code units: a much longer text is not split into them. */
export function isLonger(text: string, maxChars: number): boolean {
  return text.length > 2 * maxChars || [...text].length > maxChars;
}
