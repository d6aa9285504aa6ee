/** The headers of logos and of uploaded images. */
import { Buffer } from "node:buffer";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  jpegScans,
  jpegSize,
  pngSize,
  readImageHeader,
  stripAncillaryChunks,
} from "../../../src/core/images/image-headers.ts";
import { jpegOf, pngOf, RED_PNG, webpOf } from "../../support/sample-images.ts";

const SEGMENT_WITH_THUMBNAIL = [0xff, 0xe1, 0, 8, 0xff, 0xc0, 0, 17, 1, 1];

const SIGNATURE = "89504e470d0a1a0a";
/** 258 by 3 pixels. */
const IHDR = `0000000d49484452${"00000102"}${"00000003"}0802000000${"deadbeef"}`;

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

function chunk(type: string, data = ""): string {
  const length = (data.length / 2).toString(16).padStart(8, "0");
  return length + Buffer.from(type).toString("hex") + data + "cafecafe";
}

describe("the header of a PNG", () => {
  test.each<[string, string, ReturnType<typeof pngSize>]>([
    ["a picture", `${SIGNATURE}${IHDR}00`, { width: 258, height: 3 }],
    ["a header and nothing after it", `${SIGNATURE}${IHDR}`, null],
    ["nothing", "", null],
    ["only a signature", SIGNATURE, null],
    ["a signature with a wrong first half", `89504e48${SIGNATURE.slice(8)}${IHDR}00`, null],
    ["a signature with a wrong second half", `${SIGNATURE.slice(0, 8)}0a0a1a0a${IHDR}00`, null],
    ["another first chunk", `${SIGNATURE}${IHDR.replace("49484452", "49444154")}00`, null],
  ])("%s", (_name, hex, size) => {
    expect(pngSize(bytes(hex))).toEqual(size);
  });

  test("is found within a larger buffer", () => {
    const whole = bytes(`ffff${SIGNATURE}${IHDR}00`);
    expect(pngSize(whole.subarray(2))).toEqual({ width: 258, height: 3 });
  });
});

describe("a PNG without ancillary chunks", () => {
  test.each<[string, string[], string[]]>([
    [
      "all image chunks stay, in order",
      ["PLTE", "tRNS", "IDAT", "IDAT", "IEND"],
      ["PLTE", "tRNS", "IDAT", "IDAT", "IEND"],
    ],
    ["profiles, texts and animations are removed", ["iCCP", "tEXt", "IDAT", "acTL", "fdAT", "IEND"], ["IDAT", "IEND"]],
    ["case matters", ["idat", "IDAT", "IEND"], ["IDAT", "IEND"]],
  ])("%s", (_name, types, left) => {
    const data = (type: string) => chunk(type, "0102".repeat(type.length));
    const png = bytes(SIGNATURE + IHDR + types.map(data).join(""));
    expect(Buffer.from(stripAncillaryChunks(png)).toString("hex")).toBe(SIGNATURE + IHDR + left.map(data).join(""));
  });

  test("ends with the last whole frame of a chunk", () => {
    const whole = SIGNATURE + IHDR + chunk("IEND");
    expect(stripAncillaryChunks(bytes(whole))).toEqual(bytes(whole));
    expect(stripAncillaryChunks(bytes(`${whole}0000000049454e44ca`))).toEqual(bytes(whole));
    const cut = `${SIGNATURE}${IHDR}000000ff49444154${"00".repeat(9)}`;
    expect(stripAncillaryChunks(bytes(cut))).toEqual(bytes(cut));
  });
});

/** A segment of a marker, with the given data after its length. */
function segment(marker: string, data = ""): string {
  return `ff${marker}${(data.length / 2 + 2).toString(16).padStart(4, "0")}${data}`;
}

/** 258 pixels wide, 515 high. */
const FRAME_DATA = "08 0203 0102 01 011100".replaceAll(" ", "");

