import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  type ClickSlice,
  clipSlices,
  type BatchColumns,
  unpackColumns,
  unpackTimes,
  valueAt,
} from "../../../../src/core/clicks/encoding/click-batch.ts";
import { ClickBlock, encodeBlock } from "../../../../src/core/clicks/encoding/click-block.ts";
import { CLICK_FIELDS } from "../../../../src/core/clicks/encoding/click-formats.ts";
import { joinClicks } from "../../../../src/core/clicks/encoding/click-pool.ts";
import { mapFacts } from "../../../../src/core/clicks/facts.ts";
import { numberAt, SPLIT_BYTES, VISITOR_BYTES } from "../../../../src/core/clicks/encoding/column-encoding.ts";
import { clicksOfSlice } from "../../../../src/core/clicks/counting/scanned-clicks.ts";
import { UNKNOWN_SPLIT } from "../../../../src/core/visitors/split.ts";
import { ClickMix } from "../../../bench/click-mix.ts";
import { type Click, packClicks } from "../../../support/pack-clicks.ts";

const encodeSlices = (slices: readonly ClickSlice[]) => encodeBlock(joinClicks(slices.map(clicksOfSlice)));

const AT = Date.UTC(2026, 10, 21, 9);
const NOTHING_KNOWN: Click = { ...mapFacts(() => ""), at: AT, class: "human", qr: "", rule: "" };

type Batch = { revision: number; clicks: Click[] };

/** Batches as a log has them, one after the other. */
function slicesOf(batches: readonly Batch[]): ClickSlice[] {
  let position = 0;
  return batches.map(({ revision, clicks }) => {
    const batch = packClicks(clicks);
    const slice = { position, revision, columns: unpackColumns(batch.columns), times: unpackTimes(batch) };
    position += clicks.length;
    return { ...slice, from: 0, to: clicks.length };
  });
}

const FIELDS = CLICK_FIELDS.map((field) => (field === "rule" ? "route" : field));

function numbers(bytes: Uint8Array | null, width: number, i: number, unknown: number): number {
  return bytes ? numberAt(bytes, width, i) : unknown;
}

/** Each click of a block, with its fields as in the statistics. */
function clicksOf(block: ClickBlock) {
  const [splits, visitors] = [block.numbers("split"), block.numbers("visitor")];
  return Array.from({ length: block.count }, (_, i) => ({
    at: block.times()[i],
    split: splits?.[i] ?? UNKNOWN_SPLIT,
    visitor: visitors?.[i] ?? 0,
    ...Object.fromEntries(FIELDS.map((field) => [field, valueAt(block.column(field), i)])),
  }));
}

function expected(slices: readonly ClickSlice[]) {
  return slices.flatMap(({ columns, times, revision, from, to }) =>
    times.slice(from, to).map((at, n) => {
      const i = from + n;
      return {
        at,
        split: numbers(columns.splits, SPLIT_BYTES, i, UNKNOWN_SPLIT),
        visitor: numbers(columns.visitors, VISITOR_BYTES, i, 0),
        ...Object.fromEntries(FIELDS.map((field) => [field, valueOf(columns, field, revision, i)])),
      };
    }),
  );
}

function valueOf(columns: BatchColumns, field: (typeof FIELDS)[number], revision: number, i: number): string {
  return field === "route" ? `${revision}.${valueAt(columns.rule, i)}` : valueAt(columns[field], i);
}

const text = fc.oneof(fc.constantFrom("", "DE", "Zürich", " ", "\ufeff", "a\nb"), fc.string({ maxLength: 6 }));
const anyClick: fc.Arbitrary<Click> = fc.record(
  {
    at: fc.integer({ min: AT, max: AT + 100_000 }),
    class: fc.constantFrom("human", "bot", "prefetch"),
    country: text,
    referrer: text,
    utm_term: text,
    qr: text,
    rule: fc.constantFrom("", "0", "7"),
    query: fc.constantFrom("", "", "1f"),
    split: fc.constantFrom(UNKNOWN_SPLIT, 0, 77, 65_534),
    visitor: fc.constantFrom(0, 0, 1, 2 ** 48 - 1),
  },
  { requiredKeys: ["at", "class", "qr", "rule"] },
);
const anyBatches = fc.array(
  fc.record({ revision: fc.integer({ min: 1, max: 3 }), clicks: fc.array(anyClick, { minLength: 1, maxLength: 30 }) }),
  { minLength: 1, maxLength: 6 },
);

test("property: a block has the clicks of its batches, even if it begins or ends within one", () => {
  fc.assert(
    fc.property(anyBatches, fc.nat(), fc.nat(), (batches, one, other) => {
      let last = AT;
      for (const click of batches.flatMap(({ clicks }) => clicks)) click.at = last = Math.max(click.at, last);
      const all = slicesOf(batches);
      const count = all.reduce((sum, { to }) => sum + to, 0);
      const from = Math.min(one % count, other % count);
      const slices = clipSlices(all, from, Math.max(one % count, other % count) + 1);
      expect(clicksOf(new ClickBlock(encodeSlices(slices)))).toEqual(expected(slices));
    }),
  );
});

describe("a column of many values", () => {
  test.each([1, 2, 3, 4, 5, 16, 17, 256, 257, 1_024])("%i of 1,024 clicks", (values) => {
    const clicks = Array.from({ length: 1_024 }, (_, i) => ({ ...NOTHING_KNOWN, city: `c${(i * 7) % values}` }));
    const block = new ClickBlock(encodeSlices(slicesOf([{ revision: 1, clicks }])));
    const city = block.column("city");
    expect(city.values.length).toBe(values);
    expect(clicks.map((_, i) => valueAt(city, i))).toEqual(clicks.map((click) => click.city));
  });
});

test("a block takes at most 28 bytes a click, and two for clicks of which nothing is known", () => {
  const mix = new ClickMix();
  const clicks = mix.batch(AT, 1_024).map((click, i) => ({ ...click, split: i, visitor: 2 ** 47 + i }));
  const bytes = (batch: Click[]) => encodeSlices(slicesOf([{ revision: 1, clicks: batch }])).length / 1_024;
  expect(bytes(clicks)).toBeLessThanOrEqual(28);
  expect(bytes(clicks.map(({ at }) => ({ ...NOTHING_KNOWN, at })))).toBeLessThanOrEqual(2);
});

test("the stored bytes, which must stay readable permanently", () => {
  const clicks = ["DE", "AT", "DE"].map((country, i) => ({ ...NOTHING_KNOWN, at: 1_000 + i, country, visitor: i }));
  const ascii = (value: string) => [...new TextEncoder().encode(value)];
  const visitors = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0];
  const [letter, route, country] = [
    [1, ...ascii("h")],
    [1, ...ascii("4.")],
    [2, 0b010, ...ascii("DE\nAT")],
  ];
  // Times, delays, positions, splits, visitors; the fields of a batch, of an account's log, numbers, and `imported`.
  const lengths = [4, 0, 0, 0, 18, 2, 7, ...Array<number>(9).fill(0), 3, ...Array<number>(13).fill(0)];
  expect([...encodeSlices(slicesOf([{ revision: 4, clicks }]))]).toEqual([
    1,
    3,
    30,
    ...lengths,
    232,
    7,
    1,
    1,
    ...visitors,
    ...letter,
    ...country,
    ...route,
  ]);
  expect(() => new ClickBlock(new Uint8Array([2, 0, 0]))).toThrow("a block of clicks has an unknown format");
});
