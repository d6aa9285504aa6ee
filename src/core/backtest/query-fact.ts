/** Which `query` conditions of the tried rules a visit met, as far as the log tells. Pure. */
import type { ScannedClicks } from "../clicks/scanned-clicks.ts";
import { wasMet } from "../links/query-conditions.ts";
import type { RoutingRule } from "../links/routing.ts";
import { type LoggedRevisions, queryText } from "./logged-revisions.ts";
import { type Outcome, OutcomeTable } from "./outcome-table.ts";
import { type RuleTest, testsOf } from "./rule-tests.ts";

/** Numbers that are kept: visitors choose which conditions they meet. */
const NUMBERS_MAX = 20_000;

export class QueryFact {
  readonly table: OutcomeTable<RuleTest<string>>;
  readonly #revisions: LoggedRevisions;
  /** By revision and stored bits. */
  readonly #numbers = new Map<string, number>();

  constructor(routing: readonly RoutingRule[], revisions: LoggedRevisions) {
    const tests = testsOf(routing, "query").map((test) => ({ ...test, wanted: queryText(test.wanted) }));
    this.table = new OutcomeTable(tests, routing.length);
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
    const number = this.table.numberOf(({ wanted }): Outcome => {
      const index = this.#revisions.queryIndex(revision, wanted);
      return index === undefined ? null : wasMet(bits, index);
    });
    this.#numbers.set(key, number);
    return number;
  }

  #forget(): void {
    this.#numbers.clear();
    this.table.clear();
  }
}
