import { expect, test } from "vitest";

import { ScanKeys } from "../../../src/core/clicks/scan-keys.ts";

test("keys are numbered as they come, the same for all values that have them", () => {
  const keys = new ScanKeys("source", () => null);
  expect(["", "qr_1", "qr_2", ""].map((value) => keys.idOf(value))).toEqual([0, 1, 1, 0]);
  expect(keys.keys).toEqual(["link", "qr"]);
});

test("a flood of made-up cities takes bounded memory: the first are named, the rest is other", () => {
  const keys = new ScanKeys("city", () => null);
  const city = (i: number) => `${i}`.padEnd(100, "x");
  for (let i = 0; i < 100_000; i++) keys.idOf(city(i));
  expect(keys.keys.length).toBeLessThan(40_000);
  expect(keys.keys.slice(0, 3)).toEqual([city(0), city(1), city(2)]);
  const other = keys.keys.indexOf("other");
  expect([keys.idOf(city(99_999)), keys.idOf("other"), keys.idOf(city(7))]).toEqual([other, other, 7]);
});

test("the long key of a route is made once", () => {
  let made = 0;
  const keys = new ScanKeys("rule", (route) => {
    made++;
    return route === "1.0" ? { rule: "country=DE", destination: "https://example.com/" } : null;
  });
  for (let i = 0; i < 3; i++) expect([keys.idOf("1.0"), keys.idOf("9.0")]).toEqual([0, 1]);
  expect([keys.keys, made]).toEqual([["country=DE", "other"], 2]);
});
