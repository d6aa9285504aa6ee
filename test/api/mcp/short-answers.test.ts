/** What is left out of answers for agents, and that sums stay what they are. */
import { describe, expect, test } from "vitest";

import { shortBacktest, shortStats, TOOL_BUCKETS_MAX } from "../../../src/api/mcp/short-answers.ts";
import type { Backtest } from "../../../src/core/contract/backtests.ts";
import type { Stats } from "../../../src/core/contract/stats.ts";

const RANGE = { from: "2026-11-01T00:00:00.000Z", to: "2026-11-02T00:00:00.000Z" };

function statsOf(buckets: Stats["buckets"]): Stats {
  const total = buckets.reduce((sum, { clicks }) => sum + clicks, 0);
  return { total, group_by: "city", buckets, interval: null, series: [], ...RANGE };
}

function cities(count: number): Stats["buckets"] {
  return Array.from({ length: count }, (_, i) => ({ key: `city ${i}`, clicks: 1_000 - i, unique_visitors: 1 }));
}

describe("statistics", () => {
  test("that are short stay as they are", () => {
    const stats = statsOf(cities(TOOL_BUCKETS_MAX));
    expect(shortStats(stats)).toEqual(stats);
  });

  test.each([101, 1_000])("of %d buckets keep the largest, and the sum", (count) => {
    const stats = statsOf(cities(count));
    const { buckets } = shortStats(stats);
    expect(buckets).toHaveLength(TOOL_BUCKETS_MAX);
    expect(buckets.slice(0, -1)).toEqual(stats.buckets.slice(0, TOOL_BUCKETS_MAX - 1));
    expect(buckets.at(-1)?.key).toBe("other");
    expect(buckets.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(stats.total);
  });

  test("have one bucket of the rest, wherever the API's own stood", () => {
    const stats = statsOf([{ key: "other", clicks: 9_000, unique_visitors: 5 }, ...cities(150)]);
    const { buckets } = shortStats(stats);
    expect(buckets.filter(({ key }) => key === "other")).toHaveLength(1);
    expect(buckets.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(stats.total);
  });
});

describe("a backtest", () => {
  const rules = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ rule: `country=${i}`, before: i, after: 2 * i }));
  const backtest: Backtest = { clicks: 9, moved: 0, undecided: 0, rules: rules(300), samples: [], ...RANGE };

  test("keeps every rule that was sent, and the sums", () => {
    const short = shortBacktest(backtest, 100);
    expect(short.rules.slice(0, 101)).toEqual(backtest.rules.slice(0, 101));
    expect(short.rules.length).toBeLessThan(130);
    for (const side of ["before", "after"] as const) {
      const sumOf = (all: Backtest["rules"]) => all.reduce((sum, each) => sum + each[side], 0);
      expect(sumOf(short.rules)).toBe(sumOf(backtest.rules));
    }
  });

  test("has a few samples", () => {
    const samples = Array.from({ length: 20 }, (_, i) => ({ seq: i, before: "a", after: "b" }));
    expect(shortBacktest({ ...backtest, rules: rules(2), samples }, 1)).toEqual({
      ...backtest,
      rules: rules(2),
      samples: samples.slice(0, 5),
    });
  });
});
