/**
 * Upper bounds of a shape's edges and extent, from the numbers in its attributes: both determine the cost of drawing. A
 * curve a million pixels wide is split into so many edges that it takes seconds and hundreds of megabytes. Pure.
 */
import type { Attributes, Fault } from "./logo-attributes.ts";

/** A command or a number in path data. */
const PATH_PARTS = /[a-df-z]|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi;
const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const NUMBERS = new RegExp(NUMBER, "gi");

/**
 * Edges per number of a command. The flags of an arc may be written without separators, so an arc can look like five
 * numbers instead of seven.
 */
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
/** A circle is four curves; a rectangle with round corners is four curves and four lines. */
const ROUND_EDGES = 8;
/** Pixels per inch, the largest unit. */
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

/**
 * The largest number in a shape's attributes, in its units.
 * @param percent  units of one percent
 */
export function reachOf(attributes: Attributes, percent: number): number {
  const lengths = LENGTHS.map((name) => lengthOf(attributes.get(name) ?? "", percent));
  return Math.max(largest(attributes.get("d") ?? ""), largest(attributes.get("points") ?? ""), ...lengths);
}

/** Upper bound of a length in any unit. */
export function lengthOf(text: string, percent: number): number {
  return largest(text) * (text.includes("%") ? percent : /[a-df-z]/i.test(text) ? UNIT_MAX_PX : 1);
}

/**
 * Range of a shape's coordinates on both axes together; `EVERYWHERE` if it cannot be read off directly, for example
 * with relative path commands.
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

/** Upper bound of a transform's enlargement. */
export function scaleOf(transform: string): number {
  let scale = 1;
  for (const [, name = "", numbers = ""] of transform.matchAll(/\b([a-z]+)\s*\(([^()]*)\)/gi)) {
    scale *= SCALES[name.toLowerCase()]?.(numbers) ?? 1;
  }
  return scale;
}

const SCALES: Record<string, (numbers: string) => number> = {
  // The last two of the six numbers only translate.
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

/** Size in pixels. */
export interface Size {
  width: number;
  height: number;
}

const SVG_MAX_PX = 10_000;
/** The side of an SVG without a size and viewBox. */
const DEFAULT_PX = 100;

const LENGTH = new RegExp(`^(${NUMBER})(px|pt|pc|mm|cm|in)?$`, "i");
const PX_PER_UNIT: Record<string, number> = { px: 1, pt: 96 / 72, pc: 16, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 };

/** The visible part of the drawing, in its units. */
interface ViewBox extends Size {
  left: number;
  top: number;
}

/** @returns a fault if the image is too large or has no area */
export function svgSize(root: Attributes): (Size & { box: ViewBox; viewBox: string }) | Fault {
  const box = viewBoxOf(root.get("viewBox") ?? "");
  const size = sizeWithin(pixelsOf(root.get("width")), pixelsOf(root.get("height")), box);
  const { width, height } = size;
  if (!(width > 0 && height > 0)) return { fault: "cannot be drawn: the image is damaged or empty" };
  if (width > SVG_MAX_PX || height > SVG_MAX_PX) {
    return { fault: `must be at most ${SVG_MAX_PX} pixels wide and high` };
  }
  return { ...size, box: box ?? { left: 0, top: 0, ...size }, viewBox: box?.text ?? `0 0 ${width} ${height}` };
}

/** Derives a missing side from the other one and the viewBox. */
function sizeWithin(width: number | null, height: number | null, box: Size | null): Size {
  const whole = box ?? { width: DEFAULT_PX, height: DEFAULT_PX };
  if (width !== null && height !== null) return { width, height };
  if (width !== null) return { width, height: box ? (width * box.height) / box.width : whole.height };
  if (height !== null) return { width: box ? (height * box.width) / box.height : whole.width, height };
  return { width: whole.width, height: whole.height };
}

/** @returns null for a percentage, which has no reference here */
function pixelsOf(text: string | undefined): number | null {
  const [, number, unit = "px"] = LENGTH.exec(text ?? "") ?? [];
  return number === undefined ? null : Number(number) * (PX_PER_UNIT[unit.toLowerCase()] ?? NaN);
}

function viewBoxOf(text: string): (ViewBox & { text: string }) | null {
  const numbers = text.split(/[\s,]+/).map(Number);
  const [left = 0, top = 0, width = 0, height = 0] = numbers;
  const isBox = numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0;
  return isBox ? { left, top, width, height, text: `${left} ${top} ${width} ${height}` } : null;
}
