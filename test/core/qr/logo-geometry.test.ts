import { describe, expect, test } from "vitest";

import { edgesOf, extentOf, lengthOf, reachOf, scaleOf, svgSize } from "../../../src/core/qr/logo-geometry.ts";

const map = (attributes: Record<string, string>) => new Map(Object.entries(attributes));

describe("maximum number of edges of a shape", () => {
  test.each([
    ["", 1],
    ["M0 0L1 1", 4],
    ["m0 0h5v5z", 6],
    ["M0,0C1,1 2,2 3,3", 4.5],
    ["M0 0s1 1 2 2", 4.5],
    ["M0 0Q1 1 2 2", 4],
    ["M0 0t1 1", 4],
    ["M0 0A5 5 0 0 1 9 9", 5.1],
    ["M-.5.5", 2.5],
    ["M1e-5+2E3", 2.5],
    ["M0 0H1 2 3", 6],
  ])("path %j: %d", (d, edges) => {
    expect(edgesOf("path", map({ d }))).toBeCloseTo(edges, 9);
  });

  test.each([
    ["polyline", { points: "0 0 9 9" }, 3.5],
    ["polygon", { points: "0,0 9,9 1,5" }, 4.5],
    ["polygon", {}, 1.5],
    ["path", {}, 1],
    ["circle", { r: "9" }, 8],
    ["rect", {}, 8],
    ["line", {}, 8],
  ])("%s %j: %d", (element, attributes, edges) => {
    expect(edgesOf(element, map(attributes))).toBe(edges);
  });
});

describe("how far a shape reaches", () => {
  const names = ["x", "y", "width", "height", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry"];

  test.each(names)("by its %s", (name) => {
    expect(reachOf(map({ [name]: "-7" }), 1)).toBe(7);
  });

  test.each<[Record<string, string>, number]>([
    [{}, 0],
    [{ x: "-5", width: "10" }, 10],
    [{ d: "M0 0L-300 5" }, 300],
    [{ points: "1 2 999 4" }, 999],
    [{ width: "50%", x: "100" }, 200],
    [{ r: "2px" }, 192],
    [{ opacity: "9", id: "a9" }, 0],
  ])("%j: %d", (attributes, reach) => {
    expect(reachOf(map(attributes), 4)).toBe(reach);
  });

  test.each([
    ["5", 5],
    ["-5", 5],
    ["5%", 45],
    ["5mm", 480],
    ["1em", 96],
    ["1e3", 1_000],
    [".5E1", 5],
    ["", 0],
    ["none", 0],
    ["1 -30 2", 30],
  ])("the length %j: %d", (text, length) => {
    expect(lengthOf(text, 9)).toBe(length);
  });
});

describe("the extent of a shape, along both axes together", () => {
  test.each<[string, Record<string, string>, [number, number]]>([
    ["rect", { x: "1", y: "2", width: "10", height: "5" }, [1, 11]],
    ["rect", { x: "5", y: "2", width: "1", height: "20" }, [2, 22]],
    ["rect", {}, [0, 0]],
    ["circle", { cx: "10", cy: "20", r: "3" }, [7, 23]],
    ["circle", { cx: "20", cy: "10", r: "3" }, [7, 23]],
    ["ellipse", { cx: "10", cy: "5", rx: "2", ry: "4" }, [1, 14]],
    ["ellipse", { cx: "10", cy: "5", rx: "4", ry: "2" }, [1, 14]],
    ["path", { d: "M1 2L30-4" }, [-4, 30]],
    ["path", { d: "M1,2H3V4C5 6 7 8 9 10Q1e1 11 12 13Zz" }, [1, 13]],
    ["path", {}, [Infinity, -Infinity]],
    ["line", { x1: "1", y1: "2", x2: "30", y2: "-4" }, [-4, 30]],
    ["polygon", { points: "5 6 -7 8" }, [-7, 8]],
    ["polyline", { points: "50 60" }, [0, 60]],
  ])("%s %j: %j", (element, attributes, extent) => {
    expect(extentOf(element, map(attributes))).toEqual(extent);
  });

  test.each<[string, Record<string, string>]>([
    ["path", { d: "m1 2" }],
    ["path", { d: "M1 2l3 4" }],
    ["path", { d: "M1 2A5 5 0 0 1 9 9" }],
    ["path", { d: "M1 2S3 4 5 6" }],
    ["rect", { width: "5px" }],
    ["rect", { width: "50%" }],
    ["circle", { r: "1e3" }],
    ["polygon", { points: "1 2 x" }],
  ])("%s %j: not determinable", (element, attributes) => {
    expect(extentOf(element, map(attributes))).toEqual([-Infinity, Infinity]);
  });
});

test.each([
  ["", 1],
  ["scale(3)", 3],
  ["scale(2 -5)", 5],
  ["scale(.5)", 0.5],
  ["translate(100) rotate(45)", 1],
  ["scale(2) translate(9),SCALE (3)", 6],
  ["matrix(1 2 3 -4 500 600)", 8],
  ["matrix(9,0,0,1,0,0)", 18],
  ["skewX(45)", 2],
  ["skewY(-60)", 1 + Math.sqrt(3)],
  ["skewx(45)skewy(45)", 4],
  ["nonsense(9)", 1],
])("the transform %j enlarges %d times", (transform, scale) => {
  expect(scaleOf(transform)).toBeCloseTo(scale, 9);
});

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

describe("the visible part of an SVG", () => {
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
    // Anything that is not a box is ignored.
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
