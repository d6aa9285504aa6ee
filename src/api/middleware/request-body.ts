/** Reads the body of a request: checks media type, encoding, size and syntax, and ignores its meaning. */
import { canonicalJson, JSON_DEPTH_MAX, jsonTextProblems } from "../../core/contract/primitives.ts";
import { ApiError, type Problem } from "../../core/errors.ts";
import { readUpTo } from "../../core/http/requests.ts";
import { BODY_MAX_BYTES } from "../../core/limits.ts";

/**
 * Bytes decoded at a time. A decompression stream buffers the whole output of each write, up to 1,032 times its size,
 * whether it is read or not.
 */
const GZIP_PIECE_BYTES = 1_024;

export interface JsonBody {
  value: unknown;
  /** Problems of names that the parsed value does not show. */
  problems: Problem[];
  /** Equal for all spellings of the same value. */
  canonical: () => string;
}

/** @throws ApiError unsupported_media_type, payload_too_large, invalid_json */
export async function readJsonBody(request: Request, maxBytes?: number): Promise<JsonBody> {
  const type = request.headers.get("Content-Type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new ApiError("unsupported_media_type", "The body must be JSON. Send it with Content-Type: application/json.");
  }
  const bytes = await readBoundedBody(request, maxBytes);
  const text = utf8Text(await bytes.arrayBuffer());
  const value = parseJson(text);
  const problems = jsonTextProblems(text);
  if (!problems) {
    throw new ApiError("invalid_json", `The body is nested too deeply. Use at most ${JSON_DEPTH_MAX} levels.`);
  }
  return { value, problems, canonical: () => canonicalJson(value) };
}

/**
 * The decoded body.
 * @throws ApiError unsupported_media_type, payload_too_large, invalid_json if the gzip data is damaged
 */
export async function readBoundedBody(request: Request, maxBytes = BODY_MAX_BYTES): Promise<Blob> {
  const isGzip = isGzipEncoded(request.headers.get("Content-Encoding") ?? "");
  const sent = await sentBytes(request, maxBytes);
  return isGzip ? ((await readUpTo(maxBytes, gunzip(sent))) ?? throwTooLarge(maxBytes)) : sent;
}

/** The declared length may be false, so the bytes are counted too. */
async function sentBytes(request: Request, maxBytes: number): Promise<Blob> {
  const isTooLong = Number(request.headers.get("Content-Length") ?? 0) > maxBytes;
  return (isTooLong ? null : await readUpTo(maxBytes, request.body ?? [])) ?? throwTooLarge(maxBytes);
}

function throwTooLarge(maxBytes: number): never {
  throw new ApiError("payload_too_large", `The body is too large. Send at most ${maxBytes} bytes.`);
}

/** JSON without encoding, of any media type. @throws ApiError payload_too_large, invalid_json */
export async function readBoundedJson(request: Request, maxBytes: number): Promise<unknown> {
  return parseJson(new TextDecoder().decode(await readBoundedBytes(request, maxBytes)));
}

/** The body as sent. @throws ApiError payload_too_large */
export async function readBoundedBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  return (await sentBytes(request, maxBytes)).bytes();
}

/** @throws ApiError unsupported_media_type for other encodings than identity and gzip */
function isGzipEncoded(contentEncoding: string): boolean {
  const codings = contentEncoding
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length === 0) return false;
  // RFC 9110, 8.4.1.3: x-gzip is another name of gzip.
  if (codings.length === 1 && (codings[0] === "gzip" || codings[0] === "x-gzip")) return true;
  throw new ApiError("unsupported_media_type", "This Content-Encoding is not supported. Use gzip, or omit it.", {
    param: "Content-Encoding",
    headers: { "Accept-Encoding": "gzip" },
  });
}

/** Decodes piece by piece, so that a reader who stops early has paid for little more than it read. */
async function* gunzip(compressed: Blob): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream("gzip");
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  try {
    let next = handled(reader.read());
    for (let at = 0; at < compressed.size; at += GZIP_PIECE_BYTES) {
      await writer.write(await compressed.slice(at, at + GZIP_PIECE_BYTES).arrayBuffer());
      // The stream does not report the end of a piece: it is read when nothing arrives within a turn of the event loop.
      for (let chunk = await orNull(next); chunk?.value; chunk = await orNull(next)) {
        yield chunk.value;
        next = handled(reader.read());
      }
    }
    const closed = handled(writer.close());
    for (let chunk = await next; chunk.value; chunk = await reader.read()) yield chunk.value;
    await closed;
  } catch {
    throw new ApiError("invalid_json", "The body is not valid gzip.");
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * Returns the same promise. If another call already threw its error, this one does not become an unhandled rejection.
 */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function orNull<T>(pending: Promise<T>): Promise<T | null> {
  return Promise.race([pending, scheduler.wait(0).then(() => null)]);
}

/** Refuses other encodings (RFC 8259, 8.1), which would be decoded to characters that were not sent. */
function utf8Text(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new ApiError("invalid_json", "The body is not valid UTF-8.");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, TO_STRING.test(text) ? comparable : undefined);
  } catch {
    throw new ApiError("invalid_json", "The body is not valid JSON.");
  }
}

/** Matches every text with a member named `toString`, even if its letters are escaped. */
const TO_STRING = /toString|\\u00[567]/;

/**
 * A reviver. A member named `toString` hides the method, so that comparing the object throws a TypeError. Zod compares
 * the `length` of any value that has one.
 */
function comparable(_name: string, value: unknown): unknown {
  if (typeof value === "object" && value !== null && Object.hasOwn(value, "toString")) {
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => Number.NaN });
  }
  return value;
}

/** The same JSON without members named `toString`, for other parsers. Returns text that is not JSON unchanged. */
export function withoutToString(text: string): string {
  if (!TO_STRING.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text, (name, value: unknown) => (name === "toString" ? undefined : value)));
  } catch {
    return text;
  }
}
