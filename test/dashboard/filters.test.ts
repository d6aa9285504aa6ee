/** The filters of the list of links, read from and written to the URL. */
import { describe, expect, test } from "vitest";

import { filtersToSearchParams, filtersFromSearchParams } from "../../src/dashboard/pages/links/filters.ts";

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
