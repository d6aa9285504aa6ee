/** Converts the statistics' ranges, as chosen by the user, to instants. */
import { describe, expect, test } from "vitest";

import { binStarts } from "../../src/core/clicks/counting/calendar.ts";
import type { Interval } from "../../src/core/clicks/counting/groupings.ts";
import { SERIES_BINS_MAX } from "../../src/core/limits.ts";
import {
  boundsBefore,
  clicksBefore,
  type ComparedPeriod,
  defaultInterval,
  isCalendarDay,
  laterRanges,
  RANGE_PRESET_NAMES,
  type RangePreset,
  timeBounds,
  timeBoundsQuery,
  type TimeRange,
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
    ["today", "Asia/Tokyo", "2026-11-05T15:00:00.000Z"],
    ["this-week", "UTC", "2026-11-02T00:00:00.000Z"],
    ["this-month", "America/New_York", "2026-11-01T04:00:00.000Z"],
    ["this-quarter", "UTC", "2026-10-01T00:00:00.000Z"],
    ["this-year", "UTC", "2026-01-01T00:00:00.000Z"],
  ] as const)("%s in %s begins at %s and ends at the time of the response", (preset, zone, from) => {
    expect(bounds(preset, zone)).toEqual({ from });
  });

  test.each([
    ["yesterday", "UTC", "2026-11-04T00:00:00.000Z", "2026-11-05T00:00:00.000Z"],
    ["last-week", "UTC", "2026-10-26T00:00:00.000Z", "2026-11-02T00:00:00.000Z"],
    // Clocks went back on 1 November, at the beginning of the month.
    ["last-month", "America/New_York", "2026-10-01T04:00:00.000Z", "2026-11-01T04:00:00.000Z"],
    ["last-quarter", "UTC", "2026-07-01T00:00:00.000Z", "2026-10-01T00:00:00.000Z"],
    ["last-year", "UTC", "2025-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
  ] as const)("%s in %s is from %s to %s", (preset, zone, from, to) => {
    expect(bounds(preset, zone)).toEqual({ from, to });
  });

  test("for all time, the server chooses both ends", () => {
    expect(bounds("all")).toEqual({});
  });

  test("ranges of days include the last day, by the zone's calendar", () => {
    const range: TimeRange = { kind: "days", first: "2026-10-31", last: "2026-11-01" };
    expect(timeBoundsQuery(timeBounds(range, "America/New_York", NOW))).toEqual({
      from: "2026-10-31T04:00:00.000Z",
      to: "2026-11-02T05:00:00.000Z",
    });
  });

  test("the start of the last hour stays the same within a minute", () => {
    const range: TimeRange = { kind: "preset", preset: "hour" };
    expect(timeBounds(range, "UTC", NOW + 59_999)).toEqual(timeBounds(range, "UTC", NOW));
  });

  test.each([
    ["2026-02-28", true],
    ["2026-02-29", false],
    ["2026-13-01", false],
    ["2026-1-01", false],
    ["0026-01-01", false],
    ["2026-01-01T00:00", false],
    ["", false],
  ])("%s is an existing day: %s", (text, exists) => {
    expect(isCalendarDay(text)).toBe(exists);
  });

  test.each(RANGE_PRESET_NAMES)("the default interval for %s is never refused", (preset) => {
    const createdAt = NOW - 20 * 366 * 86_400_000;
    const range = { kind: "preset", preset } as const;
    const { from, to } = timeBounds(range, "UTC", NOW);
    const starts = binStarts(
      defaultInterval(range, "UTC", createdAt, NOW),
      "UTC",
      from ?? createdAt,
      to ?? NOW,
      SERIES_BINS_MAX,
    );
    expect(starts?.length).toBeGreaterThan(1);
  });

  test("the default interval suits the days of the zone, whose month may be older than that of UTC", () => {
    const range = { kind: "preset", preset: "this-month" } as const;
    const now = Date.parse("2026-12-01T00:30:00Z");
    expect(defaultInterval(range, "America/New_York", 0, now)).toBe("day");
    expect(defaultInterval(range, "UTC", 0, now)).toBe("minute");
  });

  test("an hour-old link is shown by the minute", () => {
    expect(defaultInterval({ kind: "preset", preset: "all" }, "UTC", NOW - 3_600_000, NOW)).toBe("minute");
  });
});

