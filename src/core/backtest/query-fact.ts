/** Which `query` conditions of the tried rules a visit met, as far as the log tells. Pure. */
import type { ScannedClicks } from "../clicks/counting/scanned-clicks.ts";
import { wasMet, type RoutingRule } from "../links/routing.ts";
import { type LoggedRevisions, queryText } from "./logged-revisions.ts";
import { type VisitOutcome, OutcomeTable } from "./outcome-table.ts";
import { type RuleTest, testsOf } from "./rule-tests.ts";

/** Numbers that are kept: visitors choose which conditions they meet. */
const NUMBERS_MAX = 20_000;

interface QueryTest extends RuleTest<string> {
  /** Its place among all tests. */
  place: number;
}

export class QueryFact {
  readonly table: OutcomeTable<QueryTest>;
  readonly #tests: readonly QueryTest[];
  readonly #revisions: LoggedRevisions;
  /** By revision and stored bits. */
  readonly #numbers = new Map<string, number>();
  /** Clicks of one revision come one after the other. */
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

  /** Which of the revision's conditions each test is. */
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
