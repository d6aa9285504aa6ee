/**
 * Parses a logo from a data URI: a small PNG or JPEG, or an SVG of plain shapes. Linear in the length of the text;
 * renderers see only the result. Every reason for a refusal is reported to the caller. Pure.
 */
import { jpegScans, jpegSize, pngSize, stripAncillaryChunks } from "../images/image-headers.ts";
import { LOGO_MAX_BYTES } from "../limits.ts";
import { type SanitizedSvg, sanitizeSvg } from "./logo-sanitizer.ts";
import type { Fault } from "./logo-attributes.ts";

/** Largest side of a PNG or JPEG: decoding takes four bytes per pixel. */
const LOGO_MAX_PX = 1_024;

/** Scans of a progressive JPEG: decoding processes all pixels for each. Encoders write 10, rarely more than 15. */
const JPEG_MAX_SCANS = 20;

export interface Bitmap {
  type: "image/png" | "image/jpeg";
  bytes: Uint8Array;
  width: number;
  height: number;
}

export type Logo = Bitmap | ({ type: "image/svg+xml" } & SanitizedSvg);

/** @returns the logo in a data URI, or its problem, worded to follow "logo" */
export function parseLogo(uri: string): Logo | Fault {
  const [, type, parameters = "", data = ""] =
    /^data:(image\/(?:png|jpeg|svg\+xml))((?:;[^;,]*)*),(.*)$/is.exec(uri) ?? [];
  if (!type) return { fault: "must be a data URI of type image/png, image/jpeg or image/svg+xml" };
  const bytes = decoded(data, /;base64$/i.test(parameters));
  if (!bytes) return { fault: "must be a well-formed data URI" };
  if (bytes.length > LOGO_MAX_BYTES) return { fault: `must have at most ${LOGO_MAX_BYTES} bytes` };
  if (/svg/i.test(type)) return svgLogo(bytes);
  return /png/i.test(type) ? pngLogo(bytes) : jpegLogo(bytes);
}

/** A longer text exceeds `LOGO_MAX_BYTES` in base64 as well as percent-encoded. */
const DATA_MAX_CHARS = 3 * LOGO_MAX_BYTES;

function decoded(data: string, isBase64: boolean): Uint8Array | null {
  if (data.length > DATA_MAX_CHARS) return new Uint8Array(LOGO_MAX_BYTES + 1);
  try {
    if (!isBase64) return new TextEncoder().encode(decodeURIComponent(data));
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

function svgLogo(bytes: Uint8Array): Logo | Fault {
  const text = utf8(bytes);
  if (text === null) return { fault: "must be an SVG in UTF-8" };
  const svg = sanitizeSvg(text);
  return "fault" in svg ? svg : { type: "image/svg+xml", ...svg };
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}

function pngLogo(bytes: Uint8Array): Bitmap | Fault {
  const size = pngSize(bytes);
  if (!size) return { fault: "is not an image of type image/png" };
  return sizeFault(size) ?? { type: "image/png", bytes: stripAncillaryChunks(bytes), ...size };
}

function jpegLogo(bytes: Uint8Array): Bitmap | Fault {
  const size = jpegSize(bytes);
  if (!size) return { fault: "is not an image of type image/jpeg" };
  if (jpegScans(bytes) > JPEG_MAX_SCANS) return { fault: `must have at most ${JPEG_MAX_SCANS} scans` };
  return sizeFault(size) ?? { type: "image/jpeg", bytes, ...size };
}

function sizeFault({ width, height }: { width: number; height: number }): Fault | null {
  if (width >= 1 && height >= 1 && width <= LOGO_MAX_PX && height <= LOGO_MAX_PX) return null;
  return { fault: `must be at most ${LOGO_MAX_PX} pixels wide and high, but is ${width} by ${height}` };
}
