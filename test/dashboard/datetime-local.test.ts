/** Instants in `datetime-local` inputs, as local times of a time zone. */
import { describe, expect, test } from "vitest";

import { fromDatetimeLocal, toDatetimeLocal } from "../../src/dashboard/formatting/dates.ts";

describe("times as shown in inputs", () => {
  test.each([
    ["2026-07-01T10:00:00.000Z", "Europe/Berlin", "2026-07-01T12:00:00"],
    ["2026-12-31T23:59:59.000Z", "Asia/Kolkata", "2027-01-01T05:29:59"],
    ["2026-01-31T12:00:00.000Z", "UTC", "2026-01-31T12:00:00"],
  ])("%s in %s is %s, and converts back", (instant, zone, local) => {
    expect(toDatetimeLocal(instant, zone)).toBe(local);
    expect(fromDatetimeLocal(local, zone)).toBe(instant);
    expect(fromDatetimeLocal(local.slice(0, 16), zone)).toBe(`${instant.slice(0, 16)}:00.000Z`);
  });

  test("in the hour that clocks skip are an hour later; in the one that they repeat, the first of two", () => {
    expect(fromDatetimeLocal("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
    expect(fromDatetimeLocal("2026-10-25T02:30", "Europe/Berlin")).toBe("2026-10-25T00:30:00.000Z");
  });

  test("not edited, an instant in the hour that clocks repeat stays as it is, and so do its milliseconds", () => {
    for (const shown of ["2026-10-25T00:30:00.123Z", "2026-10-25T01:30:00.123Z"]) {
      const local = toDatetimeLocal(shown, "Europe/Berlin");
      expect(local).toBe("2026-10-25T02:30:00");
      expect(fromDatetimeLocal(local, "Europe/Berlin", shown)).toBe(shown);
      expect(fromDatetimeLocal("2026-10-25T02:31:00", "Europe/Berlin", shown)).toBe("2026-10-25T00:31:00.000Z");
    }
  });

  test("an empty input has no time", () => {
    expect([toDatetimeLocal("", "UTC"), toDatetimeLocal("soon", "UTC"), fromDatetimeLocal("", "UTC")]).toEqual([
      "",
      "",
      "",
    ]);
  });
});
