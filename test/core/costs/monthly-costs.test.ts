import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import {
  type Cost,
  monthlyCosts,
  parseUsage,
  totalDollars,
  type MonthlyUsage,
  USAGE_INPUTS,
  USAGE_NAMES,
  writeUsage,
} from "../../../src/core/costs/monthly-costs.ts";
import measured from "../../../src/core/costs/measured.json" with { type: "json" };
import { dollarsPerMillion } from "../../support/redirect-costs.ts";

const NOTHING: MonthlyUsage = {
  visits: 0,
  alonePercent: 100,
  links: 0,
  qrCodes: 0,
  streamHours: 0,
  dashboardVisits: 0,
};

const dollarsOf = (usage: Partial<MonthlyUsage>) => totalDollars(monthlyCosts({ ...NOTHING, ...usage }));
const part = (name: Cost["name"], usage: Partial<MonthlyUsage>) =>
  monthlyCosts({ ...NOTHING, ...usage }).find((cost) => cost.name === name)?.dollars;

describe("a month's bill", () => {
  test("without traffic equals the plan's price", () => {
    expect(dollarsOf({})).toBe(5);
  });

  test.each([
    [{ visits: 10e6 }, 0],
    // Beyond 10 million: 10 million requests at $0.30. All of their 30 million ms of CPU are included.
    [{ visits: 20e6 }, 3],
    [{ visits: 30e6 }, 6 + 15 * 0.02],
  ])("redirects of %j cost what exceeds the included usage", (usage, dollars) => {
    expect(part("redirects", usage)).toBeCloseTo(dollars, 6);
  });

  test.each([
    // A call each, of which a million is included, and 0.00256 GB-s for each, of which 400,000 are.
    [{ visits: 11e6 }, 10 * 0.15],
    [{ visits: 101e6 }, 100 * 0.15 + (101 * measured["rows written for a lone click"] - 50) + 0],
    [{ visits: 101e6, alonePercent: 0 }, (101 * measured["object requests for a click of 50"] - 1) * 0.15],
  ])("clicks of %j cost the calls and rows that store them", (usage, dollars) => {
    expect(part("clicks", usage)).toBeCloseTo(dollars, 6);
  });

  test("links and codes by their rows, and the stored images", () => {
    // 60 million rows for 20 million links in D1 and as many in their objects, 50 million of each included.
    expect(part("links", { links: 20e6 })).toBeCloseTo(10 + 10, 6);
    expect(part("links", { qrCodes: 2e6 })).toBeCloseTo(4.5, 6);
  });

  test("an open stream adds a call to the feed and an alarm to each call of its hours", () => {
    expect(part("streams", { visits: 11e6, streamHours: 0 })).toBe(0);
    expect(part("streams", { visits: 11e6, streamHours: 365 })).toBeCloseTo(2 * 5.5 * 0.15, 6);
    expect(part("streams", { visits: 11e6, streamHours: 10_000 })).toBeCloseTo(2 * 11 * 0.15, 6);
  });

  test("upkeep: cron jobs, reports, log lines and files of the dashboard", () => {
    expect(part("upkeep", { dashboardVisits: 100_000 })).toBe(0);
    // Beyond the included usage: 43,800 runs and 600 million files; 43,800 calls of runs and 2,628,000 of reports, with
    // as many rows; and 10 million lines.
    const calls = 43_800 + 60 * 43_800;
    const [files, reports] = [(43_800 + 600e6) * 0.3, calls * 0.15 + calls * 0.00256 * 12.5 + 60 * 43_800];
    const logged = (30e9 / 1_000 - 20e6) * 0.6;
    expect(part("upkeep", { visits: 30e9, dashboardVisits: 10e6 })).toBeCloseTo((files + reports + logged) / 1e6, 6);
  });

  test("each clicked link's object stores its pages and 8 KiB of metadata", () => {
    expect(part("storage", { links: 1e6 })).toBeCloseTo(
      ((12e6 * (8_192 + 8_192)) / 1e9 - 5) * 0.2 +
        Math.max((12e6 * measured["stored in the database for a link"]) / 1e9 - 5, 0) * 0.75,
      6,
    );
  });

  test("storage of twelve months, beyond the free amount", () => {
    const gigabytes = (12 * 100e6 * measured["stored for a lone click"]) / 1e9;
    expect(part("storage", { visits: 100e6 })).toBeCloseTo((gigabytes - 5) * 0.2, 6);
    expect(part("storage", { qrCodes: 1e6 })).toBeCloseTo((120 - 10) * 0.015, 6);
  });

  test("far beyond the included usage, a million visits cost the benchmark's price", () => {
    const million = dollarsOf({ visits: 1_001e6 }) - dollarsOf({ visits: 1_000e6 });
    const stored = (measured["stored for a lone click"] * 12 * 1e6 * 0.2) / 1e9;
    expect(million - stored).toBeCloseTo(dollarsPerMillion({ objectRequests: 1, rowsRead: 0, rowsWritten: 1 }), 2);
  });
});

