/** The type and the size of uploaded images. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { readImageHeader } from "../../../src/core/images/social-image.ts";
import { jpegOf, pngOf, RED_PNG, webpOf } from "../../support/sample-images.ts";

const SEGMENT_WITH_THUMBNAIL = [0xff, 0xe1, 0, 8, 0xff, 0xc0, 0, 17, 1, 1];

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
