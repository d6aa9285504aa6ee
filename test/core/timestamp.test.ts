import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isTimestamp, timestamp } from "../../src/core/time.ts";

describe("4 times in: RFC 3339 with offset or Z", () => {
  test.each([
    ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31t12:00:00z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00.5Z", "2026-01-31T12:00:00.500Z"],
    ["2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31T12:00:00.999999999Z", "2026-01-31T12:00:00.999Z"],
    ["2026-01-31T12:00:00+05:45", "2026-01-31T06:15:00.000Z"],
    ["2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"],
    ["2026-01-31T00:00:00+23:59", "2026-01-30T00:01:00.000Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
    ["0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["9999-12-31T23:59:59+00:01", "9999-12-31T23:58:59.000Z"],
  ])("%s is %s", (text, out) => {
    expect(isTimestamp(text)).toBe(true);
    expect(timestamp(Date.parse(text))).toBe(out);
  });

  test.each([
    "",
    "now",
    "2026",
    "2026-01-31",
    "2026-01-31T12:00",
    "2026-01-31T12:00:00",
    "2026-01-31T12:00Z",
    "2026-01-31 12:00:00Z",
    "2026-01-31T12:00:00+0100",
    "2026-01-31T12:00:00+01",
    "2026-01-31T12:00:00+24:00",
    "2026-01-31T12:00:00+01:60",
    "2026-01-31T12:00:00 Z",
    "2026-01-31T12:00:00.Z",
    "2026-01-31T12:00:00,5Z",
    "2026-01-31T12:00:00.1234567890Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T12:60:00Z",
    "2026-01-31T12:00:60Z",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "26-01-31T12:00:00Z",
    "+002026-01-31T12:00:00Z",
    "-000001-01-31T12:00:00Z",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    " 2026-01-31T12:00:00Z",
    "2026-01-31T12:00:00Z\n",
    "２０２６-01-31T12:00:00Z",
    "1769860800000",
  ])("%j is not a timestamp", (text) => {
    expect(isTimestamp(text)).toBe(false);
  });

  test("property: every returned time is accepted as input and stays the same", () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date("0000-01-01T00:00:00Z"),
          max: new Date("9999-12-31T23:59:59.999Z"),
          noInvalidDate: true,
        }),
        (date) => {
          const out = timestamp(date.getTime());
          expect(out).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(isTimestamp(out)).toBe(true);
          expect(Date.parse(out)).toBe(date.getTime());
        },
      ),
    );
  });

  test("property: the case of T and Z, digits and offset do not change the parsed time", () => {
    const two = (max: number) => fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, "0"));
    const text = fc
      .tuple(
        two(23),
        two(59),
        two(59),
        fc.constantFrom("", ".1", ".1234", ".123456789"),
        fc.constantFrom("+", "-"),
        two(23),
        two(59),
      )
      .map(([h, m, s, part, sign, offsetH, offsetM]) => `2026-05-17T${h}:${m}:${s}${part}${sign}${offsetH}:${offsetM}`);
    fc.assert(
      fc.property(text, (upper) => {
        expect(isTimestamp(upper)).toBe(true);
        expect(isTimestamp(upper.toLowerCase())).toBe(true);
        expect(Date.parse(upper.toLowerCase())).toBe(Date.parse(upper));
        expect(Date.parse(upper)).not.toBeNaN();
      }),
    );
  });

  test("property: exactly the days of the calendar exist", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9_999 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, day) => {
          const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
          const days = [0, 31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0][month] ?? 0;
          const [y, m, d] = [
            String(year).padStart(4, "0"),
            String(month).padStart(2, "0"),
            String(day).padStart(2, "0"),
          ];
          expect(isTimestamp(`${y}-${m}-${d}T12:00:00Z`)).toBe(day >= 1 && day <= days);
        },
      ),
    );
  });
});
