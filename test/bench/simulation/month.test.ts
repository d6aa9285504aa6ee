import { expect, test } from "vitest";

import { MONTH_HOURS, monthlyCosts } from "../../../src/core/costs/monthly-costs.ts";
import { demandOf } from "./demand.ts";
import { monthlyCharges } from "./month.ts";
import { USUAL_TRAFFIC } from "./traffic.ts";

test("clicks that all arrive alone cost what the cost calculator says", () => {
  const traffic = {
    ...USUAL_TRAFFIC,
    links: 1e12,
    zipf: 0,
    redirectsPerSecond: 300,
    unknown: 0,
    creations: 0,
    changes: 0,
  };
  const month = monthlyCharges(traffic, demandOf(traffic));
  const visits = traffic.redirectsPerSecond * MONTH_HOURS * 3_600;
  const costs = monthlyCosts({ visits, alonePercent: 100, links: 0, qrCodes: 0, streamHours: 0, dashboardVisits: 0 });
  const of = (...names: string[]) =>
    month.reduce((sum, { name, dollars }) => sum + (names.includes(name) ? dollars : 0), 0);
  const expected = (name: string) => costs.find((cost) => cost.name === name)?.dollars ?? NaN;
  expect(of("Worker: requests", "Worker: CPU", "D1: rows read")).toBeCloseTo(expected("redirects"), 2);
  expect(of("objects: calls", "objects: time awake", "objects: rows written")).toBeCloseTo(expected("clicks"), 2);
  expect(of("cron jobs, metrics and logs")).toBeCloseTo(expected("upkeep"), 6);
});

test("stored, created and changed links are billed by the row and by the gigabyte", () => {
  const traffic = { ...USUAL_TRAFFIC, links: 1e9, redirectsPerSecond: 1_000, creations: 0.1, changes: 0.1 };
  const month = monthlyCharges(traffic, demandOf(traffic));
  const stored = month.find(({ name }) => name === "D1: storage");
  expect(stored?.count).toBeCloseTo(400, 0);
  expect(stored?.dollars).toBeCloseTo((400 - 5) * 0.75, 0);
  const written = month.find(({ name }) => name === "D1: rows written");
  const seconds = MONTH_HOURS * 3_600;
  expect(written?.count).toBeCloseTo(seconds * 100 * (3 + 5), 0);
  expect(written?.dollars).toBeCloseTo((seconds * 100 * 8) / 1e6 - 50, 6);
});
