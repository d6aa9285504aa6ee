/**
 * Reads links off what somebody pasted or off a CSV file, and writes the results as CSV. Pure.
 * Nothing is judged here beyond what a line holds: the API says what is wrong with each link.
 */
import Papa from "papaparse";

/** At the rate of a session on the Free plan (`REQUESTS_MAX_PER_MINUTE`), this many links take a few minutes at most. */
export const LINES_MAX = 10_000;

export const COLUMNS = ["url", "slug", "domain", "expires_at"] as const;
type Column = (typeof COLUMNS)[number];

type WantedLink = { url: string } & { [K in Exclude<Column, "url">]?: string };

export interface Line {
  /** In the text, from 1. */
  number: number;
  wanted: WantedLink;
}

export interface Outcome {
  line: Line;
  result: { short_url: string } | { error: string };
}

/**
 * One link a line, columns as the first line names them, or else url, slug, domain, expires_at.
 * A line without a comma, semicolon or tab is a destination alone.
 */
export function linesOf(text: string): Line[] {
  const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), {
    delimitersToGuess: [",", ";", "\t"],
    skipEmptyLines: false,
  });
  const rows = data.map((cells, index) => ({ number: index + 1, cells: cells.map((cell) => cell.trim()) }));
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell !== ""));
  const names = filled[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const hasHeader = names.includes("url");
  const columns = hasHeader ? names : COLUMNS;
  return filled.slice(hasHeader ? 1 : 0).map(({ number, cells }) => ({ number, wanted: wantedLink(columns, cells) }));
}

function wantedLink(columns: readonly string[], cells: readonly string[]): WantedLink {
  const named = Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ""]));
  const extras = (["slug", "domain", "expires_at"] as const).flatMap((name) =>
    named[name] ? [[name, named[name]]] : [],
  );
  return { url: named.url ?? "", ...Object.fromEntries(extras) };
}

export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** A table for spreadsheets: what begins like a formula is made plain text, as it may come from strangers. */
export function resultCsv(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ line: { number, wanted }, result }) => ({
    line: number,
    url: wanted.url,
    slug: wanted.slug ?? "",
    short_url: "short_url" in result ? result.short_url : "",
    error: "error" in result ? result.error : "",
  }));
  return Papa.unparse(rows, { escapeFormulae: true, newline: "\n" });
}
