import { Buffer } from "node:buffer";

import { afterEach, describe, expect, test, vi } from "vitest";

import { type Layout, layoutOf, type Matrix } from "../../../src/core/qr/matrix.ts";
import { qrPngWithLogo, qrPng } from "../../../src/core/qr/png.ts";
import { readPng } from "../../support/png.ts";

const COLORS = { fg: "#102030", bg: "#F0E0D0" };
const DARK = [0x10, 0x20, 0x30, 255];
const LIGHT = [0xf0, 0xe0, 0xd0, 255];

/** Three by three modules. */
const TINY: Matrix = { side: 3, isDark: (row, column) => "##..##.#."[row * 3 + column] === "#" };

function layout(size: number, margin: number): Layout {
  const found = layoutOf(TINY, margin, size);
  if (!found) throw new Error("does not fit");
  return found;
}

function moduleColor({ scale, offset }: Layout, x: number, y: number): number[] {
  const [row, column] = [Math.floor((y - offset) / scale), Math.floor((x - offset) / scale)];
  const isInside = row >= 0 && row < TINY.side && column >= 0 && column < TINY.side;
  return isInside && TINY.isDark(row, column) ? DARK : LIGHT;
}

function firstWrongPixel(png: Uint8Array, size: number, colorOf: (x: number, y: number) => number[]): string | null {
  const { rgba, width, height } = readPng(png);
  if (width !== size || height !== size) return `${width} by ${height}`;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at = (y * size + x) * 4;
      const color = colorOf(x, y);
      if (color.some((value, channel) => rgba[at + channel] !== value)) return `${x}, ${y}: ${rgba.slice(at, at + 4)}`;
    }
  }
  return null;
}

/** A logo in which each pixel has a different color. */
function logo(width: number, height: number) {
  return { width, height, rgb: Uint8Array.from({ length: width * height * 3 }, (_, i) => (i * 7) % 251) };
}

describe("every pixel", () => {
  test.each([
    [5, 1],
    [16, 0],
    [52, 1],
    [1_003, 1],
    [1_500, 0],
  ])("of a plain code at %i px, margin %i", async (size, margin) => {
    const place = layout(size, margin);
    const png = await qrPng(TINY, place, COLORS);
    expect(firstWrongPixel(png, size, (x, y) => moduleColor(place, x, y))).toBeNull();
  });

  test.each([
    ["within a row of modules", 50, 1, 6, 4],
    ["over the edges of rows", 50, 1, 14, 26],
    ["of exactly one row", 30, 0, 10, 10],
    ["as high as the image", 30, 0, 4, 30],
    ["as wide as the image", 30, 1, 30, 3],
    ["of odd sides", 51, 1, 7, 5],
    ["where many rows are written at a time", 600, 1, 100, 80],
  ])("of a code with a logo %s", async (_name, size, margin, width, height) => {
    const [place, image] = [layout(size, margin), logo(width, height)];
    const [left, top] = [Math.floor((size - width) / 2), Math.floor((size - height) / 2)];
    const png = await qrPngWithLogo(TINY, place, COLORS, image);
    const colorOf = (x: number, y: number) => {
      if (x < left || x >= left + width || y < top || y >= top + height) return moduleColor(place, x, y);
      const at = ((y - top) * width + x - left) * 3;
      return [...image.rgb.subarray(at, at + 3), 255];
    };
    expect(firstWrongPixel(png, size, colorOf)).toBeNull();
  });
});

/** Lines in each piece: a row that differs begins the next piece, rows that repeat it are whole pieces. */
const PLAIN = [
  [1],
  [174, 174, 174, 174, 174, 130],
  [174, 174, 174, 174, 174, 130],
  [174, 174, 174, 174, 174, 129],
].flat();
const WITH_LOGO = [[2], [43, 43, 43, 37], [43, 42, 43, 38], [43, 43, 43, 37]].flat();

describe("input of the compressor", () => {
  afterEach(() => vi.restoreAllMocks());

  /** The pieces, and copies of their contents at the time of each write. */
  async function piecesOf(drawing: () => Promise<Uint8Array>) {
    const { write } = WritableStreamDefaultWriter.prototype;
    const pieces: Uint8Array[] = [];
    const copies: Uint8Array[] = [];
    vi.spyOn(WritableStreamDefaultWriter.prototype, "write").mockImplementation(function (
      this: WritableStreamDefaultWriter,
      piece: Uint8Array,
    ) {
      pieces.push(piece);
      copies.push(piece.slice());
      return write.call(this, piece);
    });
    await drawing();
    return { pieces, copies };
  }

  test.each<[string, number, () => Promise<Uint8Array>, number[], number]>([
    ["a plain code", 376, () => qrPng(TINY, layout(3_000, 0), COLORS), PLAIN, 5],
    ["a code with a logo", 1_501, () => qrPngWithLogo(TINY, layout(500, 0), COLORS, logo(10, 4)), WITH_LOGO, 6],
  ])("%s: many rows at a time, most of them the same bytes", async (_name, lineBytes, drawing, lines, buffers) => {
    const { pieces, copies } = await piecesOf(drawing);
    expect(pieces.map(({ length }) => length / lineBytes)).toEqual(lines);
    expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(buffers);
    expect(pieces.findIndex((piece, i) => Buffer.compare(piece, copies[i] ?? new Uint8Array()) !== 0)).toBe(-1);
  });
});
