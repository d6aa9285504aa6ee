import { expect, test } from "vitest";

import { tagKey } from "../../../src/core/links/case-folding.ts";

test.each([
  ["spring", "SPRING"],
  ["Grün", "GRÜN"],
  ["Straße", "STRASSE"],
  ["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ["ЛЕТО", "лето"],
  ["e\u0301te\u0301", "Été"],
  ["ﬁ", "FI"],
  ["İ", "i\u0307"],
])("%j and %j are one tag", (one, other) => {
  expect(tagKey(one)).toBe(tagKey(other));
});

test.each([
  ["grun", "grün"],
  ["a b", "a  b"],
  ["1", "१"],
  ["o", "0"],
])("%j and %j are two", (one, other) => {
  expect(tagKey(one)).not.toBe(tagKey(other));
});
