/** How texts of people, such as tags, are compared. Pure. */

/**
 * Equal for texts that differ in case, or in how their accents are encoded. Upper case before
 * lower, so that `ß` equals `SS` and `ς` equals `Σ`; lower case before both, because `ẞ` has no other upper case.
 */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/** Equal for tags that differ in case, or in how their accents are encoded. */
export function tagKey(tag: string): string {
  return foldCase(tag);
}
