import { expect, test } from "vitest";

import { FixedWindowLimiter } from "../../../src/core/memory/caches.ts";

const limit = () => new FixedWindowLimiter({ max: 3, windowMs: 1_000, maxKeys: 10 });

test("the limit holds per window and key; the wait lasts to the window's end", () => {
  const counted = limit();
  for (const at of [100, 200, 300]) {
    expect(counted.retryAfterMs("a", at)).toBe(0);
    counted.count("a", at);
  }
  expect(counted.retryAfterMs("a", 300)).toBe(800);
  expect(counted.retryAfterMs("a", 1_099)).toBe(1);
  expect(counted.retryAfterMs("b", 300)).toBe(0);
  expect(counted.retryAfterMs("a", 1_100)).toBe(0);
});

test("the next window begins with the next event and counts from one", () => {
  const counted = limit();
  for (let i = 0; i < 10; i++) counted.count("a", 0);
  counted.count("a", 5_000);
  expect(counted.retryAfterMs("a", 5_000)).toBe(0);
  counted.count("a", 5_500);
  counted.count("a", 5_900);
  expect(counted.retryAfterMs("a", 5_900)).toBe(100);
});

test("a flood of keys does not reset one that continues", () => {
  const counted = limit();
  for (let i = 0; i < 3; i++) counted.count("a", 0);
  for (let i = 0; i < 100; i++) {
    counted.count(`other ${i}`, 1);
    expect(counted.retryAfterMs("a", 1)).toBe(999);
  }
});

test("refunded events no longer count, but a later window is not refunded", () => {
  const counted = limit();
  for (const at of [0, 100, 200]) counted.count("a", at);
  counted.refund("a", 100);
  expect(counted.retryAfterMs("a", 200)).toBe(0);
  for (const at of [2_000, 2_000, 2_000]) counted.count("a", at);
  counted.refund("a", 200);
  counted.refund("unknown", 2_000);
  expect(counted.retryAfterMs("a", 2_000)).toBe(1_000);
});

test("a window ends with its last millisecond", () => {
  const counted = limit();
  for (const at of [0, 999, 1_000]) counted.count("a", at);
  expect(counted.retryAfterMs("a", 1_000)).toBe(0);
  for (const at of [1_000, 1_000]) counted.count("a", at);
  expect(counted.retryAfterMs("a", 1_000)).toBe(1_000);
});

test("a refund at the start of a window counts, and no more is refunded than was counted", () => {
  const counted = limit();
  counted.count("a", 100);
  for (let i = 0; i < 5; i++) counted.refund("a", 100);
  for (const at of [100, 100]) counted.count("a", at);
  expect(counted.retryAfterMs("a", 100)).toBe(0);
  counted.count("a", 100);
  expect(counted.retryAfterMs("a", 100)).toBe(1_000);
});
