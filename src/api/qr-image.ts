/** Draws codes. Loaded by the first request that makes one, so that nothing else pays for it. */

import type { CreateQrCode } from "../core/contract.ts";
import { ApiError } from "../core/errors.ts";
import type { Logo } from "../core/qr/logo.ts";
import {
  type Layout,
  layoutOf,
  leastSize,
  logoBoxSide,
  type Matrix,
  matrixOf,
  withoutLogoBox,
} from "../core/qr/matrix.ts";
import { logoPng, plainPng } from "../core/qr/png.ts";
import { resized } from "../core/qr/raster.ts";
import { svgCode } from "../core/qr/svg.ts";
import { drawLogo } from "./logo-image.ts";

/** Grid on which a logo is drawn in an SVG. */
const SVG_LOGO_GRID = 192;

export type QrLook = Omit<CreateQrCode, "link_id" | "logo"> & { logo?: Logo | undefined };

/** The image of a text. @throws ApiError size_too_small, validation_failed (a logo that cannot be drawn) */
export async function drawQrCode(text: string, look: QrLook): Promise<Uint8Array> {
  const whole = matrixOf(text, look.logo === undefined ? look.ecc : "H");
  const layout = layoutOf(whole, look.margin, look.size);
  if (!layout) throw tooSmall(look, leastSize(whole, look.margin));
  if (look.logo === undefined) {
    return look.format === "png" ? plainPng(whole, layout, look) : utf8(svgCode(whole, layout, look));
  }
  const matrix = withoutLogoBox(whole);
  const room = logoRoom(matrix, layout);
  if (look.format === "png") {
    const raster = await drawLogo(look.logo, room, look.bg);
    return logoPng(matrix, layout, look, resized(raster, room / Math.max(raster.width, raster.height)));
  }
  const raster = await drawLogo(look.logo, SVG_LOGO_GRID, look.bg);
  const scale = room / Math.max(raster.width, raster.height);
  const [width, height] = [raster.width * scale, raster.height * scale];
  const middle = layout.offset + (matrix.side * layout.scale) / 2;
  const box = { left: middle - width / 2, top: middle - height / 2, width };
  return utf8(svgCode(matrix, layout, look, { raster, box }));
}

/** Pixels on a side of a logo: its box of modules, less a gap of half a module all around. */
function logoRoom(matrix: Matrix, { scale }: Layout): number {
  return logoBoxSide(matrix) * scale - 2 * Math.ceil(scale / 2);
}

function tooSmall({ size, margin, ecc, logo }: QrLook, least: number): ApiError {
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
