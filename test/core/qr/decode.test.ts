/**
 * Every code is read by three third-party decoders: sizes, formats, margins, levels, colors, short and long slugs. PNGs
 * are parsed strictly by the format; SVGs are drawn by resvg. `QR_DECODE=all` tries each level with all colors, reads
 * the largest sizes in every form, and checks each PNG with pngcheck (Debian's package of that name).
 */
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";

import type { Raster } from "../../../src/core/qr/colors.ts";
import {
  type Ecc,
  type Layout,
  type Matrix,
  layoutOf,
  minSizePx,
  logoBoxModules,
  matrixOf,
  withoutLogoBox,
} from "../../../src/core/qr/matrix.ts";
import { qrPngWithLogo, qrPng } from "../../../src/core/qr/png.ts";
import { qrSvg } from "../../../src/core/qr/svg.ts";
import { scanUrl, newQrId } from "../../../src/core/qr/token.ts";
import { decodeQrCode, drawSvg, readByAll, withMargin } from "../../support/decoders.ts";
import { type Pixels, readPng } from "../../support/png.ts";

const ECC_LEVELS: readonly Ecc[] = ["L", "M", "Q", "H"];

const ALL = process.env.QR_DECODE === "all";
const SIZES = [64, 65, 100, 127, 256, 512, 1000, 1024, 2047, 4096];
/** From these sizes on, two levels of each case are tried, then one of every second case. */
const LARGE_PX = 1_000;
const HUGE_PX = 2_000;
const MARGINS = [0, 4];
const COLORS = [
  { fg: "#000000", bg: "#FFFFFF" },
  { fg: "#767676", bg: "#FFFFFF" },
  { fg: "#1A2B6C", bg: "#F5E6C8" },
] as const;
const SLUGS = { short: "spring", long: "S".padEnd(64, "x-9_z") };

function textFor(slug: string): string {
  const id = newQrId("00112233445566778899aabbccddeeff", Date.parse("2026-11-21T09:00:00Z"), new Uint32Array(6));
  return scanUrl(`https://hop.example/${slug}`, id);
}

/** @throws if pngcheck finds an error */
function checkPng(file: Uint8Array): void {
  execFileSync("pngcheck", ["-q"], { input: file });
}

const CASES = SIZES.flatMap((size) =>
  MARGINS.flatMap((margin) =>
    Object.keys(SLUGS).flatMap((slug) => ({ size, margin, slug: slug as keyof typeof SLUGS })),
  ),
).filter(({ size, margin, slug }) => ALL || size < HUGE_PX || (margin === 0) === (slug === "long"));

/** Levels and pairs of colors: the cases of a size together have every combination, if each tries all levels. */
function samplesOf(size: number, caseIndex: number): { ecc: Ecc; colors: (typeof COLORS)[number] }[] {
  if (ALL) return ECC_LEVELS.flatMap((ecc) => COLORS.map((colors) => ({ ecc, colors })));
  if (size >= HUGE_PX) return [{ ecc: ECC_LEVELS[caseIndex % 4] ?? "L", colors: COLORS[caseIndex % 3] ?? COLORS[0] }];
  const step = size >= LARGE_PX ? 2 : 1;
  return ECC_LEVELS.flatMap((ecc, level) => {
    const colors = COLORS[(caseIndex + level) % COLORS.length] ?? COLORS[0];
    return (caseIndex + level) % step === 0 ? { ecc, colors } : [];
  });
}

/** Expects the color of each module in its middle. */
function expectModules({ width, rgba }: Pixels, matrix: Matrix, { scale, offset }: Layout, dark: string): void {
  const pixels = new Uint32Array(rgba.buffer);
  const color = 0xff000000 + Buffer.from(dark.slice(1), "hex").readUIntLE(0, 3);
  const middle = (module: number) => offset + module * scale + (scale >> 1);
  for (let row = 0; row < matrix.side; row++) {
    for (let column = 0; column < matrix.side; column++) {
      if ((pixels[middle(row) * width + middle(column)] === color) !== matrix.isDark(row, column))
        throw new Error(`wrong module in row ${row}, column ${column}`);
    }
  }
}

