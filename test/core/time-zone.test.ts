import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { localToInstant, isTimeZone, offsetAt, canonicalTimeZone, wallClock } from "../../src/core/time.ts";
import { wallClockByIntl } from "./intl-wall-clock.ts";

const HOUR_MS = 3_600_000;

/** A local time as the module represents it: as if it were UTC. */
function local(text: string): number {
  return Date.parse(`${text}Z`);
}

function utc(text: string): number {
  return Date.parse(`${text}Z`);
}

describe("names of zones", () => {
  test("Intl is called once for each, for any number of rules that name it", () => {
    let made = 0;
    const { DateTimeFormat } = Intl;
    class Counted extends DateTimeFormat {
      constructor(...options: ConstructorParameters<typeof DateTimeFormat>) {
        super(...options);
        made++;
      }
    }
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal("Intl", Object.assign(Object.create(Intl), { DateTimeFormat: Counted }));
    const names = Intl.supportedValuesOf("timeZone").slice(0, 100);
    for (let link = 0; link < 24; link++)
      for (const name of names) expect(canonicalTimeZone(link % 2 ? name.toUpperCase() : name)).toBe(name);
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThanOrEqual(names.length);
  });

  test.each(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "GMT", "utc", "europe/berlin"])(
    "%s is a zone",
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  test.each([
    "",
    " ",
    "+02:00",
    "-05",
    "02:00",
    "UTC+2",
    "Berlin",
    "Europe/",
    "Mars/Olympus",
    "Europe/Berlin ",
    "null",
  ])("%j is not a zone", (name) => {
    expect(isTimeZone(name)).toBe(false);
  });

  test.each([
    ["EUROPE/berlin", "Europe/Berlin"],
    ["america/port-AU-prince", "America/Port-au-Prince"],
    ["utc", "UTC"],
    ["Asia/Kathmandu", "Asia/Kathmandu"],
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["US/Pacific", "US/Pacific"],
    ["Mars/Olympus", "Mars/Olympus"],
    ["+02:00", "+02:00"],
  ])("%s is written %s", (name, proper) => {
    expect(canonicalTimeZone(name)).toBe(proper);
  });
});

describe("the offset from UTC to local time", () => {
  test.each([
    ["UTC", "2026-07-01T00:00", 0],
    ["utc", "2026-07-01T00:00", 0],
    ["Asia/Kathmandu", "2026-07-01T00:00", 5.75],
    ["Asia/Kolkata", "2026-07-01T00:00", 5.5],
    ["Asia/Kolkata", "1969-12-31T23:59", 5.5],
    ["Pacific/Chatham", "2026-07-01T00:00", 12.75],
    ["Pacific/Kiritimati", "2026-07-01T00:00", 14],
    ["Pacific/Pago_Pago", "2026-07-01T00:00", -11],
    ["America/St_Johns", "2026-01-01T00:00", -3.5],
    ["Europe/Berlin", "2026-03-29T00:59:59.999", 1],
    ["Europe/Berlin", "2026-03-29T01:00", 2],
    ["Europe/Berlin", "2026-10-25T00:59:59.999", 2],
    ["Europe/Berlin", "2026-10-25T01:00", 1],
    ["Europe/Berlin", "0050-06-01T00:00", 53 / 60 + 28 / 3600],
    ["America/New_York", "2026-03-08T06:59", -5],
    ["America/New_York", "2026-03-08T07:00", -4],
    ["Australia/Lord_Howe", "2026-04-04T14:59", 11],
    ["Australia/Lord_Howe", "2026-04-04T15:00", 10.5],
    ["Australia/Lord_Howe", "2026-10-03T15:29:59.999", 10.5],
    ["Australia/Lord_Howe", "2026-10-03T15:30", 11],
    ["Pacific/Apia", "2011-12-30T09:59", -10],
    ["Pacific/Apia", "2011-12-30T10:00", 14],
  ])("%s at %sZ: %f h", (zone, at, hours) => {
    expect(offsetAt(zone, utc(at))).toBe(Math.round(hours * HOUR_MS));
  });
});

