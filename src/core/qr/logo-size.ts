/** The size of an SVG from its root's attributes. Only the proportions matter. Pure. */
import type { Attributes, Fault } from "./logo-attributes.ts";

/** In pixels. */
export interface Size {
  width: number;
  height: number;
}

const SVG_MAX_PX = 10_000;
/** The side of an SVG without a size and viewBox. */
const DEFAULT_PX = 100;

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const LENGTH = new RegExp(`^(${NUMBER})(px|pt|pc|mm|cm|in)?$`, "i");
const PX_PER_UNIT: Record<string, number> = { px: 1, pt: 96 / 72, pc: 16, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 };

/** The visible part of the drawing, in its units. */
export interface ViewBox extends Size {
  left: number;
  top: number;
}

/** @returns a fault when the image is too large or has no area */
export function svgSize(root: Attributes): (Size & { box: ViewBox; viewBox: string }) | Fault {
  const box = viewBoxOf(root.get("viewBox") ?? "");
  const size = sizeWithin(lengthOf(root.get("width")), lengthOf(root.get("height")), box);
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

/** @returns null for a percentage, which has nothing to refer to */
function lengthOf(text: string | undefined): number | null {
  const [, number, unit = "px"] = LENGTH.exec(text ?? "") ?? [];
  return number === undefined ? null : Number(number) * (PX_PER_UNIT[unit.toLowerCase()] ?? NaN);
}

function viewBoxOf(text: string): (ViewBox & { text: string }) | null {
  const numbers = text.split(/[\s,]+/).map(Number);
  const [left = 0, top = 0, width = 0, height = 0] = numbers;
  const isBox = numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0;
  return isBox ? { left, top, width, height, text: `${left} ${top} ${width} ${height}` } : null;
}
