import { describe, expect, test } from "vitest";

import {
  isTranslucent,
  paintOf,
  referredId,
  sanitizeAttributes,
  serializeAttributes,
} from "../../../src/core/qr/logo-attributes.ts";

const OUTSIDE = "must not refer to external resources";

describe("drawn attributes of an element", () => {
  test.each<[Record<string, string>, Record<string, string>]>([
    [{}, {}],
    [
      { fill: " red ", d: "M0 0" },
      { fill: "red", d: "M0 0" },
    ],
    [{ fill: "red", style: "fill:blue" }, { fill: "blue" }],
    [{ style: " fill : blue !important ; ;opacity:.5;" }, { fill: "blue", opacity: ".5" }],
    [{ style: "fill" }, {}],
    [{ style: ":red" }, {}],
    [{ href: "#a" }, { href: "#a" }],
    [{ "xlink:href": "#a" }, { href: "#a" }],
    [
      { fill: "url(#a)", stroke: "URL( '#b' )", "clip-path": 'url("#c")' },
      { fill: "url(#a)", stroke: "URL( '#b' )", "clip-path": 'url("#c")' },
    ],
    [{ d: "M".repeat(1_001) }, { d: "M".repeat(1_001) }],
    [{ points: "1 2".repeat(500) }, { points: "1 2".repeat(500) }],
    [{ fill: "x".repeat(1_000) }, { fill: "x".repeat(1_000) }],
    // Attributes without effect are omitted.
    [
      {
        class: "a",
        xmlns: "b",
        "data-x": "c",
        "aria-label": "d",
        "-x": "e",
        font: "f",
        "font-size": "9",
        "text-anchor": "g",
        "inline-size": "h",
        "shape-inside": "i",
        "inkscape:label": "j",
      },
      {},
    ],
    [{ mask: "none", filter: "none", "mix-blend-mode": "normal", x9: "0", marker: "auto", foo: "inherit" }, {}],
    [{ style: "font-family:a;mask:none;-x:y" }, {}],
  ])("%j", (sent, drawn) => {
    const attributes = sanitizeAttributes(sent);
    expect(attributes instanceof Map && Object.fromEntries(attributes)).toEqual(drawn);
  });

  test.each<[Record<string, string>, string]>([
    [{ onclick: "a()" }, "must not have event handlers"],
    [{ OnLoad: "" }, "must not have event handlers"],
    [{ style: "onclick:none" }, "must not have event handlers"],
    [{ href: "https://example.com/" }, OUTSIDE],
    [{ "xlink:href": "a.svg#b" }, OUTSIDE],
    [{ fill: "url(https://example.com/#a)" }, OUTSIDE],
    [{ fill: "red url(#a)" }, OUTSIDE],
    [{ fill: "URL(a)" }, OUTSIDE],
    [{ opacity: "url(#a)" }, OUTSIDE],
    [{ style: "stop-color:url(#a)" }, OUTSIDE],
    [{ fill: "x".repeat(1_001) }, "is too complex"],
    [{ "stroke-dasharray": "1 2" }, "must not have dashed lines"],
    [{ mask: "url(#a)" }, "must not have the attribute mask"],
    [{ xfont: "a" }, "must not have the attribute xfont"],
    [{ fonts: "a" }, "must not have the attribute fonts"],
    [{ "my-data-x": "a" }, "must not have the attribute my-data-x"],
    [{ [`a${"b".repeat(40)}`]: "1" }, `must not have the attribute a${"b".repeat(29)}`],
    // Shapes are not styles.
    [{ style: "d:M0" }, "must not have the attribute d"],
    [{ style: "transform:scale(9)" }, "must not have the attribute transform"],
  ])("%j is refused", (sent, fault) => {
    expect(sanitizeAttributes(sent)).toEqual({ fault });
  });
});

test.each([
  ["url(#a)", "a"],
  ["url( #a )", "a"],
  ["url('#a-b.c')", "a-b.c"],
  ['URL( "#a" ) red', "a"],
  ["url(a)", null],
  ["x url(#a)", null],
  ["url(#a b)", null],
  ["url(x#a)", null],
  ["url(#)", null],
  ["url(#a", null],
  ["#a", null],
  ["", null],
])("%j refers to %j", (value, id) => {
  expect(referredId(value)).toBe(id);
});

test.each([
  [undefined, null],
  ["inherit", null],
  ["none", "none"],
  ["url(#a)", "gradient"],
  ["red", "opaque"],
  ["#12345678", "transparent"],
  ["rgba(1,2,3,.5)", "transparent"],
])("%j paints %j", (value, paint) => {
  expect(paintOf(value)).toBe(paint);
});

test.each([
  ["#123", false],
  ["#1234", true],
  ["#12345", false],
  ["#123456", false],
  ["#12345678", true],
  ["#123456789", false],
  ["x#1234", false],
  ["rgb(1,2,3)", true],
  ["red", false],
  ["", false],
])("%j is translucent: %s", (color, is) => {
  expect(isTranslucent(color)).toBe(is);
});

test("in a start tag, with special characters escaped", () => {
  expect(
    serializeAttributes(
      new Map([
        ["a", "1"],
        ["b", `&<>"'&`],
      ]),
    ),
  ).toBe(` a="1" b="&amp;&lt;&gt;&quot;'&amp;"`);
  expect(serializeAttributes(new Map())).toBe("");
});
