/** The QR designer's preview before a code is created. */
import { describe, expect, test } from "vitest";

import { minSizePx, matrixOf } from "../../src/core/qr/matrix.ts";
import { scanUrl, newQrId, qrKeyOf } from "../../src/core/qr/token.ts";
import { colorContrast, drawQr } from "../../src/dashboard/pages/link/qr/qr-drawing.ts";

const SHORT_URL = "https://short.example.com/spring";
const real = scanUrl(SHORT_URL, newQrId(qrKeyOf(new Uint8Array(16)), Date.UTC(2026, 10, 21), new Uint32Array(6)));

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
    const at = (size: number) => drawQr(SHORT_URL, { ecc, margin: 4, size, hasLogo: false });
    expect(at(least - 1)).toEqual({ minSize: least });
    expect(at(least)).toMatchObject({ size: least, logoBox: null });
  });

  test("a logo's box is in the middle, and no module is drawn in it", () => {
    const drawing = drawQr(SHORT_URL, { ecc: "H", margin: 4, size: 512, hasLogo: true });
    if ("minSize" in drawing || !drawing.logoBox) throw new Error("no box");
    const { at, side } = drawing.logoBox;
    const symbol = matrixOf(real, "H");
    const scale = Math.floor(512 / minSizePx(symbol, 4));
    expect(Math.abs(at + side / 2 - 256)).toBeLessThanOrEqual(scale);
    const inside = [...drawing.path.matchAll(/M(\d+) (\d+)h(\d+)/g)].filter(([, x = "", y = "", width = ""]) => {
      const [left, top] = [Number(x), Number(y)];
      return top >= at && top < at + side && left < at + side && left + Number(width) > at;
    });
    expect(inside).toEqual([]);
  });
});
