/**
 * The titles of all tests, read from their sources without running them: `vitest list` would start workerd for that.
 * What a title takes from a table of cases or a variable stands as `...`.
 */
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { parseSync } from "vite";

export interface TestFile {
  /** Below `test`, with `/` between folders. */
  path: string;
  /** Each title behind those of the groups around it, groups themselves included. */
  titles: string[][];
}

/** The parts of a syntax tree's node that are read here. */
interface Node {
  type: string;
  name?: string;
  value?: unknown;
  callee?: Node;
  object?: Node;
  property?: Node;
  arguments?: Node[];
  left?: Node;
  right?: Node;
  quasis?: { value: { cooked: string } }[];
}

const TESTS = join(import.meta.dirname, "..");
const FUNCTIONS = new Set(["describe", "it", "test"]);
/** `test.each(cases)` and `test.skipIf(condition)` have no title yet; their result is called with one. */
const TABLES = new Set(["each", "for", "skipIf"]);
const MODIFIERS = new Set(["concurrent", "sequential", "only", "skip", "todo", "fails"]);
const HOLE = "...";

export function testFiles(): TestFile[] {
  return globSync("**/*.test.ts", { cwd: TESTS, exclude: ["**/node_modules"] }).map((path) => ({
    path: relative(".", path).replaceAll("\\", "/"),
    titles: titlesOf(path, readFileSync(join(TESTS, path), "utf8")),
  }));
}

/** @param path  names the language by its end */
export function titlesOf(path: string, source: string): string[][] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const titles: string[][] = [];
  collect(program, [], titles);
  return titles;
}

function collect(node: unknown, groups: readonly string[], titles: string[][]): void {
  if (Array.isArray(node)) for (const each of node) collect(each, groups, titles);
  if (!isNode(node)) return;
  const title = titleOf(node);
  const path = title === null ? groups : [...groups, title];
  if (title !== null) titles.push([...path]);
  for (const child of Object.values(node)) collect(child, path, titles);
}

/** `test(title)`, `describe.each(cases)(title)`, `test.skip(title)`: the title, else null. */
function titleOf({ type, callee, arguments: [title] = [] }: Node): string | null {
  if (type !== "CallExpression" || !callee || !title) return null;
  const ofTable = callee.type === "CallExpression";
  if (!isTestFunction(ofTable ? callee.callee : callee, ofTable ? TABLES : MODIFIERS)) return null;
  const text = textOf(title);
  return ofTable && text !== null ? text.replace(/%[.\d]*[sdifjoO#]|\$[\w#.]+/g, HOLE).replaceAll("%%", "%") : text;
}

/** @param properties  what may stand behind its name */
function isTestFunction(node: Node | undefined, properties: ReadonlySet<string>): boolean {
  if (node?.type === "MemberExpression")
    return properties.has(node.property?.name ?? "") && isTestFunction(node.object, MODIFIERS);
  return node?.type === "Identifier" && FUNCTIONS.has(node.name ?? "");
}

function textOf({ type, value, quasis = [], left, right, name }: Node): string | null {
  if (typeof value === "string") return value;
  if (type === "TemplateLiteral") return quasis.map((quasi) => quasi.value.cooked).join(HOLE);
  if (type === "BinaryExpression" && left && right) return `${textOf(left) ?? HOLE}${textOf(right) ?? HOLE}`;
  return name === undefined ? null : HOLE;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
