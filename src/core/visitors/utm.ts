/**
 * The UTM parameters of a visit as facts: the first value of each, in lower case, cut to 64 characters. No other part
 * of the query is stored. Pure.
 */
export const UTM_PARAMETERS = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
export type UtmParameter = (typeof UTM_PARAMETERS)[number];

/** Null if the parameter is missing or empty. */
export type UtmFacts = Readonly<Record<UtmParameter, string | null>>;

/** Unicode characters, not UTF-16 code units: no surrogate pair is cut in two. */
export const UTM_MAX_CHARS = 64;

/** @internal */
export const NO_UTM: UtmFacts = factsOf(() => null);

/** @param firstOf  the first value of a parameter */
export function utmFacts(firstOf: (name: UtmParameter) => string | null | undefined): UtmFacts {
  return factsOf((name) => utmValue(firstOf(name) ?? "") || null);
}

/**
 * The facts of a query string. It is parsed only if a name begins with `u`, which may be percent-encoded: other
 * queries, however long, cost one scan.
 */
export function utmFactsOf(search: string): UtmFacts {
  if (search === "" || !/(?:^|&)(?:u|%75)/.test(search)) return NO_UTM;
  const parameters = new URLSearchParams(search);
  return utmFacts((name) => parameters.get(name));
}

/** A value as stored and compared; "" if nothing is left of it. */
export function utmValue(text: string): string {
  const normal = normalized(text);
  // A character has at most two code units. Unlike a slice, a newly joined text does not keep the whole query string in
  // memory.
  return Array.from(normal.slice(0, 2 * UTM_MAX_CHARS))
    .slice(0, UTM_MAX_CHARS)
    .join("")
    .trimEnd();
}

/** Whether a visit can have this value: none of it would be cut. */
export function isUtmValue(text: string): boolean {
  return utmValue(text) !== "" && utmValue(text) === normalized(text);
}

// oxlint-disable-next-line no-control-regex -- the pattern replaces control characters deliberately
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Control characters become spaces, so that a value is always shown as one line, with its characters in order. */
function normalized(text: string): string {
  return text.toLowerCase().replace(CONTROL_CHARACTERS, " ").trim();
}

function factsOf(valueOf: (name: UtmParameter) => string | null): UtmFacts {
  return Object.fromEntries(UTM_PARAMETERS.map((name) => [name, valueOf(name)])) as Record<UtmParameter, string | null>;
}
