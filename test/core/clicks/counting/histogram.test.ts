import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  decodeHistogram,
  encodeHistogram,
  type Histogram,
  HistogramBuilder,
  joinHistograms,
} from "../../../../src/core/clicks/counting/histogram.ts";

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const AT = Date.UTC(2026, 10, 21, 9);

type Hit = [at: number, human: number, nonHuman: number];

function histogram(hits: Hit[]): Histogram {
  const builder = new HistogramBuilder();
  for (const [at, human, nonHuman] of hits) builder.add(at, human, nonHuman);
  return builder.build();
}

/** Sums by bin, counted the simple way. */
function sums(hits: Hit[], slotMs: number) {
  const bins = new Map<number, { start: number; human: number; nonHuman: number }>();
  for (const [at, human, nonHuman] of hits) {
    const start = Math.floor(at / slotMs) * slotMs;
    const bin = bins.get(start) ?? { start, human: 0, nonHuman: 0 };
    bins.set(start, { start, human: bin.human + human, nonHuman: bin.nonHuman + nonHuman });
  }
  return [...bins.values()];
}

/** The histogram after a round trip through storage. */
function stored(histogram: Histogram): Histogram {
  const bytes = encodeHistogram(histogram);
  if (!bytes) throw new Error("too long to be stored");
  return decodeHistogram(bytes);
}

const hits: fc.Arbitrary<Hit[]> = fc
  .array(fc.tuple(fc.nat(7_200_000), fc.nat(3), fc.nat(3)), { maxLength: 60 })
  .map((all) => all.map(([ms, human, nonHuman]): Hit => [AT + ms, human, nonHuman]).sort(([a], [b]) => a - b));

/** Long enough to be stored by the quarter of an hour: more than 4,096 minutes. */
const LONG: Hit[] = Array.from({ length: 4_097 }, (_, i) => [AT + i * MINUTE_MS + 7, i % 3, i % 2]);

describe("clicks by the minute", () => {
  test.each<[string, Hit[], Hit[]]>([
    ["none", [], []],
    [
      "the first and the last millisecond of a minute",
      [
        [AT, 1, 0],
        [AT + 59_999, 0, 1],
        [AT + 60_000, 1, 0],
      ],
      [
        [AT, 1, 1],
        [AT + 60_000, 1, 0],
      ],
    ],
  ])("%s", (_name, sent, bins) => {
    expect(histogram(sent)).toEqual({
      fine: true,
      bins: bins.map(([start, human, nonHuman]) => ({ start, human, nonHuman })),
    });
  });

  test("property: each click is in its minute, even after a round trip through storage", () => {
    fc.assert(
      fc.property(hits, (sent) => {
        expect(histogram(sent)).toEqual({ fine: true, bins: sums(sent, MINUTE_MS) });
        expect(stored(histogram(sent))).toEqual(histogram(sent));
      }),
    );
  });

  test("up to 4,096 minutes are counted by the minute, more by the quarter of an hour", () => {
    expect(histogram(LONG.slice(0, 4_096))).toEqual({ fine: true, bins: sums(LONG.slice(0, 4_096), MINUTE_MS) });
    const long = histogram(LONG);
    expect(long).toEqual({ fine: false, bins: sums(LONG, QUARTER_MS) });
    expect(stored(long)).toEqual(long);
  });
});

describe("adjacent histograms", () => {
  test("property: joined they equal the histogram of all clicks", () => {
    fc.assert(
      fc.property(hits, fc.array(fc.nat(60), { maxLength: 4 }), (sent, cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), sent.length];
        const parts = edges.slice(1).map((end, i) => histogram(sent.slice(edges[i], end)));
        expect(joinHistograms(parts)).toEqual(histogram(sent));
      }),
    );
  });

  test("are coarse if one of them is, even if they meet within a quarter", () => {
    const end = AT + 4_097 * MINUTE_MS;
    const before: Hit[] = [[AT - MINUTE_MS, 1, 1]];
    const after: Hit[] = [
      [end + MINUTE_MS, 5, 0],
      [end + 2 * MINUTE_MS, 6, 0],
    ];
    const long = stored(histogram(LONG));
    expect(joinHistograms([histogram(before), long, histogram(after)])).toEqual({
      fine: false,
      bins: sums([...before, ...LONG, ...after], QUARTER_MS),
    });
    const later: Hit[] = LONG.map(([at, human, nonHuman]) => [at + 4_097 * MINUTE_MS, human, nonHuman]);
    expect(joinHistograms([long, histogram(later)])).toEqual({
      fine: false,
      bins: sums([...LONG, ...later], QUARTER_MS),
    });
    expect(joinHistograms([long, histogram(after), histogram(later.slice(30))])).toEqual({
      fine: false,
      bins: sums([...LONG, ...after, ...later.slice(30)], QUARTER_MS),
    });
  });

  test("become coarse if they are too long together", () => {
    const half = 2_100;
    expect(joinHistograms([histogram(LONG.slice(0, half)), histogram(LONG.slice(half))])).toEqual(histogram(LONG));
  });

  test("joining no histograms gives an empty one", () => {
    expect(joinHistograms([])).toEqual({ fine: true, bins: [] });
    expect(stored({ fine: true, bins: [] })).toEqual({ fine: true, bins: [] });
  });

  test("that are too long are not stored, nor is the result of joining them", () => {
    const clicksInEachQuarter = (count: number): Hit[] =>
      Array.from({ length: count }, (_, i) => [AT + i * QUARTER_MS, 200, 200]);
    const fits = histogram(clicksInEachQuarter(26_000));
    expect(encodeHistogram(fits)?.length).toBeLessThanOrEqual(128 * 1024);
    expect(stored(fits)).toEqual(fits);
    expect(encodeHistogram(histogram(clicksInEachQuarter(27_000)))).toBeNull();
    expect(joinHistograms([fits, null])).toBeNull();
  });

  test("of an unknown format are not read", () => {
    expect(() => decodeHistogram(new Uint8Array([2, 1]))).toThrow("format");
  });
});
