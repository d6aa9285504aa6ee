import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { linkIdOf } from "../../src/core/links/buckets.ts";
import { ListLinksQuery } from "../../src/core/contract/links.ts";
import {
  BASE62_ALPHABET,
  clickEventId,
  ID_RANDOM_WORDS,
  idTime,
  LINK_ID_RANDOM_WORDS,
  linkIdStem,
  looksLikeOperatorToken,
  newOperatorToken,
  randomSlug,
  randomText,
  resetUrl,
  SLUG_RANDOM_WORDS,
  timeOrderedId,
} from "../../src/core/identifiers.ts";

function random(words: number): Uint32Array {
  return crypto.getRandomValues(new Uint32Array(words));
}

describe("4 random slugs", () => {
  test("are seven characters without look-alikes", () => {
    for (let i = 0; i < 2_000; i++)
      expect(randomSlug(random(SLUG_RANDOM_WORDS))).toMatch(/^[2-9b-df-hjkmnp-tv-xz]{7}$/);
  });

  test("are never v followed by digits, which is reserved", () => {
    const alphabet = "23456789bcdfghjkmnpqrstvwxz";
    const words = (slug: string) =>
      Uint32Array.from(slug, (char) => Math.ceil((alphabet.indexOf(char) * 2 ** 32) / alphabet.length));
    expect(randomSlug(words("v234567"))).toBe("w234567");
    for (const slug of ["v23456b", "vv23456", "t234567"]) expect(randomSlug(words(slug))).toBe(slug);
  });

  test("use every letter, and every random number", () => {
    const seen = new Set(Array.from({ length: 2_000 }, () => randomSlug(random(SLUG_RANDOM_WORDS))).join(""));
    expect([...seen].sort().join("")).toBe("23456789bcdfghjkmnpqrstvwxz");
    for (let i = 0; i < SLUG_RANDOM_WORDS; i++) {
      const words = new Uint32Array(SLUG_RANDOM_WORDS);
      words[i] = 0xffffffff;
      expect(randomSlug(words).indexOf("z")).toBe(i);
    }
  });
});

describe("random text", () => {
  test.each([
    [0, "0"],
    [0xffffffff, "z"],
    [0x80000000, "V"],
    [Math.ceil(2 ** 32 / 62) - 1, "0"],
    [Math.ceil(2 ** 32 / 62), "1"],
  ])("the random number %i gives %s", (word, letter) => {
    expect(randomText(BASE62_ALPHABET, Uint32Array.of(word))).toBe(letter);
  });

  test("is evenly distributed", () => {
    const counts = new Map<string, number>();
    for (const letter of randomText(BASE62_ALPHABET, random(16_384))) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 264 are expected; the standard deviation is 16.
    for (const count of counts.values()) expect(Math.abs(count - 16_384 / 62)).toBeLessThan(7 * 16);
  });

  test("base 62 is digits and letters, each once", () => {
    expect(BASE62_ALPHABET).toMatch(/^[0-9A-Za-z]{62}$/);
    expect(new Set(BASE62_ALPHABET).size).toBe(62);
  });
});

describe("2.1 ids", () => {
  const zeros = new Uint32Array(ID_RANDOM_WORDS);
  const ones = new Uint32Array(ID_RANDOM_WORDS).fill(0xffffffff);

  test.each([
    [0, "acc_00000000000000000000000000"],
    [1, "acc_00000000010000000000000000"],
    [31, "acc_000000000z0000000000000000"],
    [32, "acc_00000000100000000000000000"],
    [Date.UTC(2026, 10, 21, 9), "acc_01m7ynaym0"],
  ])("at the instant %i: %s", (at, id) => {
    expect(timeOrderedId("acc_", at, zeros).slice(0, id.length)).toBe(id);
  });

  test.each(["dom_", "acc_", "req_"] as const)("begin with %s, then 26 characters", (prefix) => {
    expect(timeOrderedId(prefix, Date.UTC(2026, 0, 1), random(ID_RANDOM_WORDS))).toMatch(
      new RegExp(`^${prefix}[0-9a-hjkmnp-tv-z]{26}$`),
    );
  });

  test("use all 80 random bits", () => {
    for (let i = 0; i < ID_RANDOM_WORDS; i++) {
      const words = new Uint32Array(ID_RANDOM_WORDS);
      words[i] = 0xffffffff;
      expect(timeOrderedId("acc_", 0, words).slice(14).indexOf("z")).toBe(i);
    }
  });

  test("property: sort as text by creation time", () => {
    const instant = fc.integer({ min: 0, max: 8.64e15 / 8 });
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const earlier = timeOrderedId("acc_", Math.min(a, b), ones);
        const later = timeOrderedId("acc_", Math.max(a, b) + 1, zeros);
        expect(earlier < later).toBe(true);
      }),
    );
  });

  test("serve as cursors of the list", () => {
    const cursor = linkIdOf(linkIdStem(Date.UTC(2026, 0, 1), random(LINK_ID_RANDOM_WORDS)), "hop.example", "slug");
    expect(ListLinksQuery.parse({ cursor }).cursor).toBe(cursor);
  });
});

test.each([0, 1, 32, Date.UTC(2026, 10, 21, 9), 2 ** 50 - 1])("an id contains its creation time, %i", (at) => {
  const words = new Uint32Array(ID_RANDOM_WORDS).fill(0xffffffff);
  expect(idTime(timeOrderedId("note_", at, words))).toBe(at);
  expect(idTime(linkIdStem(at, words))).toBe(at);
});

test("a link's clicks have event ids in their order", () => {
  const ids = [1, 31, 32, 2 ** 40 - 1].map((seq) => clickEventId("lnk_0z", seq));
  expect(ids).toEqual(["evt_0z00000001", "evt_0z0000000z", "evt_0z00000010", "evt_0zzzzzzzzz"]);
});

test.each([
  [0, "A".repeat(43)],
  [0xff, `${"_".repeat(42)}8`],
  [0xfb, `${"-_v7".repeat(10)}-_s`],
])("an operator's token is 32 bytes in base 64 for URLs: %i", (byte, text) => {
  expect(newOperatorToken(new Uint8Array(32).fill(byte))).toBe(`opr_${text}`);
  expect(looksLikeOperatorToken(`opr_${text}`)).toBe(true);
  const others = [`opr_${text}A`, `opr_${text.slice(1)}`, `opr_${text.slice(1)}=`, `shr_${text}`];
  expect(others.some(looksLikeOperatorToken)).toBe(false);
  expect(resetUrl("https://hop.example", text)).toBe(`https://hop.example/dashboard/reset#token=${text}`);
});
