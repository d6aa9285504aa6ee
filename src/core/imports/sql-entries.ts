/**
 * Rows of YOURLS' table of links in a SQL dump. The text is cut into tokens first: titles of strangers' pages stand in it,
 * and a title may look like a statement.
 */
import {
  COLUMNS_MAX,
  type Entries,
  type ExportEntry,
  IMPORT_LINKS_MAX,
  TOO_MANY,
  TOO_MANY_COLUMNS,
} from "./source-link.ts";
import { fieldName } from "./fields.ts";
import type { UnreadableFile } from "./file-text.ts";
import { yourls } from "./self-hosted.ts";

/** `value` of a text in quotes is the text; null is NULL. Names in backticks are words. */
interface Token {
  kind: "word" | "text" | "sign";
  value: string;
}

export function isSql(text: string): boolean {
  return /^\s*(?:--|\/\*|#|(?:CREATE|INSERT|SET|DROP|LOCK|START|BEGIN|USE)\b)/i.test(text.slice(0, 1_000));
}

export function sqlEntries(text: string): Entries | UnreadableFile {
  const tokens = sqlTokens(text);
  const entries: ExportEntry[] = [];
  for (let token = tokens.next(); !token.done; token = tokens.next()) {
    if (!isWord(token.value, "INSERT")) continue;
    for (const row of insertedRows(tokens)) {
      if (row.size > COLUMNS_MAX) return TOO_MANY_COLUMNS;
      if (entries.length === IMPORT_LINKS_MAX) return TOO_MANY;
      entries.push({ at: entries.length + 1, content: row });
    }
  }
  if (entries.length === 0) {
    return {
      problem: "No INSERT into YOURLS' table of links (yourls_url) was found in this SQL file. Dump it with its data.",
    };
  }
  return { unit: "entry", names: yourls.defaultColumns ?? [], entries };
}

/** Rows of one statement, after its INSERT; none where it is another table. */
function* insertedRows(tokens: Iterator<Token>): Generator<Map<string, unknown>> {
  let table = "";
  let columns: readonly string[] = yourls.defaultColumns ?? [];
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
    if (token.value.kind === "sign") continue;
    const { kind, value } = token.value;
    list.push(kind === "word" && value.toUpperCase() === "NULL" ? null : value);
  }
  return list;
}

function isWord({ kind, value }: Token, word: string): boolean {
  return kind === "word" && value.length === word.length && value.toUpperCase() === word;
}

function isSign({ kind, value }: Token, sign: string): boolean {
  return kind === "sign" && value === sign;
}

/** Sticky patterns, each linear: what they match is consumed, and no two can begin at one character. */
const SPACE = /\s+/y;
const LINE_COMMENT = /(?:--|#)[^\n]*/y;
const WORD = /[\p{L}\p{N}_$.+-]+/uy;

function* sqlTokens(text: string): Generator<Token> {
  let at = 0;
  const matched = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  while (at < text.length) {
    const char = text[at] ?? "";
    const skipped = matched(SPACE) ?? (char === "#" || text.startsWith("--", at) ? matched(LINE_COMMENT) : null);
    if (skipped !== null) at += skipped.length;
    else if (text.startsWith("/*", at)) at = endOf(text, "*/", at + 2);
    else if (char === "'" || char === '"' || char === "`") {
      const quoted = quotedText(text, at);
      at = quoted.end;
      yield { kind: char === "`" ? "word" : "text", value: quoted.value };
    } else {
      const word = matched(WORD);
      at += word?.length ?? 1;
      yield word === null ? { kind: "sign", value: char } : { kind: "word", value: word };
    }
  }
}

function endOf(text: string, closing: string, from: number): number {
  const found = text.indexOf(closing, from);
  return found === -1 ? text.length : found + closing.length;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "0": "\0", b: "\b", Z: "\u001a" };

function quotedText(text: string, start: number): { value: string; end: number } {
  const quote = text[start];
  const parts: string[] = [];
  let from = start + 1;
  for (let at = from; ; at++) {
    const char = text[at];
    if (char === undefined) return { value: "", end: text.length };
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
}
