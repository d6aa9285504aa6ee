import { describe, expect, test } from "vitest";

import { sanitizeSvg } from "../../../src/core/qr/logo-sanitizer.ts";

function svg(content: string, attributes = 'viewBox="0 0 100 100"'): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`;
}

function maxSideOf(content: string, attributes?: string): number | string {
  const sanitized = sanitizeSvg(svg(content, attributes));
  return "fault" in sanitized ? sanitized.fault : sanitized.maxSidePx;
}

const COMPLEX = "is too complex";

describe("an SVG as it reaches the renderer", () => {
  test.each([
    [
      "shapes",
      '<path d="M0 0"/><rect/><circle/><ellipse/><line/><polyline/><polygon/>',
      '<path d="M0 0"></path><rect></rect><circle></circle><ellipse></ellipse><line></line><polyline></polyline><polygon></polygon>',
    ],
    ["children of a shape are not drawn", "<rect><circle/></rect>", "<rect></rect>"],
    ["titles, texts and comments", "a<title>b</title><desc>c</desc><!-- d --><g/>", "<g></g>"],
    [
      "gradients refer to each other",
      '<defs><linearGradient id="a" href="#b"><stop offset="0"/></linearGradient><radialGradient id="b"/></defs>',
      '<defs><linearGradient id="a" href="#b"><stop offset="0"></stop></linearGradient><radialGradient id="b"></radialGradient></defs>',
    ],
    ["other elements cannot refer to elements", '<g href="#a"/>', "<g></g>"],
    [
      "clips",
      '<clipPath id="a"><rect/></clipPath><g clip-path="url(#a)"/>',
      '<clipPath id="a"><rect></rect></clipPath><g clip-path="url(#a)"></g>',
    ],
  ])("%s", (_name, content, drawn) => {
    expect(sanitizeSvg(svg(content))).toMatchObject({
      width: 100,
      height: 100,
      box: { left: 0, top: 0, width: 100, height: 100 },
      viewBox: "0 0 100 100",
      root: ' viewBox="0 0 100 100"',
      content: drawn,
      maxSidePx: 512,
    });
  });

  test("the root keeps all drawn attributes except its position and size", () => {
    const root = 'x="1" y="2" width="50" height="25" fill="red" class="a"';
    expect(sanitizeSvg(svg("", root))).toMatchObject({
      width: 50,
      height: 25,
      root: ' fill="red" viewBox="0 0 50 25"',
      content: "",
    });
  });

  test("an XML declaration may precede it", () => {
    expect(sanitizeSvg(`<?xml version="1.0"?>${svg("")}`)).toMatchObject({ width: 100 });
  });
});

describe("refused because of its text", () => {
  const damaged = "cannot be drawn: the image is damaged or empty";
  const references = "must have no references except &amp; &lt; &gt; &quot; and &apos;";

  test.each([
    [`<!DOCTYPE svg>${svg("")}`, "must not have a DOCTYPE, entities or CDATA"],
    [svg("<!ENTITY a>"), "must not have a DOCTYPE, entities or CDATA"],
    [svg("<![CDATA[a]]>"), "must not have a DOCTYPE, entities or CDATA"],
    [svg("<?a b?>"), "must not have processing instructions"],
    [`<?xml version="1.0"?><?a b?>${svg("")}`, "must not have processing instructions"],
    [`a<?xml version="1.0"?>${svg("")}`, "must not have processing instructions"],
    [svg("&#65;"), references],
    [svg("&nbsp;"), references],
    [svg("a & b"), references],
    ["<g></g>", "is not an SVG image"],
    ["", "is not an SVG image"],
    ["<svgx/>", "is not an SVG image"],
    [`<g>${svg("")}</g>`, "is not an SVG image"],
    ["<svg>", damaged],
    [svg("<g>"), damaged],
    [svg("", 'width="0"'), damaged],
    [svg("", 'onload="a"'), "must not have event handlers"],
    [svg("<script/>"), "may contain only shapes, groups, gradients and clip paths, not <script>"],
    [svg(`<${"a".repeat(40)}/>`), `may contain only shapes, groups, gradients and clip paths, not <${"a".repeat(30)}>`],
    [svg("<g><image/></g>"), "may contain only shapes, groups, gradients and clip paths, not <image>"],
    [svg('<clipPath clip-path="url(#a)"/>'), "must not nest clip paths"],
    [svg('<clipPath><g><rect clip-path="url(#a)"/></g></clipPath>'), "must not nest clip paths"],
  ])("%s", (text, fault) => {
    expect(sanitizeSvg(text)).toEqual({ fault });
  });

  test("all permitted entity references", () => {
    expect(sanitizeSvg(svg('<path id="&amp;&lt;&gt;&quot;&apos;"/>'))).toMatchObject({
      content: `<path id="&amp;&lt;&gt;&quot;'"></path>`,
    });
  });
});

describe("limits", () => {
  const nested = (count: number, open: string) => open.repeat(count) + "</g>".repeat(count);

  test.each<[string, string, number | string]>([
    ["2,000 elements", "<g/>".repeat(2_000), 512],
    ["2,001 elements", "<g/>".repeat(2_001), COMPLEX],
    ["32 levels", nested(32, "<g>"), 512],
    ["33 levels", nested(33, "<g>"), COMPLEX],
    ["six layers", nested(6, '<g opacity=".5">'), 512],
    ["seven layers", nested(7, '<g opacity=".5">'), COMPLEX],
    ["seven that are opaque", nested(7, '<g opacity="1">'), 512],
    ["six clips", nested(6, '<g clip-path="url(#a)">'), 512],
    ["seven clips", nested(7, '<g clip-path="url(#a)">'), COMPLEX],
    ["three layers that are clipped", nested(3, '<g opacity="0" clip-path="url(#a)">'), 512],
    ["four layers that are clipped", nested(4, '<g opacity="0" clip-path="url(#a)">'), COMPLEX],
    ["lines with a miter limit of ten", '<g stroke-miterlimit="10"/>', 512],
    ["lines with a higher miter limit", '<g stroke-miterlimit="10.1"/>', COMPLEX],
    ["lines with an invalid miter limit", '<g stroke-miterlimit="a"/>', COMPLEX],
  ])("%s", (_name, content, side) => {
    expect(maxSideOf(content)).toBe(side);
  });

  // 512 pixels for 100 units: 100,000 pixels are 19,531 units.
  test.each<[string, string, number | string]>([
    ["a shape of 100,000 pixels", '<rect width="19531"/>', 512],
    ["a larger one", '<rect width="19532"/>', COMPLEX],
    ["a line of 100,000 pixels", '<rect stroke="red" stroke-width="19531"/>', 512],
    ["a wider one", '<rect stroke="red" stroke-width="19532"/>', COMPLEX],
    ["a wider one through a group", '<g stroke="red" stroke-width="19532"><rect/></g>', COMPLEX],
    ["a wider one that is not drawn", '<rect stroke-width="19532"/>', 512],
    ["a share of the picture", '<rect width="19531%"/>', 512],
    ["a larger share", '<rect width="19532%"/>', COMPLEX],
    ["a larger share as width of a line", '<rect stroke="red" stroke-width="19532%"/>', COMPLEX],
    ["at twice the size", '<rect transform="scale(2)" width="9765"/>', 512],
    ["larger at twice the size", '<rect transform="scale(2)" width="9766"/>', COMPLEX],
    [
      "four times as large, by a group",
      '<g transform="scale(2)"><rect transform="scale(2)" width="4883"/></g>',
      COMPLEX,
    ],
  ])("%s", (_name, content, side) => {
    expect(maxSideOf(content)).toBe(side);
  });

  test.each<[string, string, number | string]>([
    ['viewBox="0 0 100 200"', '<rect width="19532"/>', COMPLEX],
    ['viewBox="0 0 200 100"', '<rect width="19532"/>', COMPLEX],
    ['viewBox="0 0 200 200"', '<rect width="39062"/>', 512],
    ['viewBox="0 0 100 200"', '<rect width="9766%"/>', COMPLEX],
    ['viewBox="0 0 100 200"', '<rect width="9765%"/>', 512],
  ])("%s %s", (attributes, content, side) => {
    expect(maxSideOf(content, attributes)).toBe(side);
  });
});

describe("cost of a drawing", () => {
  const rects = (attributes: string, count = 200) => `<rect ${attributes}/>`.repeat(count);

  test.each<[string, string, number | string]>([
    ["opaque by default", rects(""), 304],
    ["not filled", rects('fill="none"'), 512],
    ["not filled through a group", `<g fill="none">${rects("")}</g>`, 512],
    ["filled within an unfilled group", `<g fill="none">${rects('fill="red"')}</g>`, 304],
    ["filled like the group", `<g fill="none">${rects('fill="inherit"')}</g>`, 512],
    ["translucent", rects('fill="#1234"'), 176],
    ["translucent by its opacity", rects('fill-opacity=".5"'), 176],
    ["by a group's opacity", `<g fill-opacity=".5">${rects("")}</g>`, 176],
    ["by the lines' opacity", `<g stroke-opacity=".5">${rects("")}</g>`, 176],
    ["by its color", `<g color="#1234">${rects("")}</g>`, 176],
    ["not by an opaque color", `<g color="#123">${rects("")}</g>`, 304],
    ["unfilled shapes are not translucent", `<g fill="none" fill-opacity=".5">${rects("")}</g>`, 512],
    ["with lines", rects('stroke="red"', 50), 224],
    ["with lines through a group", `<g stroke="red">${rects("", 50)}</g>`, 224],
    ["with gradients", rects('fill="url(#a)"', 50), 208],
    [
      "with gradients that have stops",
      `<linearGradient id="a">${"<stop/>".repeat(100)}</linearGradient>${rects('fill="url(#a)"', 50)}`,
      144,
    ],
    [
      "with a gradient of fewer stops behind",
      `<radialGradient>${"<stop/>".repeat(100)}</radialGradient><linearGradient/>${rects('fill="url(#a)"', 50)}`,
      144,
    ],
    ["in layers", `${'<g opacity=".5"/>'.repeat(100)}`, 144],
    ["clipped", `${'<g clip-path="url(#a)"/>'.repeat(100)}`, 128],
    ["in an unused clip path", `<clipPath id="a">${rects("", 400)}</clipPath>`, 512],
    [
      "in a clip path that is used",
      `<clipPath id="a">${rects("", 100)}</clipPath>${'<g clip-path="url(#a)"/>'.repeat(4)}`,
      176,
    ],
    [
      "in two clip paths of one name",
      `<clipPath id="a">${rects("", 50)}</clipPath><clipPath id="a">${rects("", 50)}</clipPath>${'<g clip-path="url(#a)"/>'.repeat(4)}`,
      176,
    ],
  ])("%s", (_name, content, side) => {
    expect(maxSideOf(content)).toBe(side);
  });

  const layer = (rect: string, group = "") => `<g opacity=".5" ${group}><rect ${rect}/></g>`;

  // A layer that may reach out of the picture is 25 times as expensive: 288 pixels, or 272 with a line.
  test.each<[string, string, string, number]>([
    ["all of the picture", 'viewBox="0 0 100 100"', layer('width="100" height="100"'), 512],
    ["more, on the right", 'viewBox="0 0 100 100"', layer('width="101" height="1"'), 288],
    ["more, below", 'viewBox="0 0 100 100"', layer('width="1" height="101"'), 288],
    ["more, on the left", 'viewBox="0 0 100 100"', layer('x="-1" width="1"'), 288],
    ["the longer side counts", 'viewBox="0 0 100 50"', layer('height="100"'), 512],
    ["from the left edge of the picture", 'viewBox="10 20 100 100"', layer('x="10" y="10" width="1"'), 512],
    ["before the edge", 'viewBox="10 20 100 100"', layer('x="9" y="10" width="1"'), 288],
    ["to the right edge", 'viewBox="10 20 100 100"', layer('x="10" y="10" width="110"'), 512],
    ["beyond the edge", 'viewBox="10 20 100 100"', layer('x="10" y="10" width="111"'), 288],
    [
      "with a line and its joins",
      'viewBox="0 0 100 100"',
      layer('stroke="red" stroke-width="2" x="10" y="10" width="80" height="80"'),
      512,
    ],
    [
      "with a wider line",
      'viewBox="0 0 100 100"',
      layer('stroke="red" stroke-width="2.1" x="10" y="10" width="80" height="1"'),
      272,
    ],
    [
      "with a line of the default width",
      'viewBox="0 0 100 100"',
      layer('stroke="red" x="5" y="5" width="90" height="1"'),
      512,
    ],
    [
      "with such a line too close",
      'viewBox="0 0 100 100"',
      layer('stroke="red" x="4.9" y="5" width="1" height="1"'),
      272,
    ],
    [
      "too close on the other side",
      'viewBox="0 0 100 100"',
      layer('stroke="red" x="5" y="5" width="90.1" height="1"'),
      272,
    ],
    ["with a line that is not drawn", 'viewBox="0 0 100 100"', layer('stroke-width="50" width="100"'), 512],
    ["translated", 'viewBox="0 0 100 100"', layer('width="1" transform="translate(1)"'), 288],
    ["in a translated group", 'viewBox="0 0 100 100"', layer('width="1"', 'transform="translate(1)"'), 288],
    ["translated without a layer", 'viewBox="0 0 100 100"', '<rect width="101" transform="translate(1)"/>', 512],
  ])("a layer: %s", (_name, attributes, content, side) => {
    expect(maxSideOf(content, attributes)).toBe(side);
  });
});
