/** The order of options while somebody types: Enter takes the first. */
import { describe, expect, test } from "vitest";

import { rankOptions } from "../../src/dashboard/pages/link/rules/option-filter.ts";
import { COUNTRY_OPTIONS } from "../../src/dashboard/pages/link/place-names.ts";

const found = (search: string, limit = 300) =>
  rankOptions({ options: COUNTRY_OPTIONS, search, limit }).map(({ value }) => value);

describe("options while somebody types", () => {
  test.each([
    ["Germ", "DE"],
    ["ger", "DE"],
    [" de ", "DE"],
    ["united", "AE"],
    ["kingdom", "GB"],
    ["in", "IN"],
  ])("%j: the first is %s", (typed, code) => {
    expect(found(typed)[0]).toBe(code);
  });

  test("what only contains the text comes last, what does not is left out", () => {
    expect(found("ger")).toEqual(["DE", "DZ", "NE", "NG"]);
    expect(found("atlantis")).toEqual([]);
  });

  test("without a text all are there in their order, at most so many", () => {
    expect(found("")).toEqual(COUNTRY_OPTIONS.map(({ value }) => value));
    expect(found("", 3)).toHaveLength(3);
  });
});
