import fc from "fast-check";
import { expect, test } from "vitest";

import { parseFilterValues } from "../../../../src/core/clicks/counting/filters.ts";

test.each([
  ["DE", ["DE"]],
  ["DE,AT", ["DE", "AT"]],
  [String.raw`country=AT\,DE&device=mobile,default`, ["country=AT,DE&device=mobile", "default"]],
  [String.raw`a\\,b`, ["a\\", "b"]],
  [String.raw`a\\\,b`, ["a\\,b"]],
  ["", [""]],
  [",", ["", ""]],
  ["a,,b,", ["a", "", "b", ""]],
  [String.raw`\,`, [","]],
  ["a\nb,c", ["a\nb", "c"]],
  [String.raw`a\b`, null],
  ["a\\", null],
])("%j is %j", (text, values) => {
  expect(parseFilterValues(text)).toEqual(values);
});

test("property: values survive a round trip", () => {
  const value = fc.string({ unit: fc.constantFrom(",", "\\", "a", "é", "\n", "&") });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), (values) => {
      const text = values.map((one) => one.replace(/[\\,]/g, "\\$&")).join(",");
      expect(parseFilterValues(text)).toEqual(values);
    }),
  );
});

test("a long value takes linear time", () => {
  const startedAt = performance.now();
  for (const text of [",".repeat(16_384), "\\,".repeat(8_192), `${"\\\\".repeat(8_191)}\\a`, "a".repeat(16_384)]) {
    parseFilterValues(text);
  }
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
