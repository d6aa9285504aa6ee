/** Refused rows as CSV for a spreadsheet. Pure. */
import Papa from "papaparse";

import { FORMULA_START } from "../../../core/csv-formulas.ts";
import type { ImportReport } from "../../../core/imports/run-import.ts";

/** Values that begin like a formula are escaped, since they come from a file of another service. */
export function refusedCsv({ refused, differs }: Pick<ImportReport, "refused" | "differs">, unit: string): string {
  const rows = [
    ...refused.map(({ at, address, reason, advice }) => ({ [unit]: at, address, reason, advice })),
    ...differs.map(({ at, address, members }) => ({
      [unit]: at,
      address,
      reason: `Already here with different ${members.join(", ")}`,
      advice: "It stays as it is.",
    })),
  ];
  return Papa.unparse(rows, {
    escapeFormulae: FORMULA_START,
    newline: "\n",
    columns: [unit, "address", "reason", "advice"],
  });
}
