import Papa from "papaparse";
import { fieldName, isRecord } from "./read-link.ts";
import { SERVICES } from "./services.ts";
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
  UnreadableFileError,
} from "./source-link.ts";

/**
 * Rows of a CSV file, separated by comma, semicolon, tab or bar, and of a table printed by a command. A row is
 * identified by its first line: a quoted cell may span several.
 */

interface Row {
  line: number;
  cells: string[];
  fault: Reason | null;
}

/** Includes empty lines, and line breaks in cells. */
const LINES_MAX = 1_000_000;

/** A table as Symfony's console prints it: lines of dashes, and rows between bars. */
const PRINTED_TABLE = /^\s*\+-[-+]*\+\s*\r?\n\s*\|/;

/** @param columns  column names of a file without a header; null: the first row names them */
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
      reason: `This row has ${cells.length} cells, but the header has ${names.length}.`,
      advice: "Put cells that contain a separator or a quotation mark in quotation marks.",
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
  // An empty last row counts in the detection of the separator: in a short file, another would fit better.
  Papa.parse<string[]>(text.trimEnd(), {
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

/** Parses lines between bars, and drops repeated headers: a list that is printed page by page has one on each page. */
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
      reason: "A quotation mark in this row is not closed, or is within a cell.",
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

/**
 * Entries of a JSON file: an array of links, a page of an API with its links under one of a few names, an array of
 * several pages, or one of these per line. Only these few levels are read, however deeply the file nests.
 */

/** List names of dub, Kutt and Shlink; of Bitly, Short.io and Sink; of Shlink, the last for its clicks. */
const LIST_NAMES = ["data", "links", "shortUrls", "result", "visits"];
const LEVELS_MAX = 4;
const NAMES_MAX = 100;

export function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text.slice(0, 1_000));
}

export function jsonEntries(text: string): Entries {
  const found = itemsIn(parsedJson(text));
  if (found.length > IMPORT_LINKS_MAX) throw tooManyLinks();
  const entries = found.map((item, i): ExportEntry => ({ at: i + 1, content: fieldsOfItem(item) }));
  return { unit: "entry", names: Object.keys(found.find(isRecord) ?? {}).slice(0, NAMES_MAX), entries };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const hint = error instanceof Error ? error.message.slice(0, 200) : "";
    const values = jsonLines(text);
    if (values === null) throw new UnreadableFileError(`The file is not valid JSON: ${hint}. It may be incomplete.`);
    return values;
  }
}

/** One JSON value per line, as `jq -c` and page-by-page downloads write them. */
function jsonLines(text: string): unknown[] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length < 2 || lines.length > IMPORT_LINKS_MAX + 1) return null;
  try {
    return lines.map((line): unknown => JSON.parse(line));
  } catch {
    return null;
  }
}

/** The links or clicks of a page, of a list of either, or the value itself. */
export function itemsIn(value: unknown, levels = LEVELS_MAX): unknown[] {
  const list = listIn(value);
  if (list === undefined) return [value];
  if (levels === 0) return [];
  return Array.isArray(list) ? list.flatMap((item) => itemsIn(item, levels - 1)) : itemsIn(list, levels - 1);
}

/** The value itself if it is a list, or the list of a page. */
function listIn(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  const lists = LIST_NAMES.map((name) => (Object.hasOwn(value, name) ? value[name] : undefined));
  return lists.find((list) => Array.isArray(list) || isRecord(list));
}

function fieldsOfItem(item: unknown): ExportEntry["content"] {
  if (!isRecord(item)) return { reason: "This entry is not a link.", advice: "Export the links again." };
  // Shlink keeps the dates of a link one level below.
  const { meta, ...members } = item;
  const fields = new Map<string, unknown>();
  for (const [name, value] of [...Object.entries(members), ...Object.entries(isRecord(meta) ? meta : {})]) {
    if (!fields.has(fieldName(name))) fields.set(fieldName(name), value);
  }
  return fields;
}

/**
 * Rows of YOURLS' tables in a SQL dump. The text is split into tokens first: it contains titles of untrusted pages, and
 * a title may look like a statement.
 */

/** The `value` of a quoted text is its content. Names in backticks are words. */
interface Token {
  kind: "word" | "text" | "sign";
  value: string;
}

