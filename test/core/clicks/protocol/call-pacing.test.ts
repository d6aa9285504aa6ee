import { expect, test } from "vitest";

import { CallPacer, sendDelayMs, senderBackoffMs } from "../../../../src/core/clicks/protocol/call-pacing.ts";

const LAST_CHANCE = 1 - Number.EPSILON;

test("callers that arrive together get slots one after the other", () => {
  const slots = CallPacer.ofObject();
  const taken = Array.from({ length: 451 }, () => slots.reserve(0));
  expect(taken[0]).toBe(0);
  expect(taken[450]).toBeCloseTo(1_000);
  expect(taken.every((slot, i) => i === 0 || slot > (taken[i - 1] ?? Infinity))).toBe(true);
});

test("unused slots cause no debt, and a rare caller never waits", () => {
  const slots = CallPacer.ofObject();
  for (let i = 0; i < 450; i++) slots.reserve(0);
  expect(slots.reserve(900)).toBeCloseTo(100);
  expect(slots.reserve(60_000)).toBe(0);
});

test("no caller gets a longer wait than the maximum under any load", () => {
  const slots = CallPacer.ofObject();
  const taken = Array.from({ length: 100_000 }, () => slots.reserve(0));
  expect(Math.max(...taken)).toBe(5_000);
  // After the slots of these callers, the next one need not wait.
  expect(slots.reserve(5_010)).toBe(0);
});

test("a clock that is set back delays callers by the longest time at most", () => {
  const slots = CallPacer.ofObject();
  slots.reserve(1_000_000);
  expect(slots.reserve(0)).toBe(5_000);
  expect(slots.reserve(5_010)).toBe(0);
});

test("senders obey within bounds, and call a little earlier at random", () => {
  expect(sendDelayMs(undefined, 0, 0)).toBe(0);
  expect(sendDelayMs(-1, 0, 0)).toBe(0);
  expect(sendDelayMs(1_000, 0, 0)).toBe(1_000);
  expect(sendDelayMs(1_000, 0, LAST_CHANCE)).toBeCloseTo(900);
  expect(sendDelayMs(1e9, 0, 0)).toBe(5_000);
});

test("senders gather longer if their call waited in the object's queue, not if it came from far away", () => {
  expect(sendDelayMs(0, 300, 0)).toBe(0);
  expect(sendDelayMs(undefined, 800, 0)).toBe(2_000);
  expect(sendDelayMs(3_000, 800, 0)).toBe(3_000);
  expect(sendDelayMs(0, 60_000, 0)).toBe(5_000);
});

test("backoff doubles with each failure up to ten seconds, and is random below that", () => {
  const longest = [1, 2, 3, 8, 100, 10_000].map((failures) => senderBackoffMs(failures, false, LAST_CHANCE));
  expect(longest.map(Math.round)).toEqual([100, 200, 400, 10_000, 10_000, 10_000]);
  expect(Math.round(senderBackoffMs(1, true, LAST_CHANCE))).toBe(3_000);
  expect(senderBackoffMs(5, true, 0)).toBe(0);
});

test("an isolate's first calls are spread over a second at most, and are immediate while they are few", () => {
  const firstCalls = CallPacer.ofFirstCalls();
  expect(firstCalls.reserve(0)).toBe(0);
  expect(firstCalls.reserve(10)).toBe(0);
  const delays = Array.from({ length: 2_000 }, () => firstCalls.reserve(20));
  expect(delays.slice(0, 3)).toEqual([0, 2, 4]);
  expect(Math.max(...delays)).toBe(1_000);
});
