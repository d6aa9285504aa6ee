/**
 * A QR symbol as a matrix of modules, and its layout in an image: whole pixels per module, centered. Pure. qrcode-svg
 * creates the symbol (ISO/IEC 18004, byte mode, best mask).
 */
import QRCode from "qrcode-svg";

const ECC_LEVELS = ["L", "M", "Q", "H"] as const;
export type Ecc = (typeof ECC_LEVELS)[number];

export interface Matrix {
  /** Modules per side, without the margin. */
  side: number;
  isDark(row: number, column: number): boolean;
}

/** Position of a symbol in a square image, in pixels. */
export interface Layout {
  size: number;
  /** Pixels per module. */
  scale: number;
  /** Distance from the image's top and left edge to the symbol. */
  offset: number;
}

/** A run of dark modules in a row, from `start` to before `end`. */
export interface Run {
  start: number;
  end: number;
}

/**
 * Share of the symbol's side for a logo's box. The box covers 9 % of the area, and data modules only: less than a third
 * of the damage that level H can restore. The rest is left for dirt and shadow.
 */
const LOGO_SIDE_SHARE = 0.3;

/** @param content  ASCII */
export function matrixOf(content: string, ecc: Ecc): Matrix {
  const { qrcode } = new QRCode({ content, ecl: ecc });
  return { side: qrcode.getModuleCount(), isDark: (row, column) => qrcode.isDark(row, column) };
}

/** Size in pixels of the smallest image that holds a symbol and its margin. */
export function minSizePx({ side }: Matrix, margin: number): number {
  return side + 2 * margin;
}

/** The largest layout with at least the given margin; null if a module would get less than one pixel. */
export function layoutOf(matrix: Matrix, margin: number, size: number): Layout | null {
  const scale = Math.floor(size / minSizePx(matrix, margin));
  return scale < 1 ? null : { size, scale, offset: Math.floor((size - matrix.side * scale) / 2) };
}

/** Modules per side of a logo's box. Odd, like the symbol's side, so that the box is centered on whole modules. */
export function logoBoxModules({ side }: Matrix): number {
  const most = Math.floor(side * LOGO_SIDE_SHARE);
  return most % 2 === 1 ? most : most - 1;
}

/** The symbol with the logo's box cleared. */
export function withoutLogoBox(matrix: Matrix): Matrix {
  const start = (matrix.side - logoBoxModules(matrix)) / 2;
  const end = matrix.side - start;
  const isInside = (index: number) => index >= start && index < end;
  return {
    side: matrix.side,
    isDark: (row, column) => !(isInside(row) && isInside(column)) && matrix.isDark(row, column),
  };
}

export function runsOf(matrix: Matrix, row: number): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < matrix.side; column++) {
    if (!matrix.isDark(row, column)) continue;
    const start = column;
    while (column < matrix.side && matrix.isDark(row, column)) column++;
    runs.push({ start, end: column });
  }
  return runs;
}
