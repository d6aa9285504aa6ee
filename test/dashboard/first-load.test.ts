/** Compressed size of the built files that a browser loads for the first page or the list of links. */
import { readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";

import { ASSETS, FIRST_LOAD_MAX, firstLoad, gzipBytes, readAsset } from "../support/first-load.ts";

const PARTS = ["overview", "links"] as const;

test.each(PARTS)("the first load of %s is not too large", (part) => {
  const sizes = firstLoad(part).map((name) => [name, gzipBytes(name)] as const);
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
  const report = [...sizes].sort(([, a], [, b]) => b - a).map(([name, size]) => `${size} ${name}`);
  expect(report.join()).toMatch(new RegExp(` ${part}-.*\\.js`));
  expect(report.join()).toMatch(/ (?:main|routes|index)-.*\.js/);
  expect(bytes, `${bytes} bytes:\n${report.join("\n")}`).toBeLessThanOrEqual(FIRST_LOAD_MAX[part]);
});

test.each(PARTS)("the first load of %s uses none of the styles that are loaded later", (part) => {
  const classes = (name: string) => new Set(readAsset(name).match(/\bm_[0-9a-f]{6,8}\b/g));
  const [later = ""] = readdirSync(ASSETS).filter((name) => name.startsWith("mantine-later-"));
  const early = firstLoad(part);
  const styled = new Set(early.filter((name) => name.endsWith(".css")).flatMap((name) => [...classes(name)]));
  const used = new Set(early.filter((name) => name.endsWith(".js")).flatMap((name) => [...classes(name)]));
  expect(classes(later).size).toBeGreaterThan(50);
  expect([...classes(later)].filter((one) => used.has(one) && !styled.has(one))).toEqual([]);
});

test("pages use Intl only when they show something with it", async () => {
  const used: string[] = [];
  for (const name of [
    "DateTimeFormat",
    "NumberFormat",
    "PluralRules",
    "ListFormat",
    "DisplayNames",
    "Collator",
  ] as const)
    vi.spyOn(Intl, name).mockImplementation(function () {
      used.push(name);
      throw new Error(`${name} was used while modules were loading`);
    } as never);
  vi.spyOn(Intl, "supportedValuesOf").mockImplementation(() => (used.push("supportedValuesOf"), []));
  vi.spyOn(String.prototype, "localeCompare").mockImplementation(() => used.push("localeCompare"));
  vi.resetModules();
  await import("../../src/dashboard/formatting/dates.ts");
  await import("../../src/dashboard/formatting/numbers.ts");
  await import("../../src/dashboard/pages/link/rules/rule-sentence.ts");
  vi.restoreAllMocks();
  expect(used).toEqual([]);
});

test("statistics load no parser of User-Agents", () => {
  const parsers = readdirSync(ASSETS).filter((name) => name.endsWith(".js") && readAsset(name).includes("archos ?"));
  expect(parsers).toEqual([expect.stringMatching(/^import-worker-/)]);
});

test("no two files import each other: which of them runs first would depend on the network", () => {
  const files = readdirSync(ASSETS).filter((name) => name.endsWith(".js"));
  const imports = new Map(
    files.map((name) => [
      name,
      [...readAsset(name).matchAll(/\b(?:from|import) ?"\.\/([^"]+)"/g)].map(([, file = ""]) => file),
    ]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const follow = (name: string, path: string[]) => {
    if (path.includes(name)) cycles.push([...path.slice(path.indexOf(name)), name].join(" > "));
    if (path.includes(name) || done.has(name)) return;
    for (const next of imports.get(name) ?? []) follow(next, [...path, name]);
    done.add(name);
  };
  for (const name of files) follow(name, []);
  expect([...imports.values()].flat().length).toBeGreaterThan(100);
  expect(cycles).toEqual([]);
});
