/** Contrast and outlines of a QR code, drawn by the browser from the symbol that the API draws. Pure. */
import { CONTRAST_MIN, contrastRatio } from "../../../../core/qr/colors.ts";
import {
  type Ecc,
  type Layout,
  layoutOf,
  minSizePx,
  logoBoxModules,
  type Matrix,
  matrixOf,
  withoutLogoBox,
} from "../../../../core/qr/matrix.ts";
import { scanUrl } from "../../../../core/qr/token.ts";

export const HEX_COLOR_PATTERN = /^#[0-9a-f]{6}$/i;

/** As long as the id of a created code, so that the symbol has the same number of modules. */
const PLACEHOLDER_QR_ID = "qr_0000000000000000000000000a";

export const MODULE_SHAPES = ["square", "rounded", "dot"] as const;
/** Shapes of the three large patterns in the corners, which scanners search for. */
export const CORNER_SHAPES = ["square", "rounded", "circle"] as const;

export interface QrShapes {
  modules: (typeof MODULE_SHAPES)[number];
  corners: (typeof CORNER_SHAPES)[number];
}

/** In fewer pixels, round shapes blur so much that some scanners fail. */
const ROUND_MODULE_MIN_PX = 3;

/** @returns the ratio rounded down, so that a lower one never reads as the minimum; null for invalid colors */
export function colorContrast(fg: string, bg: string): { ratio: string; isEnough: boolean } | null {
  if (!HEX_COLOR_PATTERN.test(fg) || !HEX_COLOR_PATTERN.test(bg)) return null;
  const ratio = contrastRatio(fg, bg);
  return { ratio: (Math.floor(ratio * 100) / 100).toString(), isEnough: ratio >= CONTRAST_MIN };
}

/** Positions are in modules: `scale` and `offset` convert them to pixels. */
export interface QrDrawing extends Layout {
  /** Outlines of what is dark, in absolute SVG commands M, L, C and Z, to be filled by the even-odd rule. */
  path: string;
  /** Square in the middle for a logo, with a gap to the modules around it; null without one. */
  logoBox: { at: number; side: number } | null;
}

export interface QrOptions extends QrShapes {
  ecc: Ecc;
  margin: number;
  size: number;
  hasLogo: boolean;
}

/**
 * @param id  of a created code; null for a preview
 * @returns the drawing, or the smallest size at which it can be scanned
 */
export function drawQr(shortUrl: string, id: string | null, options: QrOptions): QrDrawing | { minSize: number } {
  const { ecc, margin, size, hasLogo, modules, corners } = options;
  const symbol = matrixOf(scanUrl(shortUrl, id ?? PLACEHOLDER_QR_ID), ecc);
  const layout = layoutOf(symbol, margin, size);
  const minScale = modules === "square" && corners === "square" ? 1 : ROUND_MODULE_MIN_PX;
  if (!layout || layout.scale < minScale) return { minSize: minScale * minSizePx(symbol, margin) };
  const box = logoBoxModules(symbol);
  return {
    ...layout,
    path: modulesPath(hasLogo ? withoutLogoBox(symbol) : symbol, modules) + cornersPath(symbol.side, corners),
    logoBox: hasLogo ? { at: (symbol.side - box + 1) / 2, side: box - 1 } : null,
  };
}

/** Outlines of a symbol without shapes of its own, in modules. */
export function plainPath(symbol: Matrix): string {
  return modulesPath(symbol, "square") + cornersPath(symbol.side, "square");
}

type Point = readonly [x: number, y: number];

const CORNER_MODULES = 7;
/**
 * Radii of a corner pattern's outer edge, its inner edge and its center. With a rounder outer edge (3 to 3.5), ZBar does
 * not find the pattern at some sizes.
 */
const CORNER_RADII = { square: [0, 0, 0], rounded: [2, 1.2, 0.8], circle: [2.5, 1.7, 1.5] } as const;

function cornersPath(side: number, shape: QrShapes["corners"]): string {
  const far = side - CORNER_MODULES;
  const origins: Point[] = [
    [0, 0],
    [far, 0],
    [0, far],
  ];
  return origins
    .flatMap(([x, y]) => CORNER_RADII[shape].map((radius, i) => outlinePath(square(x + i, y + i, 7 - 2 * i), radius)))
    .join("");
}

