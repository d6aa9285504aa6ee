/** When the checklist for new accounts is shown, and how the browser's stored state is parsed. */
import { describe, expect, test } from "vitest";

import {
  acceptsVisits,
  areFirstStepsShown,
  FIRST_STEPS,
  isBeyondFirstSteps,
  parseFirstSteps,
} from "../../src/dashboard/pages/links/use-first-steps.ts";

const CREATED = "2026-11-01T00:00:00.000Z";
const NEXT_DAY = Date.parse("2026-11-02T00:00:00.000Z");
const NOTHING = { isDismissed: false, done: [] };

describe("the stored state", () => {
  test.each([undefined, "", "{", "null", "3", "[]", '{"done":"all"}'])(
    "is treated as empty if it cannot be parsed: %j",
    (text) => {
      expect(parseFirstSteps(text)).toEqual(NOTHING);
    },
  );

  test("is parsed without unknown steps", () => {
    expect(parseFirstSteps('{"isDismissed":true,"done":["key","dance","link"]}')).toEqual({
      isDismissed: true,
      done: ["link", "key"],
    });
  });
});

describe("the checklist is shown", () => {
  const all = [...FIRST_STEPS];
  const withoutRule = all.filter((step) => step !== "rule");
  test.each([
    ["to a new account", NOTHING, "free", 0, true],
    ["not once it is dismissed", { isDismissed: true, done: [] }, "free", 0, false],
    ["not once all is done", { isDismissed: false, done: all }, "premium", 0, false],
    ["until there is a rule, on Premium", { isDismissed: false, done: withoutRule }, "premium", 0, true],
    ["without the step for a rule, on Free", { isDismissed: false, done: withoutRule }, "free", 0, false],
    ["for thirty days", NOTHING, "free", 28, true],
    ["not after thirty days", NOTHING, "free", 29, false],
  ] as const)("%s", (_, memory, plan, days, isShown) => {
    expect(areFirstStepsShown(memory, { plan, created_at: CREATED }, NEXT_DAY + days * 86_400_000)).toBe(isShown);
  });
});

test.each([
  ["no links", 0, 0, false],
  ["a page of links", 20, 0, false],
  ["more links", 21, 0, true],
  ["a few tries", 3, 100, false],
  ["visitors", 3, 101, true],
])("an account with %s is beyond the first steps: %i links, %i clicks, %s", (_, links, clicks, isBeyond) => {
  expect(isBeyondFirstSteps({ links, clicks })).toBe(isBeyond);
});

test.each([
  [{ expires_at: null }, true],
  [{ expires_at: "2026-11-21T09:00:00.001Z", starts_at: "2026-11-21T09:00:00.000Z" }, true],
  [{ expires_at: null, paused: true as const }, false],
  [{ expires_at: null, starts_at: "2026-11-21T09:00:00.001Z" }, false],
  [{ expires_at: "2026-11-21T09:00:00.000Z" }, false],
])("a link accepts visits unless it is paused, not open yet or expired: %j", (link, accepts) => {
  expect(acceptsVisits(link, Date.parse("2026-11-21T09:00:00.000Z"))).toBe(accepts);
});
