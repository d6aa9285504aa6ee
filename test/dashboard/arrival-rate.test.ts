/** When rows of the live feed no longer fade in. */
import { expect, test } from "vitest";

import { isTooFast, recentArrivals } from "../../src/dashboard/pages/link/live/arrival-rate.ts";

const arrive = (times: readonly number[]) =>
  times.reduce<number[]>((arrivals, now) => recentArrivals(arrivals, 1, now), []);

test("two clicks a second are readable, three are not", () => {
  expect(isTooFast(arrive([0, 500]))).toBe(false);
  expect(isTooFast(arrive([0, 500, 999]))).toBe(true);
  expect(isTooFast(arrive([0, 500, 1_000]))).toBe(false);
  expect(isTooFast(recentArrivals([], 3, 0))).toBe(true);
});

test("what came earlier is forgotten", () => {
  expect(arrive(Array.from({ length: 100 }, (_, i) => i * 10))).toHaveLength(100);
  expect(arrive([...Array.from({ length: 100 }, (_, i) => i * 10), 5_000])).toEqual([5_000]);
});
