/** What a design of a QR code comes to, before it is sent: its contrast and its modules. Pure. */
import { CONTRAST_MIN, contrastRatio } from "../../../../core/qr/contrast.ts";
import {
  type Ecc,
  layoutOf,
  minSizePx,
  logoBoxModules,
  type Matrix,
  matrixOf,
  withoutLogoBox,
} from "../../../../core/qr/matrix.ts";
import { runsOf } from "../../../../core/qr/matrix.ts";
import { scanUrl } from "../../../../core/qr/token.ts";

const HEX = /^#[0-9a-f]{6}$/i;

/** As long as a real one, so that the symbol has the same number of modules. */
const STAND_IN = "qr_0000000000000000000000000a";

/** @returns the ratio in words, rounded down so that it never seems to reach what it misses; null for half typed colours */
export function contrastOf(fg: string, bg: string): { ratio: string; isEnough: boolean } | null {
  if (!HEX.test(fg) || !HEX.test(bg)) return null;
  const ratio = contrastRatio(fg, bg);
  return { ratio: (Math.floor(ratio * 100) / 100).toString(), isEnough: ratio >= CONTRAST_MIN };
}

export interface Drawing {
  size: number;
  /** Path of the dark modules, in pixels. */
  path: string;
  /** Square in the middle for a logo, in pixels; null without one. */
  box: { at: number; side: number } | null;
}

/** @returns the code as it will be drawn, or the least size that it needs */
export function drawingOf(
  shortUrl: string,
  { ecc, margin, size, hasLogo }: { ecc: Ecc; margin: number; size: number; hasLogo: boolean },
): Drawing | { leastSize: number } {
  const symbol = matrixOf(scanUrl(shortUrl, STAND_IN), ecc);
  const layout = layoutOf(symbol, margin, size);
  if (!layout) return { leastSize: minSizePx(symbol, margin) };
  const { scale, offset } = layout;
  const side = logoBoxModules(symbol) * scale;
  return {
    size,
    path: pathOf(hasLogo ? withoutLogoBox(symbol) : symbol, scale, offset),
    box: hasLogo ? { at: offset + ((symbol.side - logoBoxModules(symbol)) / 2) * scale, side } : null,
  };
}

function pathOf(symbol: Matrix, scale: number, offset: number): string {
  const rows = Array.from({ length: symbol.side }, (_, row) =>
    runsOf(symbol, row).map(
      ({ start, end }) =>
        `M${offset + start * scale} ${offset + row * scale}h${(end - start) * scale}v${scale}h${(start - end) * scale}z`,
    ),
  );
  return rows.flat().join("");
}
