/**
 * The effect of a fact on rules, as sets of rules with one bit per rule. Each value of the fact has a set of rules
 * whose conditions on it may hold, and a set of rules for which the log does not show the outcome. The conditions in
 * `not` have the same two sets. A rule without a condition on the fact may hold, and nothing about it is unknown. So
 * for a click, the first set is the intersection over its facts, and the other is the union. Values with the same sets
 * share one number. Pure.
 */
import type { RuleTest } from "./rule-tests.ts";

/** Whether a condition holds for a click; null if the log does not show it. */
export type VisitOutcome = boolean | null;

const BITS = 32;

/** Number of words in a set. */
export function wordsFor(rules: number): number {
  return Math.max(Math.ceil(rules / BITS), 1);
}

export function addRule(set: Int32Array, rule: number): void {
  const word = Math.floor(rule / BITS);
  set[word] = (set[word] ?? 0) | (1 << (rule % BITS));
}

/** Index of the first rule in a word that is not 0. */
export function firstRule(word: number, bits: number): number {
  return word * BITS + (BITS - 1 - Math.clz32(bits & -bits));
}

export class OutcomeTable<T extends Pick<RuleTest<unknown>, "rule" | "isInNot">> {
  /** For each number, the set of the rules' own conditions, then that of the conditions in `not`. */
  mayHold: Int32Array;
  unknown: Int32Array;
  /** Whether any outcome is unknown. */
  hasUnknown = false;
  readonly isInNot: boolean;
  readonly #tests: readonly T[];
  readonly #words: number;
  readonly #numbers = new Map<string, number>();

  /** @param tests  all tests of the fact */
  constructor(tests: readonly T[], rules: number) {
    this.#tests = tests;
    this.#words = wordsFor(rules);
    this.isInNot = tests.some(({ isInNot }) => isInNot);
    this.mayHold = new Int32Array(2 * this.#words);
    this.unknown = new Int32Array(2 * this.#words);
  }

  get size(): number {
    return this.#numbers.size;
  }

  get isTested(): boolean {
    return this.#tests.length > 0;
  }

  numberOf(outcomeOf: (test: T) => VisitOutcome): number {
    const mayHold = new Int32Array(2 * this.#words).fill(-1);
    const unknown = new Int32Array(2 * this.#words);
    for (const test of this.#tests) {
      const outcome = outcomeOf(test);
      const word = (test.isInNot ? this.#words : 0) + Math.floor(test.rule / BITS);
      const bit = 1 << (test.rule % BITS);
      if (outcome === false) mayHold[word] = (mayHold[word] ?? 0) & ~bit;
      else if (outcome === null) unknown[word] = (unknown[word] ?? 0) | bit;
    }
    return this.#numberOfSets(mayHold, unknown);
  }

  /** Clears all numbers. */
  clear(): void {
    this.#numbers.clear();
  }

  #numberOfSets(mayHold: Int32Array, unknown: Int32Array): number {
    const key = `${mayHold.join()} ${unknown.join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    this.mayHold = withSets(this.mayHold, mayHold, number);
    this.unknown = withSets(this.unknown, unknown, number);
    this.hasUnknown ||= unknown.some((word) => word !== 0);
    return number;
  }
}

/** Stores the sets of a number, and returns the same array or a longer copy. */
function withSets(all: Int32Array, sets: Int32Array, number: number): Int32Array {
  const at = number * sets.length;
  const room = at + sets.length <= all.length ? all : new Int32Array(2 * all.length + sets.length);
  if (room !== all) room.set(all);
  room.set(sets, at);
  return room;
}
