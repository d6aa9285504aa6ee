/**
 * Decides logged clicks again, by other rules. A condition holds, does not hold, or is not known for a click; the first
 * rule that may match decides when it is known to match. Clicks are decided by the column, not one by one. Pure.
 */
import type { ScannedClicks } from "../clicks/counting/scanned-clicks.ts";
import { valueAt } from "../clicks/encoding/click-batch.ts";
import type { RoutingRule } from "../links/routing.ts";
import { LISTED_KEYS, ListedFact } from "./listed-facts.ts";
import { LoggedRevisions, type RevisionLookup } from "./logged-revisions.ts";
import { addRule, firstRule, type OutcomeTable, wordsFor } from "./outcome-table.ts";
import { QueryFact } from "./query-fact.ts";
import { SplitFact } from "./split-fact.ts";
import { TimeFact } from "./time-fact.ts";

/** In place of the index of a rule, where the log does not tell which one. */
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
  /** Of each chosen click, as in a table. */
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
   * The rule of each chosen click: its index, the number of rules where none matches, or UNDECIDED. Valid until the next
   * call: the buffer is reused.
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

  /** @param words  of each number's sets that are looked at */
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
