/**
 * QR codes that the dashboard draws: the preview before a code is created, and the files in every combination of shapes,
 * size and logo. SVGs are drawn by resvg, EPS and PDF by Ghostscript. `QR_DECODE=all` tries more sizes, and each of them
 * with both URLs.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

import { minSizePx, matrixOf } from "../../src/core/qr/matrix.ts";
import { qrKeyOf, newQrId, scanUrl } from "../../src/core/qr/token.ts";
import {
  colorContrast,
  CORNER_SHAPES,
  drawQr,
  MODULE_SHAPES,
  type QrDrawing,
  type QrOptions,
} from "../../src/dashboard/pages/link/qr/qr-drawing.ts";
import { epsFile, pdfOfCode, sheetFile, svgFile } from "../../src/dashboard/pages/link/qr/qr-files.ts";
import { decodeQrCode, drawSvg, readAllCodes, readByAll, withMargin } from "../support/decoders.ts";
import type { Pixels } from "../support/png.ts";

const SHORT_URL = "https://short.example.com/spring";
const LONG_URL = `https://short.example.com/${"S".padEnd(64, "x-9_z")}`;
const ID = newQrId(qrKeyOf(new Uint8Array(16)), Date.UTC(2026, 10, 21), new Uint32Array(6));
const real = scanUrl(SHORT_URL, ID);

const PLAIN: QrOptions = { ecc: "M", margin: 4, size: 512, hasLogo: false, modules: "square", corners: "square" };

describe("8 the designer", () => {
  test.each([
    ["#767676", "#FFFFFF", { ratio: "4.54", isEnough: true }],
    ["#777777", "#ffffff", { ratio: "4.47", isEnough: false }],
    ["#000000", "#FFFFFF", { ratio: "21", isEnough: true }],
    ["#00000", "#FFFFFF", null],
    ["black", "#FFFFFF", null],
  ])("the contrast of %s on %s", (fg, bg, contrast) => {
    expect(colorContrast(fg, bg)).toEqual(contrast);
  });

  test.each(["L", "M", "Q", "H"] as const)("a preview with level %s needs the same size as the real code", (ecc) => {
    const least = minSizePx(matrixOf(real, ecc), 4);
    const at = (size: number) => drawQr(SHORT_URL, null, { ...PLAIN, ecc, size });
    expect(at(least - 1)).toEqual({ minSize: least });
    expect(at(least)).toMatchObject({ size: least, logoBox: null });
  });

  test("a logo's box is in the middle, and no module is drawn in it", () => {
    for (const modules of MODULE_SHAPES) {
      const { logoBox, path } = drawn(SHORT_URL, { ...PLAIN, ecc: "H", hasLogo: true, modules });
      if (!logoBox) throw new Error("no box");
      const { side } = matrixOf(real, "H");
      expect(logoBox.at + logoBox.side / 2).toBe(side / 2);
      const inside = [...path.matchAll(/([\d.]+) ([\d.]+)/g)].filter((point) =>
        point.slice(1).every((at) => Number(at) > logoBox.at && Number(at) < logoBox.at + logoBox.side),
      );
      expect(inside).toEqual([]);
    }
  });
});

function drawn(shortUrl: string, options: QrOptions): QrDrawing {
  const drawing = drawQr(shortUrl, ID, options);
  if ("minSize" in drawing) throw new Error("too small");
  return drawing;
}

const svgUri = (content: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">${content}</svg>`)}`;
const LOGOS = {
  none: null,
  black: svgUri('<path d="M0 0h8v8H0z"/>'),
  photo: svgUri('<path d="M0 0h8v8H0z" fill="#fff"/><path d="M1 1h2v4h4v2H1zM5 0h1v3H5z" fill="#c00"/>'),
};
const ALL = process.env.QR_DECODE === "all";
/** Around one, two, three and more pixels per module. Refused sizes are replaced by the smallest that fits. */
const SIZES = ALL ? [64, 100, 128, 160, 200, 256, 300, 512, 777, 1_024] : [64, 128, 256, 640];
const COLORS = { fg: "#767676", bg: "#FFFFFF" };

const SHAPES = MODULE_SHAPES.flatMap((modules) => CORNER_SHAPES.map((corners) => ({ modules, corners })));

