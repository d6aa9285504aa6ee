/**
 * Decides logged clicks again under other rules. For a click, a condition holds, does not hold, or is unknown. The
 * first rule that may match decides, if it is known to match. Clicks are decided column by column, not one by one.
 * Pure.
 */
import type { ScannedClicks } from "../clicks/counting/scanned-clicks.ts";
import { valueAt } from "../clicks/encoding/click-batch.ts";
import { CONDITIONS, type ConditionValues } from "../links/conditions.ts";
import { canonicalText, queryConditions, type RoutableLink, type RoutingRule, wasMet } from "../links/routing.ts";
import { boundedMemo } from "../memory/caches.ts";
import { splitPercent, UNKNOWN_SPLIT } from "../visitors/split.ts";
import { LISTED_KEYS, ListedFact } from "./listed-facts.ts";
import { addRule, firstRule, OutcomeTable, type VisitOutcome, wordsFor } from "./outcome-table.ts";
import { type RuleTest, testsOf } from "./rule-tests.ts";
import { TimeFact } from "./time-fact.ts";

/** Replaces the index of a rule if the log does not show which rule decides. */
export const UNDECIDED = -1;

interface Fact {
  readonly table: Pick<OutcomeTable<never>, "mayHold" | "unknown" | "hasUnknown" | "isInNot" | "isTested">;
  /** The number of each chosen click in the table, in `into`. */
  read: (clicks: ScannedClicks, chosen: Uint16Array, into: Uint32Array) => void;
}

export class RuleReplay {
  readonly #rules: number;
  readonly #words: number;
  readonly #facts: readonly Fact[];
  readonly #revisions: LoggedRevisions;
  readonly #all: Int32Array;
  /** The rules that have a `not`. */
  readonly #withNot: Int32Array;
  /** Sets of each chosen click, as in an `OutcomeTable`. */
  #mayHold = new Int32Array();
  #unknown = new Int32Array();
  #numbers = new Uint32Array();
  #decided = new Int16Array();

