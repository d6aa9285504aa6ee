import { describe, expect, test } from "vitest";

import { DrawingCost, type Shape } from "../../../src/core/qr/logo-cost.ts";

function shape(facts: Partial<Shape> = {}): Shape {
  return { edges: 0, fill: "none", stroke: "none", layers: 0, isInside: true, ...facts };
}

function drawing(count: number, facts: Partial<Shape>): DrawingCost {
  const cost = new DrawingCost();
  for (let i = 0; i < count; i++) cost.addShape(shape(facts));
  return cost;
}

describe("the largest side of a drawing within 100 ms", () => {
  test.each<[string, number, Partial<Shape>, number | null]>([
    ["unpainted shapes cost nothing", 2_000, { edges: 4_000 }, 512],
    ["opaque surfaces", 100, { fill: "opaque" }, 512],
    ["more of them", 500, { fill: "opaque" }, 304],
    ["translucent ones", 100, { fill: "transparent" }, 320],
    ["more than 128 pixels can afford", 1_000, { fill: "transparent" }, null],
    ["gradients", 100, { fill: "gradient" }, 144],
    ["surfaces and lines", 50, { fill: "transparent", stroke: "transparent" }, 320],
    ["edges that may cross each other", 1, { fill: "opaque", edges: 3_000 }, 144],
    ["too many of them", 1, { fill: "opaque", edges: 4_000 }, null],
    ["the edges of a line, seven each", 1, { stroke: "opaque", edges: 400 }, 176],
  ])("%s", (_name, count, facts, side) => {
    expect(drawing(count, facts).maxSidePx(new Map(), 0)).toBe(side);
  });

  test("an empty drawing", () => {
    expect(new DrawingCost().maxSidePx(new Map(), 0)).toBe(512);
  });

  test.each([
    [100, "opaque", 9_000, 512],
    [100, "gradient", 25, 128],
    [10, "gradient", 100, 352],
  ] as const)("%i times %s, with gradients of %i stops", (count, fill, stops, side) => {
    expect(drawing(count, { fill }).maxSidePx(new Map(), stops)).toBe(side);
  });
});

describe("layers", () => {
  test("each costs as much as its pixels", () => {
    const cost = new DrawingCost();
    for (let i = 0; i < 100; i++) cost.addLayer();
    expect(cost.maxSidePx(new Map(), 0)).toBe(144);
  });

  test.each<[string, number, Partial<Shape>, number, number]>([
    ["shapes inside the picture", 10, { fill: "transparent", layers: 1 }, 0, 512],
    ["shapes that may reach out: 25 times as large", 10, { fill: "transparent", layers: 1, isInside: false }, 0, 208],
    ["shapes that reach out without a layer", 10, { fill: "transparent", isInside: false }, 0, 512],
    ["one picture of 25 times the pixels: 24 MiB", 1, { layers: 1, isInside: false }, 0, 496],
    ["six of them", 1, { layers: 6, isInside: false }, 0, 192],
    ["six inside the picture", 1, { layers: 6 }, 0, 512],
    ["a gradient", 1, { fill: "gradient", layers: 1, isInside: false }, 0, 304],
    ["a gradient with stops", 1, { fill: "gradient", layers: 1, isInside: false }, 50, 256],
  ])("%s", (_name, count, facts, stops, side) => {
    expect(drawing(count, facts).maxSidePx(new Map(), stops)).toBe(side);
  });

  test("the deepest counts, and one that reaches outside enlarges all", () => {
    const cost = drawing(1, { layers: 6 });
    cost.addShape(shape({ layers: 1, isInside: false }));
    expect(cost.maxSidePx(new Map(), 0)).toBe(192);
  });
});

describe("clips", () => {
  const clipped = (times: number) => {
    const cost = new DrawingCost();
    for (let i = 0; i < times; i++) cost.addClip("c");
    return cost;
  };

  test("a missing path costs as much as a layer and a third", () => {
    expect(clipped(10).maxSidePx(new Map(), 0)).toBe(400);
  });

  test("a path is drawn again for each use", () => {
    const path = drawing(1, { fill: "opaque", edges: 100 });
    expect(clipped(10).maxSidePx(new Map([["c", path]]), 0)).toBe(304);
    expect(clipped(10).maxSidePx(new Map([["other", path]]), 0)).toBe(400);
  });

  test("includes the layers in it", () => {
    const path = new DrawingCost();
    for (let i = 0; i < 4; i++) path.addLayer();
    // (60 + 4 * 45) ns a pixel, ten times.
    expect(clipped(10).maxSidePx(new Map([["c", path]]), 0)).toBe(192);
  });
});