describe("the guide", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../src/docs/costs.md"), "utf8");
  const numbers = (row: string) =>
    [...row.matchAll(/(?<=\| \$?)[\d,.]+/g)].map(([text]) => Number(text.replaceAll(",", "")));

  test("has three examples, each with its bill", () => {
    const rows = guide.split("\n").filter((line) => /^\| .* \d+ h \|/.test(line));
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      const [visits = 0, alonePercent = 0, links = 0, qrCodes = 0, streamHours = 0, dashboardVisits = 0, dollars] =
        numbers(row);
      const usage = { visits, alonePercent, links, qrCodes, streamHours, dashboardVisits };
      expect(dollarsOf(usage).toFixed(2), row).toBe(dollars?.toFixed(2));
    }
  });

  test("compares with the bill for the same links and clicks", () => {
    const rows = guide.split("\n").filter((line) => line.startsWith("| each click alone"));
    const bills = rows.map((row) => {
      const [dollars, links = 0, visits = 0] = numbers(row);
      expect(dollarsOf({ visits, links }).toFixed(2), row).toBe(dollars?.toFixed(2));
      return [links, visits];
    });
    const services = guide.split("\n").filter((line) => line.startsWith("| dub"));
    expect(services.map((row) => numbers(row).slice(1, 3))).toEqual(bills);
  });
});

test("the last figures of the benchmarks are those that prices are computed from", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../src/docs/benchmarks.md"), "utf8");
  const rowOf = (begin: string) => guide.split("\n").find((line) => line.startsWith(`| ${begin}`)) ?? "";
  const shown = (begin: string) =>
    (rowOf(begin).split("|")[2] ?? "").match(/[\d,.]+/g)?.map((text) => text.replaceAll(",", ""));
  const values = (...names: (keyof typeof measured)[]) => names.map((name) => measured[name]);
  const kept: Record<string, number[]> = {
    "stored for the first click": values(
      "stored for the first click",
      "stored for a lone click",
      "stored for a click of 50",
    ),
    "rows written for the first click": values(
      "rows written for the first click",
      "rows written for a lone click",
      "rows written for a click of 50",
    ),
    "rows of D1": values(
      "rows read for a visit that is not cached",
      "rows read for an unknown slug",
      "rows written to create a link",
      "rows written to change a link",
    ),
    "stored in D1": values(
      "stored in the database for a link",
      "stored in the database for a link with rules, title and tags",
    ),
  };
  for (const [row, numbers] of Object.entries(kept)) {
    const texts = shown(row);
    expect(texts, row).toEqual(numbers.map((value, i) => value.toFixed(texts?.[i]?.split(".")[1]?.length ?? 0)));
  }
});

describe("the calculator's inputs in its address", () => {
  const usual = parseUsage(new URLSearchParams());

  test("default to the usual values", () => {
    expect(usual).toEqual(Object.fromEntries(USAGE_NAMES.map((name) => [name, USAGE_INPUTS[name].usual])));
    expect(writeUsage(usual).toString()).toBe("");
  });

  test("survive a round trip", () => {
    const usage = { visits: 123_456, alonePercent: 12.5, links: 0, qrCodes: 7, streamHours: 730, dashboardVisits: 5 };
    expect(parseUsage(writeUsage(usage))).toEqual(usage);
  });

  test.each([
    ["visits=-5", { visits: 0 }],
    ["alonePercent=250", { alonePercent: 100 }],
    ["visits=", {}],
    ["visits=many", {}],
    ["visits=Infinity", {}],
    ["streamHours=1e9&more=1", { streamHours: 730 }],
  ])("?%s is clamped", (search, changed) => {
    expect(parseUsage(new URLSearchParams(search))).toEqual({ ...usual, ...changed });
  });
});
