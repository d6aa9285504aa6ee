/** Checks the guide on scale against the model that computes its figures, and against the benchmark's counts. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

import measured from "../../src/core/costs/measured.json" with { type: "json" };
import { CALL_SECONDS, REDIRECT_CPU_MS } from "../../src/core/costs/prices.ts";
import { databaseLoad, demandOf } from "../bench/simulation/demand.ts";
import type { Report } from "../bench/simulation/report.ts";
import { COMPARED, USUAL_TRAFFIC } from "../bench/simulation/traffic.ts";
import { examplesRunBy } from "../support/examples.ts";

const ROOT = join(import.meta.dirname, "../..");
const guide = readFileSync(join(ROOT, "src/docs/scale.md"), "utf8");
const words = guide.replaceAll(/<!--.*?-->/g, "").replaceAll(/\s+/g, " ");

/** How many millions of items of `bytes` bytes fit in 10 GB. */
const millions = (bytes: number) => Math.round(10e9 / bytes / 1e6).toLocaleString("en-US");

let printed: string;
let reports: Report[] = [];

beforeAll(() => {
  const file = join(mkdtempSync(join(tmpdir(), "hoplink-scale-")), "reports.json");
  const [{ code } = { code: "" }] = examplesRunBy(import.meta.filename);
  printed = execFileSync("bash", ["-c", `${code} --silent -- --out ${file}`], { cwd: ROOT, encoding: "utf8" });
  ({ reports } = JSON.parse(readFileSync(file, "utf8")) as { reports: Report[] });
  rmSync(dirname(file), { recursive: true });
}, 120_000);

test("its tables match the output of its command", () => {
  const shown = guide.split("\n\n").filter((part) => part.startsWith("| "));
  expect(shown).toEqual(printed.trim().split("\n\n"));
});

test("the simulation agrees with the calculation", () => {
  expect(reports).toHaveLength(COMPARED.length);
  for (const { calculated, simulated, databases } of reports) {
    expect(simulated.cold + simulated.refreshed).toBeCloseTo(calculated.cold + calculated.refreshed, 2);
    expect(simulated.calls).toBeCloseTo(calculated.calls, 2);
    for (const one of databases) expect(Math.abs(1 - one.simulated.reads / one.calculated.reads)).toBeLessThan(0.1);
  }
});

describe("its text", () => {
  const lone = millions(measured["stored for a lone click"]);
  const plain = measured["stored in the database for a link"];
  const full = measured["stored in the database for a link with rules, title and tags"];
  test.each([
    `one query of ${["no", "one", "two"][measured["rows read for a visit that is not cached"]]} rows`,
    `${lone} million clicks that are stored alone, or ${millions(measured["stored for a click of 50"])} million in batches of 50`,
    `takes ${plain.toFixed(0)} bytes there, with rules, title and tags ${full.toFixed(0)} (measured): 10 GB are ${millions(plain)} or ${millions(full)} million links`,
    `An account has 250 GB in all its databases unless Cloudflare raises that: ${(250e9 / plain / 1e6).toFixed(0)} million links`,
    `${CALL_SECONDS * 1_000} ms in which an object is awake for a call, ${USUAL_TRAFFIC.callMs} ms from an isolate to an object and back, and ${REDIRECT_CPU_MS} ms of CPU for a visit`,
    `to ${USUAL_TRAFFIC.places} places of Cloudflare`,
  ])("contains %j", (sentence) => {
    expect(words).toContain(sentence);
  });

  test("the stated capacity of one database is what its busiest replica can answer", () => {
    const load = (redirectsPerSecond: number, replicas: number) => {
      const traffic = { ...USUAL_TRAFFIC, redirectsPerSecond, replicas };
      return databaseLoad(traffic, demandOf(traffic), 1);
    };
    expect(words).toContain("busy at about 5,000 redirects a second");
    expect(load(5_000, 6).replica).toBeLessThan(1_000);
    expect(load(5_500, 6).replica).toBeGreaterThan(1_000);
    expect(words).toContain("one database ends at about 1,000 redirects a second");
    expect(load(1_000, 0).primary).toBeLessThan(1_000);
    expect(load(1_100, 0).primary).toBeGreaterThan(1_000);
  });
});
