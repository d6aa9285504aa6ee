/**
 * Recognizes an uploaded image by its bytes, and reads its size from the header. The image is never decoded: a few bytes
 * can expand to gigabytes. Reads each byte at most once, and no bytes make it throw. Pure.
 */
import { jpegFrames, pngSize, type Size } from "../qr/logo-bitmap.ts";
import type { ImageFormat } from "./image-names.ts";

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
