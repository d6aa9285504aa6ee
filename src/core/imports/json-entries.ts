/**
 * Entries of a JSON file: an array of links, a page of an API with its links under one of a few names, several pages in an
 * array, or one of these a line. Only these few levels are looked at, however deep the file nests.
 */
import { fieldName, isRecord } from "./read-link.ts";
import { type Entries, type ExportEntry, IMPORT_LINKS_MAX, tooManyLinks, UnreadableFileError } from "./source-link.ts";

/** dub, Kutt and Shlink; Bitly, Short.io and Sink; Shlink. */
const LIST_NAMES = ["data", "links", "shortUrls", "result"];
const LEVELS_MAX = 4;
const NAMES_MAX = 100;

export function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text.slice(0, 1_000));
}

export function jsonEntries(text: string): Entries {
  const found = linksIn(parsedJson(text), LEVELS_MAX);
  if (found.length > IMPORT_LINKS_MAX) throw tooManyLinks();
  const entries = found.map((item, i): ExportEntry => ({ at: i + 1, content: toFields(item) }));
  return { unit: "entry", names: Object.keys(found.find(isRecord) ?? {}).slice(0, NAMES_MAX), entries };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const hint = error instanceof Error ? error.message.slice(0, 200) : "";
    const values = jsonLines(text);
    if (values === null) throw new UnreadableFileError(`The file is not valid JSON: ${hint}. Was it cut off?`);
    return values;
  }
}

/** One JSON value a line, as `jq -c` and page-by-page downloads write them. */
function jsonLines(text: string): unknown[] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length < 2 || lines.length > IMPORT_LINKS_MAX + 1) return null;
  try {
    return lines.map((line): unknown => JSON.parse(line));
  } catch {
    return null;
  }
}

function linksIn(value: unknown, levels: number): unknown[] {
  const list = listIn(value);
  if (list === undefined) return [value];
  if (levels === 0) return [];
  return Array.isArray(list) ? list.flatMap((item) => linksIn(item, levels - 1)) : linksIn(list, levels - 1);
}

/** The list that a value is, or has as a page. */
function listIn(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  const lists = LIST_NAMES.map((name) => (Object.hasOwn(value, name) ? value[name] : undefined));
  return lists.find((list) => Array.isArray(list) || isRecord(list));
}

function toFields(item: unknown): ExportEntry["content"] {
  if (!isRecord(item)) return { reason: "This entry is not a link.", advice: "Export the links again." };
  // Shlink keeps the dates of a link one level below.
  const { meta, ...members } = item;
  const fields = new Map<string, unknown>();
  for (const [name, value] of [...Object.entries(members), ...Object.entries(isRecord(meta) ? meta : {})]) {
    if (!fields.has(fieldName(name))) fields.set(fieldName(name), value);
  }
  return fields;
}
