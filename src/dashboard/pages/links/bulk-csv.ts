/**
 * Parses links from pasted lines or a CSV file, and writes links and the results of their creation as files. Pure. Values
 * are not validated here: the API validates each link.
 */
import Papa from "papaparse";

import type { CreateLink, Link } from "../../../core/contract/links.ts";
import { LINK_MEMBER_NAMES, memberKind, type MemberKind, SHOWN_MEMBERS } from "../../../core/links/link-members.ts";
import { aliasesIn, aliasText } from "../../../core/links/link-search.ts";
import { csvFile, toCsv } from "../../files/csv.ts";
import { completeUrl } from "../../../core/links/typed-url.ts";
import { browserTimeZone, fromDatetimeLocal } from "../../formatting/dates.ts";
import { isUrl } from "./pasted-links.ts";

/** On the Free plan (`BULK_LINKS_MAX_PER_MINUTE`), this takes ten minutes and the whole daily allowance. */
export const BULK_LINES_MAX = 10_000;

export const CSV_COLUMNS = [
  "url",
  "slug",
  "domain",
  ...LINK_MEMBER_NAMES.filter((name) => name !== "url" && name !== "routing"),
] as const;
type CsvColumn = (typeof CSV_COLUMNS)[number];

type BulkLink = { url: string } & { [K in Exclude<CsvColumn, "url">]?: string };

export interface BulkLine {
  /** Line number in the text, from 1. */
  number: number;
  link: BulkLink;
}

/** Lines of one request. */
export interface BulkChunk {
  lines: readonly BulkLine[];
  /** `Idempotency-Key` of all attempts: a chunk whose response was lost is not created twice. */
  key: string;
}

export interface LineOutcome {
  line: BulkLine;
  result: { short_url: string } | { error: string };
  /** Set if its request failed as a whole: it is retried unchanged. */
  failed?: BulkChunk;
}

/**
 * One link per line, with columns as named in the first line, or else in the order of `CSV_COLUMNS`. A line without a
 * comma, semicolon or tab contains only a destination.
 */
export function parseBulkLines(text: string): BulkLine[] {
  const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), {
    delimitersToGuess: [",", ";", "\t"],
    skipEmptyLines: false,
  });
  const rows = data.map((cells, index) => ({ number: index + 1, cells: cells.map((cell) => cell.trim()) }));
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell !== ""));
  const names = filled[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const hasHeader = names.includes("url");
  const columns = hasHeader ? names : CSV_COLUMNS;
  return filled.slice(hasHeader ? 1 : 0).map(({ number, cells }) => ({ number, link: toBulkLink(columns, cells) }));
}

/** The lines with a destination that the API may accept. */
export function countLinks(lines: readonly BulkLine[]): number {
  return lines.filter(({ link }) => isUrl(link.url)).length;
}

function toBulkLink(columns: readonly string[], cells: readonly string[]): BulkLink {
  const named = Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ""]));
  const extras = CSV_COLUMNS.filter((name) => name !== "url").flatMap((name) =>
    named[name] ? [[name, named[name]]] : [],
  );
  // Exports contain no passwords. Without its password, anyone could open the link.
  const isClosed = YES.test(named.password_protected ?? "") && !named.password;
  return { url: completeUrl(named.url ?? ""), ...Object.fromEntries(extras), ...(isClosed ? { paused: "true" } : {}) };
}

/** The request of one line. */
export function toCreateLink({ url, ...cells }: BulkLink): CreateLink {
  const filled = Object.entries(cells) as [string, string][];
  return { url, ...Object.fromEntries(filled.map(([name, cell]) => [name, readCell(name, cell)])) };
}

function readCell(name: string, cell: string): unknown {
  const kind = memberKind(name);
  return (kind && READERS[kind]?.(cell)) ?? cell;
}

/** For columns whose cells are not sent as they are. */
const READERS: Partial<Record<MemberKind, (cell: string) => unknown>> = {
  tags: tagsOf,
  aliases: aliasesIn,
  time: instantOf,
  url: completeUrl,
  flag: (cell) => YES.test(cell),
  choice: (cell) => (/^\d+$/.test(cell) ? Number(cell) : cell),
  card: parsedJson,
};

/** Other texts are sent unchanged, and the API refuses them. */
function parsedJson(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** As written by spreadsheets and people; anything else means no. */
const YES = /^(?:true|yes|y|1|x)$/i;

/** Tags share one cell, separated by semicolons or commas. */
function tagsOf(cell: string): string[] {
  const tags = cell.split(/[;,|]/).map((tag) => tag.trim());
  return tags.filter((tag) => tag !== "");
}

const DAY_OR_TIME = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/;

/** Without an offset, the time is in the browser's time zone. A date alone means the start of that day. */
function instantOf(cell: string): string {
  const [, day, time = "00:00"] = DAY_OR_TIME.exec(cell) ?? [];
  return day === undefined ? cell : fromDatetimeLocal(`${day}T${time}`, browserTimeZone()) || cell;
}

/** For spreadsheets. */
export function resultsCsv(outcomes: readonly LineOutcome[]): string {
  const rows = outcomes.map(({ line: { number, link }, result }) => ({
    line: number,
    url: link.url,
    slug: link.slug ?? "",
    short_url: "short_url" in result ? result.short_url : "",
    error: "error" in result ? result.error : "",
  }));
  return toCsv(rows);
}

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

/** Exported links, a page at a time. */
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
