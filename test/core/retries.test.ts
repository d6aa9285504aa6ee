import { describe, expect, test } from "vitest";

import { backoffMs, CircuitBreaker, fullJitterBackoffMs } from "../../src/core/retries.ts";

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
  ])("after %i tries, at random %d, is %d ms", (tries, random, ms) => {
    expect(backoffMs(tries, random)).toBe(ms);
  });

  test.each([
    [1, 0.5, 75],
    [2, 0, 100],
    [4, 0, 200],
    [9, 0.5, 300],
  ])("after %i tries, at random %d, within bounds of 100 and 400 ms, is %d ms", (tries, random, ms) => {
    expect(backoffMs(tries, random, { firstMs: 100, longestMs: 400 })).toBe(ms);
  });

  test.each([
    [1, 0, 0],
    [1, 0.5, 50],
    [3, 0.25, 100],
    [9, 0.5, 200],
  ])("with full jitter, after %i tries, at random %d, is %d ms", (tries, random, ms) => {
    expect(fullJitterBackoffMs(tries, random, { firstMs: 100, longestMs: 400 })).toBe(ms);
  });
});

const LONGEST_OPEN_MS = 1_500;

function failing(times: number, at = 0): CircuitBreaker {
  const breaker = new CircuitBreaker();
  for (let i = 0; i < times; i++) breaker.recordFailure(at, 1);
  return breaker;
}

test("it opens after three failures in a row, not before", () => {
  expect(failing(2).allows(1)).toBe(true);
  expect(failing(3).allows(1)).toBe(false);
  const breaker = failing(2);
  breaker.recordSuccess();
  breaker.recordFailure(0, 1);
  breaker.recordFailure(0, 1);
  expect(breaker.allows(1)).toBe(true);
});

test("half-open, one probe is sent; its success closes it, its failure opens it again", () => {
  const breaker = failing(3);
  expect(breaker.allows(LONGEST_OPEN_MS - 1)).toBe(false);
  expect([1, 2, 3].map(() => breaker.allows(LONGEST_OPEN_MS))).toEqual([true, false, false]);
  breaker.recordFailure(LONGEST_OPEN_MS, 1);
  expect(breaker.allows(2 * LONGEST_OPEN_MS - 1)).toBe(false);
  expect(breaker.allows(2 * LONGEST_OPEN_MS)).toBe(true);
  breaker.recordSuccess();
  expect([1, 2, 3].map(() => breaker.allows(2 * LONGEST_OPEN_MS))).toEqual([true, true, true]);
});

test("a probe that never reports is followed by another", () => {
  const breaker = failing(3);
  expect(breaker.allows(LONGEST_OPEN_MS)).toBe(true);
  expect(breaker.allows(2 * LONGEST_OPEN_MS)).toBe(true);
});

test("it stays open for half a second to one and a half, depending on the jitter", () => {
  const openFor = (jitter: number) => {
    const breaker = failing(2);
    breaker.recordFailure(0, jitter);
    let ms = 0;
    while (!breaker.allows(ms)) ms++;
    return ms;
  };
  expect([0, 0.5, 1].map(openFor)).toEqual([500, 1_000, 1_500]);
});