describe("8 every combination of shapes, size and logo is read by jsQR, ZBar and ZXing, or refused", () => {
  test.each(SHAPES)("$modules modules, $corners corners", { timeout: 300_000 }, async (shapes) => {
    const minScale = shapes.modules === "square" && shapes.corners === "square" ? 1 : 3;
    for (const [shortUrl, margin] of [
      [SHORT_URL, 4],
      [LONG_URL, 0],
    ] as const) {
      for (const [at, [logoName, logo]] of Object.entries(LOGOS).entries()) {
        // Each size with each logo, at one of the URLs.
        const isTried = (size: number) => ALL || (SIZES.indexOf(size) + at + margin / 4) % 2 === 0;
        for (const size of SIZES.filter(isTried)) {
          const options: QrOptions = {
            ...shapes,
            ecc: logo === null ? "M" : "H",
            margin,
            size,
            hasLogo: logo !== null,
          };
          const text = scanUrl(shortUrl, ID);
          const least = minScale * minSizePx(matrixOf(text, options.ecc), margin);
          const drawing = drawQr(shortUrl, ID, options);
          expect("minSize" in drawing ? drawing.minSize : null).toBe(size < least ? least : null);
          // If this size does not fit, the reported minimum does.
          const fitting = "minSize" in drawing ? drawn(shortUrl, { ...options, size: least }) : drawing;
          const image = await drawSvg(svgFile({ ...fitting, ...COLORS }, logo));
          const paper = withMargin(image, margin === 0 ? 4 * fitting.scale : 0, COLORS.bg);
          const label = `${logoName} logo, ${fitting.size} px, margin ${margin}`;
          expect(await decodeQrCode(paper, fitting.scale), label).toEqual(readByAll(text));
        }
      }
    }
  });
});

const hasGhostscript = spawnSync("gs", ["--version"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "hoplink-printed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The pages of EPS and PDF files, one after the other. */
function printed(files: readonly (string | Uint8Array)[], pixelsPerInch: number): Pixels[] {
  const options = ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=ppmraw", `-r${pixelsPerInch}`];
  const maxBuffer = 200_000_000;
  const paths = files.map((file, i) => {
    const path = join(folder, `${i}`);
    writeFileSync(path, file);
    return path;
  });
  const output = execFileSync("gs", [...options, "-sOutputFile=-", ...paths], { maxBuffer });
  const pages: Pixels[] = [];
  for (let at = 0; at < output.length;) {
    const [head = "", width, height] =
      /^P6\n(?:#.*\n)*(\d+) (\d+)\n255\n/.exec(output.toString("latin1", at, at + 200)) ?? [];
    const pixels = Number(width) * Number(height);
    const rgba = new Uint8ClampedArray(pixels * 4).fill(255);
    for (let i = 0; i < pixels * 3; i++) rgba[Math.floor(i / 3) * 4 + (i % 3)] = output[at + head.length + i] ?? 0;
    pages.push({ width: Number(width), height: Number(height), rgba });
    at += head.length + pixels * 3;
  }
  return pages;
}

const RED = { width: 2, height: 2, rgb: Uint8Array.of(200, 0, 0, 255, 255, 255, 255, 255, 255, 200, 0, 0) };

describe.skipIf(!hasGhostscript)("8 files for print, as Ghostscript draws them (skipped without gs)", () => {
  test.each(SHAPES)("$modules modules, $corners corners", { timeout: 120_000 }, async (shapes) => {
    const options = { ...PLAIN, ...shapes, ecc: "H", size: 300 } as const;
    for (const logo of shapes.corners === "square" ? [RED, null] : [RED]) {
      const picture = { ...drawn(SHORT_URL, { ...options, hasLogo: logo !== null }), fg: "#102A83", bg: "#FFF4D6" };
      const pdf = new Uint8Array(await (await pdfOfCode(picture, logo)).arrayBuffer());
      const pages = printed([pdf, await epsFile(picture, logo)], 300);
      expect(pages.map(({ width, height }) => [width, height])).toEqual([
        [300, 300],
        [300, 300],
      ]);
      for (const page of pages) {
        expect(await decodeQrCode(page, picture.scale)).toEqual(readByAll(real));
        const colorAt = (x: number, y: number) => [...page.rgba.subarray((y * 300 + x) * 4, (y * 300 + x) * 4 + 3)];
        expect(colorAt(1, 1)).toEqual([255, 244, 214]);
        // The logo's top left is red, and its top right white.
        if (logo)
          expect([colorAt(140, 140), colorAt(160, 140)]).toEqual([
            [200, 0, 0],
            [255, 255, 255],
          ]);
      }
    }
  });

  test("a sheet has every code on its pages, in order, in A4 and Letter", { timeout: 120_000 }, async () => {
    const label = { width: 1, height: 1, rgb: Uint8Array.of(0, 128, 0) };
    const urls = Array.from({ length: 7 }, (_, i) => `${SHORT_URL}-${i}`);
    const codes = urls.map((url, i) => {
      const logo = i % 2 === 0 ? RED : null;
      const drawing = drawn(url, { ...PLAIN, ecc: "H", size: 4_096, modules: "dot", hasLogo: logo !== null });
      return { picture: { ...drawing, fg: "#000000", bg: "#FFFFFF" }, label, logo };
    });
    for (const [paper, size] of [
      ["a4", [1_240, 1_754]],
      ["letter", [1_275, 1_650]],
    ] as const) {
      const sheet = new Uint8Array(await (await sheetFile(codes, { paper, columns: 2 })).arrayBuffer());
      const pages = printed([sheet], 150);
      expect(pages.map(({ width, height }) => [width, height])).toEqual([size, size]);
      const read = await Promise.all(pages.map(readAllCodes));
      expect(read.flat().sort()).toEqual(urls.map((url) => scanUrl(url, ID)).sort());
      expect(read.map((texts) => texts.length)).toEqual([4, 3]);
    }
  });
});
