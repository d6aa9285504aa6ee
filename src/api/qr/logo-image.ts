/**
 * Renders logos with resvg, which weighs 1.4 MB: it is loaded by the first code that has a logo. Releases after 2.4 bring
 * fonts and weigh 2.4 MB; no logo has text. The number of pixels is bounded by a budget of CPU time, because the redirects
 * of this isolate wait while resvg renders.
 */
import type * as ResvgModule from "@resvg/resvg-wasm";

import { type ApiError, type Problem, validationFailed } from "../../core/errors.ts";
import { rgbOf } from "../../core/qr/contrast.ts";
import type { Bitmap, Logo } from "../../core/qr/logo.ts";
import { LOGO_SIDE_MAX_PX } from "../../core/qr/logo-cost.ts";
import { compositeOver, type Raster } from "../../core/qr/raster.ts";

/** A logo over its background, at most as large as the room for it. @throws ApiError validation_failed */
export async function drawLogo(logo: Logo, maxSidePx: number, bg: string): Promise<Raster> {
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

/** Wraps a bitmap in an SVG: resvg takes nothing else. */
function wrapBitmap({ type, bytes, width, height }: Bitmap): [root: string, content: string] {
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const image = `<image width="${width}" height="${height}" href="data:${type};base64,${base64}"/>`;
  return [` viewBox="0 0 ${width} ${height}"`, image];
}

/**
 * Frees what it allocates: WebAssembly's memory is not garbage-collected and would leak as long as the isolate lives.
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

/** Whether any pixel is not wholly transparent. @internal */
export function isVisible(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 0) return true;
  return false;
}

let isResvgReady = false;

/**
 * Initialises resvg once in an isolate. Concurrent first requests may each do so, and the last one wins: workerd forbids
 * awaiting another request's promise. No object of resvg is kept across an `await`, so none mixes two initialisations.
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
