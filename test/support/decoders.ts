/** Three decoders independent of our encoder, and of each other: jsQR, ZBar and ZXing. */
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";

import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { scanRGBABuffer } from "@undecaf/zbar-wasm";
import jsQr from "jsqr";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

import type { Pixels } from "./png.ts";

type Decoder = "jsqr" | "zbar" | "zxing";

/** The text that each reads in an image whose code has `pixelsPerModule`; null if it finds none. */
export async function decodeQrCode(image: Pixels, pixelsPerModule: number): Promise<Record<Decoder, string | null>> {
  // ZBar examines edges between pixels, which modules of one pixel do not have: such a code is enlarged for it.
  const near = pixelsPerModule === 1 ? enlarged(image) : image;
  const [symbol] = await scanRGBABuffer(near.rgba.buffer, near.width, near.height);
  return {
    jsqr: jsQr(image.rgba, image.width, image.height, { inversionAttempts: "dontInvert" })?.data ?? null,
    zbar: symbol?.decode() ?? null,
    zxing: await readByZxing(image),
  };
}

/** What `decodeQrCode` returns if all decoders read this text. */
export function readByAll(text: string): Record<Decoder, string> {
  return { jsqr: text, zbar: text, zxing: text };
}

async function readByZxing(image: Pixels): Promise<string | null> {
  return (await readAllCodes(image))[0] ?? null;
}

/** The texts of all codes that ZXing finds. */
export async function readAllCodes({ width, height, rgba }: Pixels): Promise<string[]> {
  const wasm = new URL("../../node_modules/zxing-wasm/dist/reader/zxing_reader.wasm", import.meta.url);
  zxing ??= prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm).buffer }, fireImmediately: true });
  await zxing;
  const symbols = await readBarcodes(
    { data: rgba, width, height, colorSpace: "srgb" },
    { formats: ["QRCode"], tryRotate: false, tryInvert: false },
  );
  return symbols.map(({ text }) => text);
}

let zxing: Promise<unknown> | undefined;

/** The pixels of an SVG as resvg draws it. */
export async function drawSvg(svg: string): Promise<Pixels> {
  resvg ??= initWasm(readFileSync(new URL("../../node_modules/@resvg/resvg-wasm/index_bg.wasm", import.meta.url)));
  await resvg;
  const drawing = new Resvg(svg);
  const image = drawing.render();
  const pixels = { width: image.width, height: image.height, rgba: new Uint8ClampedArray(image.pixels) };
  image.free();
  drawing.free();
  return pixels;
}

let resvg: Promise<unknown> | undefined;

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
