import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ByteReader, ByteWriter } from "../../../../src/core/clicks/encoding/column-encoding.ts";

describe("varints", () => {
  test.each([
    [0, [0]],
    [127, [127]],
    [128, [128, 1]],
    [300, [172, 2]],
    [16_384, [128, 128, 1]],
  ])("%i is %j", (value, bytes) => {
    const writer = new ByteWriter();
    writer.varint(value);
    expect([...writer.toBytes()]).toEqual(bytes);
  });

  test("property: numbers followed by a text survive a round trip", () => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    const number = fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.constantFrom(2 ** 31, 2 ** 32, 2 ** 53 - 1));
    fc.assert(
      fc.property(fc.array(number, { maxLength: 200 }), text, (values, tail) => {
        const writer = new ByteWriter();
        for (const value of values) writer.varint(value);
        const reader = new ByteReader(writer.toBytes());
        expect(values.map(() => reader.varint())).toEqual(values);
        expect(reader.done).toBe(true);
        writer.text(`|${tail}`);
        const again = new ByteReader(writer.toBytes());
        for (const _ of values) again.varint();
        expect(again.remainingText()).toBe(`|${tail}`);
      }),
    );
  });
});
