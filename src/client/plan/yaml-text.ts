/** Reads YAML of untrusted size and shape, and reports the position of each member in the text. Pure. */
import { type Document, isAlias, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";

/** Enough for ten thousand links with one rule each. */
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

export interface TextProblem extends Partial<Position> {
  message: string;
}

export interface YamlText {
  value: unknown;
  /** The position of a member, or of its nearest existing parent. */
  positionOf: (path: string) => Position;
}

/** YAML 1.2: `no` is a string, and so is a time. */
export function parseYaml(text: string): YamlText | { problems: TextProblem[] } {
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
