/** 8: the contrast of colors, WCAG 2 relative luminance, unrounded. */
import { expect, test } from "vitest";

import { CONTRAST_MIN, contrastRatio, rgbOf } from "../../../src/core/qr/contrast.ts";

test.each([
  ["#000000", "#FFFFFF", 21],
  ["#FFFFFF", "#000000", 21],
  ["#123456", "#123456", 1],
  ["#777777", "#FFFFFF", 4.478089453577214],
  ["#767676", "#FFFFFF", 4.542224959605253],
  ["#FF0000", "#FFFFFF", 3.9984767707539985],
  ["#0000FF", "#FFFFFF", 8.592471358428805],
])("%s on %s is %d:1", (fg, bg, ratio) => {
  expect(contrastRatio(fg, bg)).toBeCloseTo(ratio, 10);
  expect(contrastRatio(bg, fg)).toBe(contrastRatio(fg, bg));
});

test("the minimum is between #777777 and #767676 on white", () => {
  expect(contrastRatio("#777777", "#FFFFFF")).toBeLessThan(CONTRAST_MIN);
  expect(contrastRatio("#767676", "#FFFFFF")).toBeGreaterThan(CONTRAST_MIN);
});

test("colors are case-insensitive", () => {
  expect(rgbOf("#0aFf7F")).toEqual([10, 255, 127]);
});
