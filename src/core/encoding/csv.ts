/** Rows of CSV files (RFC 4180). Texts of users that a spreadsheet would run as formulas are disarmed. Pure. */

/**
 * What a spreadsheet would run as a formula in a cell of a CSV file, for papaparse's `escapeFormulae`, which puts an
 * apostrophe in front. Its own pattern overlooks formulas with a line break in them.
 */
export const FORMULA_START = /^[=+\-@\t\r\n]/;

/** With its line end. Null is an empty cell; an object or a list is JSON. */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isFormula = FORMULA_START.test(text);
  if (!isFormula && !/[",\r\n]|^ | $/.test(text)) return text;
  return `"${isFormula ? "'" : ""}${text.replaceAll('"', '""')}"`;
}
