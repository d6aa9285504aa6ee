/**
 * Rows of YOURLS' table of links in a SQL dump. The text is cut into tokens first: titles of strangers' pages stand in it,
 * and a title may look like a statement.
 */
import { fieldName } from "./read-link.ts";
import { SERVICES } from "./services.ts";
import {
  COLUMNS_MAX,
  type Entries,
  type ExportEntry,
  IMPORT_LINKS_MAX,
  tooManyColumns,
  tooManyLinks,
  UnreadableFileError,
} from "./source-link.ts";

/** `value` of a text in quotes is the text. Names in backticks are words. */
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
  const tokens = sqlTokens(text);
  for (let token = tokens.next(); !token.done; token = tokens.next()) {
    if (!isWord(token.value, "INSERT")) continue;
    for (const row of insertedRows(tokens, names)) {
      if (row.size > COLUMNS_MAX) throw tooManyColumns();
      if (entries.length === IMPORT_LINKS_MAX) throw tooManyLinks();
      entries.push({ at: entries.length + 1, content: row });
    }
  }
  if (entries.length > 0) return { unit: "entry", names, entries };
  throw new UnreadableFileError(
    "No INSERT into YOURLS' table of links (yourls_url) was found in this SQL file. Dump it with its data.",
  );
}

/** Rows of one statement, after its INSERT; none where it is another table. */
function* insertedRows(tokens: Iterator<Token>, names: readonly string[]): Generator<Map<string, unknown>> {
  let table = "";
  let columns = names;
  let hasValues = false;
  for (let token = tokens.next(); !token.done && !isSign(token.value, ";"); token = tokens.next()) {
    if (isSign(token.value, "(")) {
      const list = listUntilClosed(tokens);
      // One more than allowed shows that there are too many; each row takes the time of all of them.
      if (!hasValues) columns = list.slice(0, COLUMNS_MAX + 1).map((name) => fieldName(name ?? ""));
      else if (/(?:^|_)url$/i.test(table)) yield new Map(columns.map((name, i) => [name, list[i] ?? ""]));
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

/** White space and comments, which are skipped; a word; or any other character. Linear: what matches is consumed. */
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

/** @param start  after the quote */
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
