/**
 * Translates a zod error into the API's problems: each with a dotted path and a short code. Messages name the field and
 * the allowed values; sent values are never echoed. Pure.
 */
import type { z } from "zod";

import type { Problem } from "../errors.ts";
import { CONDITION_KEYS } from "../links/conditions.ts";

const PATH_MAX_CHARS = 200;

/** The signs in zod's messages, in words. */
const BOUNDS: Readonly<Record<string, string>> = {
  "<=": "at most ",
  ">=": "at least ",
  "<": "less than ",
  ">": "more than ",
};

/** The members of a rule's condition. */
export const CONDITION_NAMES: readonly string[] = [...CONDITION_KEYS, "not"];
/** A body of 256 KiB has room for 40,000 unknown conditions. */
const SUGGESTIONS_MAX = 5;
const PREFIX_MIN_CHARS = 3;

type Issue = z.core.$ZodIssue;

/**
 * @param readOnlyFields  response fields that a caller cannot set: they are reported as read-only instead of unknown
 */
export function problemsOf(error: z.ZodError, readOnlyFields: ReadonlySet<string> = new Set()): Problem[] {
  const problems = error.issues.flatMap((issue) => problemsOfIssue(issue, [], readOnlyFields));
  const unknown = problems.filter(({ code, path }) => code === "unknown_field" && CONDITION.test(path));
  for (const problem of unknown.slice(0, SUGGESTIONS_MAX)) {
    const near = nearestName(problem.path.slice(problem.path.lastIndexOf(".") + 1), CONDITION_NAMES);
    if (near !== null) problem.message += `. Did you mean ${near}?`;
  }
  return problems;
}

/** The path of a member of a rule's condition. */
const CONDITION = /(?:^|\.)routing\.\d+\.if\.(?:not\.)?[^.]+$/;

function problemsOfIssue(issue: Issue, parent: PropertyKey[], known: ReadonlySet<string>): Problem[] {
  const path = [...parent, ...issue.path];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownField([...path, key], known));
  const branch = issue.code === "invalid_union" && likeliestBranch(issue.errors);
  if (branch) return branch.flatMap((inner) => problemsOfIssue(inner, path, known));
  // Zod checks the size of any value that has a `length`. An object has the wrong type, which is already reported.
  if ("origin" in issue && issue.origin === "unknown") return [];
  return [problemAt(path, codeOf(issue), messageOf(issue))];
}

/**
 * The branch of a union whose type fits: its issues are about the content. An enum or a literal reports a list with the
 * same code as a wrong value, so its issues are used only if no other branch fits.
 */
function likeliestBranch(branches: Issue[][]): Issue[] | undefined {
  const fits = (codes: readonly string[]) =>
    branches.find((issues) => issues.every(({ code, path }) => path.length > 0 || !codes.includes(code)));
  return fits(["invalid_type", "invalid_union", "invalid_value"]) ?? fits(["invalid_type", "invalid_union"]);
}

function unknownField(path: PropertyKey[], known: ReadonlySet<string>): Problem {
  return path.length === 1 && known.has(String(path[0]))
    ? problemAt(path, "immutable_field", "is set by the service and cannot be changed")
    : problemAt(path, "unknown_field", "is unknown");
}

function codeOf(issue: Issue): string {
  if (isMissing(issue)) return "required";
  return issue.code === "custom" || issue.code === "invalid_format" ? "invalid_value" : issue.code;
}

function messageOf(issue: Issue): string {
  if (isMissing(issue)) return "is required";
  if (issue.code === "invalid_union") return "has an unsupported type";
  if (issue.code === "invalid_key") return "has a name that is not allowed";
  if (issue.code === "invalid_value" && issue.message.startsWith("Invalid "))
    return `must be one of ${issue.values.map(String).join(", ")}`;
  return issue.message
    .replace(/^Too (?:big|small): expected \w+ to (have|be) /, "must $1 ")
    .replace(/^Invalid input: expected int, .+$/, "must be a whole number")
    .replace(/^Invalid input: expected (.+), received (.+)$/, "must be of type $1, not $2")
    .replace(/^(must (?:be|have) )([<>]=?)/, (_, words: string, sign: string) => words + (BOUNDS[sign] ?? sign))
    .replace(/ 1 (character|item)s$/, " 1 $1");
}

function isMissing(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.message.endsWith("received undefined");
}

/**
 * The path contains names from the body. It is shortened: otherwise a body that is one long name would be echoed twice.
 */
export function problemAt(path: PropertyKey[], code: string, words: string): Problem {
  const whole = path.map(String).join(".");
  const dotted = whole.length <= PATH_MAX_CHARS ? whole : `${whole.slice(0, PATH_MAX_CHARS).toWellFormed()}…`;
  return { path: dotted, code, message: `${dotted || "The body"} ${words}` };
}

/**
 * The name that was probably meant by a misspelled or shortened one; null if none is similar. Most names differ too much in length to
 * be compared, since a comparison takes time proportional to the product of the lengths.
 */
export function nearestName(name: string, names: readonly string[]): string | null {
  const begun = names.filter((known) => name.length >= PREFIX_MIN_CHARS && known.startsWith(name.toLowerCase()));
  if (begun.length === 1) return begun[0] ?? null;
  const near = names
    .map((known) => ({ known, most: Math.ceil(known.length / 3) }))
    .filter(({ known, most }) => Math.abs(known.length - name.length) <= most)
    .map(({ known, most }) => ({ known, most, distance: editDistance(name.toLowerCase(), known) }))
    .filter(({ most, distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.known ?? null;
}

/** Number of letters to insert, remove, replace, or swap with the one before. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, i) => i)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= from.length; i++) {
    const row = (rows[i] = [i]);
    for (let j = 1; j <= to.length; j++) {
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const replaced = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1, isSwap ? at(i - 2, j - 2) + 1 : Infinity));
    }
  }
  return at(from.length, to.length);
}
