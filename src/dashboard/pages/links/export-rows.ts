/** Links as rows of a CSV file or items of a JSON file, a page at a time. Pure. */

import type { Link } from "../../../core/contract/links.ts";
import { toCsv } from "../../files/csv.ts";

export type ExportFormat = "csv" | "json";

const CSV_COLUMNS = [
  "short_url",
  "url",
  "title",
  "tags",
  "created_at",
  "updated_at",
  "starts_at",
  "expires_at",
  "fallback_url",
  "forward_query",
  "rules",
  "id",
] as const;

export function csvPart(links: readonly Link[], isFirst: boolean): string {
  const rows = links.map(
    (link): Record<(typeof CSV_COLUMNS)[number], string> => ({
      short_url: link.short_url,
      url: link.url,
      title: link.title ?? "",
      tags: link.tags?.join(", ") ?? "",
      created_at: link.created_at,
      updated_at: link.updated_at,
      starts_at: link.starts_at ?? "",
      expires_at: link.expires_at ?? "",
      fallback_url: link.fallback_url ?? "",
      forward_query: link.forward_query ? "true" : "",
      rules: link.routing.length === 0 ? "" : JSON.stringify(link.routing),
      id: link.id,
    }),
  );
  const csv = toCsv(rows, { columns: [...CSV_COLUMNS], header: isFirst });
  return csv === "" ? "" : `${csv}\n`;
}

export function jsonPart(links: readonly Link[], isFirst: boolean): string {
  return links.map((link, index) => `${isFirst && index === 0 ? "" : ",\n"}${JSON.stringify(link)}`).join("");
}

/** The file from its parts. A byte order mark tells spreadsheets that the CSV is UTF-8. */
export function exportFile(format: ExportFormat, parts: readonly string[]): Blob {
  return format === "csv"
    ? new Blob(["\uFEFF", ...parts], { type: "text/csv;charset=utf-8" })
    : new Blob(["[\n", ...parts, "\n]\n"], { type: "application/json" });
}
