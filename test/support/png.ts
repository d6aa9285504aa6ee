/**
 * Reads a PNG strictly by its specification (third edition), with Node's zlib, so that any mistake of an encoder fails
 * here. Knows the two kinds that codes have: palette with one bit, and true color with eight.
 */
import { Buffer } from "node:buffer";
import { crc32, inflateSync } from "node:zlib";

export interface Pixels {
  width: number;
  height: number;
  rgba: Uint8ClampedArray<ArrayBuffer>;
}

const SIGNATURE = "89504e470d0a1a0a";

/** @throws Error that names the first error */
export function readPng(bytes: Uint8Array): Pixels {
  const chunks = chunksOf(Buffer.from(bytes));
  const order = chunks.map(({ type }) => type).join(" ");
  const header = chunks[0]?.data ?? Buffer.alloc(0);
  assertPng(header.length === 13, "IHDR has 13 bytes");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bitDepth, colorType, ...methods] = header.subarray(8);
  assertPng(methods.join() === "0,0,0", "compression, filter and interlace are 0");
  const isPalette = bitDepth === 1 && colorType === 3;
  assertPng(isPalette || (bitDepth === 8 && colorType === 2), "one bit of palette or eight of true color");
  assertPng(order === (isPalette ? "IHDR PLTE IDAT IEND" : "IHDR IDAT IEND"), `chunks are in order: ${order}`);
  const palette = isPalette ? (chunks[1]?.data ?? Buffer.alloc(0)) : null;
  assertPng(!palette || palette.length === 6, "a palette of two colors");
  const data = chunks.find(({ type }) => type === "IDAT")?.data ?? Buffer.alloc(0);
  assertPng(chunks.at(-1)?.data.length === 0, "IEND is empty");
  const { buffer: raw, engine } = inflateSync(data, { info: true }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  assertPng(engine.bytesWritten === data.length, "no bytes follow the compressed data");
  const rowBytes = isPalette ? Math.ceil(width / 8) : width * 3;
  assertPng(raw.length === height * (rowBytes + 1), "as many rows as the header says");
  const rows = unfiltered(raw, height, rowBytes, isPalette ? 1 : 3);
  return { width, height, rgba: palette ? fromPalette(rows, width, rowBytes, palette) : fromTrueColor(rows) };
}

function chunksOf(bytes: Buffer): { type: string; data: Buffer }[] {
  assertPng(bytes.subarray(0, 8).toString("hex") === SIGNATURE, "the signature");
  const chunks = [];
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    assertPng(at + 12 + length <= bytes.length, `${type} ends within the file`);
    assertPng(
      bytes.readUInt32BE(at + 8 + length) === crc32(bytes.subarray(at + 4, at + 8 + length)),
      `the CRC of ${type}`,
    );
    chunks.push({ type, data: bytes.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function unfiltered(raw: Buffer, height: number, rowBytes: number, pixelBytes: number): Uint8Array[] {
  const rows: Uint8Array[] = [];
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (rowBytes + 1)];
    const row = Uint8Array.from(raw.subarray(y * (rowBytes + 1) + 1, (y + 1) * (rowBytes + 1)));
    const above = rows.at(-1);
    assertPng(filter === 0 || filter === 1 || filter === 2, "filter None, Sub or Up");
    if (filter === 1) for (let x = pixelBytes; x < rowBytes; x++) row[x] = (row[x] ?? 0) + (row[x - pixelBytes] ?? 0);
    if (filter === 2 && above) for (let x = 0; x < rowBytes; x++) row[x] = (row[x] ?? 0) + (above[x] ?? 0);
    rows.push(row);
  }
  return rows;
}

function fromPalette(
  rows: Uint8Array[],
  width: number,
  rowBytes: number,
  palette: Buffer,
): Uint8ClampedArray<ArrayBuffer> {
  const words = Uint32Array.from([0, 1], (i) => 0xff000000 + palette.readUIntLE(i * 3, 3));
  const pixels = new Uint32Array(rows.length * width);
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < width; x++) pixels[y * width + x] = words[((row[x >> 3] ?? 0) >> (7 - (x & 7))) & 1] ?? 0;
    const spare = rowBytes * 8 - width;
    assertPng(((row.at(-1) ?? 0) & ((1 << spare) - 1)) === 0, "spare bits are 0");
  }
  return new Uint8ClampedArray(pixels.buffer);
}

function fromTrueColor(rows: Uint8Array[]): Uint8ClampedArray<ArrayBuffer> {
  const width = (rows[0]?.length ?? 0) / 3;
  const rgba = new Uint8ClampedArray(rows.length * width * 4).fill(255);
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < width; x++) rgba.set(row.subarray(x * 3, x * 3 + 3), (y * width + x) * 4);
  }
  return rgba;
}

function assertPng(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`not a good PNG: ${rule}`);
}
