import fc from "fast-check";
import { expect, test } from "vitest";

import { SipHash } from "../../../src/core/visitors/siphash.ts";

const KEY = Uint8Array.from({ length: 16 }, (_, i) => i);

/** From the reference implementation: the hashes of "", "\x00", "\x00\x01" and so on, without their last two bytes. */
const VECTORS = [
  "310e0edd47db",
  "fd67dc93c539",
  "5a4fa9d90980",
  "2d7efbd79666",
  "b7877127e094",
  "8da699cd6455",
  "cee3fe586e46",
  "37d1018bf500",
  "6224939a79f5",
  "b0e4a90bdf82",
  "f3b9dd94c5bb",
  "a7ad6b22462f",
  "fbe50e86bc8f",
  "903d84c02756",
  "eef27a8e90ca",
  "e545be4961ca",
];

/** The bytes 0, 1, 2 and so on. */
function messageOf(length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, i) => i));
}

function hexOf(hash: number): string {
  const bytes = Array.from({ length: 6 }, (_, i) => Math.floor(hash / 256 ** i) % 256);
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

test("hashes match the published vectors, one after another", () => {
  const hash = new SipHash(KEY);
  expect(VECTORS.map((_, length) => hexOf(hash.text(messageOf(length)).digest()))).toEqual(VECTORS);
});

// From the reference implementation: key 00 01 .. 0f, message 00 01 .. of the given length.
test.each([
  [0, 0x726fdb47dd0e0e31n],
  [1, 0x74f839c593dc67fdn],
  [7, 0xab0200f58b01d137n],
  [8, 0x93f5f5799a932462n],
  [15, 0xa129ca6149be45e5n],
])("SipHash-2-4 of %d bytes matches its authors' value", (length, hash) => {
  expect(new SipHash(KEY).text(messageOf(length)).digest64()).toBe(hash);
});

test("a message in pieces has the same hash, and a number is its bytes, the lowest first", () => {
  const hash = new SipHash(KEY);
  const whole = hash.text("abcdefghijklm").digest();
  expect(hash.text("abc").text("").text("defghijkl").text("m").digest()).toBe(whole);
  expect(hash.number48(0x060504030201).digest()).toBe(hash.text("\u0001\u0002\u0003\u0004\u0005\u0006").digest());
  expect(hash.number48(2 ** 48 - 1).digest()).toBe(hash.text("\u00ff".repeat(6)).digest());
});

test("each bit of key and message changes about half of the hash", () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
  let flipped = 0;
  let runs = 0;
  const bits = (value: number) => value.toString(2).replaceAll("0", "").length;
  const differing = (a: number, b: number) =>
    bits(Math.floor(a / 2 ** 24) ^ Math.floor(b / 2 ** 24)) + bits((a % 2 ** 24) ^ (b % 2 ** 24));
  fc.assert(
    fc.property(bytes, fc.string({ maxLength: 40 }), fc.nat(127), (key, text, bit) => {
      const other = key.with(bit >> 3, (key[bit >> 3] ?? 0) ^ (1 << (bit & 7)));
      flipped += differing(new SipHash(key).text(text).digest(), new SipHash(other).text(text).digest());
      runs++;
    }),
  );
  expect(flipped / runs).toBeGreaterThan(22);
  expect(flipped / runs).toBeLessThan(26);
});
