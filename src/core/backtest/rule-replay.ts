/**
 * Decides logged clicks again, by other rules. A condition holds, does not hold, or is not known for a click; the first
 * rule that may match decides when it is known to match. Clicks are decided by the column, not one by one. Pure.
 */
import type { ScannedClicks } from "../clicks/counting/scanned-clicks.ts";
import { valueAt } from "../clicks/encoding/click-batch.ts";
import { type RoutingRule, wasMet } from "../links/routing.ts";
import { splitPercent, UNKNOWN_SPLIT } from "../visitors/split.ts";
import { LISTED_KEYS, ListedFact } from "./listed-facts.ts";
import { LoggedRevisions, type RevisionLookup, queryText } from "./logged-revisions.ts";
import { addRule, firstRule, OutcomeTable, wordsFor } from "./outcome-table.ts";
import { type RuleTest, testsOf } from "./rule-tests.ts";
import { TimeFact } from "./time-fact.ts";

/** In place of the index of a rule, where the log does not tell which one. */
export const UNDECIDED = -1;

interface Fact {
  readonly table: Omit<OutcomeTable<never>, "numberOf">;
  /** The numbers of clicks in the table, by their indexes. */
  numbersOf: (clicks: ScannedClicks) => (i: number) => number;
}

export class RuleReplay {
  readonly #rules: number;
  readonly #words: number;
  readonly #facts: readonly Fact[];
  readonly #revisions: LoggedRevisions;
  readonly #all: Int32Array;
  /** The rules that have a `not`. */
  readonly #withNot: Int32Array;
  /** Of each chosen click, as in a table. */
  #mayHold = new Int32Array();
  #unknown = new Int32Array();
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
   * The rule of each chosen click: its index, the number of rules where none matches, or UNDECIDED. Valid until the next
   * call: the buffer is reused.
   */
  decide(clicks: ScannedClicks, chosen: Uint16Array): Int16Array {
    this.#reset(chosen.length);
    for (const fact of this.#facts) this.#addFact(fact, clicks, chosen);
    for (let n = 0; n < chosen.length; n++) this.#decided[n] = this.#decideOne(n, clicks, chosen[n] ?? 0);
    return this.#decided.subarray(0, chosen.length);
  }

  #reset(count: number): void {
    const length = 2 * this.#words * count;
    if (length > this.#mayHold.length) {
      this.#mayHold = new Int32Array(length);
      this.#unknown = new Int32Array(length);
      this.#decided = new Int16Array(count);
    }
    this.#mayHold.fill(-1, 0, length);
    this.#unknown.fill(0, 0, length);
  }

  #addFact(fact: Fact, clicks: ScannedClicks, chosen: Uint16Array): void {
    const { table } = fact;
    table.forgetMany();
    const numberOf = fact.numbersOf(clicks);
    const [mayHold, unknown, stride] = [this.#mayHold, this.#unknown, 2 * this.#words];
    const words = table.isInNot ? stride : this.#words;
    for (let n = 0; n < chosen.length; n++) {
      // Before the sets are read: a new number comes with sets of its own.
      const from = numberOf(chosen[n] ?? 0) * stride;
      for (let at = n * stride, word = 0; word < words; at++, word++) {
        mayHold[at] = (mayHold[at] ?? 0) & (table.mayHold[from + word] ?? 0);
        if (table.hasUnknown) unknown[at] = (unknown[at] ?? 0) | (table.unknown[from + word] ?? 0);
      }
    }
  }

  #decideOne(n: number, clicks: ScannedClicks, click: number): number {
    const [mayHold, unknown, words] = [this.#mayHold, this.#unknown, this.#words];
    for (let word = 0; word < words; word++) {
      const at = 2 * words * n + word;
      const own = (mayHold[at] ?? 0) & (this.#all[word] ?? 0);
      const not = (mayHold[at + words] ?? 0) & (this.#withNot[word] ?? 0);
      // A rule may match unless its `not` is known to hold, and matches unless its `not` may hold.
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

/** Which `query` conditions of the tried rules a visit met, as far as the log tells. Pure. */
class QueryFact {
  readonly table: OutcomeTable<RuleTest<string>>;
  readonly #revisions: LoggedRevisions;

  constructor(routing: readonly RoutingRule[], revisions: LoggedRevisions) {
    const tests = testsOf(routing, "query").map((test) => ({ ...test, wanted: queryText(test.wanted) }));
    this.table = new OutcomeTable(tests, routing.length);
    this.#revisions = revisions;
  }

  numbersOf(clicks: ScannedClicks): (i: number) => number {
    const [routes, bits] = [clicks.column("route"), clicks.column("query")];
    const revisions = routes.values.map((route) => Number.parseInt(route, 10));
    const numbers: number[] = [];
    return (i) => {
      const [route, met] = [routes.indexes?.[i] ?? 0, bits.indexes?.[i] ?? 0];
      const pair = route * bits.values.length + met;
      return (numbers[pair] ??= this.#numberOf(revisions[route] ?? 0, bits.values[met] ?? ""));
    };
  }

  #numberOf(revision: number, bits: string): number {
    return this.table.numberOf(`${revision}:${bits}`, () => {
      const indexes = this.#revisions.queryIndexes(revision);
      return ({ wanted }) => {
        const index = indexes.get(wanted);
        return index === undefined ? null : wasMet(bits, index);
      };
    });
  }
}

/** A visitor's place on the scale of `percent`, as the rules see it. Pure. */
class SplitFact {
  readonly table: OutcomeTable<RuleTest<number>>;
  /** Of each place. */
  readonly #numbers = new Uint16Array(UNKNOWN_SPLIT + 1);

  constructor(routing: readonly RoutingRule[]) {
    const tests = testsOf(routing, "percent");
    this.table = new OutcomeTable(tests, routing.length);
    if (this.table.isTested) this.#numberPlaces(tests.map(({ wanted }) => wanted).sort((a, b) => a - b));
  }

  numbersOf(clicks: ScannedClicks): (i: number) => number {
    const splits = clicks.numbers("split");
    return (i) => this.#numbers[splits?.[i] ?? UNKNOWN_SPLIT] ?? 0;
  }

  /** @param shares  ascending */
  #numberPlaces(shares: readonly number[]): void {
    let passed = 0;
    for (let split = 0; split < UNKNOWN_SPLIT; split++) {
      const point = splitPercent(split) ?? 0;
      while ((shares[passed] ?? Infinity) <= point) passed++;
      this.#numbers[split] = this.table.numberOf(String(passed), () => (test) => point < test.wanted);
    }
    // Without an address the place is not known.
    this.#numbers[UNKNOWN_SPLIT] = this.table.numberOf("unknown", () => () => null);
  }
}
