/** Counts of the wall screen between two responses of the statistics. */
import { expect, test } from "vitest";

import { addArrivals, arrivalsIn } from "../../src/dashboard/pages/wall/wall-counts.ts";

const NOW = Date.parse("2026-11-05T15:30:00Z");

test("clicks of the stream are counted from the end of the statistics, and dropped once these include them", () => {
  const times = addArrivals(addArrivals([], [NOW - 20 * 60_000], NOW - 20 * 60_000), [NOW - 1_000, NOW], NOW);
  expect(times).toEqual([NOW - 1_000, NOW]);
  expect(arrivalsIn(times, NOW, Infinity)).toBe(1);
  expect(arrivalsIn(times, NOW - 60_000, NOW)).toBe(1);
});
