import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { TextCache, textMemo } from "../../../src/core/memory/caches.ts";

/** More than there are slots: some of them share one, with any hash function. */
const MANY = 5_000;

const texts = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);

describe("a cache of texts", () => {
  test("returns the value that was set last", () => {
    const cache = new TextCache<number>(10);
    cache.set("a", 1);
    cache.set("a", 2);
    expect(cache.get("a")).toBe(2);
    expect(cache.get("b")).toBeUndefined();
  });

  test("keeps falsy values, and the empty text", () => {
    const cache = new TextCache<number | string | null>(10);
    cache.set("zero", 0);
    cache.set("", "");
    cache.set("null", null);
    expect([cache.get("zero"), cache.get(""), cache.get("null")]).toEqual([0, "", null]);
  });

  test("distinguishes texts that share a slot, and keeps both", () => {
    const cache = new TextCache<string>(MANY);
    for (const text of texts(MANY)) cache.set(text, text);
    for (const text of [...texts(MANY), ...texts(MANY).reverse()]) expect(cache.get(text)).toBe(text);
    expect(cache.get(`text ${MANY}`)).toBeUndefined();
  });

  test("a text that displaced another in its slot has its own last value, and so does the other", () => {
    const cache = new TextCache<number>(MANY);
    for (const round of [1, 2]) for (const text of texts(MANY)) cache.set(text, round);
    for (const text of texts(MANY)) expect(cache.get(text)).toBe(2);
  });

  test("a flood leaves as many texts as there are slots and entries", () => {
    const cache = new TextCache<number>(10);
    const flood = texts(20_000);
    for (const text of flood) cache.set(text, 1);
    const kept = flood.filter((text) => cache.get(text) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(2_048 + 20);
    expect(kept.length).toBeGreaterThan(1_000);
  });

  test("property: finds any text as a Map does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: "binary", maxLength: 60 }), fc.nat()), { maxLength: 60 }),
        (pairs) => {
          const cache = new TextCache<number>(100);
          for (const [text, value] of pairs) cache.set(text, value);
          // Joined and cut again, so that it is another string with the same content.
          for (const [text, value] of new Map(pairs)) expect(cache.get(`${text}.`.slice(0, -1))).toBe(value);
        },
      ),
    );
  });
});

describe("a memo of texts", () => {
  test("computes each once", () => {
    const worked: string[] = [];
    const memo = textMemo(10, (text) => {
      worked.push(text);
      return text.length > 1 ? text.length : null;
    });
    expect(["a", "bc", "a", "bc"].map(memo)).toEqual([null, 2, null, 2]);
    expect(worked).toEqual(["a", "bc"]);
  });
});
