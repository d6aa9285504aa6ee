/** The number of clicks shown beside each rule of a link. */
import { expect, test } from "vitest";

import { clicksOfRule } from "../../src/dashboard/pages/link/rules/rule-clicks.ts";

const TO = "https://example.com/";
const SAVED = [
  { if: { country: ["DE", "AT"] }, to: TO },
  { if: { device: "mobile" as const }, to: TO },
];
const BUCKETS = [
  { key: "country=AT,DE", clicks: 7 },
  { key: "default", clicks: 3 },
  { key: "os=ios", clicks: 2 },
];

test.each([
  ["a rule with clicks, with its values in any order", "country=AT,DE", 7],
  ["a rule without clicks", "device=mobile", 0],
  ["a rule that is not saved, though it had clicks once", "os=ios", null],
  ["everyone else", "default", 3],
])("clicks of %s", (_, key, clicks) => {
  expect(clicksOfRule(BUCKETS, SAVED, key)).toBe(clicks);
});

test("clicks of a rule are unknown if it may be part of the bucket “other”", () => {
  expect(clicksOfRule([...BUCKETS, { key: "other", clicks: 9 }], SAVED, "device=mobile")).toBeNull();
});
