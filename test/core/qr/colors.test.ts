/** 8: the contrast of colors, WCAG 2 relative luminance, unrounded. Pixels of logos over a color. */
import { describe, expect, test } from "vitest";

import { compositeOver, CONTRAST_MIN, contrastRatio, resized, rgbOf } from "../../../src/core/qr/colors.ts";

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

/** Two by two pixels, with independent channels. */
const FOUR = { width: 2, height: 2, rgb: Uint8Array.from([0, 10, 100, 80, 30, 20, 40, 50, 60, 120, 70, 180]) };

/** One channel of every pixel, row by row. */
function channel({ rgb }: { rgb: Uint8Array }, index: number): number[] {
  return [...rgb].filter((_, i) => i % 3 === index);
}

describe("a raster blended with a color", () => {
  test.each([
    ["fully transparent", [0, 0, 0, 0], [240, 224, 208]],
    ["half transparent, premultiplied", [128, 0, 0, 128], [248, 112, 104]],
    ["fully opaque", [1, 2, 3, 255], [1, 2, 3]],
    ["brighter than permitted", [250, 250, 250, 128], [255, 255, 255]],
  ])("%s", (_name, rgba, rgb) => {
    const raster = compositeOver(1, 1, Uint8Array.from(rgba), [240, 224, 208]);
    expect(raster).toEqual({ width: 1, height: 1, rgb: Uint8Array.from(rgb) });
  });

  test("pixel for pixel", () => {
    const rgba = Uint8Array.from([1, 2, 3, 255, 4, 5, 6, 255, 0, 0, 0, 0, 7, 8, 9, 255, 0, 0, 0, 0, 10, 11, 12, 255]);
    const raster = compositeOver(2, 3, rgba, [255, 254, 253]);
    expect(raster.rgb).toEqual(Uint8Array.from([1, 2, 3, 4, 5, 6, 255, 254, 253, 7, 8, 9, 255, 254, 253, 10, 11, 12]));
  });
});

describe("a raster in another size", () => {
  test.each([0.8, 1, 1.2])("scaled by %d is the same", (scale) => {
    expect(resized(FOUR, scale)).toBe(FOUR);
  });

  test("twice as large, it has pixels in between, a quarter and three quarters of the way", () => {
    const { width, height, ...pixels } = resized(FOUR, 2);
    expect([width, height]).toEqual([4, 4]);
    expect(channel(pixels, 0)).toEqual([0, 20, 60, 80, 10, 30, 70, 90, 30, 50, 90, 110, 40, 60, 100, 120]);
  });

  test("smaller, it has their average", () => {
    expect(resized(FOUR, 0.5)).toEqual({ width: 1, height: 1, rgb: Uint8Array.from([60, 40, 90]) });
    expect(resized(FOUR, 0.01)).toMatchObject({ width: 1, height: 1 });
  });

  test("sides are scaled independently", () => {
    const line = { width: 3, height: 1, rgb: Uint8Array.from([0, 0, 0, 90, 90, 90, 30, 30, 30]) };
    const larger = resized(line, 2);
    expect([larger.width, larger.height]).toEqual([6, 2]);
    const row = [0, 23, 68, 75, 45, 30];
    expect(channel(larger, 2)).toEqual([...row, ...row]);
    expect(resized(line, 1.3)).toMatchObject({ width: 4, height: 1 });
  });
});
