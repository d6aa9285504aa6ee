/** Days since a link's last click, by the calendar. */
import { expect, test } from "vitest";

import { daysAgo } from "../../src/dashboard/pages/links/row-stats.ts";

test.each([
  ["today", "2026-11-05T23:00:00Z", "2026-11-06T22:59:59Z", 0],
  ["yesterday", "2026-11-05T23:00:00Z", "2026-11-06T23:00:00Z", 1],
  ["today, a day of 25 hours", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", 0],
  ["yesterday, a day of 23 hours", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 1],
])("%s", (_, dayStart, now, days) => {
  expect(daysAgo(dayStart, Date.parse(now), "Europe/Berlin")).toBe(days);
});
