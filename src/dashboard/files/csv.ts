/** Rows as CSV for spreadsheets. */
import Papa, { type UnparseConfig } from "papaparse";

import { FORMULA_START } from "../../core/encoding/csv.ts";

/** A value that begins like a formula is escaped: texts and addresses may come from an untrusted source. */
export function toCsv(rows: readonly object[], options: Pick<UnparseConfig, "columns" | "header"> = {}): string {
  return Papa.unparse([...rows], { ...options, escapeFormulae: FORMULA_START, newline: "\n" });
}
