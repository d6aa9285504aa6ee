import { expect, test } from "vitest";

import { isApex, isPublicSuffix } from "../../../src/core/domains/public-suffix.ts";

test.each([
  ["com", true, false],
  ["co.uk", true, false],
  ["github.io", true, false],
  ["example.com", false, true],
  ["example.co.uk", false, true],
  ["ann.github.io", false, true],
  ["go.example.com", false, false],
  ["go.ann.github.io", false, false],
  ["xn--mnchen-3ya.de", false, true],
])("%s: a public suffix %s, an apex %s", (name, suffix, apex) => {
  expect([isPublicSuffix(name), isApex(name)]).toEqual([suffix, apex]);
});
