import { expect, test } from "vitest";

import { earliestStart, knowsGroupings, needsScan } from "../../../../src/core/clicks/counting/stats.ts";
import type { Grouping } from "../../../../src/core/clicks/counting/groupings.ts";

const by = (name: string) => ({ grouping: name as Grouping, values: ["a"] });

test("filters and unique visitors need each click", () => {
  expect([{}, { uniques: false, filters: [] }].some(needsScan)).toBe(false);
  expect([{ uniques: true }, { filters: [by("country")] }].every(needsScan)).toBe(true);
});

test.each([
  [{}, true],
  [{ groupBy: "country", filters: [by("rule"), by("qr")] }, true],
  [{ groupBy: "moon", filters: [by("rule")] }, false],
  [{ groupBy: "country", filters: [by("rule"), by("moon")] }, false],
  [{ groupBy: "constructor" }, false],
  [{ groupBy: "link" }, false],
])("this release knows all groupings of %j: %s", (request, expected) => {
  expect(knowsGroupings(request as Parameters<typeof knowsGroupings>[0])).toBe(expected);
});

test("the problem of a range that is too large contains its earliest start", () => {
  const [first, code] = [{ path: "to", code: "a", message: "2026-11-21T08:00:00Z" }, "too_small"];
  const startIn = (path: string, message: string) => earliestStart([first, { path, code, message }]);
  expect(startIn("from", "from must be 2026-11-21T09:00:00.005Z or later")).toBe(Date.UTC(2026, 10, 21, 9, 0, 0, 5));
  expect(startIn("from", "from must not be later than to")).toBeNull();
  expect(startIn("to", "to must be 2026-11-21T09:00:00.005Z or later")).toBeNull();
});
