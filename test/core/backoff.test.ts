import { describe, expect, test } from "vitest";

import { backoffMs, fullJitterBackoffMs } from "../../src/core/retries.ts";

describe("backoff", () => {
  test.each([
    [1, 0, 500],
    [1, 0.5, 750],
    [1, 0.9999, 1_000],
    [2, 0, 1_000],
    [3, 0.5, 3_000],
    [10, 0, 256_000],
    [11, 0, 300_000],
    [11, 0.5, 450_000],
    [1_000, 0, 300_000],
  ])("after %i tries, by chance %d, is %d ms", (tries, random, ms) => {
    expect(backoffMs(tries, random)).toBe(ms);
  });

  test.each([
    [1, 0.5, 75],
    [2, 0, 100],
    [4, 0, 200],
    [9, 0.5, 300],
  ])("after %i tries, by chance %d, within bounds of 100 and 400 ms, is %d ms", (tries, random, ms) => {
    expect(backoffMs(tries, random, { firstMs: 100, longestMs: 400 })).toBe(ms);
  });

  test.each([
    [1, 0, 0],
    [1, 0.5, 50],
    [3, 0.25, 100],
    [9, 0.5, 200],
  ])("with full jitter, after %i tries, by chance %d, is %d ms", (tries, random, ms) => {
    expect(fullJitterBackoffMs(tries, random, { firstMs: 100, longestMs: 400 })).toBe(ms);
  });
});
