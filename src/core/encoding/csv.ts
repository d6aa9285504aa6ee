/** Rows of CSV files (RFC 4180). Texts of users that a spreadsheet would run as formulas are disarmed. Pure. */

/**
 * A sign of formulas, the full-width ones included, with what may stand between the start of a cell and it. Linear: a run is
 * tried from its start alone.
 */
const SIGN = /(?<![;\t\r\n "])[;\t\r\n "]*[=+\-@＝＋－＠]/g;

/**
 * Puts an apostrophe where a spreadsheet may begin a formula: at the start of a text, and behind what separates cells in
 * some of them, also within quotes: `;` where the comma is the decimal sign, tabs and line breaks.
 */
export function disarmFormulas(text: string): string {
  const disarmed = text.replaceAll(SIGN, (match, offset: number) =>
    offset === 0 || /[;\t\r\n]/.test(match) ? `${match.slice(0, -1)}'${match.slice(-1)}` : match,
  );
  return /^[\t\r\n]/.test(disarmed) ? `'${disarmed}` : disarmed;
}

/** With its line end. Null is an empty cell; an object or a list is JSON. */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const disarmed = disarmFormulas(text);
  if (disarmed === text && !/[",\r\n]|^ | $/.test(text)) return text;
  return `"${disarmed.replaceAll('"', '""')}"`;
}
