/** Content negotiation of errors by `Accept` (RFC 9110, 12.5.1). Pure. */

export const PROBLEM_TYPE = "application/problem+json";
const JSON_TYPE = "application/json";

/** Real headers have about ten ranges. */
const ACCEPT_MAX_CHARS = 2_000;

/** A media range and its weight. */
interface MediaRange {
  range: string;
  q: number;
}

/** Whether a client would rather have `application/problem+json` than `application/json`; of equals it gets the latter. */
export function prefersProblemJson(accept: string): boolean {
  // The many requests that do not name it are not parsed.
  if (!accept.toLowerCase().includes(PROBLEM_TYPE)) return false;
  const ranges = accept.slice(0, ACCEPT_MAX_CHARS).split(",").map(mediaRange);
  return weightOf(PROBLEM_TYPE, ranges) > weightOf(JSON_TYPE, ranges);
}

function mediaRange(text: string): MediaRange {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { range, q: weight === undefined ? 1 : qualityOf(weight) };
}

/** At most three decimals; what is no weight counts as zero, as if the range had not been sent. */
function qualityOf(text: string): number {
  return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

/** By the most specific range that covers the type; 0 when none does. */
function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const covering = [type, "application/*", "*/*"].map((range) => ranges.find((each) => each.range === range));
  return covering.find((each) => each !== undefined)?.q ?? 0;
}
