/**
 * Reads the headers of an image before a decoder sees it, or instead of decoding it: a few bytes can expand to a
 * million pixels, to a 64 MB color profile, or to thousands of passes over the image. Reads each byte at most once, and
 * no bytes make it throw. Pure.
 */
import type { ImageFormat } from "./image-names.ts";

interface Size {
  width: number;
  height: number;
}

const PNG_SIGNATURE_BYTES = 8;
/** Bytes of a chunk's length, type and checksum. */
const CHUNK_FRAME_BYTES = 12;

export function pngSize(bytes: Uint8Array): Size | null {
  const view = dataViewOf(bytes);
  const isPng = bytes.length > 33 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a;
  if (!isPng || view.getUint32(12) !== 0x49484452) return null;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/**
 * The chunks that a decoder needs. Others (profiles, texts) are compressed and can expand to 1,000 times their size.
 */
const IMAGE_CHUNKS: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);

/**
 * Removes all chunks except `IMAGE_CHUNKS`.
 * @param png  with a valid signature and header
 */
export function stripAncillaryChunks(png: Uint8Array): Uint8Array {
  const view = dataViewOf(png);
  const plain = new Uint8Array(png.length);
  plain.set(png.subarray(0, PNG_SIGNATURE_BYTES));
  let end = PNG_SIGNATURE_BYTES;
  for (let at = PNG_SIGNATURE_BYTES; at + CHUNK_FRAME_BYTES <= png.length;) {
    const next = at + CHUNK_FRAME_BYTES + view.getUint32(at);
    const chunk = png.subarray(at, next);
    if (IMAGE_CHUNKS.has(String.fromCharCode(...chunk.subarray(4, 8)))) {
      plain.set(chunk, end);
      end += chunk.length;
    }
    at = next;
  }
  return plain.subarray(0, end);
}

/** The size in the frame header; null when there is not exactly one frame. */
export function jpegSize(bytes: Uint8Array): Size | null {
  const [first, second] = jpegFrames(bytes);
  return second ? null : (first ?? null);
}

/** The sizes in frame headers: SOF0 to SOF15, without the four markers in that range that are not frames. */
function* jpegFrames(bytes: Uint8Array): Generator<Size> {
  const view = dataViewOf(bytes);
  for (const { marker, at } of segments(bytes)) {
    if (isFrame(marker) && at + 9 <= bytes.length)
      yield { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
}

const START_OF_SCAN = 0xda;

/** The number of scans: a decoder processes all pixels for each. */
export function jpegScans(bytes: Uint8Array): number {
  return [...segments(bytes)].filter(({ marker }) => marker === START_OF_SCAN).length;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/**
 * The markers of a JPEG with the position of their 0xff. Scan data is skipped by searching for the next marker: within
 * a scan, 0xff is followed only by 0x00 or a restart marker.
 */
function* segments(bytes: Uint8Array): Generator<{ marker: number; at: number }> {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return;
  const view = dataViewOf(bytes);
  for (let at = bytes.indexOf(0xff, 2); at >= 0 && at + 4 <= bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = view.getUint8(at + 1);
    const isSegment = marker !== 0xff && marker > 0x01 && !(marker >= 0xd0 && marker <= 0xd9);
    if (isSegment) yield { marker, at };
    at += marker === 0xff ? 1 : isSegment ? 2 + view.getUint16(at + 2) : 2;
  }
}

function dataViewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The header of an uploaded image, which is never decoded. */
export interface ImageHeader extends Size {
  format: Exclude<ImageFormat, "svg">;
}

/** @returns null for anything but a PNG, JPEG or WebP image, and for one without pixels */
export function readImageHeader(bytes: Uint8Array): ImageHeader | null {
  const header = headerOf(bytes);
  return header && header.width > 0 && header.height > 0 ? header : null;
}

function headerOf(bytes: Uint8Array): ImageHeader | null {
  const png = pngSize(bytes);
  if (png) return { format: "png", ...png };
  const [jpeg] = jpegFrames(bytes);
  if (jpeg) return { format: "jpg", ...jpeg };
  const webp = webpSize(bytes);
  return webp && { format: "webp", ...webp };
}

/** Bytes of a WebP file up to the end of the longest header. */
const WEBP_HEADER_BYTES = 30;

/** The size in the first chunk: lossy (RFC 6386, 9.1), lossless, or extended (RFC 9649). */
function webpSize(bytes: Uint8Array): Size | null {
  if (bytes.length < WEBP_HEADER_BYTES || textAt(bytes, 0) !== "RIFF" || textAt(bytes, 8) !== "WEBP") return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (textAt(bytes, 12)) {
    case "VP8 ":
      if (view.getUint8(23) !== 0x9d || view.getUint16(24) !== 0x012a) return null;
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return view.getUint8(20) === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : null;
    }
    case "VP8X":
      return { width: (view.getUint32(24, true) & 0xffffff) + 1, height: (view.getUint32(26, true) >>> 8) + 1 };
    default:
      return null;
  }
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
