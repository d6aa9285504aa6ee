/** Parses `links.yaml` into links with their first lines, or into all problems with their positions. Pure. */
import { type Document, isAlias, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";

import { CONDITION_NAMES, nearestName, problemsOf } from "../../core/contract/zod-problems.ts";
import type { Problem } from "../../core/errors.ts";
import { TAGS_MAX } from "../../core/limits.ts";
import { openingTimesProblems, unreachableRuleProblems } from "../../core/links/link-validation.ts";
import { FileLink, LinksFile, withManagedTag } from "./links-file.ts";

export interface ParsedFile {
  file: LinksFile;
  /** The line on which each link begins. */
  lines: number[];
}

export function parseLinksFile(text: string): ParsedFile | { problems: TextProblem[] } {
  const yaml = parseYaml(text);
  if ("problems" in yaml) return yaml;
  const read = LinksFile.safeParse(yaml.value);
  if (!read.success) return { problems: problemsOf(read.error).map((problem) => placed(problem, yaml)) };
  const { data: file } = read;
  const problems = file.links.flatMap((link, i) => linkProblems(link, file.managed_by, `links.${i}.`));
  if (problems.length > 0) return { problems: problems.map((problem) => placed(problem, yaml)) };
  return { file, lines: file.links.map((_, i) => yaml.positionOf(`links.${i}`).line) };
}

/** Rewords messages of the API for a file, and adds the fix. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^The body must be of type object, .*/, "The file must have a list called links"],
  [/^The body /, "The file "],
  [/must be of type string, not (?:number|boolean)$/, "must be a string: put it in quotes"],
  [/must be of type array, not \w+$/, "must be a list: [a, b], or one line that begins with - for each item"],
];

function placed({ path, code, message }: Problem, yaml: YamlText): TextProblem {
  const position = yaml.positionOf(path);
  if (code === "unknown_field") {
    const parts = path.split(".");
    const near = nearestName(parts.pop() ?? "", namesIn(parts));
    return { message: `${path} is not a member${near ? `: did you mean ${near}?` : ""}`, ...position };
  }
  return { message: WORDS.reduce((text, [api, file]) => text.replace(api, file), message), ...position };
}

/** Finds problems that the schema cannot detect. */
function linkProblems(link: FileLink, managedBy: string | undefined, prefix: string): Problem[] {
  const { startsAt, expiresAt } = { startsAt: epochMs(link.starts_at), expiresAt: epochMs(link.expires_at) };
  const rules = (link.routing ?? []).map((rule, index) => ({ index, if: rule.if }));
  return [
    ...openingTimesProblems({ startsAt, expiresAt }, null),
    ...unreachableRuleProblems(rules),
    ...tagProblems(link, managedBy),
  ].map(({ path, code, message }) => ({ path: prefix + path, code, message: prefix + message }));
}

function tagProblems({ tags }: FileLink, managedBy: string | undefined): Problem[] {
  if (withManagedTag(tags ?? [], managedBy).length <= TAGS_MAX) return [];
  const message = `tags must have at most ${TAGS_MAX - 1} tags in addition to managed_by`;
  return [{ path: "tags", code: "too_big", message }];
}

function epochMs(time: string | null | undefined): number | null {
  return time ? Date.parse(time) : null;
}

const SOCIAL_NAMES = ["title", "description", "image"];
const RULE_NAMES = ["if", "to"];
const ALIAS_NAMES = ["slug", "domain"];
const TIME_NAMES = ["tz", "days", "from", "to"];

/** @param parent  path of an unknown member's parent, e.g. `links.3.routing.0.if` */
function namesIn(parent: readonly string[]): readonly string[] {
  if (parent.length === 0) return Object.keys(LinksFile.shape);
  if (parent.length === 2) return Object.keys(FileLink.shape);
  if (parent.length === 3) return SOCIAL_NAMES;
  if (parent.length === 4) return parent[2] === "aliases" ? ALIAS_NAMES : RULE_NAMES;
  return parent.at(-1) === "time" ? TIME_NAMES : CONDITION_NAMES;
}

/** YAML of untrusted size and shape. Enough for ten thousand links with one rule each. */
const FILE_MAX_BYTES = 8 * 1024 * 1024;
/** How often anchors (`&name`) may be referenced by aliases (`*name`), including nested ones. */
const ALIASES_MAX = 10_000;
/** Values in the file with all aliases expanded: a few lines can expand to billions. */
const VALUES_MAX = 2_000_000;

const TOO_DEEP = "The file is nested too deeply";

interface Position {
  line: number;
  column: number;
}

interface TextProblem extends Partial<Position> {
  message: string;
}

interface YamlText {
  value: unknown;
  /** The position of a member, or of its nearest existing parent. */
  positionOf: (path: string) => Position;
}

/** YAML 1.2: `no` is a string, and so is a time. */
function parseYaml(text: string): YamlText | { problems: TextProblem[] } {
  if (new TextEncoder().encode(text).length > FILE_MAX_BYTES) {
    return { problems: [{ message: `The file must be at most ${FILE_MAX_BYTES / 1024 / 1024} MB` }] };
  }
  try {
    return readDocument(text);
  } catch (error) {
    // Thrown by the parser's recursion, and by toJS for too many aliases.
    if (!(error instanceof RangeError || error instanceof ReferenceError)) throw error;
    const message = error instanceof RangeError ? TOO_DEEP : `The file can use aliases at most ${ALIASES_MAX} times`;
    return { problems: [{ message }] };
  }
}

function readDocument(text: string): YamlText | { problems: TextProblem[] } {
  const lines = new LineCounter();
  // The parser's own check for duplicate keys compares each key with all others.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  // Warnings concern unknown tags, whose values would differ from what the author expects.
  const errors = [...document.errors, ...document.warnings];
  if (errors.length > 0) {
    return { problems: errors.map(({ message, pos }) => ({ message: plainer(message), ...at(pos[0]) })) };
  }
  const twice = repeatedNames(document);
  if (twice.length > 0) {
    return { problems: twice.map(({ name, offset }) => ({ message: `${name} is a duplicate`, ...at(offset) })) };
  }
  const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
  if (hasMoreThan(VALUES_MAX, value)) return { problems: [{ message: "The file is too large with aliases expanded" }] };
  return { value, positionOf: (path) => at(offsetOf(document, path)) };
}

/** The parser's message for a stack overflow. */
function plainer(message: string): string {
  return message === "Maximum call stack size exceeded" ? TOO_DEEP : message;
}

function repeatedNames(document: Document.Parsed): { name: string; offset: number }[] {
  const found: { name: string; offset: number }[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<string>();
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : null;
        if (name !== null && names.has(name)) found.push({ name, offset: isNode(key) ? (key.range?.[0] ?? 0) : 0 });
        if (name !== null) names.add(name);
      }
    },
  });
  return found;
}

function hasMoreThan(most: number, value: unknown): boolean {
  const waiting = [value];
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen + waiting.length > most) return true;
    const next = waiting.pop();
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return false;
}

/** @param path  dotted; for a name that contains a dot, the position is that of its parent */
function offsetOf(document: Document.Parsed, path: string): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const name of path === "" ? [] : path.split(".")) {
    if (isAlias(node)) node = node.resolve(document);
    if (!isCollection(node)) break;
    const key = isMap(node) ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === name) : null;
    const next: unknown = key ? key.value : node.get(isMap(node) ? name : Number(name), true);
    const place = key && isNode(key.key) ? key.key : next;
    if (!isNode(place)) break;
    offset = place.range?.[0] ?? offset;
    node = next;
  }
  return offset;
}
