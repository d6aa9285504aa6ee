/** Rows of CSV files (RFC 4180). User texts that a spreadsheet would run as formulas are disarmed. Pure. */

/**
 * A character that begins a formula, full-width ones included, and whatever may precede it in a cell. Linear: each run
 * is tried only from its start.
 */
const SIGN = /(?<![;\t\r\n "])[;\t\r\n "]*[=+\-@＝＋－＠]/g;

/**
 * Inserts an apostrophe wherever a spreadsheet could begin a formula. That is at the start of a text, and after
 * characters that separate cells in some spreadsheets, even within quotes: `;` where the comma is the decimal sign,
 * tabs and line breaks.
 */
export function disarmFormulas(text: string): string {
  const disarmed = text.replaceAll(SIGN, (match, offset: number) =>
    offset === 0 || /[;\t\r\n]/.test(match) ? `${match.slice(0, -1)}'${match.slice(-1)}` : match,
  );
  return /^[\t\r\n]/.test(disarmed) ? `'${disarmed}` : disarmed;
}

/** Includes the line end. Null is an empty cell; an object or a list is JSON. */
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
