/**
 * The JSON of request bodies. Reports what a parsed value does not show, or what later code would drop without a word:
 * names that stand twice in an object, and `__proto__`. Pure.
 */
import type { Problem } from "../errors.ts";
import { problemAt } from "./zod-problems.ts";

/** Real bodies have at most eight levels. Bounds what recurses over a body. */
export const JSON_DEPTH_MAX = 32;

const PROBLEMS_MAX = 100;
const NAME_MAX_CHARS = 200;

/** A string, with a colon where it is a name; or a mark that opens, closes or separates. The text is valid JSON. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*(:))?|[{}[\],]/g;

/** An object or array that is open, and the place in it. */
interface Level {
  /** Names so far; null in an array. */
  names: Set<string> | null;
  at: string | number;
}

/** @param text  valid JSON @returns null when the text is nested deeper than `JSON_DEPTH_MAX` */
export function jsonTextProblems(text: string): Problem[] | null {
  const problems: Problem[] = [];
  const open: Level[] = [];
  for (const [token, colon] of text.matchAll(TOKENS)) {
    const level = open.at(-1);
    if (token === "{" || token === "[") {
      if (open.length === JSON_DEPTH_MAX) return null;
      open.push({ names: token === "{" ? new Set() : null, at: 0 });
    } else if (token === "}" || token === "]") open.pop();
    else if (token === ",") {
      if (typeof level?.at === "number") level.at++;
    } else if (colon && level) enterMember(level, nameOf(token), open, problems);
  }
  return problems;
}

function nameOf(token: string): string {
  const literal = token.slice(0, token.lastIndexOf('"') + 1);
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

function enterMember(level: Level, name: string, open: readonly Level[], problems: Problem[]): void {
  const isRepeated = level.names?.has(name);
  level.names?.add(name);
  level.at = name.slice(0, NAME_MAX_CHARS);
  if (problems.length === PROBLEMS_MAX || !(isRepeated || name === "__proto__")) return;
  const path = open.map(({ at }) => at);
  problems.push(
    isRepeated
      ? problemAt(path, "repeated", "must be given once")
      : problemAt(path, "invalid_key", "has a name that is not allowed here"),
  );
}

/**
 * One text for all spellings of a value: names in order, no white space, numbers as they are read.
 * @param value  parsed JSON of at most `JSON_DEPTH_MAX` levels
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}
