/** Rows as CSV for spreadsheets. */
import Papa, { type UnparseConfig } from "papaparse";

import { disarmFormulas } from "../../core/encoding/csv.ts";

/** No text is run as a formula: texts and addresses may be untrusted. */
export function toCsv(rows: readonly object[], options: Pick<UnparseConfig, "columns" | "header"> = {}): string {
  return Papa.unparse(rows.map(withoutFormulas), { ...options, newline: "\n" });
}

/** The byte order mark makes Excel read UTF-8. */
export function csvFile(...parts: readonly string[]): Blob {
  return new Blob(["\uFEFF", ...parts], { type: "text/csv;charset=utf-8" });
}

function withoutFormulas(row: object): object {
  const members = Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "string" ? disarmFormulas(value) : value,
  ]);
  return Object.fromEntries(members) as object;
}
