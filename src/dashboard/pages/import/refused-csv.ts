/** The rows that an import refused, or whose links already exist with other values, for a spreadsheet. Pure. */
import type { ImportReport } from "../../../core/imports/run-import.ts";
import { toCsv } from "../../files/csv.ts";
import { importTexts as texts } from "../../texts/import.ts";

export function refusedCsv({ refused, differs }: Pick<ImportReport, "refused" | "differs">, unit: string): string {
  const rows = [
    ...refused.map(({ at, address, reason, advice }) => ({ [unit]: at, address, reason, advice })),
    ...differs.map(({ at, address, members }) => ({
      [unit]: at,
      address,
      reason: texts.existing.reason(members.join(", ")),
      advice: texts.existing.advice,
    })),
  ];
  return toCsv(rows, { columns: [unit, "address", "reason", "advice"] });
}
