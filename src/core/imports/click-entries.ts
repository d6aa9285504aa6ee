/**
 * Entries of another service's file of single clicks. The file may be far larger than memory, so it is read in pieces
 * that end with an entry.
 */
import { jsonIn } from "../encoding/bytes.ts";
import { csvEntries, isJson, isSql, itemsIn, sqlRows } from "./entries.ts";
import { fieldName, isFilled, isRecord } from "./read-link.ts";
import { isFileOf } from "./services.ts";
import { type Fields, type Reason, type Recognition, shortened, UnreadableFileError } from "./source-link.ts";

/** Fits a statement of a SQL dump, which may be as long as a packet of its server, and a page of an API. */
const PIECE_MAX_CHARS = 64 * 1024 * 1024;

const SEEN_MAX_CHARS = 200;

type Entry = Fields | Reason;

interface Form {
  /** The end of the last complete entry. */
  endOf: (text: string) => number;
  read: (piece: string) => Iterable<Entry>;
}

/**
 * @param texts  the parts of the file
 * @throws UnreadableFileError if the file is not the service's, or ends within an entry
 */
export async function* clickEntries(texts: AsyncIterable<string>, service: string, file: Recognition) {
  let rest = "";
  let form: Form | undefined;
  let isRecognized = false;
  const entriesOf = function* (isLast: boolean): Generator<Entry> {
    // A complete line shows the form.
    if (isLast || rest.includes("\n")) form ??= formOf(rest, file);
    const end = isLast ? rest.length : (form?.endOf(rest) ?? 0);
    const piece = rest.slice(0, end);
    rest = rest.slice(end);
    if (rest.length > PIECE_MAX_CHARS) throw new UnreadableFileError(TOO_LONG);
    for (const entry of form?.read(piece) ?? []) {
      if (!isRecognized && !("reason" in entry)) requireFileOf(service, file, [...entry.keys()]);
      isRecognized ||= !("reason" in entry);
      yield entry;
    }
  };
  for await (const text of texts) {
    rest += text;
    yield* entriesOf(false);
  }
  yield* entriesOf(true);
}

const TOO_LONG = "The file of clicks has a very long entry. Write JSON as one page or click per line.";

function requireFileOf(service: string, file: Recognition, names: readonly string[]): void {
  if (isFileOf(file, new Set(names))) return;
  const seen = shortened(names.join(", "), SEEN_MAX_CHARS);
  throw new UnreadableFileError(`This is not a file of single clicks of ${service}. Its entries have: ${seen}.`);
}

function formOf(start: string, file: Recognition): Form {
  if (isSql(start)) {
    // Dumps escape line breaks in texts, so that none of them contains this end of a statement.
    const endOf = (text: string) => Math.max(text.lastIndexOf(";\n"), text.lastIndexOf(";\r\n")) + 1;
    return { endOf, read: (piece) => sqlRows(piece, "log", file.defaultColumns ?? []) };
  }
  if (!isJson(start)) return csvForm(start, file);
  const isLines = jsonIn(start.slice(0, start.indexOf("\n") + 1)) !== undefined;
  return isLines
    ? { endOf: (text) => text.lastIndexOf("\n") + 1, read: (piece) => piece.split("\n").flatMap(itemsOf) }
    : { endOf: () => 0, read: itemsOf };
}

/** The separators that csvEntries detects, and the line break. */
const CELL_ENDS = ",;\t|\n";

/**
 * Rows end with a line break outside of quoted cells. A quotation mark within another cell is text, as in `5" display`.
 * No text is scanned twice.
 */
function rowScanner(): Form["endOf"] {
  let scanned = 0;
  let isQuoted = false;
  /** Position of the quotation mark that closed the last quoted cell: another one after it stands for one in the cell. */
  let closed = -1;
  return (text) => {
    let end = 0;
    const signs = /["\n]/g;
    signs.lastIndex = scanned;
    for (let found = signs.exec(text); found; found = signs.exec(text)) {
      const { index } = found;
      if (found[0] === "\n") end = isQuoted ? end : index + 1;
      else if (isQuoted) [isQuoted, closed] = [false, index];
      else isQuoted = index === 0 || closed === index - 1 || CELL_ENDS.includes(text.charAt(index - 1));
    }
    scanned = text.length - end;
    closed -= end;
    return end;
  };
}

/** Every piece is read with the file's first row, from which its separator is detected. */
function csvForm(start: string, file: Recognition): Form {
  const first = start.slice(0, start.indexOf("\n") + 1);
  const hasHeader = isFileOf(file, new Set(csvEntries(first, null).names.map(fieldName)));
  const columns = hasHeader ? null : (file.defaultColumns ?? null);
  let isBegun = false;
  const read = (piece: string) => {
    const entries = csvEntries(isBegun ? first + piece : piece, columns).entries.map(({ content }) => content);
    const isRepeated = isBegun && columns !== null;
    isBegun ||= piece !== "";
    return isRepeated ? entries.slice(1) : entries;
  };
  return { endOf: rowScanner(), read };
}

/** @throws UnreadableFileError */
function itemsOf(text: string): Entry[] {
  if (text.trim() === "") return [];
  const value = jsonIn(text);
  if (value === undefined) throw new UnreadableFileError("The file of clicks is not valid JSON. It may be incomplete.");
  return itemsIn(value).map(clickFields);
}

const NOT_A_CLICK: Reason = { reason: "This entry is not a click.", advice: "Export the clicks again." };

/** Members of the entry, and of the objects in it, such as the visitor's location. */
function clickFields(item: unknown): Entry {
  if (!isRecord(item)) return NOT_A_CLICK;
  const fields = new Map<string, unknown>();
  const nested = Object.values(item).filter(isRecord);
  for (const [name, value] of [item, ...nested].flatMap(Object.entries)) {
    if (!isFilled(fields.get(fieldName(name)))) fields.set(fieldName(name), value);
  }
  return fields;
}
