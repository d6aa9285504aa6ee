import { describe, expect, test } from "vitest";

import {
  layoutOf,
  logoBoxModules,
  type Matrix,
  matrixOf,
  minSizePx,
  runsOf,
  withoutLogoBox,
} from "../../../src/core/qr/matrix.ts";

const dark = (side: number): Matrix => ({ side, isDark: () => true });

test("a symbol has its finder patterns, and more modules by level", () => {
  const matrix = matrixOf("https://hop.example/a", "L");
  const row = (index: number, from: number) =>
    Array.from({ length: 8 }, (_, i) => (matrix.isDark(index, from + i) ? "#" : ".")).join("");
  expect([0, 1, 2, 6, 7].map((index) => row(index, 0))).toEqual([
    "#######.",
    "#.....#.",
    "#.###.#.",
    "#######.",
    "........",
  ]);
  expect(row(0, matrix.side - 8)).toBe(".#######");
  expect((["L", "M", "Q", "H"] as const).map((level) => matrixOf("https://hop.example/a", level).side)).toEqual([
    25, 25, 29, 29,
  ]);
});

describe("the position of a symbol in an image", () => {
  test.each([
    [21, 4, 29, { size: 29, scale: 1, offset: 4 }],
    [21, 4, 28, null],
    [21, 0, 21, { size: 21, scale: 1, offset: 0 }],
    [21, 4, 512, { size: 512, scale: 17, offset: 77 }],
    [21, 4, 58, { size: 58, scale: 2, offset: 8 }],
    [21, 4, 57, { size: 57, scale: 1, offset: 18 }],
  ])("%i modules, margin %i, in %i pixels: %j", (side, margin, size, layout) => {
    expect(layoutOf(dark(side), margin, size)).toEqual(layout);
  });

  test("with its margin, it needs at least one pixel for each module", () => {
    expect(minSizePx(dark(21), 4)).toBe(29);
    expect(minSizePx(dark(25), 0)).toBe(25);
  });
});

describe("the box of a logo", () => {
  test.each([
    [21, 5],
    [25, 7],
    [27, 7],
    [29, 7],
    [33, 9],
    [177, 53],
  ])("%i modules on a side: %i", (side, box) => {
    expect(logoBoxModules(dark(side))).toBe(box);
  });

  test("contains only light modules, and changes no others", () => {
    const { side, isDark } = withoutLogoBox(dark(21));
    expect(side).toBe(21);
    const light = Array.from({ length: 21 * 21 }, (_, i) => [Math.floor(i / 21), i % 21] as const).filter(
      ([row, column]) => !isDark(row, column),
    );
    expect([light[0], light.at(-1), light.length]).toEqual([[8, 8], [12, 12], 25]);
    expect(withoutLogoBox({ side: 21, isDark: () => false }).isDark(0, 0)).toBe(false);
  });
});

test.each([
  ["....", []],
  ["####", [{ start: 0, end: 4 }]],
  [
    "#..#",
    [
      { start: 0, end: 1 },
      { start: 3, end: 4 },
    ],
  ],
  [".##.", [{ start: 1, end: 3 }]],
])("the dark modules of %s", (modules, runs) => {
  const matrix: Matrix = { side: 4, isDark: (row, column) => row === 2 && modules[column] === "#" };
  expect(runsOf(matrix, 2)).toEqual(runs);
  expect(runsOf(matrix, 0)).toEqual([]);
});