function modulesPath(matrix: Matrix, shape: QrShapes["modules"]): string {
  const { side } = matrix;
  const isCorner = (row: number, column: number) => {
    const [isLeft, isTop] = [column < CORNER_MODULES, row < CORNER_MODULES];
    return (isTop && (isLeft || column >= side - CORNER_MODULES)) || (isLeft && row >= side - CORNER_MODULES);
  };
  const rest = modulesWhere(matrix, (row, column) => !isCorner(row, column));
  if (shape === "square") return outlinePaths(outlinesOf(rest), 0);
  if (shape === "rounded") return outlinePaths(outlinesOf(rest), 0.5);
  // Dots instead of an alignment pattern resemble others nearby, so that some scanners take those for it.
  const centers = alignmentCenters(side);
  const near = (index: number) => centers.filter((center) => Math.abs(center - index) <= 2);
  const isAlignment = (row: number, column: number) => near(row).some((y) => near(column).some((x) => !isCorner(y, x)));
  return (
    outlinePaths(outlinesOf(modulesWhere(rest, isAlignment)), 0.25) +
    outlinePaths(dotsOf(modulesWhere(rest, (row, column) => !isAlignment(row, column))), 0.5)
  );
}

/** Outside of the symbol, there are none. */
function modulesWhere({ side, isDark }: Matrix, isWanted: (row: number, column: number) => boolean): Matrix {
  const isIn = (index: number) => index >= 0 && index < side;
  return { side, isDark: (row, column) => isIn(row) && isIn(column) && isWanted(row, column) && isDark(row, column) };
}

/** Rows, which are also columns, of the centers of the alignment patterns (ISO 18004, annex E). */
function alignmentCenters(side: number): number[] {
  const version = (side - 17) / 4;
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => side - 7 - i * step)];
}

function outlinePaths(outlines: readonly Point[][], radius: number): string {
  return outlines.map((outline) => outlinePath(outline, radius)).join("");
}

function square(x: number, y: number, side: number): Point[] {
  return [
    [x, y],
    [x + side, y],
    [x + side, y + side],
    [x, y + side],
  ];
}

function* darkOf({ side, isDark }: Matrix): Generator<Point> {
  for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) if (isDark(y, x)) yield [x, y];
}

function dotsOf(matrix: Matrix): Point[][] {
  return [...darkOf(matrix)].map(([x, y]) => square(x, y, 1));
}

/** East, south, west, north: clockwise around a module, from its top left. */
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;
const TURNS = [1, 0, 3] as const;

/**
 * The corners of each outline around dark modules and around holes. Without edges between dark modules, no viewer shows
 * hairlines there. Modules that touch at a corner have separate outlines.
 */
function outlinesOf(matrix: Matrix): Point[][] {
  const { side, isDark } = matrix;
  const edges = new Set<number>();
  const edge = (x: number, y: number, step: number) => (y * (side + 1) + x) * 4 + step;
  for (const [x, y] of darkOf(matrix)) {
    if (!isDark(y - 1, x)) edges.add(edge(x, y, 0));
    if (!isDark(y, x + 1)) edges.add(edge(x + 1, y, 1));
    if (!isDark(y + 1, x)) edges.add(edge(x + 1, y + 1, 2));
    if (!isDark(y, x - 1)) edges.add(edge(x, y + 1, 3));
  }
  return Array.from(edges, (first) => {
    const corners: Point[] = [];
    if (!edges.has(first)) return corners;
    let [step, at] = [first % 4, Math.floor(first / 4)];
    do {
      const [dx, dy] = STEPS[step] ?? STEPS[0];
      const [x, y] = [(at % (side + 1)) + dx, Math.floor(at / (side + 1)) + dy];
      // Right before straight before left, so that an outline stays with its module where two touch at a corner.
      const next = TURNS.map((turn) => (step + turn) % 4).find((turned) => edges.has(edge(x, y, turned))) ?? step;
      if (next !== step) corners.push([x, y]);
      [step, at] = [next, y * (side + 1) + x];
      edges.delete(edge(x, y, next));
    } while (edges.has(first));
    return corners;
  }).filter((corners) => corners.length > 0);
}

/** Distance of a Bézier curve's control points from the corner, such that the curve is a quarter of a circle. */
const CONTROL_SHARE = 1 - 0.5523;

/** @param radius  of the corners, at most half of the shortest side */
function outlinePath(corners: readonly Point[], radius: number): string {
  const commands = corners.map((corner, i) => {
    const [before, after] = [corners.at(i - 1) ?? corner, corners[(i + 1) % corners.length] ?? corner];
    const toBefore = (distance: number) => pointTowards(corner, before, distance);
    const toAfter = (distance: number) => pointTowards(corner, after, distance);
    const start = `${i === 0 ? "M" : "L"}${toBefore(radius)}`;
    if (radius === 0) return start;
    return `${start}C${toBefore(radius * CONTROL_SHARE)} ${toAfter(radius * CONTROL_SHARE)} ${toAfter(radius)}`;
  });
  return `${commands.join("")}Z`;
}

function pointTowards([x, y]: Point, [toX, toY]: Point, distance: number): string {
  return [x + Math.sign(toX - x) * distance, y + Math.sign(toY - y) * distance]
    .map((position) => Math.round(position * 1_000) / 1_000)
    .join(" ");
}
