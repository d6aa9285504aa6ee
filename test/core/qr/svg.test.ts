import { describe, expect, test } from "vitest";

import type { Matrix } from "../../../src/core/qr/matrix.ts";
import { qrSvg } from "../../../src/core/qr/svg.ts";

/** Three by three modules. */
const TINY: Matrix = { side: 3, isDark: (row, column) => "#.#.....#"[row * 3 + column] === "#" };
const COLORS = { fg: "#102030", bg: "#F0E0D0" };
const HEAD =
  '<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50" viewBox="0 0 50 50" shape-rendering="crispEdges">' +
  '<path fill="#F0E0D0" d="M0 0h50v50H0z"/>';
const MODULES = '<path stroke="#102030" transform="translate(10 10)scale(10)" d="M0 0.5h1m1 0h1M2 2.5h1"/>';

function codeWith(width: number, pixels: number[]): string {
  const rgb = Uint8Array.from(pixels.flatMap((pixel) => [pixel >> 16, (pixel >> 8) & 255, pixel & 255]));
  const raster = { width, height: pixels.length / width, rgb };
  return qrSvg(TINY, { size: 50, scale: 10, offset: 10 }, COLORS, { raster, box: { left: 7, top: 9, width: 12 } });
}

test("a code without a logo", () => {
  expect(qrSvg(TINY, { size: 50, scale: 10, offset: 10 }, COLORS)).toBe(`${HEAD}${MODULES}</svg>\n`);
});

describe("a logo", () => {
  const [RED, BLACK, BG, LIKE_BG] = [0xff0001, 0x000000, 0xf0e0d0, 0xf0e0d1];

  test.each<[string, number, number[], string, number]>([
    ["one color", 2, [RED, RED, RED, RED], '<path stroke="#ff0001" d="M0 0.5h2M0 1.5h2"/>', 6],
    [
      "several in a row",
      4,
      [RED, BLACK, BLACK, RED],
      '<path stroke="#ff0001" d="M0 0.5h1m2 0h1"/><path stroke="#000000" d="M1 0.5h2"/>',
      3,
    ],
    ["the background color is omitted", 3, [BG, LIKE_BG, BG, BG, BG, BG], '<path stroke="#f0e0d1" d="M1 0.5h1"/>', 4],
    ["only background", 2, [BG, BG], "", 6],
  ])("of %s", (_name, width, pixels, paths, scale) => {
    expect(codeWith(width, pixels)).toBe(
      `${HEAD}${MODULES}<g transform="translate(7 9)scale(${scale})">${paths}</g></svg>\n`,
    );
  });

  const shades = (count: number) => Array.from({ length: count }, (_, i) => i * 0x000101 + 0x120000);

  test("keeps up to 256 colors as they are", () => {
    expect(codeWith(256, shades(256)).match(/stroke="#12/g)).toHaveLength(256);
  });

  test("with more colors keeps four bits of each channel, twice", () => {
    const strokes = codeWith(257, [...shades(256), 0xabcdef]).match(/stroke="#(?!102030)\w+"/g);
    expect(strokes).toEqual([
      ...Array.from({ length: 16 }, (_, i) => `stroke="#11${(i * 17).toString(16).padStart(2, "0").repeat(2)}"`),
      'stroke="#aaccee"',
    ]);
  });
});
