import { expect, test } from "vitest";

import { locationHintOf } from "../../../src/core/deployment/settings.ts";
import { CONTINENT_CODES } from "../../../src/core/visitors/fact-values.ts";

test.each([
  ["San Francisco", { continent: "NA", country: "US", longitude: "-122.42" }, "wnam"],
  ["New York", { continent: "NA", country: "US", longitude: "-74.01" }, "enam"],
  ["North America, place unknown", { continent: "NA", country: "US" }, "enam"],
  ["São Paulo", { continent: "SA", country: "BR", longitude: "-46.63" }, "sam"],
  ["Berlin", { continent: "EU", country: "DE", longitude: "13.41" }, "weur"],
  ["Warsaw", { continent: "EU", country: "PL", longitude: "21.01" }, "eeur"],
  ["Europe, place unknown", { continent: "EU", longitude: "" }, "weur"],
  ["Lagos", { continent: "AF", country: "NG", longitude: "3.38" }, "afr"],
  ["Dubai", { continent: "AS", country: "AE", longitude: "55.27" }, "me"],
  ["Tokyo", { continent: "AS", country: "JP", longitude: "139.69" }, "apac"],
  ["Sydney", { continent: "OC", country: "AU", longitude: "151.21" }, "oc"],
  ["Tor", { continent: null, country: "T1" }, undefined],
  ["not a continent", { continent: "__proto__", longitude: "x" }, undefined],
] as const)("%s", (_, place, hint) => {
  expect(locationHintOf(place)).toBe(hint);
});

test("every continent but Antarctica has a hint for every place", () => {
  for (const continent of CONTINENT_CODES) {
    for (const longitude of ["-180", "0", "180", "none", null, undefined]) {
      const hint = locationHintOf({ continent, ...(longitude === undefined ? {} : { longitude }) });
      expect([continent, hint === undefined]).toEqual([continent, continent === "AN"]);
    }
  }
});