  constructor(routing: readonly RoutingRule[], revisionOf: RevisionLookup) {
    this.#rules = routing.length;
    this.#words = wordsFor(routing.length);
    this.#revisions = new LoggedRevisions(routing, revisionOf);
    const listed = LISTED_KEYS.map((key) => new ListedFact(key, routing));
    const others = [new SplitFact(routing), new TimeFact(routing), new QueryFact(routing, this.#revisions)];
    this.#facts = [...listed, ...others].filter(({ table }) => table.isTested);
    this.#all = new Int32Array(this.#words);
    this.#withNot = new Int32Array(this.#words);
    for (const [rule, { if: condition }] of routing.entries()) {
      addRule(this.#all, rule);
      if (condition.not) addRule(this.#withNot, rule);
    }
  }

  /**
   * Returns the rule of each chosen click: its index, the number of rules if none matches, or UNDECIDED. Valid until
   * the next call: the buffer is reused.
   */
  decide(clicks: ScannedClicks, chosen: Uint16Array): Int16Array {
    this.#reset(chosen.length);
    for (const fact of this.#facts) {
      fact.read(clicks, chosen, this.#numbers);
      const { mayHold, unknown, hasUnknown, isInNot } = fact.table;
      const words = isInNot ? 2 * this.#words : this.#words;
      this.#intersect(mayHold, words, chosen.length);
      if (hasUnknown) this.#unite(unknown, words, chosen.length);
    }
    for (let n = 0; n < chosen.length; n++) this.#decided[n] = this.#decideOne(n, clicks, chosen[n] ?? 0);
    return this.#decided.subarray(0, chosen.length);
  }

  #reset(count: number): void {
    const length = 2 * this.#words * count;
    if (length > this.#mayHold.length) {
      this.#mayHold = new Int32Array(length);
      this.#unknown = new Int32Array(length);
      this.#numbers = new Uint32Array(count);
      this.#decided = new Int16Array(count);
    }
    this.#mayHold.fill(-1, 0, length);
    this.#unknown.fill(0, 0, length);
  }

  /** @param words  words to process of each number's sets */
  #intersect(sets: Int32Array, words: number, count: number): void {
    const [all, numbers, stride] = [this.#mayHold, this.#numbers, 2 * this.#words];
    for (let n = 0; n < count; n++) {
      const [from, at] = [(numbers[n] ?? 0) * stride, n * stride];
      for (let word = 0; word < words; word++) all[at + word] = (all[at + word] ?? 0) & (sets[from + word] ?? 0);
    }
  }

  #unite(sets: Int32Array, words: number, count: number): void {
    const [all, numbers, stride] = [this.#unknown, this.#numbers, 2 * this.#words];
    for (let n = 0; n < count; n++) {
      const [from, at] = [(numbers[n] ?? 0) * stride, n * stride];
      for (let word = 0; word < words; word++) all[at + word] = (all[at + word] ?? 0) | (sets[from + word] ?? 0);
    }
  }

  #decideOne(n: number, clicks: ScannedClicks, click: number): number {
    const [mayHold, unknown, words] = [this.#mayHold, this.#unknown, this.#words];
    for (let word = 0; word < words; word++) {
      const at = 2 * words * n + word;
      const own = (mayHold[at] ?? 0) & (this.#all[word] ?? 0);
      const not = (mayHold[at + words] ?? 0) & (this.#withNot[word] ?? 0);
      // A rule may match unless its `not` is known to hold. It matches unless its `not` may hold.
      let mayMatch = own & ~(not & ~(unknown[at + words] ?? 0));
      let matches = own & ~(unknown[at] ?? 0) & ~not;
      if (mayMatch !== matches) {
        const logged = this.#revisions.rulesOf(valueAt(clicks.column("route"), click));
        const untold = mayMatch & ~matches;
        matches |= untold & (logged.held[word] ?? 0);
        mayMatch &= ~(untold & (logged.failed[word] ?? 0));
      }
      if (mayMatch !== 0) return (matches & mayMatch & -mayMatch) === 0 ? UNDECIDED : firstRule(word, mayMatch);
    }
    return this.#rules;
  }
}

/** Which `query` conditions of the tried rules a visit met, as far as the log shows. Pure. */

/** Maximum number of cached numbers: visitors choose which conditions they meet. */
const NUMBERS_MAX = 20_000;

interface QueryTest extends RuleTest<string> {
  /** Index among all tests. */
  place: number;
}

class QueryFact {
  readonly table: OutcomeTable<QueryTest>;
  readonly #tests: readonly QueryTest[];
  readonly #revisions: LoggedRevisions;
  /** Numbers by revision and stored bits. */
  readonly #numbers = new Map<string, number>();
  /** Cached because clicks of one revision are consecutive. */
  #last: { revision: number; indexes: readonly (number | undefined)[] } | null = null;

  constructor(routing: readonly RoutingRule[], revisions: LoggedRevisions) {
    this.#tests = testsOf(routing, "query").map((test, place) => ({ ...test, wanted: queryText(test.wanted), place }));
    this.table = new OutcomeTable(this.#tests, routing.length);
    this.#revisions = revisions;
  }

  /** The number of each chosen click, in `into`. */
  read(clicks: ScannedClicks, chosen: Uint16Array, into: Uint32Array): void {
    if (this.#numbers.size > NUMBERS_MAX) this.#forget();
    const [routes, bits] = [clicks.column("route"), clicks.column("query")];
    const revisions = routes.values.map((route) => Number.parseInt(route, 10));
    const numbers = new Map<number, number>();
    for (let n = 0; n < chosen.length; n++) {
      const i = chosen[n] ?? 0;
      const [route, met] = [routes.indexes?.[i] ?? 0, bits.indexes?.[i] ?? 0];
      const pair = route * bits.values.length + met;
      let number = numbers.get(pair);
      if (number === undefined) {
        number = this.#numberOf(revisions[route] ?? 0, bits.values[met] ?? "");
        numbers.set(pair, number);
      }
      into[n] = number;
    }
  }

  #numberOf(revision: number, bits: string): number {
    const key = `${revision}:${bits}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const indexes = this.#indexesOf(revision);
    const number = this.table.numberOf(({ place }): VisitOutcome => {
      const index = indexes[place];
      return index === undefined ? null : wasMet(bits, index);
    });
    this.#numbers.set(key, number);
    return number;
  }

  /** Index of each test's condition in the revision. */
  #indexesOf(revision: number): readonly (number | undefined)[] {
    if (this.#last?.revision !== revision) {
      const indexes = this.#tests.map(({ wanted }) => this.#revisions.queryIndex(revision, wanted));
      this.#last = { revision, indexes };
    }
    return this.#last.indexes;
  }

  #forget(): void {
    this.#numbers.clear();
    this.table.clear();
  }
}

/** A visitor's place on the scale of `percent`, as the rules test it. Pure. */
class SplitFact {
  readonly table: OutcomeTable<RuleTest<number>>;
  /** Number of each place. */
  readonly #numbers = new Uint16Array(UNKNOWN_SPLIT + 1);

  constructor(routing: readonly RoutingRule[]) {
    const tests = testsOf(routing, "percent");
    this.table = new OutcomeTable(tests, routing.length);
    if (this.table.isTested) this.#numberPlaces(tests.map(({ wanted }) => wanted).sort((a, b) => a - b));
  }

  /** The number of each chosen click, in `into`. */
  read(clicks: ScannedClicks, chosen: Uint16Array, into: Uint32Array): void {
    const splits = clicks.numbers("split");
    for (let n = 0; n < chosen.length; n++) {
      into[n] = this.#numbers[splits?.[chosen[n] ?? 0] ?? UNKNOWN_SPLIT] ?? 0;
    }
  }

  /** @param shares  ascending */
  #numberPlaces(shares: readonly number[]): void {
    let number: number | null = null;
    let passed = 0;
    for (let split = 0; split < UNKNOWN_SPLIT; split++) {
      const point = splitPercent(split) ?? 0;
      const before = passed;
      while ((shares[passed] ?? Infinity) <= point) passed++;
      if (number === null || passed > before) number = this.table.numberOf(({ wanted }) => point < wanted);
      this.#numbers[split] = number;
    }
    // Without an address the place is unknown.
    this.#numbers[UNKNOWN_SPLIT] = this.table.numberOf(() => null);
  }
}

/** Returns the link as it was under a revision; null if that is unknown. */
export type RevisionLookup = (revision: number) => Pick<RoutableLink, "url" | "routing"> | null;

/** Sets of tried rules that are known to have held or failed for the clicks of one route. */
interface KnownRules {
  held: Int32Array;
  failed: Int32Array;
}

/** A link may have had thousands of revisions, each with 64 KiB of rules. */
const REVISIONS_CACHED = 16;
const ROUTES_CACHED = 1_000;

/**
 * Logged outcomes of conditions that cannot be tested again. The log stores which `query` conditions of the link held
 * at the time of the visit. It also shows that the rule that decided held, and that the rules before it did not. Both
 * are found by the text of the condition or rule.
 */
class LoggedRevisions {
  readonly #revisionOf: RevisionLookup;
  readonly #tried: readonly string[];

  /** @param routing  the rules to try */
  constructor(routing: readonly RoutingRule[], revisionOf: RevisionLookup) {
    this.#revisionOf = revisionOf;
    this.#tried = routing.map((rule) => canonicalText(rule.if));
  }

  /** Index of the `query` condition with this text in a revision; undefined if there is none. */
  queryIndex(revision: number, text: string): number | undefined {
    return this.#queryIndexes(String(revision)).get(text);
  }

  /** @param route  as stored, `<revision>.<rule>` */
  readonly rulesOf = boundedMemo(ROUTES_CACHED, (route): KnownRules => {
    const [revision = "", decidedRule = ""] = route.split(".");
    const decided = decidedRule === "" ? Infinity : Number(decidedRule);
    const indexes = this.#ruleIndexes(revision);
    const words = wordsFor(this.#tried.length);
    const known = { held: new Int32Array(words), failed: new Int32Array(words) };
    for (const [rule, text] of this.#tried.entries()) {
      const index = indexes.get(text) ?? Infinity;
      if (index < decided) addRule(known.failed, rule);
      else if (index === decided && index !== Infinity) addRule(known.held, rule);
    }
    return known;
  });

  readonly #queryIndexes = boundedMemo(REVISIONS_CACHED, (revision) => {
    const conditions = queryConditions(this.#routing(revision));
    return new Map(conditions.map((wanted, index) => [queryText(wanted), index]));
  });

  readonly #ruleIndexes = boundedMemo(REVISIONS_CACHED, (revision) => {
    return new Map(this.#routing(revision).map((rule, index) => [canonicalText(rule.if), index]));
  });

  #routing(revision: string): readonly RoutingRule[] {
    return this.#revisionOf(Number(revision))?.routing ?? [];
  }
}

function queryText(wanted: ConditionValues["query"]): string {
  return CONDITIONS.query.canonicalText(wanted);
}
