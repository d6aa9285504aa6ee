import { describe, expect, test } from "vitest";

import { isAlarming, type Metric, type MetricCounts, zeroCounts } from "../../src/core/metrics/metrics.ts";
import { metricGroups, parsePeriod, writePeriod } from "../../src/dashboard/pages/operator/metrics.ts";

test.each([
  ["", "hour"],
  ["period=day", "day"],
  ["period=week", "week"],
  ["period=year", "hour"],
  ["period=constructor", "hour"],
])("the address ?%s shows the %s", (search, period) => {
  expect(parsePeriod(new URLSearchParams(search))).toBe(period);
});

test("a period is added to the existing parameters, and the default is omitted", () => {
  const search = new URLSearchParams("tab=x&period=day");
  expect(writePeriod(search, "week").toString()).toBe("tab=x&period=week");
  expect(writePeriod(search, "hour").toString()).toBe("tab=x");
});

describe("metrics that need attention", () => {
  test.each<[Metric, Partial<MetricCounts>, boolean]>([
    ["unavailable", {}, false],
    ["unavailable", { clicks: 1e9, unavailable: 1 }, true],
    ["dropped_clicks", { dropped_clicks: 1 }, true],
    ["failed_lookups", { lookups: 100, failed_lookups: 1 }, false],
    ["failed_lookups", { lookups: 100, failed_lookups: 2 }, true],
    ["slow_lookups", { lookups: 100, slow_lookups: 5 }, false],
    ["slow_lookups", { lookups: 100, slow_lookups: 6 }, true],
    ["queue_max_ms", { queue_max_ms: 60_000 }, false],
    ["queue_max_ms", { queue_max_ms: 60_001 }, true],
    ["clicks", { clicks: 1e9 }, false],
  ])("%s of %j: %s", (metric, counts, expected) => {
    expect(isAlarming(metric, { ...zeroCounts(), ...counts })).toBe(expected);
  });
});

test("clicks per write is an average, and 0 without writes", () => {
  const shown = (counts: Partial<MetricCounts>) =>
    metricGroups({ ...zeroCounts(), ...counts })
      .flatMap(({ figures }) => figures)
      .filter(({ name }) => ["Stored", "Clicks per write", "Longest wait"].includes(name))
      .map(({ value }) => value);
  expect(shown({})).toEqual(["0", "0.0", "0 ms"]);
  expect(shown({ clicks: 1_234, batches: 100, queue_max_ms: 812 })).toEqual(["1,234", "12.3", "812 ms"]);
});
