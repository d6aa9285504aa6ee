/** Links as rows of a CSV file or items of a JSON file, a page at a time. Pure. */

import type { Link } from "../../../core/contract/links.ts";
import { aliasText } from "../../../core/links/alias-texts.ts";
import { SHOWN_MEMBERS } from "../../../core/links/link-members.ts";
import { csvFile, toCsv } from "../../files/csv.ts";

export type ExportFormat = "csv" | "json";

const FIRST_COLUMNS: readonly (keyof Link)[] = [
  "short_url",
  "url",
  "title",
  "tags",
  "created_at",
  "updated_at",
  "starts_at",
  "expires_at",
];

const COLUMNS = [
  ...FIRST_COLUMNS,
  ...SHOWN_MEMBERS.filter((name) => name !== "routing" && !FIRST_COLUMNS.includes(name)),
  "rules",
  "id",
] as const;

export function csvPart(links: readonly Link[], isFirst: boolean): string {
  const rows = links.map((link) => Object.fromEntries(COLUMNS.map((name) => [name, cellOf(link, name)])));
  const csv = toCsv(rows, { columns: [...COLUMNS], header: isFirst });
  return csv === "" ? "" : `${csv}\n`;
}

function cellOf(link: Link, column: (typeof COLUMNS)[number]): string {
  if (column === "rules") return link.routing.length === 0 ? "" : JSON.stringify(link.routing);
  const value = link[column] ?? "";
  if (column === "aliases") return (link.aliases ?? []).map(aliasText).join(", ");
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function jsonPart(links: readonly Link[], isFirst: boolean): string {
  return links.map((link, index) => `${isFirst && index === 0 ? "" : ",\n"}${JSON.stringify(link)}`).join("");
}

/** Joins the parts into a file. */
export function exportFile(format: ExportFormat, parts: readonly string[]): Blob {
  return format === "csv" ? csvFile(...parts) : new Blob(["[\n", ...parts, "\n]\n"], { type: "application/json" });
}
