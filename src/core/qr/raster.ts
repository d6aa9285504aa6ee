/** Pixels of a logo, laid over the code's background. Pure. */
import type { Rgb } from "./contrast.ts";

/** Opaque pixels, three bytes each, row by row. */
export interface Raster {
  width: number;
  height: number;
  rgb: Uint8Array;
}

/** @param rgba  premultiplied, as renderers keep it */
export function overBackground(width: number, height: number, rgba: Uint8Array, background: Rgb): Raster {
  const rgb = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const rest = 1 - (rgba[pixel * 4 + 3] ?? 0) / 255;
    for (const [channel, behind] of background.entries()) {
      rgb[pixel * 3 + channel] = Math.min(255, Math.round((rgba[pixel * 4 + channel] ?? 0) + behind * rest));
    }
  }
  return { width, height, rgb };
}
