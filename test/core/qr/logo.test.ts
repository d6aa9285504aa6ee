/** Decision 8: which files may be logos. Tests of the whole Worker cover refusals, these valid files and limits. */
import { Buffer } from "node:buffer";

import { expect, test } from "vitest";

import { LOGO_MAX_BYTES } from "../../../src/core/limits.ts";
import { parseLogo } from "../../../src/core/qr/logo.ts";

const NS = 'xmlns="http://www.w3.org/2000/svg"';

function base64(type: string, bytes: Uint8Array | string): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** The first bytes of a PNG, padded to the given length. */
function pngOf(width: number, height: number, length = 64): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  new DataView(bytes.buffer).setUint32(16, width);
  new DataView(bytes.buffer).setUint32(20, height);
  return bytes;
}

function jpegOf(width: number, height: number): Uint8Array {
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  return Uint8Array.from([
    0xff,
    0xd8,
    0xff,
    0xe0,
    0,
    4,
    0,
    0,
    0xff,
    0xc4,
    0,
    3,
    0,
    0xff,
    0xc2,
    0,
    11,
    8,
    ...size,
    1,
    1,
    0x11,
    0,
  ]);
}

test.each([
  ["base64", base64("image/svg+xml", `<svg ${NS}/>`)],
  ["percent-encoded", `data:image/svg+xml,${encodeURIComponent(`<svg ${NS}/>`)}`],
  ["with a charset", `data:image/svg+xml;charset=utf-8,${encodeURIComponent(`<svg ${NS}/>`)}`],
  ["a type in capitals", base64("IMAGE/SVG+XML", `<svg ${NS}/>`)],
  [
    "with a declaration and comments",
    base64("image/svg+xml", `<?xml version="1.0"?>\n<!-- <script> -->\n<svg ${NS}/>`),
  ],
  [
    "with gradients, groups and clips",
    base64(
      "image/svg+xml",
      `<svg ${NS} viewBox="0 0 5000 5000"><defs><linearGradient id="a" href="#b"><stop offset="0"/></linearGradient><clipPath id="c"><path d="M0 0h1"/></clipPath></defs><g clip-path="url(#c)"><rect width="9" height="9" fill="url( '#a')" style="stroke:red"/></g></svg>`,
    ),
  ],
  [
    "with the metadata that drawing programs add",
    base64(
      "image/svg+xml",
      `<?xml version="1.0" encoding="UTF-8" standalone="no"?><svg ${NS} xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" id="Layer_1" x="0px" y="0px" viewBox="0 0 64 64" style="enable-background:new 0 0 64 64;" xml:space="preserve" role="img" aria-label="A &amp; B" data-name="1" preserveAspectRatio="xMidYMid meet"><title>A &amp; B</title><g inkscape:label="Layer 1" style="fill:#000;fill-rule:evenodd;stroke:none;stroke-width:1px;stroke-dasharray:none;mix-blend-mode:normal;filter:none;marker:none;font-family:sans-serif;-inkscape-font-specification:Sans" class="a"><path vector-effect="non-scaling-stroke" d="M1 1h9" style="opacity:.5"/></g></svg>`,
    ),
  ],
])("an SVG passes, %s", (_, uri) => {
  expect(parseLogo(uri)).toMatchObject({ type: "image/svg+xml" });
});

test("a PNG and a JPEG pass with their sizes", () => {
  expect(parseLogo(base64("image/png", pngOf(1024, 7)))).toMatchObject({ type: "image/png", width: 1024, height: 7 });
  expect(parseLogo(base64("image/jpeg", jpegOf(300, 200)))).toMatchObject({
    type: "image/jpeg",
    width: 300,
    height: 200,
  });
});

