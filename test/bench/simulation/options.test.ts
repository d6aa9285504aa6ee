import { expect, test } from "vitest";

import { parseOptions } from "./options.ts";
import { COMPARED, USUAL_TRAFFIC } from "./traffic.ts";

test("without options the guide's deployments are simulated", () => {
  expect(parseOptions([])).toEqual({
    traffics: COMPARED.map((compared) => ({ ...USUAL_TRAFFIC, ...compared })),
    databases: [1, 4, 16, 64],
    seconds: 10,
    seed: 1,
    isJson: false,
    out: null,
  });
});

test("a described deployment is simulated alone; other options change all", () => {
  const one = parseOptions(["--links", "5e6", "--unknown", "2.5", "--databases", "2,8", "--json", "--out", "x.json"]);
  expect(one).toMatchObject({ databases: [2, 8], isJson: true, out: "x.json" });
  expect(one).toHaveProperty("traffics", [{ ...USUAL_TRAFFIC, links: 5_000_000, unknown: 0.025 }]);
  expect(parseOptions(["--shared-cache"])).toHaveProperty(
    "traffics",
    COMPARED.map((compared) => ({ ...USUAL_TRAFFIC, ...compared, isCacheShared: true })),
  );
});

test.each([
  [["--links", "many"], "--links must be a whole number from 1 to 1,000,000,000,000, got many"],
  [["--links", "1.5"], "--links must be a whole number from 1 to 1,000,000,000,000, got 1.5"],
  [["--zipf", ""], "--zipf must be a number from 0 to 4, got "],
  [["--databases", "4,0"], "--databases must be a whole number from 1 to 1,024, got 0"],
  [["--cache", "4"], "--refresh must not be longer than --cache"],
  [["--redirects", "1e7"], "At most 10,000,000 visits are simulated: choose fewer --seconds"],
  [["--lniks", "4"], "Unknown option '--lniks'"],
])("%j is refused", (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test("the usage lists every option with its default", () => {
  const { usage } = parseOptions(["--help"]) as { usage: string };
  expect(usage).toContain("--links N         how many there are (10,000,000)");
  expect(usage).toContain("--unknown N       visits to unknown slugs, for 100 redirects (1)");
});