describe("the frame of a JPEG", () => {
  test.each([
    ...["c0", "c1", "c2", "c3", "c5", "c6", "c7", "c9", "ca", "cb", "cd", "ce", "cf"].map((sof) => [
      `marker ${sof}`,
      `ffd8${segment("e0", "0000")}${segment(sof, FRAME_DATA)}${segment("da")}`,
    ]),
    ["at the beginning", `ffd8${segment("c0", FRAME_DATA)}`],
    ["after fill bytes", `ffd8ffffff${segment("c0", FRAME_DATA)}`],
    ["after other bytes", `ffd800aa${segment("c0", FRAME_DATA)}`],
    ["after markers without a length", `ffd8ff01ffd0ffd9ff00${segment("c0", FRAME_DATA)}`],
    [
      "after a segment that contains another",
      `ffd8${segment("e1", segment("c0", FRAME_DATA))}${segment("c0", FRAME_DATA)}`,
    ],
    ["truncated after the size", `ffd8${segment("c0", FRAME_DATA).slice(0, 18)}`],
  ])("%s", (_name, hex) => {
    expect(jpegSize(bytes(hex))).toEqual({ width: 258, height: 515 });
  });

  test.each([
    ["nothing", ""],
    ["no start", `00d8${segment("c0", FRAME_DATA)}`],
    ["half a start", `ff00${segment("c0", FRAME_DATA)}`],
    ["no frame", `ffd8${segment("e0", "0000")}${segment("da")}`],
    ["two frames", `ffd8${segment("c0", FRAME_DATA)}${segment("c2", FRAME_DATA)}`],
    ["a truncated frame", `ffd8${segment("c0", FRAME_DATA).slice(0, 16)}`],
    ["a marker at the end", "ffd8ffc000"],
    ...["c4", "c8", "cc", "bf", "d0", "da"].map((other) => [`marker ${other}`, `ffd8${segment(other, FRAME_DATA)}`]),
  ])("%s: none", (_name, hex) => {
    expect(jpegSize(bytes(hex))).toBeNull();
  });
});

test.each([
  ["none", `ffd8${segment("c0", FRAME_DATA)}`, 0],
  ["one, with stuffed bytes and restarts in its data", `ffd8${segment("da", "00")}01ff0002ffd003ffd704ffd9`, 1],
  [
    "three, with tables between",
    `ffd8${segment("da")}aaff00${segment("c4", "00")}${segment("da")}bb${segment("da")}ffd9`,
    3,
  ],
  ["none within another segment", `ffd8${segment("e1", segment("da"))}`, 0],
  ["one at the very end", `ffd8${segment("da")}`, 1],
])("scans of a JPEG: %s", (_name, hex, scans) => {
  expect(jpegScans(bytes(hex))).toBe(scans);
});

describe("the header of an uploaded image", () => {
  test.each([
    ["png", RED_PNG, 1, 1],
    ["png", pngOf(4_096, 1), 4_096, 1],
    ["jpg", jpegOf(1_200, 630), 1_200, 630],
    ["jpg", jpegOf(1_200, 630, SEGMENT_WITH_THUMBNAIL), 1_200, 630],
    ["webp", webpOf("VP8 ", 1_200, 630), 1_200, 630],
    ["webp", webpOf("VP8L", 16_384, 3), 16_384, 3],
    ["webp", webpOf("VP8L", 3, 16_384), 3, 16_384],
    ["webp", webpOf("VP8X", 16_777_216, 2), 16_777_216, 2],
  ] as const)("%s %#", (format, bytes, width, height) => {
    expect(readImageHeader(bytes)).toEqual({ format, width, height });
    // A view into a larger buffer, as a stream may deliver it.
    const larger = new Uint8Array(bytes.length + 7);
    larger.set(bytes, 7);
    expect(readImageHeader(larger.subarray(7))).toEqual({ format, width, height });
  });

  test.each([
    ["nothing", new Uint8Array()],
    ["text", new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")],
    ["a GIF", new TextEncoder().encode("GIF89a".padEnd(64, "\u0001"))],
    ["a PNG without pixels", pngOf(0, 5)],
    ["a JPEG without a frame", Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xd9])],
    ["a JPEG without lines", jpegOf(5, 0)],
    ["a WebP of an unknown kind", webpOf("VP8 ", 5, 5).with(15, 0x41)],
    ["a WebP without its start code", webpOf("VP8 ", 5, 5).with(24, 0)],
  ])("%s is refused", (_name, bytes) => {
    expect(readImageHeader(bytes)).toBeNull();
  });

  test("every beginning of a file, and every file with changed bytes, is read or refused", () => {
    const files = [RED_PNG, jpegOf(9, 9, SEGMENT_WITH_THUMBNAIL), webpOf("VP8 ", 9, 9), webpOf("VP8L", 9, 9)];
    for (const file of files) for (let end = 0; end < file.length; end++) readImageHeader(file.subarray(0, end));
    const bytes = fc.record({ at: fc.nat(40), byte: fc.nat(255) });
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.array(bytes, { maxLength: 6 }), (file, changes) => {
        const changed = new Uint8Array(file);
        for (const { at, byte } of changes) changed[at] = byte;
        const header = readImageHeader(changed);
        expect(header === null || (header.width > 0 && header.height > 0)).toBe(true);
      }),
    );
  });

  test("two megabytes of JPEG markers are read in linear time", () => {
    const bytes = new Uint8Array(2 * 1024 ** 2).fill(0xff);
    bytes[1] = 0xd8;
    const start = performance.now();
    expect(readImageHeader(bytes)).toBeNull();
    for (let i = 2; i + 4 <= bytes.length; i += 4) bytes.set([0xff, 0xe0, 0, 2], i);
    expect(readImageHeader(bytes)).toBeNull();
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
