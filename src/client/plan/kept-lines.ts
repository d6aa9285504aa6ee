/**
 * The YAML library writes a file anew in its own style: `[ a ]` for `[a]`, one space before a comment. Lines that it has
 * changed in their spaces alone become again what they were, so that a diff shows what has changed. Pure.
 */
import { parse } from "yaml";

import { isSame } from "./members.ts";

/** The file's aliases were counted when it was read. */
const READING = { maxAliasCount: -1, uniqueKeys: false } as const;

/** @param before  the file as it was @param written  as the library writes it */
export function withKeptLines(before: string, written: string): string {
  const lines = new Map(before.split(/\r?\n/).map((line) => [withoutSpaces(line), line]));
  const kept = written.split("\n").map((line) => lines.get(withoutSpaces(line)) ?? line);
  const text = kept.join(before.includes("\r\n") ? "\r\n" : "\n");
  return saysTheSame(text, written) ? text : written;
}

function withoutSpaces(line: string): string {
  return line.replace(/\s+/g, "");
}

/** Spaces count where they indent, and within texts. */
function saysTheSame(text: string, other: string): boolean {
  try {
    return isSame(parse(text, READING), parse(other, READING));
  } catch {
    return false;
  }
}
