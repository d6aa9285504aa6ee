/** Codes as files: small, strict, the same pixels in every format. */
import { expect, test } from "vitest";

import { compositeOver } from "../../../src/core/qr/colors.ts";
import { layoutOf, type Matrix, matrixOf, runsOf } from "../../../src/core/qr/matrix.ts";
import { qrPngWithLogo, qrPng } from "../../../src/core/qr/png.ts";
import { qrSvg } from "../../../src/core/qr/svg.ts";
import { readPng } from "../../support/png.ts";

const COLORS = { fg: "#102030", bg: "#F0E0D0" };
const TEXT = "https://hop.example/spring?qr=01kajm2t4g8q5v7w9x3y6z1a2b";

/** Three by three modules. */
const TINY: Matrix = { side: 3, isDark: (row, column) => "##..##.#."[row * 3 + column] === "#" };

test("a row is its runs of dark modules", () => {
  expect([0, 1, 2].map((row) => runsOf(TINY, row))).toEqual([
    [{ start: 0, end: 2 }],
    [{ start: 1, end: 3 }],
    [{ start: 1, end: 2 }],
  ]);
});

test("an SVG is one path of runs on its background", () => {
  const layout = layoutOf(TINY, 1, 52);
  expect(layout && qrSvg(TINY, layout, COLORS)).toMatchInlineSnapshot(`
    "<svg xmlns="http://www.w3.org/2000/svg" width="52" height="52" viewBox="0 0 52 52" shape-rendering="crispEdges"><path fill="#F0E0D0" d="M0 0h52v52H0z"/><path stroke="#102030" transform="translate(11 11)scale(10)" d="M0 0.5h2M1 1.5h2M1 2.5h1"/></svg>
    "
  `);
});

test("a PNG has every module where the layout puts it", async () => {
  for (const size of [5, 7, 16, 52, 1003]) {
    const layout = layoutOf(TINY, 1, size);
    if (!layout) throw new Error("does not fit");
    const { rgba, width } = readPng(await qrPng(TINY, layout, COLORS));
    expect(width).toBe(size);
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const [row, column] = [y, x].map((at) => Math.floor((at - layout.offset) / layout.scale)) as [number, number];
        const isDark = row >= 0 && row < 3 && column >= 0 && column < 3 && TINY.isDark(row, column);
        if (rgba[(y * size + x) * 4] !== (isDark ? 0x10 : 0xf0)) throw new Error(`${size}: wrong pixel at ${x}, ${y}`);
      }
    }
  }
});

test("a logo is centered, pixel for pixel", async () => {
  const layout = layoutOf(TINY, 1, 50);
  if (!layout) throw new Error("does not fit");
  const rgb = Uint8Array.from({ length: 6 * 4 * 3 }, (_, i) => i);
  const { rgba } = readPng(await qrPngWithLogo(TINY, layout, COLORS, { width: 6, height: 4, rgb }));
  const seen = [];
  for (let y = 23; y < 27; y++)
    for (let x = 22; x < 28; x++) seen.push(...rgba.subarray((y * 50 + x) * 4, (y * 50 + x) * 4 + 3));
  expect(seen).toEqual([...rgb]);
});

test("a logo is blended with the background by its opacity", () => {
  const rgba = Uint8Array.from([0, 0, 0, 0, 128, 0, 0, 128, 255, 255, 255, 255]);
  expect([...compositeOver(3, 1, rgba, [240, 224, 208]).rgb]).toEqual(
    [240, 224, 208, 248, 112, 104, 255, 255, 255].map((v, i) => (i === 3 ? 248 : v)),
  );
});

test.each([
  [64, 600],
  [512, 1_200],
  [4_096, 32 * 1_024],
])("at %d px a plain PNG has at most %d bytes, and an SVG some thousand", async (size, most) => {
  const matrix = matrixOf(TEXT, "M");
  const layout = layoutOf(matrix, 4, size);
  if (!layout) throw new Error("does not fit");
  expect((await qrPng(matrix, layout, COLORS)).length).toBeLessThanOrEqual(most);
  expect(qrSvg(matrix, layout, COLORS).length).toBeLessThan(3_000);
});
