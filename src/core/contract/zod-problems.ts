/**
 * Translates a zod error into the API's problems: each with a dotted path and a short code. Messages name the field and
 * the allowed values; sent values are never echoed. Pure.
 */
import type { z } from "zod";

import type { Problem } from "../errors.ts";

const PATH_MAX_CHARS = 200;

/** The signs in zod's messages, in words. */
const BOUNDS: Readonly<Record<string, string>> = {
  "<=": "at most ",
  ">=": "at least ",
  "<": "less than ",
  ">": "more than ",
};

type Issue = z.core.$ZodIssue;

/**
 * @param readOnlyFields  response fields that a caller cannot set: they are reported as read-only instead of unknown
 */
export function problemsOf(error: z.ZodError, readOnlyFields: ReadonlySet<string> = new Set()): Problem[] {
  return error.issues.flatMap((issue) => problemsOfIssue(issue, [], readOnlyFields));
}

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
    .replace(/^(Invalid input|Too big|Too small|Invalid [^:]+): expected (\w+) to (have|be) /, "must $3 ")
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
