/**
 * Rows of a CSV file, with comma, semicolon, tab or a bar between their cells, and of a table that a command has printed.
 * A row is named by the line on which it begins: a quoted cell may have several.
 */
import Papa from "papaparse";

import { fieldName } from "./read-link.ts";
import {
  COLUMNS_MAX,
  type Entries,
  type ExportEntry,
  ENTRY_MAX_CHARS,
  type Fields,
  IMPORT_LINKS_MAX,
  type Reason,
  tooManyColumns,
  tooManyLinks,
} from "./source-link.ts";

interface Row {
  line: number;
  cells: string[];
  fault: Reason | null;
}

/** With empty lines, and line breaks in cells. */
const LINES_MAX = 1_000_000;

/** As Symfony's console prints it: lines of dashes, and rows between bars. */
const PRINTED_TABLE = /^\s*\+-[-+]*\+\s*\r?\n\s*\|/;

/** @param columns  where the file has no header, the names of its columns; null: the first row names them */
export function csvEntries(text: string, columns: readonly string[] | null): Entries {
  const rows = PRINTED_TABLE.test(text.slice(0, 10_000)) ? printedRows(text) : parsedRows(text);
  const names = columns ?? rows[0]?.cells ?? [];
  if (names.length > COLUMNS_MAX) throw tooManyColumns();
  const fields = names.map(fieldName);
  const entries = (columns ? rows : rows.slice(1)).map(
    ({ line, cells, fault }): ExportEntry => ({ at: line, content: fault ?? toFields(cells, fields) }),
  );
  return { unit: "line", names, entries };
}

function toFields(cells: readonly string[], names: readonly string[]): Fields | Reason {
  if (cells.length > names.length) {
    return {
      reason: `This row has ${cells.length} cells, and the header names ${names.length}.`,
      advice: "Put cells with a separator or a quotation mark in them in quotation marks.",
    };
  }
  const fields = new Map<string, unknown>();
  for (const [i, name] of names.entries()) if (name !== "" && !fields.has(name)) fields.set(name, cells[i] ?? "");
  return fields;
}

function parsedRows(text: string, format: Papa.ParseConfig = {}): Row[] {
  const rows: Row[] = [];
  let line = 1;
  let read = 0;
  Papa.parse<string[]>(text, {
    delimitersToGuess: [",", ";", "\t", "|"],
    ...format,
    step: ({ data: cells, errors, meta }) => {
      const content = text.slice(read, meta.cursor);
      if (cells.some((cell) => cell.trim() !== "")) {
        rows.push({ line: line + leadingLineBreaks(content), cells, fault: faultOf(content, errors) });
      }
      line += lineBreaks(content);
      read = meta.cursor;
      if (rows.length > IMPORT_LINKS_MAX + 1 || line > LINES_MAX) throw tooManyLinks();
    },
  });
  return rows;
}

/** Only lines between bars are rows. A list that was printed page by page has a header on each. */
function printedRows(text: string): Row[] {
  const cells = text.replace(/^[ \t]*(?:[^|\s].*)?$/gm, "").replace(/^[ \t]*\||\|[ \t]*$/gm, "");
  const rows = parsedRows(cells, { delimiter: "|", quoteChar: "\0" });
  for (const row of rows) row.cells = row.cells.map((cell) => cell.trim());
  const header = rows[0]?.cells.join("|");
  return rows.filter((row, i) => i === 0 || row.cells.join("|") !== header);
}

function faultOf(content: string, errors: readonly Papa.ParseError[]): Reason | null {
  const unclosed = errors.some(({ type }) => type === "Quotes");
  if (unclosed) {
    return {
      reason: "A quotation mark in this row is not closed, or stands within a cell.",
      advice: 'Write a quotation mark within a cell twice (""). Rows after it may be missing until then.',
    };
  }
  if (content.length <= ENTRY_MAX_CHARS) return null;
  return {
    reason: `This row has more than ${ENTRY_MAX_CHARS} characters.`,
    advice: "Look for a quotation mark that is not closed.",
  };
}

function lineBreaks(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}

function leadingLineBreaks(text: string): number {
  return lineBreaks(/^[\r\n]*/.exec(text)?.[0] ?? "");
}
