/** Contrast and modules of a QR code's design, before it is sent. Pure. */
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

const HEX_COLOR_PATTERN = /^#[0-9a-f]{6}$/i;

/** As long as the id of a created code, so that the symbol has the same number of modules. */
const PLACEHOLDER_QR_ID = "qr_0000000000000000000000000a";

/** @returns the ratio rounded down, so that a lower one never reads as the minimum; null for invalid colors */
export function colorContrast(fg: string, bg: string): { ratio: string; isEnough: boolean } | null {
  if (!HEX_COLOR_PATTERN.test(fg) || !HEX_COLOR_PATTERN.test(bg)) return null;
  const ratio = contrastRatio(fg, bg);
  return { ratio: (Math.floor(ratio * 100) / 100).toString(), isEnough: ratio >= CONTRAST_MIN };
}

export interface QrDrawing {
  size: number;
  /** Path of the dark modules, in pixels. */
  path: string;
  /** Square in the middle for a logo, in pixels; null without one. */
  logoBox: { at: number; side: number } | null;
}

/** @returns the drawing, or the smallest size that has a pixel for each module */
export function drawQr(
  shortUrl: string,
  { ecc, margin, size, hasLogo }: { ecc: Ecc; margin: number; size: number; hasLogo: boolean },
): QrDrawing | { minSize: number } {
  const symbol = matrixOf(scanUrl(shortUrl, PLACEHOLDER_QR_ID), ecc);
  const layout = layoutOf(symbol, margin, size);
  if (!layout) return { minSize: minSizePx(symbol, margin) };
  const { scale, offset } = layout;
  const side = logoBoxModules(symbol) * scale;
  return {
    size,
    path: modulesPath(hasLogo ? withoutLogoBox(symbol) : symbol, scale, offset),
    logoBox: hasLogo ? { at: offset + ((symbol.side - logoBoxModules(symbol)) / 2) * scale, side } : null,
  };
}

export function modulesPath(symbol: Matrix, scale: number, offset: number): string {
  const rows = Array.from({ length: symbol.side }, (_, row) =>
    runsOf(symbol, row).map(
      ({ start, end }) =>
        `M${offset + start * scale} ${offset + row * scale}h${(end - start) * scale}v${scale}h${(start - end) * scale}z`,
    ),
  );
  return rows.flat().join("");
}
