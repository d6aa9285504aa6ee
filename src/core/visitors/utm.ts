/**
 * The UTM parameters of a visit as facts: the first value of each, in lower case, cut to 64 characters. No other part of
 * the query is stored. Pure.
 */
import type { QueryParameters } from "./visitor.ts";

const UTM_PARAMETERS = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
export type UtmParameter = (typeof UTM_PARAMETERS)[number];

/** Null where the parameter is missing or empty. */
export type UtmFacts = Readonly<Record<UtmParameter, string | null>>;

/** Unicode characters, not UTF-16 code units: no surrogate pair is cut in two. */
export const UTM_MAX_CHARS = 64;

export const NO_UTM: UtmFacts = factsOf(() => null);

export function utmFacts(query: QueryParameters): UtmFacts {
  return factsOf((name) => utmValue(query.get(name)?.values().next().value ?? "") || null);
}

/** Whether a query string has to be parsed for its UTM parameters. Names may be percent-encoded. */
export function mayHaveUtm(search: string): boolean {
  return search !== "" && (search.includes("utm_") || search.includes("%"));
}

/** A value as it is stored and compared; "" when nothing is left of it. */
export function utmValue(text: string): string {
  const normal = normalized(text);
  if (normal.length <= UTM_MAX_CHARS) return normal;
  // A character has at most two code units.
  return Array.from(normal.slice(0, 2 * UTM_MAX_CHARS))
    .slice(0, UTM_MAX_CHARS)
    .join("")
    .trimEnd();
}

/** Whether a visit can have this value: nothing of it would be cut. */
export function isUtmValue(text: string): boolean {
  return utmValue(text) !== "" && utmValue(text) === normalized(text);
}

// oxlint-disable-next-line no-control-regex -- control characters are what is replaced
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Control characters become spaces: a value is one line wherever it is shown. */
function normalized(text: string): string {
  return text.toLowerCase().replace(CONTROL_CHARACTERS, " ").trim();
}

function factsOf(valueOf: (name: UtmParameter) => string | null): UtmFacts {
  return Object.fromEntries(UTM_PARAMETERS.map((name) => [name, valueOf(name)])) as Record<UtmParameter, string | null>;
}
