/** The heat map of weekdays and hours. */
import { expect, test } from "vitest";
import { weekHeat, splitBounds } from "../../src/dashboard/pages/link/stats/week-heat.ts";
import { SERIES_BINS_MAX } from "../../src/core/limits.ts";
import { DAY_MS, HOUR_MS } from "../../src/core/time.ts";

const at = (start: string, clicks = 1) => ({ start, clicks });
const cells = (heat: number[][]) =>
  heat.flatMap((row, day) => row.flatMap((clicks, hour) => (clicks > 0 ? [[day, hour, clicks]] : [])));

test("clicks are counted by weekday and hour in the zone's time, Monday first", () => {
  // 2 November 2026 is a Monday.
  const counts = [at("2026-11-02T00:00:00Z", 3), at("2026-11-02T00:59:59.999Z"), at("2026-11-08T23:00:00Z", 5)];
  expect(cells(weekHeat(counts, "UTC"))).toEqual([
    [0, 0, 4],
    [6, 23, 5],
  ]);
  expect(cells(weekHeat(counts, "America/New_York"))).toEqual([
    [6, 18, 5],
    [6, 19, 4],
  ]);
  expect(cells(weekHeat(counts, "Asia/Kolkata"))).toEqual([
    [0, 4, 5],
    [0, 5, 3],
    [0, 6, 1],
  ]);
});

test("an hour that occurs twice when clocks go back contains both", () => {
  const counts = [at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z")];
  expect(cells(weekHeat(counts, "Europe/Berlin"))).toEqual([[6, 2, 2]]);
});

const NOW = Date.parse("2026-11-05T15:30:00Z");
const CREATED_AT = NOW - 400 * DAY_MS;

test("a short range is one piece, and the server chooses its end", () => {
  expect(splitBounds({ from: NOW - DAY_MS, to: null }, CREATED_AT, NOW)).toEqual([{ from: NOW - DAY_MS, to: null }]);
});

test("pieces adjoin, have no more hours than the API accepts, and begin no earlier than the link", () => {
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
