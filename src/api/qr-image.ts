/**
 * Draws codes. Loaded by the first request that makes one, so that nothing else pays for it; and resvg, which weighs
 * 2.4 MB, by the first code with a logo. Resvg draws the logo's own box and nothing more: at 4,096 pixels it would need
 * more memory than an isolate has.
 */
import type * as ResvgModule from "@resvg/resvg-wasm";

import type { CreateQrCode } from "../core/contract.ts";
import { ApiError, type Problem, validationFailed } from "../core/errors.ts";
import { rgbOf } from "../core/qr/contrast.ts";
import { type Logo, LOGO_SVG_MAX_PX, parseLogo, svgSizeFault } from "../core/qr/logo.ts";
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
import { overBackground, type Raster } from "../core/qr/raster.ts";
import { svgCode } from "../core/qr/svg.ts";

/** Grid on which a logo is drawn in an SVG. */
const SVG_LOGO_GRID = 192;

export type QrLook = Omit<CreateQrCode, "link_id">;

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
  if (look.format === "png") return logoPng(matrix, layout, look, await drawLogo(look.logo, room, look.bg));
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

async function drawLogo(uri: string, room: number, bg: string): Promise<Raster> {
  const logo = parseLogo(uri);
  if ("fault" in logo) throw badLogo(logo.fault);
  const { Resvg } = await renderer();
  const svg = logo.type === "image/svg+xml" ? logo.bytes : wrapped(logo);
  try {
    const natural = new Resvg(svg, { font: { loadSystemFonts: false } });
    const { width, height } = natural;
    natural.free();
    if (!(width <= LOGO_SVG_MAX_PX && height <= LOGO_SVG_MAX_PX)) throw badLogo(svgSizeFault());
    const fitTo = { mode: width >= height ? "width" : "height", value: room } as const;
    const drawing = new Resvg(svg, { fitTo, font: { loadSystemFonts: false } });
    const image = drawing.render();
    const { width: drawnWidth, height: drawnHeight, pixels } = image;
    image.free();
    drawing.free();
    if (drawnWidth > room || drawnHeight > room) throw badLogo("has proportions that do not fit a square");
    // A damaged image is passed over by the renderer in silence.
    if (!pixels.some((value, i) => i % 4 === 3 && value > 0)) throw badLogo("has nothing to be seen on it");
    return overBackground(drawnWidth, drawnHeight, pixels, rgbOf(bg));
  } catch (error) {
    throw error instanceof ApiError ? error : badLogo("cannot be drawn: the image is damaged or empty");
  }
}

/** Resvg draws SVG only. */
function wrapped({ type, bytes, width, height }: Exclude<Logo, { type: "image/svg+xml" }>): string {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const size = `width="${width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image ${size} href="data:${type};base64,${base64}"/></svg>`;
}

let isReady = false;

/**
 * Resvg, made ready once in an isolate. Requests that come first at the same time may each do it, the last one counts:
 * none may wait for another's promise. Nothing of resvg's is kept across an `await`, so none draws with half of each.
 */
async function renderer(): Promise<typeof ResvgModule> {
  const resvg = await import("@resvg/resvg-wasm");
  if (isReady) return resvg;
  const { default: wasm } = await import("@resvg/resvg-wasm/index_bg.wasm");
  try {
    await resvg.initWasm(wasm);
  } catch (error) {
    if (!isReady) throw error;
  }
  isReady = true;
  return resvg;
}

function tooSmall({ size, margin, ecc, logo }: QrLook, least: number): ApiError {
  const level = logo === undefined ? ecc : "H";
  const message = `size must be at least ${least} pixels for this link with margin ${margin} and ecc ${level}, got ${size}`;
  return new ApiError("size_too_small", message, {
    param: "size",
    errors: [{ path: "size", code: "size_too_small", message }],
  });
}

function badLogo(fault: string): ApiError {
  const problem: Problem = { path: "logo", code: "invalid_value", message: `logo ${fault}` };
  return validationFailed([problem]);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
