/** Rows of CSV files (RFC 4180). Texts of users that a spreadsheet would run as formulas are disarmed. Pure. */

/**
 * Where a spreadsheet may begin a cell with a sign of formulas, the full-width ones included: at the start of a text; and,
 * where `;` separates cells because the comma is the decimal sign, behind each `;` and line break, also one in quotes.
 */
const FORMULA_STARTS = /^(?=[\t\r\n])|(?:^|(?<=[;\r\n]))(?="*[=+\-@＝＋－＠])/g;

/** Puts an apostrophe where a spreadsheet would begin a formula. Linear in the length. */
export function disarmFormulas(text: string): string {
  return text.replaceAll(FORMULA_STARTS, "'");
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
