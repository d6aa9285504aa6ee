/**
 * The facts of a click, listed once. Types, the columns of batches, statistics, the click log's wire shape and the
 * dashboard's names follow from this list, or do not compile without a new entry. Pure.
 */
import type { ClickClass } from "../visitors/visitor.ts";

/** Keys of clicks for which a fact is not known, or does not apply. */
export const UNKNOWN_KEY = "unknown";
export const DIRECT_KEY = "direct";
export const NONE_KEY = "none";

interface FactKind {
  /** The key that statistics, click log and stream use when the fact is not known. */
  unknownKey: string;
  /** For the API's reference. */
  example: string;
}

/** The facts stored of a visit. A name is the same in code, in tables and on the wire. */
const VISIT_FACTS = {
  country: { unknownKey: UNKNOWN_KEY, example: "DE" },
  continent: { unknownKey: UNKNOWN_KEY, example: "EU" },
  region: { unknownKey: UNKNOWN_KEY, example: "DE-BE" },
  city: { unknownKey: UNKNOWN_KEY, example: "Berlin" },
  device: { unknownKey: UNKNOWN_KEY, example: "mobile" },
  os: { unknownKey: UNKNOWN_KEY, example: "ios" },
  browser: { unknownKey: UNKNOWN_KEY, example: "safari" },
  language: { unknownKey: UNKNOWN_KEY, example: "de-DE" },
  referrer: { unknownKey: DIRECT_KEY, example: DIRECT_KEY },
} as const satisfies Record<string, FactKind>;

export type VisitFact = keyof typeof VISIT_FACTS;

/** The facts of a visit that a click stores; null is "not known". */
export interface VisitFacts extends Readonly<Record<VisitFact, string | null>> {
  /** When the destination was chosen, epoch ms. */
  readonly at: number;
  readonly class: ClickClass;
}

/** A click before it is packed. */
export interface NewClick {
  readonly visit: VisitFacts;
  /** Index of the rule that matched, as text; null when none did. */
  readonly rule: string | null;
  /** Id of the scanned QR code; null when the visit was not a scan. */
  readonly qr: string | null;
}

/** The fields of a click in batches, besides its time. */
export type ClickField = "class" | VisitFact | "qr" | "rule";

/** The fields by which clicks are counted. `route` is `<revision>.<rule>`. */
export type StoredField = VisitFact | "qr" | "route";

/** @param rule  index of the rule that matched, or -1 */
export function clickOf(visit: VisitFacts, rule: number, qr: string | null): NewClick {
  return { visit, rule: rule < 0 ? null : String(rule), qr };
}

/** The key of a stored fact; "" is "not known". */
export function factKey(fact: VisitFact, value: string): string {
  return value || VISIT_FACTS[fact].unknownKey;
}

export function factExample(fact: VisitFact): string {
  return VISIT_FACTS[fact].example;
}

/** An object with a member for each fact, in their order. */
export function mapFacts<T>(valueOf: (fact: VisitFact) => T): Record<VisitFact, T> {
  const entries = Object.keys(VISIT_FACTS).map((fact) => [fact, valueOf(fact as VisitFact)]);
  return Object.fromEntries(entries) as Record<VisitFact, T>;
}