describe("the previous period", () => {
  const before = (range: TimeRange, zone = "UTC", comparison?: ComparedPeriod, now = NOW) => {
    const found = boundsBefore(range, zone, now, comparison);
    return found && timeBoundsQuery(found);
  };

  test("a sliding range is compared with a range of its length that ends where it begins", () => {
    expect(before({ kind: "preset", preset: "hour" })).toEqual({
      from: "2026-11-05T13:30:00.000Z",
      to: "2026-11-05T14:30:00.000Z",
    });
  });

  test("seven days up to now are compared with seven days up to the same time of day, by the zone's calendar", () => {
    expect(before({ kind: "preset", preset: "week" })).toEqual({
      from: "2026-10-23T00:00:00.000Z",
      to: "2026-10-29T15:30:00.000Z",
    });
    // Clocks went back on 1 November: 10:30 there is an hour earlier in UTC than it was.
    expect(before({ kind: "preset", preset: "week" }, "America/New_York")).toEqual({
      from: "2026-10-23T04:00:00.000Z",
      to: "2026-10-29T14:30:00.000Z",
    });
  });

  test("past days are compared with as many days, future days with nothing", () => {
    expect(before({ kind: "days", first: "2026-10-03", last: "2026-10-04" })).toEqual({
      from: "2026-10-01T00:00:00.000Z",
      to: "2026-10-03T00:00:00.000Z",
    });
    expect(before({ kind: "days", first: "2026-11-04", last: "2026-11-07" })).toEqual({
      from: "2026-10-31T00:00:00.000Z",
      to: "2026-11-01T15:30:00.000Z",
    });
    expect(before({ kind: "days", first: "2027-01-01", last: "2027-01-02" })).toBeNull();
  });

  test("months, quarters and years are compared with the one before, as far as they have gone", () => {
    const bounds = (preset: RangePreset, now?: string) =>
      before({ kind: "preset", preset }, "UTC", "period", now === undefined ? NOW : Date.parse(now));
    expect(bounds("this-month")).toEqual({ from: "2026-10-01T00:00:00.000Z", to: "2026-10-05T15:30:00.000Z" });
    expect(bounds("last-month")).toEqual({ from: "2026-09-01T00:00:00.000Z", to: "2026-10-01T00:00:00.000Z" });
    expect(bounds("this-quarter")).toEqual({ from: "2026-07-01T00:00:00.000Z", to: "2026-08-05T15:30:00.000Z" });
    expect(bounds("last-year")).toEqual({ from: "2024-01-01T00:00:00.000Z", to: "2025-01-01T00:00:00.000Z" });
    // February ends before the 31st.
    expect(bounds("this-quarter", "2026-05-31T15:30:00Z")).toEqual({
      from: "2026-01-01T00:00:00.000Z",
      to: "2026-03-01T00:00:00.000Z",
    });
    expect(bounds("this-month", "2026-03-31T15:30:00Z")).toEqual({
      from: "2026-02-01T00:00:00.000Z",
      to: "2026-03-01T00:00:00.000Z",
    });
  });

  test("any range with a beginning has a year before, by the zone's calendar", () => {
    const year = (range: TimeRange, zone?: string) => before(range, zone, "year");
    expect(year({ kind: "preset", preset: "this-month" }, "America/New_York")).toEqual({
      from: "2025-11-01T04:00:00.000Z",
      to: "2025-11-05T15:30:00.000Z",
    });
    expect(year({ kind: "preset", preset: "hour" })).toEqual({
      from: "2025-11-05T14:30:00.000Z",
      to: "2025-11-05T15:30:00.000Z",
    });
    expect(year({ kind: "days", first: "2024-01-01", last: "2025-12-31" })).toEqual({
      from: "2023-01-01T00:00:00.000Z",
      to: "2025-01-01T00:00:00.000Z",
    });
    expect(year({ kind: "days", first: "2024-02-29", last: "2024-02-29" })).toEqual({
      from: "2023-02-28T00:00:00.000Z",
      to: "2023-03-01T00:00:00.000Z",
    });
    expect(year({ kind: "preset", preset: "all" })).toBeNull();
  });

  test("a day whose midnight a clock change skips is compared with a whole day, as is the day before", () => {
    const cairo = (day: string) => before({ kind: "days", first: day, last: day }, "Africa/Cairo");
    expect(cairo("2026-04-23")).toEqual({ from: "2026-04-21T22:00:00.000Z", to: "2026-04-22T22:00:00.000Z" });
    expect(cairo("2026-04-24")).toEqual({ from: "2026-04-22T22:00:00.000Z", to: "2026-04-23T22:00:00.000Z" });
  });

  test("all time has no previous period, nor do the last 24 hours of 29 February a year before", () => {
    expect(before({ kind: "preset", preset: "all" })).toBeNull();
    expect(before({ kind: "preset", preset: "day" }, "UTC", "year", Date.parse("2028-02-29T06:14:00Z"))).toBeNull();
  });
});