describe("the instant at which a clock first shows a time", () => {
  test.each([
    ["Europe/Berlin", "2026-01-31T12:00", "2026-01-31T11:00"],
    ["Europe/Berlin", "2026-07-31T12:00", "2026-07-31T10:00"],
    // Twice: the first counts.
    ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30"],
    // Never: the moment of the change.
    ["Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00"],
    ["America/Santiago", "2026-09-06T00:00", "2026-09-06T04:00"],
    ["Africa/Cairo", "2026-04-24T00:00", "2026-04-23T22:00"],
    // Clocks go back at midnight: 24:00 becomes 23:00, and the new day begins an hour later.
    ["America/Santiago", "2026-04-05T00:00", "2026-04-05T04:00"],
    // Clocks go back at one: midnight is shown twice.
    ["America/Havana", "2026-11-01T00:00", "2026-11-01T04:00"],
    // The whole of 30 December was skipped.
    ["Pacific/Apia", "2011-12-30T00:00", "2011-12-30T10:00"],
    ["Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00"],
    ["Pacific/Apia", "2011-12-29T00:00", "2011-12-29T10:00"],
    ["Pacific/Kiritimati", "2026-01-01T00:00", "2025-12-31T10:00"],
    ["Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45"],
  ])("%s %s is %sZ", (zone, shown, at) => {
    expect(new Date(localToInstant(zone, local(shown))).toISOString()).toBe(new Date(utc(at)).toISOString());
  });
});

describe("day and minute on a wall clock", () => {
  test.each([
    ["UTC", "1970-01-01T00:00", 3, 0],
    ["UTC", "1969-12-31T23:59:59.999", 2, 1439],
    ["UTC", "2026-11-22T00:00", 6, 0],
    ["UTC", "2026-11-23T00:00", 0, 0],
    ["Pacific/Auckland", "2026-11-22T11:30", 0, 30],
    ["Pacific/Pago_Pago", "2026-11-23T10:59", 6, 1439],
    ["Asia/Kathmandu", "2026-11-22T18:15", 0, 0],
  ])("%s at %sZ: day %i, minute %i", (zone, at, day, minute) => {
    expect(wallClock(zone, utc(at))).toEqual({ day, minute });
  });
});

const ZONES = Intl.supportedValuesOf("timeZone");
const INSTANT = fc.integer({ min: Date.UTC(2023, 0, 1), max: Date.UTC(2037, 11, 31) });

test("property: every zone's clock matches Intl", () => {
  const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), INSTANT, (zone, at) => {
      const shown = wallClockByIntl(zone, at);
      const { day, minute } = wallClock(zone, at);
      const clock = `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
      expect({ weekday: days[day], clock }).toEqual({ weekday: shown.weekday, clock: shown.clock });
      expect(new Date(at + offsetAt(zone, at)).toISOString().slice(0, 16)).toBe(`${shown.date}T${shown.clock}`);
    }),
  );
});

test("property: an instant found from local time shows that time, and none before it does", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), INSTANT, (zone, at) => {
      const found = localToInstant(zone, at + offsetAt(zone, at));
      expect(found).toBeLessThanOrEqual(at);
      expect(wallClockByIntl(zone, found)).toEqual(wallClockByIntl(zone, at));
    }),
  );
});

test("few of the runtime's formatters are kept, for any number of zones that callers name", async () => {
  vi.resetModules();
  const fresh = await import("../../src/core/time.ts");
  const { DateTimeFormat } = Intl;
  const made: WeakRef<Intl.DateTimeFormat>[] = [];
  Intl.DateTimeFormat = class extends DateTimeFormat {
    constructor(locales?: string, options?: Intl.DateTimeFormatOptions) {
      super(locales, options);
      made.push(new WeakRef(this));
    }
  } as typeof DateTimeFormat;
  try {
    for (const zone of Intl.supportedValuesOf("timeZone")) fresh.offsetAt(zone, 0);
  } finally {
    Intl.DateTimeFormat = DateTimeFormat;
  }
  expect(made.length).toBeGreaterThan(300);
  // The target of a new WeakRef is held until the job ends.
  await new Promise((done) => setTimeout(done));
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  expect(made.filter((format) => format.deref()).length).toBeLessThan(100);
});
