/** The statistics' ranges: what a person picks, as instants. */
import { describe, expect, test } from "vitest";

import { binStarts } from "../../src/core/clicks/calendar.ts";
import { SERIES_BINS_MAX } from "../../src/core/clicks/groupings.ts";
import {
  timeBounds,
  customDaysRange,
  rangeDays,
  defaultInterval,
  type RangePreset,
  RANGE_PRESET_OPTIONS,
  timeBoundsQuery,
} from "../../src/dashboard/pages/link/stats/time-range.ts";

const NOW = Date.parse("2026-11-05T15:30:00Z");

const bounds = (preset: RangePreset, zone = "UTC") =>
  timeBoundsQuery(timeBounds({ kind: "preset", preset }, zone, NOW));

describe("7 ranges", () => {
  test.each([
    ["hour", "UTC", "2026-11-05T14:30:00.000Z"],
    ["day", "UTC", "2026-11-04T15:30:00.000Z"],
    ["week", "UTC", "2026-10-30T00:00:00.000Z"],
    // Clocks went back on 1 November: seven calendar days are an hour longer.
    ["week", "America/New_York", "2026-10-30T04:00:00.000Z"],
    ["week", "Asia/Tokyo", "2026-10-30T15:00:00.000Z"],
    ["month", "UTC", "2026-10-07T00:00:00.000Z"],
    ["quarter", "UTC", "2026-08-08T00:00:00.000Z"],
    ["year", "UTC", "2025-11-06T00:00:00.000Z"],
  ] as const)("%s in %s begins at %s and ends when the server answers", (preset, zone, from) => {
    expect(bounds(preset, zone)).toEqual({ from });
  });

  test("all time leaves both ends to the server", () => {
    expect(bounds("all")).toEqual({});
  });

  test("custom days include the last one, by the calendar of the zone", () => {
    const range = customDaysRange("2026-10-31", "2026-11-01", "America/New_York");
    expect(range).toEqual({
      kind: "custom",
      from: Date.parse("2026-10-31T04:00:00Z"),
      to: Date.parse("2026-11-02T05:00:00Z"),
    });
    if (range.kind !== "custom") throw new Error("not custom");
    expect(rangeDays(range, "America/New_York")).toEqual(["2026-10-31", "2026-11-01"]);
    expect(timeBoundsQuery(timeBounds(range, "UTC", NOW))).toEqual({
      from: "2026-10-31T04:00:00.000Z",
      to: "2026-11-02T05:00:00.000Z",
    });
  });

  test.each(RANGE_PRESET_OPTIONS.map(({ value }) => value))(
    "the interval offered for %s is never refused",
    (preset) => {
      const createdAt = NOW - 20 * 366 * 86_400_000;
      const range = { kind: "preset", preset } as const;
      const { from, to } = timeBounds(range, "UTC", NOW);
      const starts = binStarts(
        defaultInterval(range, createdAt, NOW),
        "UTC",
        from ?? createdAt,
        to ?? NOW,
        SERIES_BINS_MAX,
      );
      expect(starts?.length).toBeGreaterThan(1);
    },
  );

  test("a link of an hour is shown by the minute", () => {
    expect(defaultInterval({ kind: "preset", preset: "all" }, NOW - 3_600_000, NOW)).toBe("minute");
  });
});
