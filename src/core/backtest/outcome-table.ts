/**
 * What a fact means for rules, as sets of rules that are one bit each. A value of the fact has four sets: the rules whose
 * conditions on it may hold, those whose do hold, and the same two of the conditions in `not`. A rule without a condition
 * on the fact is in all of them, so the sets of a click are the intersection over its facts. Values with the same sets
 * share one number. Pure.
 */
import type { RuleTest } from "./rule-tests.ts";

/** Whether a condition holds for a click; null where the log does not tell. */
export type Outcome = boolean | null;

const BITS = 32;
/** The sets of a value, one after the other. */
export const [MAY_HOLD, HOLDS, NOT_MAY_HOLD, NOT_HOLDS, SETS] = [0, 1, 2, 3, 4];

/** Words of a set. */
export function wordsFor(rules: number): number {
  return Math.max(Math.ceil(rules / BITS), 1);
}

export function addRule(set: Int32Array, rule: number, offset = 0): void {
  const word = offset + Math.floor(rule / BITS);
  set[word] = (set[word] ?? 0) | (1 << (rule % BITS));
}

/** Index of the first rule of one word; the word is not 0. */
export function firstRule(word: number, bits: number): number {
  return word * BITS + (BITS - 1 - Math.clz32(bits & -bits));
}

export class OutcomeTable<T extends Pick<RuleTest<unknown>, "rule" | "isInNot">> {
  /** The sets of number 0, then those of 1, and so on. */
  sets: Int32Array;
  readonly #tests: readonly T[];
  readonly #words: number;
  readonly #numbers = new Map<string, number>();

  /** @param tests  all that is tested of the fact */
  constructor(tests: readonly T[], rules: number) {
    this.#tests = tests;
    this.#words = wordsFor(rules);
    this.sets = new Int32Array(SETS * this.#words);
  }

  get size(): number {
    return this.#numbers.size;
  }

  numberOf(outcomeOf: (test: T) => Outcome): number {
    const sets = this.#setsOf(outcomeOf);
    const key = sets.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    this.#store(sets, number * sets.length);
    return number;
  }

  /** Forgets all numbers. */
  clear(): void {
    this.#numbers.clear();
  }

  #setsOf(outcomeOf: (test: T) => Outcome): Int32Array {
    const sets = new Int32Array(SETS * this.#words).fill(-1);
    for (const test of this.#tests) {
      const outcome = outcomeOf(test);
      if (outcome === true) continue;
      const [mayHold, holds] = test.isInNot ? [NOT_MAY_HOLD, NOT_HOLDS] : [MAY_HOLD, HOLDS];
      if (outcome === false) this.#remove(sets, mayHold, test.rule);
      this.#remove(sets, holds, test.rule);
    }
    return sets;
  }

  #remove(sets: Int32Array, set: number, rule: number): void {
    const word = set * this.#words + Math.floor(rule / BITS);
    sets[word] = (sets[word] ?? 0) & ~(1 << (rule % BITS));
  }

  #store(sets: Int32Array, at: number): void {
    if (at + sets.length > this.sets.length) {
      const larger = new Int32Array(2 * this.sets.length + sets.length);
      larger.set(this.sets);
      this.sets = larger;
    }
    this.sets.set(sets, at);
  }
}