export function isSql(text: string): boolean {
  return /^\s*(?:--|\/\*|#|(?:CREATE|INSERT|SET|DROP|LOCK|START|BEGIN|USE)\b)/i.test(text.slice(0, 1_000));
}

export function sqlEntries(text: string): Entries {
  const entries: ExportEntry[] = [];
  const names = SERVICES.yourls.defaultColumns ?? [];
  for (const content of sqlRows(text, "url", names)) {
    if (entries.length === IMPORT_LINKS_MAX) throw tooManyLinks();
    entries.push({ at: entries.length + 1, content });
  }
  if (entries.length > 0) return { unit: "entry", names, entries };
  throw new UnreadableFileError(
    "This SQL file has no INSERT into YOURLS' table of links (yourls_url). Dump the table with its data.",
  );
}

/** @param table  its name without the prefix @param names  of its columns, if a statement lacks them */
export function* sqlRows(text: string, table: string, names: readonly string[]): Generator<Fields> {
  const tokens = sqlTokens(text);
  for (let token = tokens.next(); !token.done; token = tokens.next()) {
    if (isWord(token.value, "INSERT")) yield* insertedRows(tokens, table, names);
  }
}

/** Rows of one statement, after its INSERT; none if it concerns another table. */
function* insertedRows(tokens: Iterator<Token>, wanted: string, names: readonly string[]): Generator<Fields> {
  let table = "";
  let columns = names;
  let hasValues = false;
  for (let token = tokens.next(); !token.done && !isSign(token.value, ";"); token = tokens.next()) {
    if (isSign(token.value, "(")) {
      const list = listUntilClosed(tokens);
      // One more column than allowed is enough to detect the excess; each row costs time for every column.
      if (!hasValues) columns = list.slice(0, COLUMNS_MAX + 1).map((name) => fieldName(name ?? ""));
      else if (table.toLowerCase().split("_").at(-1) === wanted) {
        if (columns.length > COLUMNS_MAX) throw tooManyColumns();
        yield new Map(columns.map((name, i) => [name, list[i] ?? ""]));
      }
    } else if (isWord(token.value, "VALUES") || isWord(token.value, "VALUE")) hasValues = true;
    else if (!hasValues && token.value.kind === "word") table = token.value.value;
  }
}

function listUntilClosed(tokens: Iterator<Token>): (string | null)[] {
  const list: (string | null)[] = [];
  for (let token = tokens.next(); !token.done && !isSign(token.value, ")"); token = tokens.next()) {
    if (token.value.kind !== "sign") list.push(isWord(token.value, "NULL") ? null : token.value.value);
  }
  return list;
}

function isWord({ kind, value }: Token, word: string): boolean {
  return kind === "word" && value.length === word.length && value.toUpperCase() === word;
}

function isSign({ kind, value }: Token, sign: string): boolean {
  return kind === "sign" && value === sign;
}

/** White space and comments, which are skipped; a word; or any other character. Linear: every match is consumed. */
const TOKEN = /\s+|(?:--|#)[^\n]*|\/\*[^]*?(?:\*\/|$)|(?<word>[\p{L}\p{N}_$.+-]+)|(?<sign>[^])/uy;

function* sqlTokens(text: string): Generator<Token> {
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    at = TOKEN.lastIndex;
    const { word, sign } = found?.groups ?? {};
    if (word !== undefined) yield { kind: "word", value: word };
    else if (sign === "'" || sign === '"' || sign === "`") {
      const quoted = quotedText(text, sign, at);
      at = quoted.end;
      yield { kind: sign === "`" ? "word" : "text", value: quoted.value };
    } else if (sign !== undefined) yield { kind: "sign", value: sign };
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "0": "\0", b: "\b", Z: "\u001a" };

/** @param start  position after the opening quote */
function quotedText(text: string, quote: string, start: number): { value: string; end: number } {
  const parts: string[] = [];
  let from = start;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "\\" && quote !== "`") {
      const escaped = text[at + 1] ?? "";
      parts.push(text.slice(from, at), ESCAPES[escaped] ?? escaped);
      from = ++at + 1;
    } else if (char === quote) {
      parts.push(text.slice(from, at));
      if (text[at + 1] !== quote) return { value: parts.join(""), end: at + 1 };
      parts.push(char);
      from = ++at + 1;
    }
  }
  return { value: "", end: text.length };
}