describe("4.4 every code is read by jsQR, ZBar and ZXing", () => {
  test.each(CASES)("$size px, margin $margin, $slug slug", { timeout: ALL ? 600_000 : 120_000 }, async (tried) => {
    const { size, margin, slug } = tried;
    const samples = samplesOf(size, CASES.indexOf(tried));
    expect(samples).not.toEqual([]);
    const text = textFor(SLUGS[slug]);
    for (const { ecc, colors } of samples) {
      const matrix = matrixOf(text, ecc);
      const least = minSizePx(matrix, margin);
      // If this size does not fit, the reported minimum does.
      const layout = layoutOf(matrix, margin, size) ?? layoutOf(matrix, margin, least);
      if (!layout) throw new Error("the least size does not fit");
      expect(layoutOf(matrix, margin, least - 1)).toBeNull();
      const file = await qrPng(matrix, layout, colors);
      if (ALL) checkPng(file);
      const png = readPng(file);
      const svg = await drawSvg(qrSvg(matrix, layout, colors));
      expect([png.width, png.height]).toEqual([layout.size, layout.size]);
      expect(Buffer.from(svg.rgba.buffer).equals(Buffer.from(png.rgba.buffer)), "SVG and PNG are the same").toBe(true);
      expectModules(png, matrix, layout, colors.fg);
      // The decoders take seconds for the largest images, which differ from smaller ones only in the modules' size.
      if (size >= HUGE_PX && !ALL && margin === 0) continue;
      // The same pixels need not be read twice.
      const paper = margin === 0 ? withMargin(png, 4 * layout.scale, colors.bg) : png;
      expect(await decodeQrCode(paper, layout.scale), `${ecc} ${colors.fg}`).toEqual(readByAll(text));
    }
  });
});

/** The worst that a logo can do: every module under its box is read wrongly. */
function hostile(text: string, scale: number): Raster {
  const matrix = matrixOf(text, "H");
  const box = logoBoxModules(matrix);
  const start = (matrix.side - box) / 2;
  const width = box * scale;
  const rgb = new Uint8Array(width * width * 3);
  for (let pixel = 0; pixel < width * width; pixel++) {
    const [row, column] = [Math.floor(pixel / width / scale), Math.floor((pixel % width) / scale)];
    rgb.fill(matrix.isDark(start + row, start + column) ? 255 : 0, pixel * 3, pixel * 3 + 3);
  }
  return { width, height: width, rgb };
}

describe("decision 8: a logo covers no more than level H can lose", () => {
  test.each([0, 10, 20, 30, 40, 50, 60])(
    "even if everything under it is wrong, on a slug of %d more characters",
    async (more) => {
      const text = textFor("spring".padEnd(4 + more, "x"));
      const whole = matrixOf(text, "H");
      for (const size of ALL ? [150, 512, 1000] : [150, 512]) {
        const layout = layoutOf(whole, 4, size);
        if (!layout) throw new Error("does not fit");
        const png = await qrPngWithLogo(withoutLogoBox(whole), layout, COLORS[0], hostile(text, layout.scale));
        if (ALL) checkPng(png);
        expect(await decodeQrCode(readPng(png), layout.scale), `${size}`).toEqual(readByAll(text));
      }
    },
  );

  test.each(["#000000", "#FFFFFF", "#C00000"])("filled with %s", async (color) => {
    const text = textFor("spring");
    const matrix = withoutLogoBox(matrixOf(text, "H"));
    for (const size of ALL || color === "#C00000" ? [64, 100, 512, 2047] : [64, 100, 512]) {
      const layout = layoutOf(matrix, 4, size);
      if (!layout) throw new Error("does not fit");
      const width = logoBoxModules(matrix) * layout.scale;
      const rgb = new Uint8Array(Buffer.alloc(width * width * 3, color.slice(1), "hex"));
      const raster = { width, height: width, rgb };
      const left = layout.offset + ((matrix.side - logoBoxModules(matrix)) / 2) * layout.scale;
      const images = [
        readPng(await qrPngWithLogo(matrix, layout, COLORS[0], raster)),
        await drawSvg(qrSvg(matrix, layout, COLORS[0], { raster, box: { left, top: left, width } })),
      ];
      for (const image of images) expect(await decodeQrCode(image, layout.scale)).toEqual(readByAll(text));
    }
  });
});

describe("the symbol", () => {
  const levels = ECC_LEVELS;
  test.each(levels)("%s is upright: its one fixed dark module is where ISO 18004 requires it", (ecc) => {
    const { side, isDark } = matrixOf(textFor("spring"), ecc);
    expect([isDark(side - 8, 8), isDark(0, 0)]).toEqual([true, true]);
    expect((side - 17) % 4).toBe(0);
  });

  test.each(SIZES)("of %d px has whole pixels for each module and is centered", (size) => {
    const matrix = matrixOf(textFor("spring"), "L");
    const layout = layoutOf(matrix, 4, size);
    if (!layout) throw new Error("does not fit");
    const after = size - layout.offset - matrix.side * layout.scale;
    expect(after - layout.offset === 0 || after - layout.offset === 1).toBe(true);
    expect(layout.offset).toBeGreaterThanOrEqual(4 * layout.scale);
    expect((layout.scale + 1) * minSizePx(matrix, 4)).toBeGreaterThan(size);
  });
});
