import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  decodeNumberTally,
  EMPTY_NUMBER_TALLY,
  encodeNumberTally,
  mergeNumberTallies,
  type NumberTally,
  numberTallyOf,
} from "../../../src/core/clicks/number-tally.ts";

type Counts = Map<number, { human: number; nonHuman: number }>;

const count = fc.record({ human: fc.nat({ max: 2 ** 40 }), nonHuman: fc.nat({ max: 2 ** 40 }) });
const number = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 2 ** 32 - 1 }));
const counts: fc.Arbitrary<Counts> = fc
  .array(fc.tuple(number, count), { maxLength: 60 })
  .map((entries) => new Map(entries.filter(([, { human, nonHuman }]) => human + nonHuman > 0)));

function tallyOf(entries: Counts): NumberTally {
  const each = [...entries.values()];
  return numberTallyOf(
    [...entries.keys()],
    each.map(({ human }) => human),
    each.map(({ nonHuman }) => nonHuman),
  );
}

function countsOf({ numbers, human, nonHuman }: NumberTally): [number, { human: number; nonHuman: number }][] {
  return Array.from(numbers, (key, i) => [key, { human: human[i] ?? 0, nonHuman: nonHuman[i] ?? 0 }]);
}

const ascending = (entries: Counts) => [...entries].sort(([a], [b]) => a - b);

describe("14 counts by number", () => {
  test("14 are read as they were stored, in ascending order", () => {
    fc.assert(
      fc.property(counts, (entries) => {
        expect(countsOf(decodeNumberTally(encodeNumberTally(tallyOf(entries))))).toEqual(ascending(entries));
      }),
    );
  });

  test("14 are added up and subtracted exactly; numbers without clicks are left out", () => {
    fc.assert(
      fc.property(counts, counts, (one, other) => {
        const sum: Counts = new Map(one);
        for (const [key, { human, nonHuman }] of other) {
          const known = sum.get(key) ?? { human: 0, nonHuman: 0 };
          sum.set(key, { human: known.human + human, nonHuman: known.nonHuman + nonHuman });
        }
        const merged = mergeNumberTallies(tallyOf(one), tallyOf(other));
        expect(countsOf(merged)).toEqual(ascending(sum));
        expect(countsOf(mergeNumberTallies(merged, tallyOf(other), -1))).toEqual(ascending(one));
        expect(countsOf(mergeNumberTallies(tallyOf(one), tallyOf(one), -1))).toEqual([]);
      }),
    );
  });

  test("14 take 40 KB for 10,000 links with thousands of clicks each", () => {
    const links: Counts = new Map(
      Array.from({ length: 10_000 }, (_, link) => [link + 1, { human: 5_000 + link, nonHuman: link % 5 ? 0 : 60 }]),
    );
    expect(encodeNumberTally(tallyOf(links)).length).toBeLessThan(45_000);
    expect(encodeNumberTally(EMPTY_NUMBER_TALLY).length).toBe(2);
  });

  test("14 of a later format are refused", () => {
    expect(() => decodeNumberTally(new Uint8Array([2, 0]))).toThrow("format");
  });
});
