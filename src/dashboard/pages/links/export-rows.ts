/** Links as rows of a CSV file or items of a JSON file, a page at a time. Pure. */

import type { Link } from "../../../core/contract/links.ts";
import { toCsv } from "../../files/csv.ts";

export type ExportFormat = "csv" | "json";

const CSV_COLUMNS: Record<string, (link: Link) => string> = {
  short_url: ({ short_url }) => short_url,
  url: ({ url }) => url,
  title: ({ title = "" }) => title,
  tags: ({ tags = [] }) => tags.join(", "),
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  starts_at: ({ starts_at = "" }) => starts_at,
  expires_at: ({ expires_at }) => expires_at ?? "",
  fallback_url: ({ fallback_url = "" }) => fallback_url,
  forward_query: ({ forward_query }) => (forward_query ? "true" : ""),
  rules: ({ routing }) => (routing.length === 0 ? "" : JSON.stringify(routing)),
  id: ({ id }) => id,
};

export function csvPart(links: readonly Link[], isFirst: boolean): string {
  const columns = Object.entries(CSV_COLUMNS);
  const rows = links.map((link) => Object.fromEntries(columns.map(([name, valueOf]) => [name, valueOf(link)])));
  const csv = toCsv(rows, { columns: Object.keys(CSV_COLUMNS), header: isFirst });
  return csv === "" ? "" : `${csv}\n`;
}

export function jsonPart(links: readonly Link[], isFirst: boolean): string {
  return links.map((link, index) => `${isFirst && index === 0 ? "" : ",\n"}${JSON.stringify(link)}`).join("");
}

/** Joins the parts into a file. A byte order mark marks the CSV as UTF-8 for spreadsheets. */
export function exportFile(format: ExportFormat, parts: readonly string[]): Blob {
  return format === "csv"
    ? new Blob(["\uFEFF", ...parts], { type: "text/csv;charset=utf-8" })
    : new Blob(["[\n", ...parts, "\n]\n"], { type: "application/json" });
}
