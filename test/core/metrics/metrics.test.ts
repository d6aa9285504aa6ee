import { expect, test } from "vitest";

import {
  FREE_REPORT_CHANCE,
  FREE_REPORTS_PER_MINUTE,
  mergeCounts,
  METRIC_NAMES,
  nextIntervalMs,
  parseCounts,
  zeroCounts,
} from "../../../src/core/metrics/metrics.ts";

const MINUTE_MS = 60_000;

test("two counts are added, except the longest wait", () => {
  const a = { ...zeroCounts(), clicks: 2, lookups: 10, queue_max_ms: 300 };
  const b = { ...zeroCounts(), clicks: 3, batches: 1, queue_max_ms: 200 };
  expect(mergeCounts(a, b)).toEqual({ ...zeroCounts(), clicks: 5, batches: 1, lookups: 10, queue_max_ms: 300 });
});

test("a report of another release is read as far as it is known and numeric", () => {
  const sent = { lookups: 3.6, batches: -1, overloads: NaN, unavailable: Infinity, clicks: "4", teleported: 7 };
  expect(parseCounts(sent)).toEqual({ ...zeroCounts(), lookups: 4 });
});

test("names of metrics can be columns of a table", () => {
  expect(METRIC_NAMES.filter((name) => !/^[a-z_]+$/.test(name))).toEqual([]);
});

test.each([
  ["one isolate", 1, 1, 1],
  ["sixty", 60, 1, 1],
  ["three hundred, which reported every minute", 300, 1, 5],
  ["the same isolates, which report every five minutes", 60, 5, 5],
  ["the same number, most of which have ended", 6, 5, 1],
  ["a hundred thousand", 100_000, 1, 10],
])("%s: the reporting interval", (_, reports, minutes, expected) => {
  expect(nextIntervalMs(reports, minutes * MINUTE_MS)).toBe(expected * MINUTE_MS);
});

test("on the Free plan the requests of a day cause three reports a minute, whichever isolates serve them", () => {
  expect(100_000 * FREE_REPORT_CHANCE).toBeCloseTo(FREE_REPORTS_PER_MINUTE * 24 * 60, 6);
  expect(FREE_REPORTS_PER_MINUTE).toBe(3);
});
