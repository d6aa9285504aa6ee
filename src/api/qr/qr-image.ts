import type * as ResvgModule from "@resvg/resvg-wasm";
import type { CreateQrCode } from "../../core/contract/qr-codes.ts";
import { utf8 } from "../../core/encoding/bytes.ts";
import { ApiError, type Problem, validationFailed } from "../../core/errors.ts";
import { compositeOver, type Raster, resized, rgbOf } from "../../core/qr/colors.ts";
import { LOGO_SIDE_MAX_PX } from "../../core/qr/logo-cost.ts";
import type { Logo, Bitmap } from "../../core/qr/logo.ts";
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
import { qrSvg } from "../../core/qr/svg.ts";

/** Draws QR codes. Imported by the first request that creates one, so that other requests do not pay for loading it. */

/** Side, in pixels, of the grid on which a logo is drawn in an SVG. */
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

/** Side of a logo in pixels: its box of modules, less a gap of half a module on every side. */
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

/**
 * Renders logos with resvg. At 1.4 MB, it is loaded only when the first code with a logo is created. Releases after 2.4
 * include fonts and weigh 2.4 MB; logos have no text. The number of pixels is bounded by a budget of CPU time, because
 * this isolate's redirects wait while resvg renders.
 */

/** A logo over its background, at most as large as the room for it. @throws ApiError validation_failed */
async function drawLogo(logo: Logo, maxSidePx: number, bg: string): Promise<Raster> {
  const { Resvg } = await loadResvg();
  const { width, height, pixels } = renderSvg(Resvg, svgOf(logo, maxSidePx));
  // Resvg skips a damaged image without an error.
  if (!isVisible(pixels)) throw invalidLogo("has nothing to be seen on it");
  return compositeOver(width, height, pixels, rgbOf(bg));
}

/** The SVG that resvg renders, at most `maxSidePx` on its longer side. @internal */
export function svgOf(logo: Logo, maxSidePx: number): string {
  const side = Math.min(maxSidePx, "maxSidePx" in logo ? logo.maxSidePx : LOGO_SIDE_MAX_PX);
  const scale = side / Math.max(logo.width, logo.height);
  const [width, height] = [logo.width, logo.height].map((px) => Math.max(1, Math.round(px * scale)));
  const [root, content] = "maxSidePx" in logo ? [logo.root, logo.content] : wrapBitmap(logo);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"${root}>${content}</svg>`;
}

/** Wraps a bitmap in an SVG, the only input that resvg accepts. */
function wrapBitmap({ type, bytes, width, height }: Bitmap): [root: string, content: string] {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const image = `<image width="${width}" height="${height}" href="data:${type};base64,${base64}"/>`;
  return [` viewBox="0 0 ${width} ${height}"`, image];
}

/**
 * Frees what it allocates: WebAssembly's memory is not garbage-collected and would leak for the isolate's lifetime.
 * @internal
 */
export function renderSvg(Resvg: (typeof ResvgModule)["Resvg"], svg: string) {
  try {
    const drawing = new Resvg(svg);
    try {
      const image = drawing.render();
      try {
        return { width: image.width, height: image.height, pixels: image.pixels };
      } finally {
        image.free();
      }
    } finally {
      drawing.free();
    }
  } catch {
    throw invalidLogo("cannot be drawn: the image is damaged or empty");
  }
}

/** Whether any pixel is not fully transparent. @internal */
export function isVisible(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 0) return true;
  return false;
}

let isResvgReady = false;

/**
 * Initializes resvg once per isolate. Concurrent first requests may each do so, and the last one wins: workerd forbids
 * awaiting another request's promise. No resvg object is kept across an `await`, so none mixes two initializations.
 */
async function loadResvg(): Promise<typeof ResvgModule> {
  const resvg = await import("@resvg/resvg-wasm");
  if (isResvgReady) return resvg;
  const { default: wasm } = await import("@resvg/resvg-wasm/index_bg.wasm");
  try {
    await resvg.initWasm(wasm);
  } catch (error) {
    if (!isResvgReady) throw error;
  }
  isResvgReady = true;
  return resvg;
}

function invalidLogo(fault: string): ApiError {
  const problem: Problem = { path: "logo", code: "invalid_value", message: `logo ${fault}` };
  return validationFailed([problem]);
}
