/** A range in pieces that the API counts by the hour. */
import { expect, test } from "vitest";

import { SERIES_BINS_MAX } from "../../src/core/clicks/groupings.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/durations.ts";
import { splitBounds } from "../../src/dashboard/pages/link/stats/hour-bounds.ts";

const NOW = Date.parse("2026-11-05T15:30:00Z");
const CREATED_AT = NOW - 400 * DAY_MS;

test("a short range is one piece, and ends where the server's clock is", () => {
  expect(splitBounds({ from: NOW - DAY_MS, to: null }, CREATED_AT, NOW)).toEqual([{ from: NOW - DAY_MS, to: null }]);
});

test("pieces adjoin, hold no more hours than the API takes, and begin no earlier than the link", () => {
  const pieces = splitBounds({ from: null, to: null }, CREATED_AT, NOW) ?? [];
  expect(pieces.length).toBe(5);
  expect(pieces[0]?.from).toBe(CREATED_AT);
  expect(pieces.at(-1)?.to).toBeNull();
  for (const [i, { from, to }] of pieces.entries()) {
    expect(to ?? NOW).toBe(pieces[i + 1]?.from ?? NOW);
    expect(((to ?? NOW) - (from ?? 0)) / HOUR_MS + 1).toBeLessThan(SERIES_BINS_MAX);
  }
});

test("a range of many years is not counted", () => {
  expect(splitBounds({ from: null, to: null }, NOW - 3_000 * DAY_MS, NOW)).toBeNull();
});
