import fc from "fast-check";
import { expect, test } from "vitest";

import { compileFilters, parseFilterValues } from "../../../../src/core/clicks/counting/filters.ts";
import type { GroupingKeys } from "../../../../src/core/clicks/counting/groupings.ts";

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

test.each([
  [{ values: ["a", "b"] }, ["a", "b c", "c b"]],
  [{ values: ["b"], isNegated: true as const }, ["a", "d", ""]],
  [{ values: [] }, []],
  [{ values: [], isNegated: true as const }, ["a", "b c", "c b", "d", ""]],
])("a filter %j matches values of which one key is named, or none", (filter, matching) => {
  const keysOf = (value: string | number) => String(value).split(" ");
  const [compiled] = compileFilters([{ grouping: "tag", ...filter }], () => ({ field: "link", keysOf }));
  expect(compiled?.field).toBe("link");
  expect(["a", "b c", "c b", "d", ""].filter((value) => compiled?.matches(value))).toEqual(matching);
});

test.each([
  ["defined by the account", { field: "link", keysOf: String }, true],
  ["that visitors send", { field: "device", keysOf: String }, false],
])("answers to values %s are remembered: %s", (_, { field, keysOf }, isRemembered) => {
  let asked = 0;
  const keys = { field, keysOf: (value: string | number) => (asked++, [keysOf(value)]) } as GroupingKeys;
  const [compiled] = compileFilters([{ grouping: "device", values: ["1"] }], () => keys);
  for (const value of [1, 1, 2, 1]) compiled?.matches(value);
  expect(asked).toBe(isRemembered ? 2 : 4);
});
