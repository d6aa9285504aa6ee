/**
 * The only list of a click's facts. Types, the columns of batches, statistics, the click log's wire shape and the
 * dashboard's names are derived from it, or do not compile without a new entry. Pure.
 */
import { UNKNOWN_VISITOR, type VisitorIdentity } from "../visitors/visitor-hashes.ts";
import { CLASS_LETTERS, type ClickClass } from "../visitors/fact-values.ts";

/** Keys of clicks for which a fact is unknown or does not apply. */
export const UNKNOWN_KEY = "unknown";
export const DIRECT_KEY = "direct";
export const NONE_KEY = "none";

interface FactKind {
  /** The key in statistics, click log and stream if the fact is unknown. */
  unknownKey: string;
  /** Example for the API reference. */
  example: string;
  /** Whether its values are codes from a short list that visitors cannot extend. */
  isCode?: true;
}

/** The stored facts of a visit. Names are the same in code, in tables and on the wire. */
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

/** A visit as clicks store it; null means unknown. */
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
  /** The alias that was visited (core/hosts.ts, `shortAddress`); omitted for the link's own slug. */
  readonly alias?: string | undefined;
  /** The visitor, or a hash that represents one on a UTC day (core/visitors/visitor-hashes.ts). */
  readonly visitor: VisitorIdentity | number;
}

/** Fields of a click that batches store as text. */
export type ClickField = "class" | VisitFact | "qr" | "rule" | "query" | "address";

/**
 * Functions that return a click's text for each column of a batch. Each field has a separate function, because V8 is
 * slow to find a member by a varying name.
 */
export const CLICK_TEXTS: Readonly<Record<ClickField, (click: NewClick) => string>> = {
  class: ({ visit }) => CLASS_LETTERS[visit.class],
  country: ({ visit }) => visit.country ?? "",
  continent: ({ visit }) => visit.continent ?? "",
  region: ({ visit }) => visit.region ?? "",
  city: ({ visit }) => visit.city ?? "",
  device: ({ visit }) => visit.device ?? "",
  os: ({ visit }) => visit.os ?? "",
  browser: ({ visit }) => visit.browser ?? "",
  language: ({ visit }) => visit.language ?? "",
  referrer: ({ visit }) => visit.referrer ?? "",
  utm_source: ({ visit }) => visit.utm_source ?? "",
  utm_medium: ({ visit }) => visit.utm_medium ?? "",
  utm_campaign: ({ visit }) => visit.utm_campaign ?? "",
  utm_term: ({ visit }) => visit.utm_term ?? "",
  utm_content: ({ visit }) => visit.utm_content ?? "",
  rule: ({ rule }) => rule ?? "",
  qr: ({ qr }) => qr ?? "",
  query: ({ query }) => query,
  address: ({ alias }) => alias ?? "",
};

/** Fields that clicks are counted by. `route` is `<revision>.<rule>`. `address` is "" for the link's own slug. */
export type StoredField = VisitFact | "qr" | "address" | "route";

/** @param rule  index of the rule that matched, or -1 */
export function clickOf(
  visit: VisitFacts,
  rule: number,
  qr: string | null,
  query = "",
  visitor: NewClick["visitor"] = UNKNOWN_VISITOR,
  alias?: string,
): NewClick {
  return { visit, rule: rule < 0 ? null : String(rule), qr, query, visitor, alias };
}

/** The key of a stored fact; "" means unknown. */
export function factKey(fact: VisitFact, value: string): string {
  return value || VISIT_FACTS[fact].unknownKey;
}

/** Whether a field has only a few short values, however many clicks there are. */
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
