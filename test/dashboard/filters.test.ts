/** What the dashboard reads off addresses, which anybody may have made. */
import { describe, expect, test } from "vitest";

import { returnPath } from "../../src/dashboard/pages/auth/return-path.ts";
import { filtersToSearchParams, filtersFromSearchParams } from "../../src/dashboard/pages/links/filters.ts";

describe("after signing in one goes nowhere but into the dashboard", () => {
  test.each([
    ["next=/settings/domains", "/settings/domains"],
    [`next=${encodeURIComponent("/links?search=a&sort=created_at")}`, "/links?search=a&sort=created_at"],
    ["", "/links"],
    ["next=", "/links"],
    ["next=https://evil.example/", "/links"],
    ["next=//evil.example/", "/links"],
    ["next=/\\evil.example/", "/links"],
    ["next=javascript:alert(1)", "/links"],
    ["next=/sign-in", "/links"],
  ])("%s", (search, path) => {
    expect(returnPath(search)).toBe(path);
  });
});

describe("filters are read off the address and written to it", () => {
  test.each([
    ["", { sort: "-created_at" }],
    [
      "search=spring&status=expired&domain=go.example.com&sort=created_at",
      { search: "spring", status: "expired", domain: "go.example.com", sort: "created_at" },
    ],
  ])("%s", (search, filters) => {
    expect(filtersFromSearchParams(new URLSearchParams(search))).toEqual(filters);
    expect(
      filtersFromSearchParams(filtersToSearchParams(filtersFromSearchParams(new URLSearchParams(search)))),
    ).toEqual(filters);
  });

  test("what is not known is left out", () => {
    expect(filtersFromSearchParams(new URLSearchParams("status=gone&sort=size&search=&page=3"))).toEqual({
      sort: "-created_at",
    });
  });
});
