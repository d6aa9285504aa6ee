import { expect, test } from "vitest";

import {
  fillBins,
  firstBinAt,
  METRIC_PERIODS,
  type MetricPeriod,
  nextIntervalMs,
} from "../../../src/core/metrics/metric-bins.ts";
import { mergeCounts, METRIC_NAMES, parseCounts, zeroCounts } from "../../../src/core/metrics/metrics.ts";

const MINUTE_MS = 60_000;
const NOW = Date.parse("2026-11-22T10:34:56.789Z");

test("two counts are added, but for the longest wait", () => {
  const a = { ...zeroCounts(), redirect: 2, lookup_ms: 10, queue_max_ms: 300 };
  const b = { ...zeroCounts(), redirect: 3, gone: 1, queue_max_ms: 200 };
  expect(mergeCounts(a, b)).toEqual({ ...zeroCounts(), redirect: 5, gone: 1, lookup_ms: 10, queue_max_ms: 300 });
});

test("what another release sends is read as far as it is known and a number", () => {
  const sent = { redirect: 3.6, gone: -1, missing: NaN, unavailable: Infinity, clicks: "4", teleported: 7 };
  expect(parseCounts(sent)).toEqual({ ...zeroCounts(), redirect: 4 });
});

test("names of metrics can be columns of a table", () => {
  expect(METRIC_NAMES.filter((name) => !/^[a-z_]+$/.test(name))).toEqual([]);
});

test.each([
  ["one isolate", 1, 1, 1],
  ["sixty", 60, 1, 1],
  ["three hundred, which reported every minute", 300, 1, 5],
  ["the same, which report every five minutes", 60, 5, 5],
  ["as many, of which most have gone", 6, 5, 1],
  ["a hundred thousand", 100_000, 1, 10],
])("%s: every so many minutes", (_, reports, minutes, expected) => {
  expect(nextIntervalMs(reports, minutes * MINUTE_MS)).toBe(expected * MINUTE_MS);
});

test.each([
  ["hour", "2026-11-22T09:35:00.000Z", "2026-11-22T10:34:00.000Z", 60],
  ["day", "2026-11-21T10:45:00.000Z", "2026-11-22T10:30:00.000Z", 96],
  ["week", "2026-11-15T12:00:00.000Z", "2026-11-22T10:00:00.000Z", 84],
] as const)("the bins of a %s end with the one of now, and miss none", (period, first, last, length) => {
  const reported = [{ at: Date.parse(last), counts: { ...zeroCounts(), redirect: 7 } }];
  const bins = fillBins(period, NOW, reported);
  expect(bins).toHaveLength(length);
  expect(new Date(bins[0]?.at ?? 0).toISOString()).toBe(first);
  expect(firstBinAt(period, NOW)).toBe(Date.parse(first));
  expect(bins.at(-1)).toEqual(reported[0]);
  expect(bins.slice(0, -1).every(({ counts }) => counts.redirect === 0)).toBe(true);
});

test("bins are whole minutes, which the table has", () => {
  const widths = (Object.keys(METRIC_PERIODS) as MetricPeriod[]).map((period) => METRIC_PERIODS[period].binMs);
  expect(widths.filter((width) => width % MINUTE_MS !== 0)).toEqual([]);
});
