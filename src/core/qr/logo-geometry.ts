/**
 * How many edges an SVG's shape has at most and how far it reaches, by its numbers alone: both drive what drawing costs.
 * A curve whose line is a million pixels wide is cut into so many pieces that it takes seconds and hundreds of megabytes.
 * Pure.
 */
import type { Attributes } from "./logo-attributes.ts";

/** Of a path's data: a command, or a number. */
const PATH_PARTS = /[a-df-z]|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi;
const NUMBERS = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi;

/** Edges for each number of a command. Numbers of an arc may stand together with its flags, so there are five or more. */
const EDGES_PER_NUMBER: Record<string, number> = {
  m: 1 / 2,
  l: 1 / 2,
  h: 1,
  v: 1,
  c: 1.5 / 6,
  s: 1.5 / 4,
  q: 1 / 4,
  t: 1 / 2,
  a: 1.5 / 5,
};
/** A circle is four curves, a rectangle with round corners four curves and four lines. */
const ROUND_EDGES = 8;
/** An inch, the largest unit. */
const UNIT_MAX_PX = 96;

const LENGTHS = ["x", "y", "width", "height", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry"];

export function edgesOf(element: string, attributes: Attributes): number {
  if (element === "path") return edgesOfPath(attributes.get("d") ?? "");
  if (element === "polyline" || element === "polygon") return edgesOfPath(`M${attributes.get("points") ?? ""}`);
  return ROUND_EDGES;
}

function edgesOfPath(data: string): number {
  let edges = 1;
  let perNumber = 0;
  for (const [part] of data.matchAll(PATH_PARTS)) {
    const command = EDGES_PER_NUMBER[part.toLowerCase()];
    if (command !== undefined) perNumber = command;
    edges += /^[a-z]/i.test(part) ? 1 / 2 : perNumber;
  }
  return edges;
}

/** The largest number of a shape, in its own units. @param percent  what one percent comes to */
export function reachOf(attributes: Attributes, percent: number): number {
  const lengths = LENGTHS.map((name) => lengthOf(attributes.get(name) ?? "", percent));
  return Math.max(largest(attributes.get("d") ?? ""), largest(attributes.get("points") ?? ""), ...lengths);
}

/** A length in whatever unit, at most. */
export function lengthOf(text: string, percent: number): number {
  return largest(text) * (text.includes("%") ? percent : /[a-df-z]/i.test(text) ? UNIT_MAX_PX : 1);
}

/**
 * From where to where a shape reaches, along both axes at once; everywhere when that is not plain to see, as by steps
 * that start where the last one ended.
 */
export function extentOf(element: string, attributes: Attributes): [from: number, to: number] {
  const number = (name: string) => Number.parseFloat(attributes.get(name) ?? "0");
  const units = LENGTHS.some((name) => /[^-+\d.\s]/.test(attributes.get(name) ?? ""));
  if (units) return EVERYWHERE;
  const [x, y, cx, cy] = [number("x"), number("y"), number("cx"), number("cy")];
  const r = Math.max(number("r"), number("rx"), number("ry"));
  switch (element) {
    case "path":
      return extentOfPath(attributes.get("d") ?? "");
    case "rect":
      return [Math.min(x, y), Math.max(x + number("width"), y + number("height"))];
    case "circle":
    case "ellipse":
      return [Math.min(cx, cy) - r, Math.max(cx, cy) + r];
    default:
      return extentOfPath(`M${attributes.get("points") ?? ""} ${LINE.map((name) => number(name)).join(" ")}`);
  }
}

const EVERYWHERE: [number, number] = [-Infinity, Infinity];
const LINE = ["x1", "y1", "x2", "y2"];

function extentOfPath(data: string): [from: number, to: number] {
  if (/[^MLHVCQZz\d\s,.+eE-]/.test(data)) return EVERYWHERE;
  let [from, to] = [Infinity, -Infinity];
  for (const [number] of data.matchAll(NUMBERS))
    [from, to] = [Math.min(from, Number(number)), Math.max(to, Number(number))];
  return [from, to];
}

/** How much larger a transform makes things at most. */
export function scaleOf(transform: string): number {
  let scale = 1;
  for (const [, name = "", numbers = ""] of transform.matchAll(/\b([a-z]+)\s*\(([^()]*)\)/gi)) {
    scale *= SCALES[name.toLowerCase()]?.(numbers) ?? 1;
  }
  return scale;
}

const SCALES: Record<string, (numbers: string) => number> = {
  // The last two move, they do not enlarge.
  matrix: (numbers) => 2 * largest((numbers.match(NUMBERS) ?? []).slice(0, 4).join(" ")),
  scale: largest,
  skewx: (degrees) => 1 + Math.abs(Math.tan((largest(degrees) * Math.PI) / 180)),
  skewy: (degrees) => 1 + Math.abs(Math.tan((largest(degrees) * Math.PI) / 180)),
};

function largest(text: string): number {
  let most = 0;
  for (const [number] of text.matchAll(NUMBERS)) most = Math.max(most, Math.abs(Number(number)));
  return most;
}
