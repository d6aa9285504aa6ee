/**
 * Entries of a JSON file: an array of links, a page of an API with its links under one of a few names, several pages in an
 * array, or one of these a line. Only these few levels are looked at, however deep the file nests.
 */
import { type Entries, type ExportEntry, type Fields, IMPORT_LINKS_MAX, TOO_MANY } from "./source-link.ts";
import { fieldName, isRecord } from "./fields.ts";
import type { UnreadableFile } from "./file-text.ts";

/** dub, Kutt and Shlink; Bitly, Short.io and Sink; Shlink. */
const LIST_NAMES = ["data", "links", "shortUrls", "result"];
const LEVELS_MAX = 4;

export function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text.slice(0, 1_000));
}

export function jsonEntries(text: string): Entries | UnreadableFile {
  const parsed = parseJson(text);
  if ("problem" in parsed) return parsed;
  const found = listedIn(parsed.value, LEVELS_MAX);
  if (found.length > IMPORT_LINKS_MAX) return TOO_MANY;
  const entries = found.map((item, i): ExportEntry => ({ at: i + 1, content: toFields(item) }));
  const first = found.find(isRecord);
  return { unit: "entry", names: first ? [...namesOf(first)] : [], entries };
}

function parseJson(text: string): { value: unknown } | UnreadableFile {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const lines = parseLines(text);
    const hint = error instanceof Error ? error.message.slice(0, 200) : "";
    return lines ?? { problem: `The file is not valid JSON: ${hint}. Was it cut off?` };
  }
}

/** One JSON value a line, as `jq -c` and page-by-page downloads write them. */
function parseLines(text: string): { value: unknown } | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length < 2 || lines.length > IMPORT_LINKS_MAX + 1) return null;
  try {
    return { value: lines.map((line): unknown => JSON.parse(line)) };
  } catch {
    return null;
  }
}

function listedIn(value: unknown, levels: number): unknown[] {
  if (Array.isArray(value))
    return levels === 0 ? [] : value.flatMap((item) => (isPage(item) ? listedIn(item, levels - 1) : [item]));
  if (!isRecord(value) || levels === 0) return [];
  const name = LIST_NAMES.find((each) => Object.hasOwn(value, each) && typeof value[each] === "object");
  return name === undefined ? [value] : listedIn(value[name], levels - 1);
}

function isPage(value: unknown): boolean {
  return (
    Array.isArray(value) ||
    (isRecord(value) && LIST_NAMES.some((name) => Object.hasOwn(value, name) && isRecordOrList(value[name])))
  );
}

function isRecordOrList(value: unknown): boolean {
  return Array.isArray(value) || isRecord(value);
}

function toFields(item: unknown): ExportEntry["content"] {
  if (!isRecord(item)) return { reason: "This entry is not a link.", advice: "Export the links again." };
  const fields = new Map<string, unknown>();
  addMembers(fields, item);
  // Shlink keeps the dates of a link one level below.
  if (isRecord(item.meta)) addMembers(fields, item.meta);
  fields.delete("meta");
  return fields satisfies Fields;
}

function addMembers(fields: Map<string, unknown>, item: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(item))
    if (!fields.has(fieldName(name))) fields.set(fieldName(name), value);
}

function namesOf(item: Record<string, unknown>): string[] {
  return Object.keys(item).slice(0, 100);
}
