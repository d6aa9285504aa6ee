import { expect, test } from "vitest";

import { unpackColumns, unpackTimes } from "../../../../src/core/clicks/encoding/click-batch.ts";
import { linkGroupings, type RouteKeysLookup } from "../../../../src/core/clicks/counting/groupings.ts";
import { clicksOfSlice, type ScannedClicks } from "../../../../src/core/clicks/counting/scanned-clicks.ts";
import {
  CountingScan,
  passesFor,
  type ScanQuestion,
  UniquesPass,
} from "../../../../src/core/clicks/counting/stats-scan.ts";
import { ClickMix } from "../../../bench/click-mix.ts";
import { type Click, packClicks } from "../../../support/pack-clicks.ts";
import { randomInteger, seededRandom } from "../../../support/seeded-random.ts";

const AT = Date.UTC(2026, 10, 21, 9);

const groupingsOf = (routeKeysOf: RouteKeysLookup) => linkGroupings({ routeKeysOf, address: "" });

function clicksOf(clicks: readonly Click[]): ScannedClicks {
  const batch = packClicks(clicks);
  const slice = { columns: unpackColumns(batch.columns), times: unpackTimes(batch), position: 0, revision: 1 };
  return clicksOfSlice({ ...slice, from: 0, to: clicks.length });
}

function scanBy(grouping: Parameters<ReturnType<typeof groupingsOf>>[0], routes: RouteKeysLookup = () => null) {
  const question: ScanQuestion = {
    grouping: groupingsOf(routes)(grouping),
    filters: [],
    includeBots: true,
    starts: [],
  };
  return new CountingScan(question);
}

/** Clicks that differ in one member. */
const varied = (member: "city" | "qr" | "rule", values: readonly string[]) => {
  const [click] = new ClickMix().batch(AT, 1);
  return clicksOf(values.map((value) => ({ ...(click as Click), [member]: value })));
};

test("values with the same key are counted together", () => {
  const scan = scanBy("source");
  scan.add(varied("qr", ["", "qr_1", "qr_2", "", "qr_1"]));
  scan.add(varied("qr", ["qr_3"]));
  expect(scan.buckets()).toEqual([
    { key: "qr", clicks: 4 },
    { key: "link", clicks: 2 },
  ]);
  expect(scan.total).toBe(6);
});

test("a flood of made-up cities takes bounded memory: the first are named, the rest is other", () => {
  const scan = scanBy("city");
  const city = (i: number) => `${i}`.padEnd(100, "x");
  const cities = (from: number, count: number) => Array.from({ length: count }, (_, i) => city(from + i));
  for (let from = 0; from < 100_000; from += 1_000) scan.add(varied("city", cities(from, 1_000)));
  // The first ones again, one that did not fit, and a city named `other`.
  scan.add(varied("city", [...cities(0, 999), city(99_999), "other"]));
  const buckets = new Map(scan.buckets().map(({ key, clicks }) => [key, clicks]));
  expect([buckets.get(city(0)), buckets.get(city(998)), buckets.has(city(99_999))]).toEqual([2, 2, false]);
  expect(buckets.get("other")).toBe(101_001 - 2 * 999);
});

test("the long key of a route is built once", () => {
  let made = 0;
  const scan = scanBy("rule", (route) => {
    made++;
    return route === "1.0" ? { rule: "country=DE", destination: "https://example.com/" } : null;
  });
  for (let i = 0; i < 3; i++) scan.add(varied("rule", ["0", "9"]));
  expect(scan.buckets()).toEqual([
    { key: "country=DE", clicks: 3 },
    { key: "other", clicks: 3 },
  ]);
  expect(made).toBe(2);
});

test("the long key of a route is built once for all blocks in which its visitors are counted", () => {
  let made = 0;
  const routes: RouteKeysLookup = () => {
    made++;
    return { rule: "country=DE", destination: "https://example.com/" };
  };
  const question = { grouping: groupingsOf(routes)("rule"), filters: [], includeBots: true, starts: [] };
  const pass = new UniquesPass(question, [{ key: "country=DE", clicks: 3 }], 0, 1);
  const [click] = new ClickMix().batch(AT, 1);
  for (let block = 0; block < 3; block++) {
    pass.add(clicksOf([{ ...(click as Click), rule: "0", visitor: 1 + block }]));
  }
  expect([pass.visitors.buckets, made]).toEqual([[3], 1]);
});

test.each([
  [0, 1],
  [524_288, 1],
  [524_289, 2],
  [10_000_000, 20],
])("a day of %i clicks is counted in %i passes", (clicks, passes) => {
  expect(passesFor(clicks)).toBe(passes);
});

test("several passes count as many visitors as one", () => {
  const chance = seededRandom(3);
  const clicks = clicksOf(
    new ClickMix().batch(AT, 3_000).map((click) => ({ ...click, visitor: 1 + randomInteger(chance, 900) * 77_777 })),
  );
  const question: ScanQuestion = {
    grouping: groupingsOf(() => null)("device"),
    filters: [],
    includeBots: false,
    starts: [AT, AT + 5_000, AT + 10_000],
  };
  const counts = new CountingScan(question);
  counts.add(clicks);
  const countedIn = (passes: number) => {
    const sums = { total: 0, buckets: [] as number[], bins: [] as number[] };
    for (let i = 0; i < passes; i++) {
      const pass = new UniquesPass(question, counts.buckets(), i, passes);
      pass.add(clicks);
      sums.total += pass.visitors.total;
      for (const name of ["buckets", "bins"] as const) {
        sums[name] = pass.visitors[name].map((count, n) => count + (sums[name][n] ?? 0));
      }
    }
    return sums;
  };
  const once = countedIn(1);
  expect(once.total).toBeGreaterThan(800);
  for (const passes of [2, 3, 20]) expect(countedIn(passes)).toEqual(once);
});
