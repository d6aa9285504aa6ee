import { describe, expect, test } from "vitest";

import { type OpeningTimes, openingTimesProblems } from "../../../src/core/links/link-validation.ts";

const TEN = Date.UTC(2030, 0, 1, 10);
const ELEVEN = Date.UTC(2030, 0, 1, 11);

const startsLate = (expiry: string) => ({
  path: "starts_at",
  code: "wrong_order",
  message: `starts_at must be before expires_at, which is 2030-01-01T${expiry}:00:00.000Z`,
});
const endsEarly = (start: string) => ({
  path: "expires_at",
  code: "wrong_order",
  message: `expires_at must be after starts_at, which is 2030-01-01T${start}:00:00.000Z`,
});

describe("a link opens before it expires", () => {
  const stored = (startsAt: number | null, expiresAt: number | null): OpeningTimes => ({ startsAt, expiresAt });
  type Sent = Parameters<typeof openingTimesProblems>[0];

  test.each<[string, Sent, OpeningTimes | null, unknown[]]>([
    ["a new link with neither", {}, null, []],
    ["a start alone", { startsAt: TEN }, null, []],
    ["both in order", { startsAt: TEN, expiresAt: ELEVEN }, null, []],
    ["both at the same time", { startsAt: TEN, expiresAt: TEN }, null, [startsLate("10")]],
    ["both out of order", { startsAt: ELEVEN, expiresAt: TEN }, null, [startsLate("10")]],
    ["a start before the stored expiry", { startsAt: TEN }, stored(null, TEN + 1), []],
    ["a start at the stored expiry", { startsAt: TEN }, stored(null, TEN), [startsLate("10")]],
    ["an expiry at the stored start", { expiresAt: TEN }, stored(TEN, null), [endsEarly("10")]],
    ["an expiry after the stored start", { expiresAt: ELEVEN }, stored(TEN, TEN + 1), []],
    ["a start, without the stored expiry", { startsAt: ELEVEN, expiresAt: null }, stored(null, TEN), []],
    ["an expiry, without the stored start", { startsAt: null, expiresAt: TEN }, stored(ELEVEN, null), []],
    ["both moved past the stored ones", { startsAt: ELEVEN, expiresAt: ELEVEN + 1 }, stored(TEN - 1, TEN), []],
    ["other members", { startsAt: undefined, expiresAt: undefined }, stored(ELEVEN, TEN), []],
  ])("%s", (_name, sent, before, problems) => {
    expect(openingTimesProblems(sent, before)).toEqual(problems);
  });
});
