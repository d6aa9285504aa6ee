import { expect, test } from "vitest";

import { formatPeriod } from "../../src/dashboard/formatting/dates.ts";

test.each([
  ["days until now", "2026-10-29T23:00:00Z", "2026-11-28T12:45:00Z", "Oct 30 – Nov 28, 2026"],
  ["days until a midnight", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "Oct 25, 2026"],
  ["since a moment", "2026-11-28T11:45:00Z", "2026-11-28T12:45:00Z", "Nov 28, 2026, 12:45 – 1:45 PM"],
])("a period of %s is named by its days, or by its times", (_, from, to, text) => {
  expect(formatPeriod(from, to, "Europe/Berlin").replaceAll("\u2009", " ").replaceAll("\u202f", " ")).toBe(text);
});
