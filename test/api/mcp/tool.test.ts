/** Responses shortened for agents, whose sums stay the same. */
import { describe, expect, test } from "vitest";

import { ANSWER_MAX_BYTES } from "../../../src/api/mcp/server.ts";
import { shortBacktest, shortResolution, shortStats, TOOL_BUCKETS_MAX } from "../../../src/api/mcp/tool.ts";
import { URL_MAX_CHARS } from "../../../src/core/limits.ts";
import type { Backtest } from "../../../src/core/contract/backtests.ts";
import type { Stats } from "../../../src/core/contract/stats.ts";

/** A character takes three bytes, or two as half of a surrogate pair. */
const LARGEST_URL_BYTES = 3 * URL_MAX_CHARS;

const RANGE = { from: "2026-11-01T00:00:00.000Z", to: "2026-11-02T00:00:00.000Z" };

function statsOf(buckets: Stats["buckets"]): Stats {
  const total = buckets.reduce((sum, { clicks }) => sum + clicks, 0);
  return { total, group_by: "city", buckets, interval: null, series: [], ...RANGE };
}

function cities(count: number): Stats["buckets"] {
  return Array.from({ length: count }, (_, i) => ({ key: `city ${i}`, clicks: 1_000 - i, unique_visitors: 1 }));
}

describe("statistics", () => {
  test("that are short stay unchanged", () => {
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

  test("have one bucket for the rest, wherever the API's bucket was", () => {
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

  test("truncates long texts, but never within a character", () => {
    const long = `city=${"\u{20000}".repeat(20_000)}`;
    const { rules: short, samples } = shortBacktest(
      {
        ...backtest,
        rules: [{ rule: long, before: 1, after: 1 }],
        samples: [{ seq: 1, before: `https://example.com/${"x".repeat(8_000)}`, after: "https://example.com/" }],
      },
      1,
    );
    expect(short[0]?.rule).toHaveLength(200);
    expect(short[0]?.rule.isWellFormed()).toBe(true);
    expect(short[0]?.rule).toMatch(/^city=.+…$/u);
    expect([samples[0]?.before.length, samples[0]?.after]).toEqual([1_000, "https://example.com/"]);
  });

  test("of the most rules, and the longest, is short enough for an agent", () => {
    const wide = "\u6771".repeat(60_000);
    const many = rules(1_100).map((row) => ({ ...row, rule: wide }));
    const samples = Array.from({ length: 20 }, (_, seq) => ({ seq, before: wide, after: wide }));
    const bytes = new TextEncoder().encode(JSON.stringify(shortBacktest({ ...backtest, rules: many, samples }, 100)));
    expect(bytes.length).toBeLessThan(ANSWER_MAX_BYTES - LARGEST_URL_BYTES);
  });
});

test("a dry run of the most rules, and the longest, is short enough for an agent", () => {
  const wide = "\u6771".repeat(60_000);
  const trace = Array.from({ length: 100 }, () => ({ rule: wide, matched: false, failed_on: "city" }));
  const short = shortResolution({ url: null, rule: wide, trace });
  expect(new TextEncoder().encode(JSON.stringify(short)).length).toBeLessThan(ANSWER_MAX_BYTES - LARGEST_URL_BYTES);
  expect(short.rule).toHaveLength(200);
  expect(shortResolution({ url: null, rule: null, trace: [] }).rule).toBe(null);
});
