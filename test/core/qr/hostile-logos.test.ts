/**
 * The cost of a stranger's logo, refused or drawn. `HOSTILE_LOGOS=20000` tries that many mutations. The bound is 250
 * ms: on the machine where it was set, the simple drawing takes 28 ms.
 */
import { Buffer } from "node:buffer";

import { beforeAll, describe, expect, test } from "vitest";

import { parseLogo } from "../../../src/core/qr/logo.ts";
import { costliestLogo, type Renderer, startRenderer } from "../../support/logo-costs.ts";

const COUNT = Number(process.env["HOSTILE_LOGOS"] ?? 400);
const WORST_RATIO = 9;
const WASM_MAX_BYTES = 40 * 1024 * 1024;
const NS = 'xmlns="http://www.w3.org/2000/svg"';

let drawing: Renderer;

beforeAll(async () => {
  drawing = await startRenderer();
}, 60_000);

const SQUARE = "M0 0L100 1L99 100L1 99z";
const CURVES = "M0 0C57 150 39-50 57 0C8 150 9-50 50 99C71 150 83-50 46 0C19 150 7-50 13 99";

function svg(content: string): string {
  return `<svg ${NS} viewBox="0 0 100 100">${content}</svg>`;
}

describe("the worst known logos", () => {
  test.each([
    ["an unclosed tag, for regular expressions", `<svg></svg><${"a".repeat(65_000)}`],
    ["500 groups with an opacity", svg(`<g opacity=".5"><path d="${SQUARE}"/></g>`.repeat(500))],
    ["45 of them, nested", svg(`${'<g opacity=".9">'.repeat(45)}<path d="${SQUARE}"/>${"</g>".repeat(45)}`)],
    [
      "a group that extends far beyond the picture",
      svg('<g opacity=".5"><circle opacity=".9" r="1000"/></g>'.repeat(5)),
    ],
    ["a line a million pixels wide", svg(`<path stroke="red" stroke-width="1e6" d="${CURVES}"/>`)],
    ["a line enlarged a million times", svg(`<path stroke="red" transform="scale(1e3) scale(1e3)" d="${CURVES}"/>`)],
    ["10,000 crossing edges", svg(`<path d="M0 0${"L9 99L50 0L3 99L70 1".repeat(2_500)}"/>`)],
    ["a clip of 100 paths, used 100 times", svg(clips(100, 100))],
    ["1,000 gradients all over the picture", svg(gradients(1_000, 5))],
    ["a gradient of 1,000 stops", svg(gradients(100, 1_000))],
    ["endless nesting", svg("<g>".repeat(15_000))],
    ["10,000 attributes", `<svg ${NS} ${Array.from({ length: 6_000 }, (_, i) => `a${i}=""`).join(" ")}/>`],
  ])("%s", (_, text) => {
    const ms = drawing.cpuMsOf(`data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`);
    expect(ms / drawing.floorMs).toBeLessThan(WORST_RATIO);
    expect(drawing.wasmBytes()).toBeLessThan(WASM_MAX_BYTES);
  });
});

function clips(paths: number, uses: number): string {
  const clip = `<clipPath id="c">${`<path d="${SQUARE}"/>`.repeat(paths)}</clipPath>`;
  return clip + `<path clip-path="url(#c)" d="${SQUARE}"/>`.repeat(uses);
}

function gradients(uses: number, stops: number): string {
  const stop = Array.from({ length: stops }, (_, i) => `<stop offset="${i / stops}" stop-color="#${i % 10}9c"/>`).join(
    "",
  );
  return `<radialGradient id="r">${stop}</radialGradient>` + `<path fill="url(#r)" d="${SQUARE}"/>`.repeat(uses);
}

test(`no more than 250 ms and 48 MB for ${COUNT} mutated logos`, { timeout: 60_000 + 200 * COUNT }, () => {
  const { uri, index, ms } = costliestLogo(drawing, COUNT);
  expect(ms / drawing.floorMs, `logo ${index}: ${JSON.stringify(parseLogo(uri)).slice(0, 300)}`).toBeLessThan(
    WORST_RATIO,
  );
  expect(drawing.wasmBytes()).toBeLessThan(WASM_MAX_BYTES);
});

test("a logo that is refused while it is drawn leaves nothing in the renderer", () => {
  const png = Buffer.alloc(200);
  png.write("89504e470d0a1a0a0000000d49484452000004000000040008060000", 0, "hex");
  const damaged = `data:image/png;base64,${png.toString("base64")}`;
  drawing.cpuMsOf(damaged);
  const before = drawing.wasmBytes();
  for (let i = 0; i < 100; i++) drawing.cpuMsOf(damaged);
  expect(drawing.wasmBytes()).toBe(before);
});
