/** Color levels of the world map and of the busiest hours, and shares. */
import { describe, expect, test } from "vitest";

import { formatShare } from "../../src/dashboard/formatting/numbers.ts";
import { levelOf, levelStarts } from "../../src/dashboard/pages/link/stats/week-heat.ts";

describe("7 color levels", () => {
  test.each([1, 2, 3, 10, 1_000, 12_345_678])("for up to %d clicks range from the first step to the last", (most) => {
    const starts = levelStarts(most);
    expect([levelOf(0, starts), levelOf(most, starts), levelOf(1, starts) > 0]).toEqual([0, 5, true]);
    for (const { level, from } of starts) {
      expect(levelOf(from, starts)).toBe(level);
      expect(levelOf(from - 1, starts)).toBeLessThan(level);
    }
  });

  test("begin at round numbers, which tell counts apart that are close to each other", () => {
    const from = (most: number, least?: number) => levelStarts(most, least).map((start) => start.from);
    expect(from(1_234)).toEqual([1, 5, 20, 200, 1_000]);
    expect(from(12_345_678)).toEqual([1, 50, 2_000, 200_000, 10_000_000]);
    expect(from(40)).toEqual([1, 2, 6, 10, 40]);
    expect(from(970, 480)).toEqual([480, 570, 680, 810, 970]);
    expect(from(3, 3)).toEqual([3]);
    expect(from(0, Infinity)).toEqual([]);
  });
});

test("7 shares have one decimal, and those below a tenth of a percent are not shown as nothing", () => {
  expect([0, 0.0009, 0.001, 0.125, 1].map(formatShare)).toEqual(["0.0%", "<0.1%", "0.1%", "12.5%", "100.0%"]);
});
