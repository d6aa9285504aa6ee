import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { BinFinder, binStarts } from "../../../../src/core/clicks/counting/calendar.ts";
import type { Interval } from "../../../../src/core/clicks/counting/groupings.ts";
import { wallClockByIntl } from "../../intl-wall-clock.ts";

function utc(text: string): number {
  return Date.parse(`${text}Z`);
}

function starts(interval: Interval, zone: string, from: string, to: string, max = 2_000): string[] | null {
  const found = binStarts(interval, zone, utc(from), utc(to), max);
  return found && found.map((start) => new Date(start).toISOString().replace(/(:00)?\.000Z$/, ""));
}

describe("7 bins of a series", () => {
  test.each<[string, Interval, string, string, string, string[]]>([
    [
      "the first bin contains `from` and begins before it",
      "hour",
      "UTC",
      "2026-11-21T09:30:00.001",
      "2026-11-21T11:00",
      ["2026-11-21T09:00", "2026-11-21T10:00"],
    ],
    [
      "`to` is not in the last",
      "minute",
      "UTC",
      "2026-11-21T09:30",
      "2026-11-21T09:32",
      ["2026-11-21T09:30", "2026-11-21T09:31"],
    ],
    [
      "one millisecond later, it is",
      "minute",
      "UTC",
      "2026-11-21T09:30",
      "2026-11-21T09:32:00.001",
      ["2026-11-21T09:30", "2026-11-21T09:31", "2026-11-21T09:32"],
    ],
    ["a millisecond has a bin", "month", "UTC", "2026-11-21T09:30", "2026-11-21T09:30:00.001", ["2026-11-01T00:00"]],
    ["an empty range has none", "day", "UTC", "2026-11-21T09:30", "2026-11-21T09:30", []],
    ["nor does a reversed range", "day", "UTC", "2026-11-21T09:30", "2026-11-20T09:30", []],
    [
      "weeks begin on Monday",
      "week",
      "UTC",
      "2026-11-22T23:59",
      "2026-11-30T00:00",
      ["2026-11-16T00:00", "2026-11-23T00:00"],
    ],
    [
      "a week that begins in the previous year",
      "week",
      "Europe/Berlin",
      "2027-01-01T00:00",
      "2027-01-02T00:00",
      ["2026-12-27T23:00"],
    ],
    [
      "months of 31, 28 and 31 days",
      "month",
      "UTC",
      "2026-01-31T23:59",
      "2026-03-01T00:01",
      ["2026-01-01T00:00", "2026-02-01T00:00", "2026-03-01T00:00"],
    ],
    ["a leap day", "day", "UTC", "2028-02-28T12:00", "2028-03-01T00:00", ["2028-02-28T00:00", "2028-02-29T00:00"]],
    [
      "Berlin, a day of 23 hours",
      "day",
      "Europe/Berlin",
      "2026-03-28T23:00",
      "2026-03-30T22:00",
      ["2026-03-28T23:00", "2026-03-29T22:00"],
    ],
    [
      "Berlin, a day of 25 hours",
      "day",
      "Europe/Berlin",
      "2026-10-24T22:00",
      "2026-10-26T23:00",
      ["2026-10-24T22:00", "2026-10-25T23:00"],
    ],
    [
      "Berlin, months over the change",
      "month",
      "Europe/Berlin",
      "2026-03-15T00:00",
      "2026-05-01T00:00",
      ["2026-02-28T23:00", "2026-03-31T22:00", "2026-04-30T22:00"],
    ],
    [
      "Berlin, the repeated hour has two bins",
      "hour",
      "Europe/Berlin",
      "2026-10-25T00:00",
      "2026-10-25T03:00",
      ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"],
    ],
    [
      "New York, a week over the change",
      "week",
      "America/New_York",
      "2026-03-07T00:00",
      "2026-03-16T12:00",
      ["2026-03-02T05:00", "2026-03-09T04:00", "2026-03-16T04:00"],
    ],
    [
      "New York, the skipped hour has no bin",
      "hour",
      "America/New_York",
      "2026-03-08T06:30",
      "2026-03-08T08:00",
      ["2026-03-08T06:00", "2026-03-08T07:00"],
    ],
    [
      "Kathmandu, hours begin at a quarter",
      "hour",
      "Asia/Kathmandu",
      "2026-11-21T09:30",
      "2026-11-21T11:00",
      ["2026-11-21T09:15", "2026-11-21T10:15"],
    ],
    [
      "Kathmandu, days begin at a quarter",
      "day",
      "Asia/Kathmandu",
      "2026-11-21T18:14",
      "2026-11-21T18:16",
      ["2026-11-20T18:15", "2026-11-21T18:15"],
    ],
    [
      // Half an hour back at 02:00: 01:30 to 02:00 occurs twice.
      "Lord Howe, back by half an hour",
      "hour",
      "Australia/Lord_Howe",
      "2026-04-04T14:00",
      "2026-04-04T16:30",
      ["2026-04-04T14:00", "2026-04-04T15:00", "2026-04-04T15:30"],
    ],
    [
      "Lord Howe, the same bins when the range begins within",
      "hour",
      "Australia/Lord_Howe",
      "2026-04-04T15:10",
      "2026-04-04T16:30",
      ["2026-04-04T15:00", "2026-04-04T15:30"],
    ],
    [
      // Half an hour forward at 02:00: the hour begins at 02:30.
      "Lord Howe, on by half an hour",
      "hour",
      "Australia/Lord_Howe",
      "2026-10-03T14:30",
      "2026-10-03T17:00",
      ["2026-10-03T14:30", "2026-10-03T15:30", "2026-10-03T16:00"],
    ],
    [
      "Lord Howe, the same bins when the range begins within",
      "hour",
      "Australia/Lord_Howe",
      "2026-10-03T15:59",
      "2026-10-03T16:01",
      ["2026-10-03T15:30", "2026-10-03T16:00"],
    ],
    [
      // From 02:45 to 03:45, and back again: both hours are partial.
      "Chatham, on within an hour",
      "hour",
      "Pacific/Chatham",
      "2026-09-26T13:15",
      "2026-09-26T15:00",
      ["2026-09-26T13:15", "2026-09-26T14:00", "2026-09-26T14:15"],
    ],
    [
      "Chatham, back within an hour",
      "hour",
      "Pacific/Chatham",
      "2026-04-04T13:30",
      "2026-04-04T15:00",
      ["2026-04-04T13:15", "2026-04-04T14:00", "2026-04-04T14:15"],
    ],
    [
      "Santiago, a day that begins at one",
      "day",
      "America/Santiago",
      "2026-09-05T12:00",
      "2026-09-07T12:00",
      ["2026-09-05T04:00", "2026-09-06T04:00", "2026-09-07T03:00"],
    ],
    [
      "Santiago, a day whose last hour occurs twice",
      "day",
      "America/Santiago",
      "2026-04-04T12:00",
      "2026-04-05T12:00",
      ["2026-04-04T03:00", "2026-04-05T04:00"],
    ],
    [
      "Cairo, a day that begins at one",
      "day",
      "Africa/Cairo",
      "2026-04-23T00:00",
      "2026-04-25T00:00",
      ["2026-04-22T22:00", "2026-04-23T22:00", "2026-04-24T21:00"],
    ],
    [
      "Havana, a day whose first hour occurs twice",
      "day",
      "America/Havana",
      "2026-11-01T05:30",
      "2026-11-02T06:00",
      ["2026-11-01T04:00", "2026-11-02T05:00"],
    ],
    [
      "Apia, 30 December 2011 never existed",
      "day",
      "Pacific/Apia",
      "2011-12-29T10:00",
      "2012-01-01T10:00",
      ["2011-12-29T10:00", "2011-12-30T10:00", "2011-12-31T10:00"],
    ],
  ])("%s", (_name, interval, zone, from, to, expected) => {
    expect(starts(interval, zone, from, to)).toEqual(expected);
  });

  test("a series up to the limit is returned, and one bin more is refused", () => {
    expect(starts("day", "UTC", "2026-01-01T00:00", "2026-01-11T00:00", 10)).toHaveLength(10);
    expect(starts("day", "UTC", "2026-01-01T00:00", "2026-01-11T00:00:00.001", 10)).toBeNull();
  });

  test("a series from the earliest possible time has too many months, short ranges before 1901 work", () => {
    expect(starts("month", "UTC", "0001-01-01T00:00", "2026-01-01T00:00")).toBeNull();
    expect(starts("month", "Europe/Berlin", "0050-01-15T00:00", "0050-02-15T00:00")).toHaveLength(2);
    expect(starts("month", "UTC", "0050-01-15T00:00", "0050-02-15T00:00")).toEqual([
      "0050-01-01T00:00",
      "0050-02-01T00:00",
    ]);
  });

  test("a range of millennia is refused immediately", () => {
    const began = performance.now();
    expect(starts("minute", "America/New_York", "0001-01-01T00:00", "9999-12-31T00:00")).toBeNull();
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("the bin of an instant", () => {
  test.each([
    [10, 0],
    [19, 0],
    [20, 1],
    [29, 1],
    [30, 2],
    [1_000, 2],
  ])("%i is in bin %i of 10, 20, 30", (at, bin) => {
    expect(new BinFinder([10, 20, 30]).indexOf(at)).toBe(bin);
  });

  test("without bins there is none", () => {
    expect(new BinFinder([]).indexOf(5)).toBe(-1);
  });
});

// ---- Against an oracle

const ZONES = Intl.supportedValuesOf("timeZone");
/** Zones with unusual changes are more frequent. */
const zone = fc.oneof(
  fc.constantFrom(...ZONES),
  fc.constantFrom(
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/Santiago",
    "America/Havana",
    "Asia/Kathmandu",
    "Pacific/Chatham",
    "Asia/Beirut",
    "Antarctica/Troll",
    "Africa/Casablanca",
  ),
);
const FROM = fc.integer({ min: Date.UTC(2023, 0, 1), max: Date.UTC(2036, 0, 1) });
/** From 0 to below 1, in steps coarse enough never to be rounded up to 1. */
const SHARE = fc.nat(999_999).map((millionths) => millionths / 1_000_000);
const LENGTH_MS: Record<Interval, number> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
};

/** The name that all instants of one bin share, read off a wall clock. */
function nameOf(interval: Interval, timezone: string, at: number): string {
  const { date, clock, weekday } = wallClockByIntl(timezone, at);
  if (interval === "minute") return `${date} ${clock}`;
  if (interval === "hour") return `${date} ${clock.slice(0, 2)}`;
  if (interval === "day") return date;
  if (interval === "month") return date.slice(0, 7);
  const back = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(weekday);
  return new Date(Date.parse(date) - back * 86_400_000).toISOString().slice(0, 10);
}

describe.each<Interval>(["minute", "hour", "day", "week", "month"])("property: bins by the %s", (interval) => {
  const range = fc
    .tuple(zone, FROM, fc.double({ min: 0.01, max: 60, noNaN: true }))
    .map(([timezone, from, bins]) => ({ timezone, from, to: from + Math.ceil(bins * LENGTH_MS[interval]) }));

  test("ascend, cover the range, and contain each instant once", () => {
    fc.assert(
      fc.property(range, fc.array(SHARE), (asked, parts) => {
        const { timezone, from, to } = asked;
        const bins = binStarts(interval, timezone, from, to, 2_000) ?? [];
        expect(bins.length).toBeGreaterThan(0);
        for (let i = 1; i < bins.length; i++) expect(bins[i]).toBeGreaterThan(bins[i - 1] ?? Infinity);
        expect(bins[0]).toBeLessThanOrEqual(from);
        expect(bins.at(-1)).toBeLessThan(to);
        for (const at of [from, to - 1, ...parts.map((part) => Math.floor(from + part * (to - from)))]) {
          const holding = bins.filter((start, i) => start <= at && at < (bins[i + 1] ?? to));
          expect(holding).toEqual([bins[new BinFinder(bins).indexOf(at)]]);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("match a wall clock", () => {
    fc.assert(
      fc.property(range, fc.array(SHARE), (asked, parts) => {
        const { timezone, from, to } = asked;
        const bins = binStarts(interval, timezone, from, to, 2_000) ?? [];
        for (const part of parts) {
          const at = Math.floor(from + part * (to - from));
          const start = bins[new BinFinder(bins).indexOf(at)] ?? NaN;
          expect(nameOf(interval, timezone, start)).toBe(nameOf(interval, timezone, at));
          // The clock came to this bin's name from another; only hours and minutes may occur twice.
          const isFirst = nameOf(interval, timezone, start - 1) !== nameOf(interval, timezone, at);
          const isChange = shownOffset(timezone, start - 1) !== shownOffset(timezone, start);
          expect(isFirst || (isChange && (interval === "hour" || interval === "minute"))).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("do not depend on where the range begins", () => {
    fc.assert(
      fc.property(range, SHARE, (asked, part) => {
        const { timezone, from, to } = asked;
        const all = binStarts(interval, timezone, from, to, 2_000) ?? [];
        const later = binStarts(interval, timezone, Math.floor(from + part * (to - from)), to, 2_000) ?? [];
        expect(later.length).toBeGreaterThan(0);
        expect(all.slice(-later.length)).toEqual(later);
      }),
      { numRuns: 150 },
    );
  });
});

/** A zone's offset from UTC, in ms. */
function shownOffset(timezone: string, at: number): number {
  const { date, clock } = wallClockByIntl(timezone, at);
  return Date.parse(`${date}T${clock}Z`) - Math.floor(at / 60_000) * 60_000;
}

test("property: around each change of the clock, hours are the same wherever the range begins", () => {
  const changes = fc.constantFrom(
    ["Australia/Lord_Howe", "2026-04-04T15:00"],
    ["Australia/Lord_Howe", "2026-10-03T15:30"],
    ["Europe/Berlin", "2026-03-29T01:00"],
    ["Europe/Berlin", "2026-10-25T01:00"],
    ["Antarctica/Troll", "2026-03-29T01:00"],
    ["Antarctica/Troll", "2026-10-25T01:00"],
    ["America/St_Johns", "2026-11-01T04:30"],
    ["Pacific/Chatham", "2026-09-26T14:00"],
  );
  fc.assert(
    fc.property(changes, fc.integer({ min: -7_200_000, max: 7_200_000 }), ([timezone = "", change = ""], shift) => {
      const to = utc(change) + 4 * 3_600_000;
      const all = binStarts("hour", timezone, utc(change) - 3 * 3_600_000, to, 100) ?? [];
      const later = binStarts("hour", timezone, utc(change) + shift, to, 100) ?? [];
      expect(all.slice(-later.length)).toEqual(later);
    }),
  );
});