describe("bins are compared with those in the same place of the previous period", () => {
  /** The starts of a range's bins, each with the start of the one that it is compared with, to the hour. */
  function compared(range: TimeRange, interval: Interval, zone: string, at: string, comparison: ComparedPeriod) {
    const now = Date.parse(at);
    const own = timeBounds(range, zone, now);
    const before = boundsBefore(range, zone, now, comparison);
    if (own.from === null || !before) throw new Error("This range is compared with nothing");
    const statsOf = (from: number, to: number) => ({
      from: new Date(from).toISOString(),
      // The clicks of a bin say when it begins.
      series: (binStarts(interval, zone, from, to, SERIES_BINS_MAX) ?? []).map((start) => ({
        start: new Date(start).toISOString(),
        clicks: start,
      })),
    });
    const stats = statsOf(own.from, own.to ?? now);
    const clicks = clicksBefore(stats, statsOf(before.from, before.to), interval, range, zone, comparison);
    return stats.series.map(({ start }) => {
      const found = clicks.get(start);
      return [start, found === undefined ? "-" : new Date(found).toISOString()].map((text) => text.slice(0, 13));
    });
  }

  const days = (first: string, last = first): TimeRange => ({ kind: "days", first, last });
  const preset = (name: RangePreset): TimeRange => ({ kind: "preset", preset: name });

  test.each<[name: string, TimeRange, Interval, string, string, ComparedPeriod, first: number, pairs: string[][]]>([
    [
      "an hour that a clock change skips today",
      days("2026-03-29"),
      "hour",
      "Europe/Berlin",
      "2026-04-01T00:00:00Z",
      "period",
      1,
      [
        ["2026-03-29T00", "2026-03-28T00"],
        ["2026-03-29T01", "2026-03-28T02"],
        ["2026-03-29T02", "2026-03-28T03"],
      ],
    ],
    [
      "an hour that a clock change skipped yesterday",
      days("2026-03-30"),
      "hour",
      "Europe/Berlin",
      "2026-04-01T00:00:00Z",
      "period",
      1,
      [
        ["2026-03-29T23", "2026-03-29T00"],
        ["2026-03-30T00", "-"],
        ["2026-03-30T01", "2026-03-29T01"],
      ],
    ],
    [
      "an hour that a clock change repeats today",
      days("2026-10-25"),
      "hour",
      "Europe/Berlin",
      "2026-11-01T00:00:00Z",
      "period",
      1,
      [
        ["2026-10-24T23", "2026-10-23T23"],
        ["2026-10-25T00", "-"],
        ["2026-10-25T01", "2026-10-24T00"],
        ["2026-10-25T02", "2026-10-24T01"],
      ],
    ],
    [
      "the last 24 hours",
      preset("day"),
      "hour",
      "Europe/Berlin",
      "2026-11-05T15:30:00Z",
      "period",
      0,
      [
        ["2026-11-04T15", "2026-11-03T15"],
        ["2026-11-04T16", "2026-11-03T16"],
      ],
    ],
    [
      "days that the month before lacks",
      preset("this-quarter"),
      "day",
      "UTC",
      "2026-06-02T15:30:00Z",
      "period",
      57,
      [
        ["2026-05-28T00", "2026-02-28T00"],
        ["2026-05-29T00", "-"],
        ["2026-05-30T00", "-"],
        ["2026-05-31T00", "-"],
        ["2026-06-01T00", "2026-03-01T00"],
        ["2026-06-02T00", "2026-03-02T00"],
      ],
    ],
    [
      "29 February of the year before",
      days("2025-02-28", "2025-03-01"),
      "day",
      "UTC",
      "2026-11-05T15:30:00Z",
      "year",
      0,
      [
        ["2025-02-28T00", "2024-02-28T00"],
        ["2025-03-01T00", "2024-03-01T00"],
      ],
    ],
    [
      "29 February, which the year before lacks",
      days("2024-02-28", "2024-03-01"),
      "day",
      "UTC",
      "2026-11-05T15:30:00Z",
      "year",
      0,
      [
        ["2024-02-28T00", "2023-02-28T00"],
        ["2024-02-29T00", "-"],
        ["2024-03-01T00", "2023-03-01T00"],
      ],
    ],
    [
      "the days of the last 24 hours, after a day of 23 hours",
      preset("day"),
      "day",
      "Europe/Berlin",
      "2026-03-30T10:00:00Z",
      "period",
      0,
      [
        ["2026-03-28T23", "2026-03-27T23"],
        ["2026-03-29T22", "2026-03-28T23"],
      ],
    ],
    [
      "the last 24 hours after an hour that a clock change repeated",
      preset("day"),
      "hour",
      "Europe/Berlin",
      "2026-10-26T12:30:00Z",
      "period",
      11,
      [
        ["2026-10-25T23", "2026-10-24T23"],
        ["2026-10-26T00", "2026-10-25T00"],
        ["2026-10-26T01", "2026-10-25T01"],
      ],
    ],
    [
      "weeks of a month that begins on a Sunday, after one that began on a Thursday, in summer time",
      preset("this-month"),
      "week",
      "America/New_York",
      "2026-11-11T15:30:00Z",
      "period",
      0,
      [
        ["2026-10-26T04", "2026-09-28T04"],
        ["2026-11-02T05", "2026-10-05T04"],
        ["2026-11-09T05", "-"],
      ],
    ],
    [
      "weeks of a year that begins on a Monday, after one that began on a Sunday",
      days("2024-01-01", "2024-12-31"),
      "week",
      "UTC",
      "2026-11-05T15:30:00Z",
      "year",
      0,
      [
        ["2024-01-01T00", "2023-01-02T00"],
        ["2024-01-08T00", "2023-01-09T00"],
      ],
    ],
    [
      "months of 365 days, the first of which has one day",
      days("2024-12-31", "2025-12-30"),
      "month",
      "UTC",
      "2026-11-05T15:30:00Z",
      "period",
      0,
      [
        ["2024-12-01T00", "-"],
        ["2025-01-01T00", "2024-01-01T00"],
      ],
    ],
  ])("%s", (_, range, interval, zone, at, comparison, first, pairs) => {
    expect(compared(range, interval, zone, at, comparison).slice(first, first + pairs.length)).toEqual(pairs);
  });
});

