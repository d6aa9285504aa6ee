/**
 * The facts of a click, listed once. Types, the columns of batches, statistics, the click log's wire shape and the
 * dashboard's names follow from this list, or do not compile without a new entry. Pure.
 */
import { UNKNOWN_VISITOR, type VisitorIdentity } from "../visitors/visitor-hashes.ts";
import type { ClickClass } from "../visitors/fact-values.ts";

/** Keys of clicks for which a fact is not known, or does not apply. */
export const UNKNOWN_KEY = "unknown";
export const DIRECT_KEY = "direct";
export const NONE_KEY = "none";

interface FactKind {
  /** What statistics, click log and stream say where the fact is not known. */
  unknownKey: string;
  /** For the API's reference. */
  example: string;
  /** Whether its values are codes of a short list, which no visitor can extend. */
  isCode?: true;
}

/** What is stored of a visit, by name: the same in code, in tables and on the wire. */
const VISIT_FACTS = {
  country: { unknownKey: UNKNOWN_KEY, example: "DE", isCode: true },
  continent: { unknownKey: UNKNOWN_KEY, example: "EU", isCode: true },
  region: { unknownKey: UNKNOWN_KEY, example: "DE-BE" },
  city: { unknownKey: UNKNOWN_KEY, example: "Berlin" },
  device: { unknownKey: UNKNOWN_KEY, example: "mobile", isCode: true },
  os: { unknownKey: UNKNOWN_KEY, example: "ios", isCode: true },
  browser: { unknownKey: UNKNOWN_KEY, example: "safari", isCode: true },
  language: { unknownKey: UNKNOWN_KEY, example: "de-DE" },
  referrer: { unknownKey: DIRECT_KEY, example: DIRECT_KEY },
  utm_source: { unknownKey: NONE_KEY, example: NONE_KEY },
  utm_medium: { unknownKey: NONE_KEY, example: NONE_KEY },
  utm_campaign: { unknownKey: NONE_KEY, example: NONE_KEY },
  utm_term: { unknownKey: NONE_KEY, example: NONE_KEY },
  utm_content: { unknownKey: NONE_KEY, example: NONE_KEY },
} as const satisfies Record<string, FactKind>;

export type VisitFact = keyof typeof VISIT_FACTS;

/** A visit as clicks remember it; null is "not known". */
export interface VisitFacts extends Readonly<Record<VisitFact, string | null>> {
  /** When the destination was chosen, epoch ms. */
  readonly at: number;
  readonly class: ClickClass;
  /** The visitor's place in splits, 16 bits (core/visitors/split.ts). */
  readonly split: number;
}

/** A click before it is packed. */
export interface NewClick {
  readonly visit: VisitFacts;
  /** Index of the rule that matched, as text; null when none did. */
  readonly rule: string | null;
  /** Id of the QR code that was scanned. */
  readonly qr: string | null;
  /** Which `query` conditions of the link held (core/links/routing.ts); "" when none did. */
  readonly query: string;
  /** The visitor, or the hash that stands for one on a UTC day (core/visitors/visitor-hashes.ts). */
  readonly visitor: VisitorIdentity | number;
}

/** What batches store of a click as text. */
export type ClickField = "class" | VisitFact | "qr" | "rule" | "query";

/** What clicks are counted by. `route` is `<revision>.<rule>`. */
export type StoredField = VisitFact | "qr" | "route";

/** @param rule  index of the rule that matched, or -1 */
export function clickOf(
  visit: VisitFacts,
  rule: number,
  qr: string | null,
  query = "",
  visitor: NewClick["visitor"] = UNKNOWN_VISITOR,
): NewClick {
  return { visit, rule: rule < 0 ? null : String(rule), qr, query, visitor };
}

/** The key of a stored fact; "" is "not known". */
export function factKey(fact: VisitFact, value: string): string {
  return value || VISIT_FACTS[fact].unknownKey;
}

/** Fields with a few short values at most, in whatever number of clicks. */
export function isCodeField(field: string): boolean {
  const kinds: Readonly<Record<string, FactKind>> = VISIT_FACTS;
  return kinds[field]?.isCode ?? false;
}

export function factExample(fact: VisitFact): string {
  return VISIT_FACTS[fact].example;
}

/** An object with a member for each fact, in their order. */
export function mapFacts<T>(valueOf: (fact: VisitFact) => T): Record<VisitFact, T> {
  const entries = Object.keys(VISIT_FACTS).map((fact) => [fact, valueOf(fact as VisitFact)]);
  return Object.fromEntries(entries) as Record<VisitFact, T>;
}
