/** Draws codes. Imported by the first request that makes one, so that other requests do not pay for loading it. */

import type { CreateQrCode } from "../../core/contract/qr-codes.ts";
import { ApiError } from "../../core/errors.ts";
import type { Logo } from "../../core/qr/logo.ts";
import {
  type Layout,
  layoutOf,
  minSizePx,
  logoBoxModules,
  type Matrix,
  matrixOf,
  withoutLogoBox,
} from "../../core/qr/matrix.ts";
import { qrPngWithLogo, qrPng } from "../../core/qr/png.ts";
import { resized } from "../../core/qr/raster.ts";
import { qrSvg } from "../../core/qr/svg.ts";
import { drawLogo } from "./logo-image.ts";

/** Pixels on a side of the grid on which a logo is drawn in an SVG. */
const SVG_LOGO_GRID_SIDE = 192;

export type QrImageDesign = Omit<CreateQrCode, "link_id" | "logo"> & { logo?: Logo | undefined };

/** The image of a text. @throws ApiError size_too_small, validation_failed (a logo that cannot be drawn) */
export async function drawQrCode(text: string, design: QrImageDesign): Promise<Uint8Array> {
  const fullMatrix = matrixOf(text, design.logo === undefined ? design.ecc : "H");
  const layout = layoutOf(fullMatrix, design.margin, design.size);
  if (!layout) throw sizeTooSmall(design, minSizePx(fullMatrix, design.margin));
  if (design.logo === undefined) {
    return design.format === "png" ? qrPng(fullMatrix, layout, design) : utf8(qrSvg(fullMatrix, layout, design));
  }
  const matrix = withoutLogoBox(fullMatrix);
  const logoSide = logoSidePx(matrix, layout);
  if (design.format === "png") {
    const raster = await drawLogo(design.logo, logoSide, design.bg);
    return qrPngWithLogo(matrix, layout, design, resized(raster, logoSide / Math.max(raster.width, raster.height)));
  }
  const raster = await drawLogo(design.logo, SVG_LOGO_GRID_SIDE, design.bg);
  const scale = logoSide / Math.max(raster.width, raster.height);
  const [width, height] = [raster.width * scale, raster.height * scale];
  const middle = layout.offset + (matrix.side * layout.scale) / 2;
  const box = { left: middle - width / 2, top: middle - height / 2, width };
  return utf8(qrSvg(matrix, layout, design, { raster, box }));
}

/** Pixels on a side of a logo: its box of modules, less a gap of half a module all around. */
function logoSidePx(matrix: Matrix, { scale }: Layout): number {
  return logoBoxModules(matrix) * scale - 2 * Math.ceil(scale / 2);
}

function sizeTooSmall({ size, margin, ecc, logo }: QrImageDesign, least: number): ApiError {
  const level = logo === undefined ? ecc : "H";
  const message = `size must be at least ${least} pixels for this link with margin ${margin} and ecc ${level}, got ${size}`;
  return new ApiError("size_too_small", message, {
    param: "size",
    errors: [{ path: "size", code: "size_too_small", message }],
  });
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
