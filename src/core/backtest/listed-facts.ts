/**
 * Facts that are tested against lists of texts. A click is looked up in an index of all lists, so it costs the same
 * whether rules list ten countries or ten thousand campaigns. Pure.
 */
import type { TextField } from "../clicks/encoding/click-columns.ts";
import type { ScannedClicks } from "../clicks/counting/scanned-clicks.ts";
import { foldCase } from "../links/case-folding.ts";
import type { ConditionKey } from "../links/conditions.ts";
import type { RoutingRule } from "../links/routing.ts";
import { OutcomeTable } from "./outcome-table.ts";
import { type RuleTest, testsOf } from "./rule-tests.ts";

export type ListedKey = Exclude<ConditionKey, "after" | "before" | "percent" | "query" | "time">;

interface ListedKind {
  /** Column that has the fact. */
  field: TextField;
  /**
   * The texts that match a stored fact: a list matches if it has one of them.
   * @param longest  length of the longest listed text
   */
  matchedBy: (fact: string, longest: number) => string[];
  /** Normalizes a listed text for comparison. */
  compared?: (listed: string) => string;
}

const LISTED: Record<ListedKey, ListedKind> = {
  browser: code("browser"),
  city: { field: "city", matchedBy: (city) => known(foldCase(city)), compared: foldCase },
  continent: code("continent"),
  country: code("country"),
  device: code("device"),
  language: { field: "language", matchedBy: (tag) => known(tag).flatMap(prefixes) },
  os: code("os"),
  referrer: {
    field: "referrer",
    matchedBy: (referrer, longest) => known(referrer).flatMap((host) => hosts(host, longest)),
  },
  region: code("region"),
  source: { field: "qr", matchedBy: (qr) => [qr === "" ? "link" : "qr"] },
  utm_campaign: code("utm_campaign"),
  utm_content: code("utm_content"),
  utm_medium: code("utm_medium"),
  utm_source: code("utm_source"),
  utm_term: code("utm_term"),
};

export const LISTED_KEYS = Object.keys(LISTED) as readonly ListedKey[];

/** Maximum number of cached numbers of a fact's values: visitors choose some of the values. */
const NUMBERS_MAX = 20_000;

function code(field: TextField & ListedKey): ListedKind {
  return { field, matchedBy: known };
}

function known(fact: string): string[] {
  return fact === "" ? [] : [fact];
}

/** Prefixes of a language tag: `de-CH-1996`, `de-CH`, `de`. */
function prefixes(tag: string): string[] {
  return tag.split("-").map((_, i, parts) => parts.slice(0, parts.length - i).join("-"));
}

/**
 * A host and its parent domains, except those that are too long: a visitor may send a host with a hundred labels. The
 * parts of an Android package name are not hosts.
 */
function hosts(referrer: string, longest: number): string[] {
  if (referrer.startsWith("app:")) return [referrer];
  const found = referrer.length <= longest ? [referrer] : [];
  let dot = referrer.indexOf(".", Math.max(referrer.length - longest - 1, 0));
  for (; dot >= 0; dot = referrer.indexOf(".", dot + 1)) found.push(referrer.slice(dot + 1));
  return found;
}

type ListTest = RuleTest<string | string[]>;

export class ListedFact {
  readonly table: OutcomeTable<ListTest>;
  readonly #kind: ListedKind;
  readonly #testsByText = new Map<string, Set<ListTest>>();
  readonly #numbers = new Map<string, number>();
  #longest = 0;

  constructor(key: ListedKey, routing: readonly RoutingRule[]) {
    const tests = testsOf(routing, key);
    this.#kind = LISTED[key];
    this.table = new OutcomeTable(tests, routing.length);
    for (const test of tests) for (const listed of [test.wanted].flat()) this.#addListed(test, listed);
  }

  /** Writes the number of each chosen click to `into`. */
  read(clicks: ScannedClicks, chosen: Uint16Array, into: Uint32Array): void {
    if (this.#numbers.size > NUMBERS_MAX) this.#forget();
    const { values, indexes } = clicks.column(this.#kind.field);
    const numbers = values.map((value) => this.numberOf(value));
    for (let n = 0; n < chosen.length; n++) into[n] = numbers[indexes?.[chosen[n] ?? 0] ?? 0] ?? 0;
  }

  numberOf(value: string): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#newNumber(value);
    this.#numbers.set(value, number);
    return number;
  }

  #newNumber(value: string): number {
    const met = new Set<ListTest>();
    for (const text of this.#kind.matchedBy(value, this.#longest)) {
      for (const test of this.#testsByText.get(text) ?? []) met.add(test);
    }
    return this.table.numberOf((test) => met.has(test));
  }

  #addListed(test: ListTest, listed: string): void {
    const text = this.#kind.compared?.(listed) ?? listed;
    this.#longest = Math.max(this.#longest, text.length);
    const tests = this.#testsByText.get(text);
    if (tests) tests.add(test);
    else this.#testsByText.set(text, new Set([test]));
  }

  #forget(): void {
    this.#numbers.clear();
    this.table.clear();
  }
}
