/**
 * Decides logged clicks again, by other rules. A condition holds, does not hold, or is not known for a click; the first
 * rule that may match decides when it is known to match. Clicks are decided by the column, not one by one. Pure.
 */
import type { ScannedClicks } from "../clicks/scanned-clicks.ts";
import { valueAt } from "../clicks/click-batch.ts";
import type { RoutingRule } from "../links/routing.ts";
import { LISTED_KEYS, ListedFact } from "./listed-facts.ts";
import { LoggedRevisions, type RevisionLookup } from "./logged-revisions.ts";
import { addRule, firstRule, HOLDS, MAY_HOLD, NOT_HOLDS, NOT_MAY_HOLD, SETS, wordsFor } from "./outcome-table.ts";
import { QueryFact } from "./query-fact.ts";
import { SplitFact } from "./split-fact.ts";
import { TimeFact } from "./time-fact.ts";

/** In place of the index of a rule, where the log does not tell which one. */
export const UNDECIDED = -1;

interface Fact {
  readonly isTested: boolean;
  readonly table: { readonly sets: Int32Array };
  /** The number of each chosen click in the table, in `into`. */
  read: (clicks: ScannedClicks, chosen: Uint16Array, into: Uint32Array) => void;
}

export class RuleReplay {
  readonly #rules: number;
  readonly #words: number;
  readonly #facts: readonly Fact[];
  readonly #revisions: LoggedRevisions;
  /** The sets of a click of which nothing was looked at. */
  readonly #untested: Int32Array;
  /** The rules that have a `not`. */
  readonly #withNot: Int32Array;
  #sets = new Int32Array();
  #numbers = new Uint32Array();
  #decided = new Int16Array();

  constructor(routing: readonly RoutingRule[], revisionOf: RevisionLookup) {
    this.#rules = routing.length;
    this.#words = wordsFor(routing.length);
    this.#revisions = new LoggedRevisions(routing, revisionOf);
    const listed = LISTED_KEYS.map((key) => new ListedFact(key, routing));
    const others = [new SplitFact(routing), new TimeFact(routing), new QueryFact(routing, this.#revisions)];
    this.#facts = [...listed, ...others].filter(({ isTested }) => isTested);
    this.#untested = new Int32Array(SETS * this.#words);
    this.#withNot = new Int32Array(this.#words);
    for (const [rule, { if: condition }] of routing.entries()) {
      for (let set = 0; set < SETS; set++) addRule(this.#untested, rule, set * this.#words);
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
      this.#intersect(fact.table.sets, chosen.length);
    }
    for (let n = 0; n < chosen.length; n++) this.#decided[n] = this.#decideOne(n, clicks, chosen[n] ?? 0);
    return this.#decided.subarray(0, chosen.length);
  }

  #reset(count: number): void {
    const { length } = this.#untested;
    if (count * length > this.#sets.length) {
      this.#sets = new Int32Array(count * length);
      this.#numbers = new Uint32Array(count);
      this.#decided = new Int16Array(count);
    }
    for (let n = 0; n < count; n++) this.#sets.set(this.#untested, n * length);
  }

  #intersect(sets: Int32Array, count: number): void {
    const { length } = this.#untested;
    const [all, numbers] = [this.#sets, this.#numbers];
    for (let n = 0, at = 0; n < count; n++) {
      const from = (numbers[n] ?? 0) * length;
      for (let word = 0; word < length; word++, at++) all[at] = (all[at] ?? 0) & (sets[from + word] ?? 0);
    }
  }

  #decideOne(n: number, clicks: ScannedClicks, click: number): number {
    const [sets, words, at] = [this.#sets, this.#words, n * this.#untested.length];
    for (let word = 0; word < words; word++) {
      const withNot = this.#withNot[word] ?? 0;
      const setAt = (set: number) => sets[at + set * words + word] ?? 0;
      let mayMatch = setAt(MAY_HOLD) & ~(setAt(NOT_HOLDS) & withNot);
      let matches = setAt(HOLDS) & ~(setAt(NOT_MAY_HOLD) & withNot);
      const unknown = mayMatch & ~matches;
      if (unknown !== 0) {
        const logged = this.#revisions.rulesOf(valueAt(clicks.column("route"), click));
        matches |= unknown & (logged.held[word] ?? 0);
        mayMatch &= ~(unknown & (logged.failed[word] ?? 0));
      }
      if (mayMatch !== 0) return (matches & mayMatch & -mayMatch) === 0 ? UNDECIDED : firstRule(word, mayMatch);
    }
    return this.#rules;
  }
}
