/** Rows as CSV. A cell that a spreadsheet would run as a formula begins with an apostrophe. */
import Papa from "papaparse";

import { FORMULA_START } from "../../../../core/csv-formulas.ts";

export function csvOf(rows: readonly object[]): string {
  return `${Papa.unparse([...rows], { escapeFormulae: FORMULA_START, newline: "\r\n" })}\r\n`;
}
