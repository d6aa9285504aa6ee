import { describe, expect, test } from "vitest";
import { ClickBlock, encodeBlock } from "../../../../src/core/clicks/encoding/click-block.ts";
import {
  type ClickColumns,
  type ColumnField,
  isNumberField,
  NUMBER_FIELDS,
  TEXT_FIELDS,
  type ValueColumn,
  type ValueOf,
} from "../../../../src/core/clicks/encoding/click-columns.ts";
import { ClickPool, orderByTime } from "../../../../src/core/clicks/encoding/click-pool.ts";

import fc from "fast-check";

const FIELDS: readonly ColumnField[] = [...TEXT_FIELDS, ...NUMBER_FIELDS];

type PlainClick = Record<ColumnField, string | number> & { at: number; position: number; visitor: number };

const text = fc.oneof(
  fc.constantFrom("", "DE", "a"),
  fc.string().map((value) => value.replaceAll("\n", " ")),
);
const number = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 2 ** 32 - 1 }));
const plainClick = fc
  .tuple(
    fc.nat({ max: 2 ** 41 }),
    fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 2 ** 40 })),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 48 - 1 })),
    fc.record(Object.fromEntries(FIELDS.map((field) => [field, isNumberField(field) ? number : text]))),
  )
  .map(([at, position, visitor, facts]) => ({ at, position, visitor, ...facts }) as PlainClick);

/** Clicks before they are stored, with values that may occur twice. */
function columnsOf(clicks: readonly PlainClick[]): ClickColumns {
  const times = Float64Array.from(clicks, ({ at }) => at);
  return {
    count: clicks.length,
    times: () => times,
    numbers: (name) => {
      if (name === "position") return clicks.map(({ position }) => position);
      const isKnown = name === "visitor" && clicks.some(({ visitor }) => visitor !== 0);
      return isKnown ? clicks.map(({ visitor }) => visitor) : null;
    },
    column: <F extends ColumnField>(field: F) => {
      const column = { values: clicks.map((click) => click[field]), indexes: clicks.map((_, i) => i) };
      return column as ValueColumn<ValueOf<F>>;
    },
  };
}

function clicksOf(columns: ClickColumns): PlainClick[] {
  const times = columns.times();
  const [positions, visitors] = [columns.numbers("position"), columns.numbers("visitor")];
  return Array.from({ length: columns.count }, (_, i) => {
    const facts = FIELDS.map((field) => {
      const { values, indexes }: ValueColumn = columns.column(field);
      return [field, values[indexes?.[i] ?? 0]];
    });
    const visitor = visitors?.[i] ?? 0;
    return { at: times[i], position: positions?.[i], visitor, ...Object.fromEntries(facts) } as PlainClick;
  });
}

describe("14 a block of an account's clicks", () => {
  test("14 has the clicks of several sources in chronological order, unchanged", () => {
    fc.assert(
      fc.property(fc.array(fc.array(plainClick, { maxLength: 12 }), { maxLength: 5 }), (groups) => {
        const pool = new ClickPool(groups.map(columnsOf));
        const joined = pool.pick(orderByTime(pool.times));
        const expected = groups.flat().sort((a, b) => a.at - b.at);
        expect(clicksOf(joined)).toEqual(expected);
        if (expected.length > 0) expect(clicksOf(new ClickBlock(encodeBlock(joined)))).toEqual(expected);
      }),
    );
  });

  test("14 is taken in parts from a pool, each with only its own values", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(plainClick, { maxLength: 9 }), { maxLength: 4 }),
        fc.nat({ max: 9 }),
        (groups, size) => {
          const pool = new ClickPool(groups.map(columnsOf));
          const order = orderByTime(pool.times);
          const [first, rest] = [order.subarray(0, size), order.subarray(size)].map((places) => pool.pick(places));
          const expected = groups.flat().sort((a, b) => a.at - b.at);
          for (const [part, clicks] of [
            [first, expected.slice(0, size)],
            [rest, expected.slice(size)],
          ] as const) {
            if (!part) continue;
            expect(clicksOf(part)).toEqual(clicks);
            for (const field of FIELDS)
              expect(new Set(part.column(field).values)).toEqual(new Set(clicks.map((click) => click[field])));
          }
        },
      ),
    );
  });

  test("14 takes two bytes for a column of equal values, and one per click for times and for positions in a log", () => {
    const click = Object.fromEntries(FIELDS.map((field) => [field, isNumberField(field) ? 1 : "a"]));
    const clicks = Array.from(
      { length: 4_096 },
      (_, i) => ({ ...click, at: i, position: 70_000 + i, visitor: 0 }) as PlainClick,
    );
    const pool = new ClickPool([columnsOf(clicks)]);
    const joined = pool.pick(orderByTime(pool.times));
    expect(encodeBlock(joined).length).toBeLessThan(2 * 4_096 + 100);
  });
});

test.each([
  [[], []],
  [[7], [0]],
  [
    [3, 1, 2, 1],
    [1, 3, 2, 0],
  ],
  [
    [8e15, 0, 8e15, 1],
    [1, 3, 0, 2],
  ],
])("the times %j are in the order %j, equal times as they arrived", (times, order) => {
  expect([...orderByTime(Float64Array.from(times))]).toEqual(order);
});
