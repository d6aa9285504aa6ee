/** Clicks as rows of a file: their members in the order of the API, as lines of JSON or as a table. Pure. */
import type { AccountClick } from "../contract/account-clicks.ts";
import type { Click } from "../contract/clicks.ts";
import { csvRow } from "../encoding/csv.ts";

export type RowFormat = "csv" | "ndjson";

export const ROW_TYPES: Record<RowFormat, string> = { csv: "text/csv", ndjson: "application/x-ndjson" };

/** With its line end. */
export function clickRow(format: RowFormat, click: Click | AccountClick): string {
  return format === "csv" ? csvRow(Object.values(click)) : `${JSON.stringify(click)}\n`;
}
