import { describe, expect, test } from "vitest";

import { svgSize } from "../../../src/core/qr/logo-geometry.ts";

function sizeOf(attributes: Record<string, string>) {
  return svgSize(new Map(Object.entries(attributes)));
}

describe("the size of an SVG", () => {
  test.each<[Record<string, string>, [number, number]]>([
    [{}, [100, 100]],
    [{ width: "30" }, [30, 100]],
    [{ height: "30" }, [100, 30]],
    [{ width: "30", height: "20" }, [30, 20]],
    [{ viewBox: "0 0 40 20" }, [40, 20]],
    [{ viewBox: "0 0 40 20", width: "80" }, [80, 40]],
    [{ viewBox: "0 0 40 20", height: "80" }, [160, 80]],
    [{ viewBox: "0 0 40 20", width: "7", height: "9" }, [7, 9]],
    [{ width: "100%", height: "50%" }, [100, 100]],
    [{ width: "10000", height: "10000" }, [10_000, 10_000]],
    [{ width: "0.5", height: ".5" }, [0.5, 0.5]],
    [{ width: "+1.e1", height: "2E1" }, [10, 20]],
  ])("%j", (attributes, [width, height]) => {
    expect(sizeOf(attributes)).toMatchObject({ width, height });
  });

  test.each([
    ["1px", 1],
    ["72pt", 96],
    ["2pc", 32],
    ["25.4mm", 96],
    ["2.54cm", 96],
    ["2in", 192],
    ["2IN", 192],
    ["5em", 100],
    ["five", 100],
    ["x5", 100],
    ["5 px", 100],
    ["", 100],
  ])("%j is %d pixels", (width, px) => {
    expect(sizeOf({ width }).valueOf()).toMatchObject({ width: expect.closeTo(px, 6) });
  });
});

describe("what an SVG shows", () => {
  test.each<[Record<string, string>, unknown]>([
    [{}, { box: { left: 0, top: 0, width: 100, height: 100 }, viewBox: "0 0 100 100" }],
    [
      { width: "30", height: "20" },
      { box: { left: 0, top: 0, width: 30, height: 20 }, viewBox: "0 0 30 20" },
    ],
    [
      { width: "30", viewBox: "-1,2 , 3\n4" },
      { width: 30, height: 40, box: { left: -1, top: 2, width: 3, height: 4 }, viewBox: "-1 2 3 4" },
    ],
    // What is no box is left alone.
    [{ viewBox: "0 0 40" }, { viewBox: "0 0 100 100" }],
    [{ viewBox: "0 0 40 20 1" }, { viewBox: "0 0 100 100" }],
    [{ viewBox: "0 0 0 20" }, { viewBox: "0 0 100 100" }],
    [{ viewBox: "0 0 40 0" }, { viewBox: "0 0 100 100" }],
    [{ viewBox: "0 0 -40 20" }, { viewBox: "0 0 100 100" }],
    [{ viewBox: "x 0 40 20" }, { viewBox: "0 0 100 100" }],
    [{ viewBox: "0 Infinity 40 20" }, { viewBox: "0 0 100 100" }],
  ])("%j", (attributes, shown) => {
    expect(sizeOf(attributes)).toMatchObject(shown as object);
  });

  test.each([
    [{ width: "0" }, "cannot be drawn: the image is damaged or empty"],
    [{ height: "0", width: "5" }, "cannot be drawn: the image is damaged or empty"],
    [{ width: "-1", height: "5" }, "cannot be drawn: the image is damaged or empty"],
    [{ width: "10001", height: "5" }, "must be at most 10000 pixels wide and high"],
    [{ width: "5", height: "10001" }, "must be at most 10000 pixels wide and high"],
    [{ viewBox: "0 0 1 1000", width: "11" }, "must be at most 10000 pixels wide and high"],
  ])("%j is refused", (attributes, fault) => {
    expect(sizeOf(attributes)).toEqual({ fault });
  });
});
