import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  SHARED_CLICKS_MIN,
  sharedBounds,
  sharedGroups,
  sharedInterval,
} from "../../../../src/core/clicks/counting/shared-stats.ts";
import { DAY_MS } from "../../../../src/core/time.ts";

const groupsOf = (counts: Record<string, number>) => Object.entries(counts).map(([key, clicks]) => ({ key, clicks }));

describe("groups of a shared page", () => {
  test.each([
    [{}, {}],
    [
      { DE: 9, AT: 5 },
      { DE: 9, AT: 5 },
    ],
    [
      { DE: 9, AT: 4, CH: 1 },
      { DE: 9, other: 5 },
    ],
    // The total would reveal the four.
    [
      { DE: 9, FR: 6, AT: 4 },
      { DE: 9, other: 10 },
    ],
    [{ DE: 9, AT: 1 }, { other: 10 }],
    [{ AT: 4 }, { other: 4 }],
    // A key of devices, systems and browsers.
    [
      { mobile: 9, other: 6, tablet: 2 },
      { mobile: 9, other: 8 },
    ],
    [
      { other: 6, mobile: 5 },
      { mobile: 5, other: 6 },
    ],
  ])("%j are shown as %j", (counts, shown) => {
    expect(sharedGroups(groupsOf(counts as Record<string, number>))).toEqual(groupsOf(shown));
  });

  test("keep their sum, and none is small unless it is the only one", () => {
    const counts = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 150 });
    fc.assert(
      fc.property(counts, (clicks) => {
        const sorted = clicks.toSorted((a, b) => b - a).map((each, i) => ({ key: `k${i}`, clicks: each }));
        const shown = sharedGroups(sorted);
        const sum = (all: { clicks: number }[]) => all.reduce((total, each) => total + each.clicks, 0);
        expect(sum(shown)).toBe(sum(sorted));
        if (shown.length > 1)
          expect(Math.min(...shown.map((each) => each.clicks))).toBeGreaterThanOrEqual(SHARED_CLICKS_MIN);
        expect(shown.length).toBeLessThanOrEqual(101);
      }),
    );
  });
});

test("days begin and end at midnight of their time zone, also where clocks change", () => {
  const days = { first: "2026-03-29", last: "2026-03-29", timezone: "Europe/Berlin" };
  expect(sharedBounds(days)).toEqual({
    from: Date.parse("2026-03-28T23:00:00Z"),
    to: Date.parse("2026-03-29T22:00:00Z"),
  });
  expect(sharedBounds({ first: null, last: null, timezone: "UTC" })).toEqual({ from: null, to: null });
});

test.each([
  [1, "day"],
  [120, "day"],
  [121, "week"],
  [733, "month"],
])("%i days are shown by %s", (days, interval) => {
  expect(sharedInterval(0, days * DAY_MS)).toBe(interval);
});
