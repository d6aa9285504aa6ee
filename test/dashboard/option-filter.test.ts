/** The order of options while the user types. Enter selects the first. */
import { describe, expect, test } from "vitest";

import { rankOptions } from "../../src/dashboard/pages/link/rules/condition-kinds.ts";
import { countryOptions } from "../../src/dashboard/pages/link/visitor-names.ts";

const found = (search: string, limit = 300) =>
  rankOptions({ options: countryOptions(), search, limit }).map(({ value }) => value);

describe("options while the user types", () => {
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

  test("options that only contain the text come last, and options without it are left out", () => {
    expect(found("ger")).toEqual(["DE", "DZ", "NE", "NG"]);
    expect(found("atlantis")).toEqual([]);
  });

  test("without a text, all options are listed in order, up to the limit", () => {
    expect(found("")).toEqual(countryOptions().map(({ value }) => value));
    expect(found("", 3)).toHaveLength(3);
  });
});
