/** Rows as CSV. A cell that a spreadsheet would run as a formula begins with an apostrophe. */
import Papa from "papaparse";

export function csvOf(rows: readonly object[]): string {
  return `${Papa.unparse([...rows], { escapeFormulae: true, newline: "\r\n" })}\r\n`;
}
