/** Comparison of user texts, such as tags. Pure. */

/**
 * Equal for texts that differ only in case, or in the encoding of their accents. Converts to upper case before lower,
 * so that `ß` equals `SS` and `ς` equals `Σ`; lower case before both, because `ẞ` has no other upper case.
 */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/** Equal for tags that differ only in case, or in the encoding of their accents. */
export function tagKey(tag: string): string {
  return foldCase(tag);
}
