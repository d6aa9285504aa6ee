import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { boundedMemo, GenerationCache } from "../../../src/core/memory/caches.ts";

const KEYS = ["a", "b", "c", "d", "e", "f", "g", "h"];

function kept(cache: GenerationCache<number>, keys: readonly string[]): string {
  return keys.filter((key) => cache.get(key) !== undefined).join("");
}

describe("a cache of two generations", () => {
  test("returns the value that was set last", () => {
    const cache = new GenerationCache<number>(10);
    cache.set("a", 1);
    cache.set("a", 2);
    expect(cache.get("a")).toBe(2);
    expect(cache.get("b")).toBeUndefined();
  });

  test("keeps falsy values", () => {
    const cache = new GenerationCache<number | string | null>(10);
    cache.set("zero", 0);
    cache.set("empty", "");
    cache.set("null", null);
    expect([cache.get("zero"), cache.get("empty"), cache.get("null")]).toEqual([0, "", null]);
  });

  test("keeps at least one generation and at most two", () => {
    const cache = new GenerationCache<number>(3);
    for (const key of KEYS) cache.set(key, 1);
    expect(kept(cache, ["h", "g", "f"])).toBe("hgf");
    const flooded = new GenerationCache<number>(3);
    for (const key of KEYS) flooded.set(key, 1);
    expect(kept(flooded, ["a", "b"])).toBe("");
  });

  test("a key that is set again weighs once", () => {
    const cache = new GenerationCache<number>(3);
    cache.set("kept", 1);
    for (let i = 0; i < 10; i++) cache.set("again", i);
    cache.set("c", 1);
    // Two generations of ten would have evicted it.
    expect(kept(cache, ["kept", "again", "c"])).toBe("keptagainc");
  });

  test("a key that is set again has its new weight", () => {
    const cache = new GenerationCache<number>(10, (weight) => weight);
    for (const weight of [9, 1, 9, 1]) cache.set("a", weight);
    for (const key of KEYS.slice(1)) cache.set(key, 1);
    expect(kept(cache, KEYS)).toBe("abcdefgh");
  });

  test("keys in use survive a flood", () => {
    const cache = new GenerationCache<number>(4);
    cache.set("hot", 7);
    for (let i = 0; i < 1_000; i++) {
      expect(cache.get("hot")).toBe(7);
      cache.set(`cold ${i}`, i);
    }
    expect(cache.get("cold 0")).toBeUndefined();
  });

  test("an old value never replaces a new one", () => {
    const cache = new GenerationCache<number>(2);
    cache.set("a", 1);
    cache.set("b", 1);
    cache.set("c", 1);
    cache.set("a", 2);
    cache.set("d", 1);
    expect(cache.get("a")).toBe(2);
  });

  test("weighs its contents", () => {
    const cache = new GenerationCache<number>(10, (value) => value);
    cache.set("a", 5);
    cache.set("b", 5);
    cache.set("c", 5);
    expect(cache.get("c")).toBe(5);
    cache.set("d", 5);
    cache.set("e", 1);
    expect([cache.get("a"), cache.get("b")]).toEqual([undefined, undefined]);
    expect(cache.get("d")).toBe(5);
  });

  test("deleted keys are gone from both generations, and weigh nothing", () => {
    const cache = new GenerationCache<number>(2);
    for (const key of ["a", "b", "c"]) cache.set(key, 1);
    cache.delete("a");
    cache.delete("c");
    cache.delete("never there");
    expect(kept(cache, ["a", "c"])).toBe("");
    // Another generation would begin with the second of them if the deleted one still weighed.
    cache.set("d", 1);
    cache.set("e", 1);
    expect(kept(cache, ["b", "d", "e"])).toBe("bde");
  });

  test("a look-up of a missing key moves nothing", () => {
    const cache = new GenerationCache<number>(2);
    cache.set("a", 1);
    for (let i = 0; i < 10; i++) cache.get(`missing ${i}`);
    cache.set("b", 1);
    cache.set("c", 1);
    expect(kept(cache, ["a", "b", "c"])).toBe("abc");
  });

  test("property: returns the last value or none, and holds two generations at most", () => {
    const step = fc.tuple(fc.constantFrom("set", "get"), fc.constantFrom(...KEYS), fc.nat(99));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 80 }), (size, steps) => {
        const cache = new GenerationCache<number>(size);
        const truth = new Map<string, number>();
        for (const [action, key, value] of steps) {
          if (action === "set") {
            cache.set(key, value);
            truth.set(key, value);
            expect(cache.get(key)).toBe(value);
          } else expect([truth.get(key), undefined]).toContain(cache.get(key));
        }
      }),
    );
  });

  test("property: of many keys at most two generations are left", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 200 }), (size, count) => {
        const cache = new GenerationCache<number>(size);
        for (let i = 0; i < count; i++) cache.set(String(i), i);
        // Look-ups move entries, so the newest keys are looked up first, and only the remaining ones count.
        let left = 0;
        for (let i = count - 1; i >= Math.max(0, count - size); i--) left += cache.get(String(i)) === undefined ? 0 : 1;
        expect(left).toBe(Math.min(size, count));
        const older = Array.from({ length: Math.max(0, count - 2 * size) }, (_, i) => cache.get(String(i)));
        expect(older.every((value) => value === undefined)).toBe(true);
      }),
    );
  });
});

describe("a memo", () => {
  test("computes each input once, even if the answer is null", () => {
    const worked: string[] = [];
    const memo = boundedMemo(10, (input) => {
      worked.push(input);
      return input === "x" ? null : input.length;
    });
    expect([memo("x"), memo("abc"), memo("x"), memo("abc"), memo("")]).toEqual([null, 3, null, 3, 0]);
    expect(worked).toEqual(["x", "abc", ""]);
  });

  test("drops entries in a flood, and computes them again afterwards", () => {
    let runs = 0;
    const memo = boundedMemo(4, (input) => {
      runs++;
      return input.toUpperCase();
    });
    for (let i = 0; i < 100; i++) memo(`k${i}`);
    expect(memo("k0")).toBe("K0");
    expect(runs).toBe(101);
  });
});
