/** Two decoders independent of our encoder, and of each other: jsQR and ZBar. */
import { Buffer } from "node:buffer";

import { scanRGBABuffer } from "@undecaf/zbar-wasm";
import jsQr from "jsqr";

import type { Pixels } from "./png.ts";

/** The text that each reads in an image whose code has `pixelsPerModule`; null if it finds none. */
export async function decodeQrCode(
  image: Pixels,
  pixelsPerModule: number,
): Promise<{ jsqr: string | null; zbar: string | null }> {
  // ZBar examines edges between pixels, which modules of one pixel do not have: such a code is enlarged for it.
  const near = pixelsPerModule === 1 ? enlarged(image) : image;
  const [symbol] = await scanRGBABuffer(near.rgba.buffer, near.width, near.height);
  return { jsqr: jsQr(image.rgba, image.width, image.height)?.data ?? null, zbar: symbol?.decode() ?? null };
}

/** Twice as wide and high, four pixels for each. */
function enlarged({ width, height, rgba }: Pixels): Pixels {
  const pixels = new Uint32Array(rgba.buffer);
  const twice = new Uint32Array(pixels.length * 4);
  for (let y = 0; y < height * 2; y++) {
    for (let x = 0; x < width * 2; x++) twice[y * width * 2 + x] = pixels[(y >> 1) * width + (x >> 1)] ?? 0;
  }
  return { width: width * 2, height: height * 2, rgba: new Uint8ClampedArray(twice.buffer) };
}

/** The image on paper of its background color: codes without a margin get one where they are printed. */
export function withMargin({ width, height, rgba }: Pixels, margin: number, color: string): Pixels {
  const paper = 0xff000000 + Buffer.from(color.slice(1), "hex").readUIntLE(0, 3);
  const pixels = new Uint32Array(rgba.buffer);
  const sheet = new Uint32Array((width + 2 * margin) * (height + 2 * margin)).fill(paper);
  for (let y = 0; y < height; y++) {
    sheet.set(pixels.subarray(y * width, (y + 1) * width), (y + margin) * (width + 2 * margin) + margin);
  }
  return { width: width + 2 * margin, height: height + 2 * margin, rgba: new Uint8ClampedArray(sheet.buffer) };
}
