/**
 * What a request accepts (content negotiation by `Accept`, RFC 9110, 12.5.1), and its body, of bounded length. Pure.
 */

export const PROBLEM_TYPE = "application/problem+json";
export const JSON_TYPE = "application/json";

/** Real headers have about ten ranges. */
const ACCEPT_MAX_CHARS = 2_000;

/** A media range and its weight. */
interface MediaRange {
  range: string;
  q: number;
}

/** Whether a client prefers `application/problem+json` to `application/json`. Equal weights select the latter. */
export function prefersProblemJson(accept: string): boolean {
  // Most requests do not name it, and are not parsed.
  if (!accept.toLowerCase().includes(PROBLEM_TYPE)) return false;
  return preferredType(accept, [JSON_TYPE, PROBLEM_TYPE]) === PROBLEM_TYPE;
}

/**
 * The type that a client prefers; the first if several have equal weight.
 * @param types  the first one is also for clients that accept none of them
 */
export function preferredType<T extends string>(accept: string, types: readonly [T, ...T[]]): T {
  const ranges = accept.slice(0, ACCEPT_MAX_CHARS).split(",").map(mediaRange);
  const weights = types.map((type) => weightOf(type, ranges));
  return types[weights.indexOf(Math.max(...weights))] ?? types[0];
}

function mediaRange(text: string): MediaRange {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { range, q: weight === undefined ? 1 : qualityOf(weight) };
}

/** Parses a weight with at most three decimals. An invalid one counts as zero, as if the range had not been sent. */
function qualityOf(text: string): number {
  return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

/** The weight of the most specific range that covers the type; 0 if none does. */
function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const covering = [type, type.replace(/\/.*/, "/*"), "*/*"].map((range) =>
    ranges.find((each) => each.range === range),
  );
  return covering.find((each) => each !== undefined)?.q ?? 0;
}

/** Reads a body, and stops at the limit. @returns null beyond it */
export async function readUpTo(
  maxBytes: number,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Blob | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
}
