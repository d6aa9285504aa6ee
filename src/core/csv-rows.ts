/** Rows of CSV files (RFC 4180). Texts of users that a spreadsheet would run as formulas are disarmed. Pure. */
import { FORMULA_START } from "./csv-formulas.ts";

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
