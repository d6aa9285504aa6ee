/** Limits that are also set elsewhere. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import {
  ACCOUNT_LIMIT_FACTOR,
  BULK_LINKS_MAX,
  BULK_PASSWORDS_MAX,
  BULK_LINKS_MAX_PER_MINUTE,
  figure,
  QR_REQUESTS_MAX_PER_MINUTE,
  REQUESTS_MAX_PER_MINUTE,
  TAGS_MAX,
} from "../../src/core/limits.ts";
import { bulkCost } from "../../src/core/links/bulk-pieces.ts";

/** Limit and period of each binding, by name. */
const bindings = Object.fromEntries(
  [...readFileSync("wrangler.toml", "utf8").matchAll(/name = "(\w+)"\n.*\nsimple = \{ (.*) \}/g)].map(
    ([, name, rate]) => [name, rate],
  ),
);

test.each([
  ["RATE_FREE", REQUESTS_MAX_PER_MINUTE.free],
  ["RATE_PREMIUM", REQUESTS_MAX_PER_MINUTE.premium],
  ["QR_FREE", QR_REQUESTS_MAX_PER_MINUTE.free],
  ["QR_PREMIUM", QR_REQUESTS_MAX_PER_MINUTE.premium],
])("the bindings %s of a key and of its account count to the named limits", (name, limit) => {
  expect(bindings[name]).toBe(`limit = ${limit}, period = 60`);
  expect(bindings[`${name}_ACCOUNT`]).toBe(`limit = ${limit * ACCOUNT_LIMIT_FACTOR}, period = 60`);
});

test("the highest count of one bulk request, with all tags of each link replaced and the most passwords, fits in a minute", () => {
  const most = bulkCost(BULK_LINKS_MAX, BULK_LINKS_MAX * 2 * TAGS_MAX, BULK_PASSWORDS_MAX, 0);
  expect(most).toBeLessThanOrEqual(BULK_LINKS_MAX_PER_MINUTE.free);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [100_000, "100,000"],
  [1_234_567, "1,234,567"],
])("%s is written %s", (value, text) => {
  expect(figure(value)).toBe(text);
});
