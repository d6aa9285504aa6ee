/** How tags are compared. Pure. */

/**
 * Equal for tags that differ in case, or in how their accents are encoded. Upper case first, so that `ß` equals `SS`
 * and `ς` equals `Σ`.
 */
export function tagKey(tag: string): string {
  return tag.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
