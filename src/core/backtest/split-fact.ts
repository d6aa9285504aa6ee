/** A visitor's place on the scale of `percent`, as the rules see it. Pure. */
import type { ScannedClicks } from "../clicks/counting/scanned-clicks.ts";
import type { RoutingRule } from "../links/routing.ts";
import { splitPercent, UNKNOWN_SPLIT } from "../visitors/split.ts";
import { OutcomeTable } from "./outcome-table.ts";
import { type RuleTest, testsOf } from "./rule-tests.ts";

export class SplitFact {
  readonly table: OutcomeTable<RuleTest<number>>;
  /** Of each place. */
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
    // Without an address the place is not known.
    this.#numbers[UNKNOWN_SPLIT] = this.table.numberOf(() => null);
  }
}
