/** The picture of weekdays and hours. */
import { expect, test } from "vitest";

import { weekHeat } from "../../src/dashboard/pages/link/stats/week-heat.ts";

const at = (text: string, clicks = 1) => ({ at: Date.parse(text), clicks });
const cells = (heat: number[][]) =>
  heat.flatMap((row, day) => row.flatMap((clicks, hour) => (clicks > 0 ? [[day, hour, clicks]] : [])));

test("clicks fall on the weekday and the hour of the zone's clock, Monday first", () => {
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

test("the hour that the clock shows twice holds both", () => {
  const counts = [at("2026-10-25T00:30:00Z"), at("2026-10-25T01:30:00Z")];
  expect(cells(weekHeat(counts, "Europe/Berlin"))).toEqual([[6, 2, 2]]);
});