test.each([
  [
    "a PNG of 1,025 pixels",
    base64("image/png", pngOf(1025, 7)),
    "must be at most 1024 pixels wide and high, but is 1025 by 7",
  ],
  [
    "a PNG of 100,000 pixels",
    base64("image/png", pngOf(1, 100_000)),
    "must be at most 1024 pixels wide and high, but is 1 by 100000",
  ],
  [
    "a PNG without height",
    base64("image/png", pngOf(1, 0)),
    "must be at most 1024 pixels wide and high, but is 1 by 0",
  ],
  [
    "a JPEG of 65,535 pixels",
    base64("image/jpeg", jpegOf(65_535, 1)),
    "must be at most 1024 pixels wide and high, but is 65535 by 1",
  ],
  ["a JPEG as PNG", base64("image/png", jpegOf(9, 9)), "is not an image of type image/png"],
  ["a truncated JPEG", base64("image/jpeg", jpegOf(9, 9).subarray(0, 12)), "is not an image of type image/jpeg"],
  ["a GIF", base64("image/gif", "GIF89a"), "must be a data URI of type image/png, image/jpeg or image/svg+xml"],
  ["an SVG in Latin-1", base64("image/svg+xml", Uint8Array.from([0x3c, 0xe4])), "must be an SVG in UTF-8"],
  [
    "CDATA",
    base64("image/svg+xml", `<svg ${NS}><desc><![CDATA[x]]></desc></svg>`),
    "must not have a DOCTYPE, entities or CDATA",
  ],
  [
    "a filter",
    base64("image/svg+xml", `<svg ${NS}><filter id="a"/></svg>`),
    "may contain only shapes, groups, gradients and clip paths, not <filter>",
  ],
  [
    "a prefixed script",
    base64("image/svg+xml", `<svg ${NS} xmlns:s="http://www.w3.org/2000/svg"><s:script/></svg>`),
    "may contain only shapes, groups, gradients and clip paths, not <s:script>",
  ],
  [
    "dashes in a style",
    base64("image/svg+xml", `<svg ${NS}><path style="stroke-dasharray:1e-9"/></svg>`),
    "must not have dashed lines",
  ],
  [
    "an external link by prefix",
    base64("image/svg+xml", `<svg ${NS}><radialGradient xlink:href='//example.com/a'/></svg>`),
    "must not refer to external resources",
  ],
  [
    "a filter by its function",
    base64("image/svg+xml", `<svg ${NS}><g filter="blur(9)"/></svg>`),
    "must not have the attribute filter",
  ],
  [
    "a mask in a style",
    base64("image/svg+xml", `<svg ${NS}><g style="fill:red;mask:url(#a)"/></svg>`),
    "must not have the attribute mask",
  ],
  [
    "a blend mode",
    base64("image/svg+xml", `<svg ${NS}><g style="mix-blend-mode:color"/></svg>`),
    "must not have the attribute mix-blend-mode",
  ],
  [
    "an unknown attribute",
    base64("image/svg+xml", `<svg ${NS}><g blur="9"/></svg>`),
    "must not have the attribute blur",
  ],
  [
    "a property spelt with character references",
    base64("image/svg+xml", `<svg ${NS}><clipPath id="a"><path style="clip&#45;path:url(#b)"/></clipPath></svg>`),
    "must have no references except &amp; &lt; &gt; &quot; and &apos;",
  ],
  [
    "a clip path that is clipped itself",
    base64("image/svg+xml", `<svg ${NS}><clipPath id="a" clip-path="url(#b)"/></svg>`),
    "must not nest clip paths",
  ],
  [
    "an attribute given twice",
    base64("image/svg+xml", `<svg ${NS}><g id="a" id="b"/></svg>`),
    "cannot be drawn: the image is damaged or empty",
  ],
  [
    "seven layers, each nested in another",
    base64("image/svg+xml", `<svg ${NS}>${'<g opacity=".5">'.repeat(7)}${"</g>".repeat(7)}</svg>`),
    "is too complex",
  ],
  [
    "a JPEG of 21 scans",
    base64(
      "image/jpeg",
      Buffer.concat([jpegOf(9, 9), Buffer.alloc(21 * 10, Buffer.from("ffda0006010100000000", "hex"))]),
    ),
    "must have at most 20 scans",
  ],
  ["too many elements", base64("image/svg+xml", `<svg ${NS}>${"<g/>".repeat(5_000)}</svg>`), "is too complex"],
])("%s is refused", (_, uri, fault) => {
  expect(parseLogo(uri)).toEqual({ fault });
});

test("64 KiB pass, one byte more does not", () => {
  expect(parseLogo(base64("image/png", pngOf(9, 9, LOGO_MAX_BYTES)))).toMatchObject({ width: 9 });
  expect(parseLogo(base64("image/png", pngOf(9, 9, LOGO_MAX_BYTES + 1)))).toEqual({
    fault: "must have at most 65536 bytes",
  });
});

test("only the picture of a PNG is kept: compressed profiles and texts have no size limit", () => {
  const chunk = (type: string) => [0, 0, 0, 4, ...Buffer.from(type), 1, 2, 3, 4, 9, 9, 9, 9];
  const header = pngOf(9, 9, 33);
  const png = Uint8Array.from([...header, ...["iCCP", "zTXt", "acTL", "PLTE", "IDAT", "fdAT", "IEND"].flatMap(chunk)]);
  const plain = Uint8Array.from([...header, ...["PLTE", "IDAT", "IEND"].flatMap(chunk)]);
  expect(parseLogo(base64("image/png", png))).toMatchObject({ bytes: plain });
});

test("an SVG is rewritten: only drawn content reaches the renderer", () => {
  const svg = `<svg ${NS} viewBox="0 0 9 9" onclick2="" class="a"><!-- b --><desc>c</desc><g style="fill:red"><path d="M0 0h9" id="&quot;&lt;"/></g></svg>`;
  expect(parseLogo(base64("image/svg+xml", svg.replace(' onclick2=""', "")))).toMatchObject({
    root: ' viewBox="0 0 9 9"',
    content: '<g fill="red"><path d="M0 0h9" id="&quot;&lt;"></path></g>',
    maxSidePx: 512,
  });
});
