import fc from "fast-check";
import { expect, test } from "vitest";

import { NumberPairSet, UniqueVisitors } from "../../../../src/core/clicks/counting/unique-visitors.ts";

const DAY_MS = 86_400_000;

const anyClick = fc.record({
  /** Time since the previous click. */
  ms: fc.constantFrom(0, 1, 40_000_000, 90_000_000),
  value: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 48 - 1 }), fc.constant(2 ** 32 + 1)),
  bucket: fc.nat(3),
});

test("property: counts as many as sets of all visitors per day", () => {
  fc.assert(
    fc.property(
      fc.array(anyClick, { maxLength: 200 }),
      fc.constantFrom(1_000_000, DAY_MS, 3 * DAY_MS),
      (clicks, binMs) => {
        const visitors = new UniqueVisitors(4, 8_000);
        const [total, buckets, bins] = [new Set(), new Set<string>(), new Set<string>()];
        let at = DAY_MS - 1_000;
        for (const { ms, value, bucket } of clicks) {
          at += ms;
          const bin = Math.floor(at / binMs) % 8_000;
          const day = Math.floor(at / DAY_MS);
          visitors.add(at, value, bucket, bin);
          total.add(`${day} ${value}`);
          buckets.add(`${day} ${value} ${bucket}`);
          bins.add(`${day} ${value} ${bin}`);
        }
        const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
        expect([visitors.total, sum(visitors.buckets), sum(visitors.bins)]).toEqual([
          total.size,
          buckets.size,
          bins.size,
        ]);
      },
    ),
  );
});

test("growing tables keep their contents", () => {
  const visitors = new UniqueVisitors(2, 0);
  for (const bucket of [0, 1, 0]) for (let i = 1; i <= 30_000; i++) visitors.add(DAY_MS, i * 65_537, bucket, -1);
  expect([visitors.total, visitors.buckets]).toEqual([30_000, [30_000, 30_000]]);
});

test("property: a set of pairs behaves like a set", () => {
  const pair = fc.tuple(fc.constantFrom(1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 47), fc.nat(5));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 600 }), (pairs) => {
      const [known, set] = [new Set<string>(), new NumberPairSet()];
      for (const [value, tag] of pairs) {
        expect(set.add(value, tag)).toBe(!known.has(`${value} ${tag}`));
        known.add(`${value} ${tag}`);
      }
      set.clear();
      expect(set.add(1, 0)).toBe(true);
    }),
  );
});
