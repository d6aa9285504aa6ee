/** How texts of people are compared. Pure. */

/**
 * Equal for texts that differ in case, or in how their accents are encoded. Upper case first, so that `ß` equals `SS`
 * and `ς` equals `Σ`.
 */
export function foldCase(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