describe("ranges offered for one that begins too early", () => {
  const later = (range: TimeRange, start: string, zone = "UTC") => laterRanges(range, zone, Date.parse(start), NOW);
  const names = (ranges: TimeRange[]) =>
    ranges.map((range) => (range.kind === "days" ? `${range.first}/${range.last}` : range.preset));

  test("are whole days of the zone, then presets, longest first", () => {
    const all: TimeRange = { kind: "preset", preset: "all" };
    expect(names(later(all, "2026-10-20T00:00:00Z"))).toEqual(["2026-10-20/2026-11-05", "week", "day", "hour"]);
    expect(names(later(all, "2026-10-20T00:00:00.001Z"))).toEqual(["2026-10-21/2026-11-05", "week", "day", "hour"]);
    expect(names(later(all, "2026-10-20T12:00:00Z", "Asia/Tokyo"))[0]).toBe("2026-10-21/2026-11-06");
    expect(names(later(all, "2026-11-05T15:00:00Z"))).toEqual([]);
  });

  test("end where a past range of days ends", () => {
    const days: TimeRange = { kind: "days", first: "2026-01-01", last: "2026-03-31" };
    expect(names(later(days, "2026-03-30T01:00:00Z"))).toEqual(["2026-03-31/2026-03-31"]);
    expect(names(later(days, "2026-03-31T01:00:00Z"))).toEqual([]);
  });
});
