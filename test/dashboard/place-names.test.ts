/** Names of places, and the codes of the map's shapes. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";

import { countryFromNumericCode, countryOptions, visitorNames } from "../../src/dashboard/pages/link/visitor-names.ts";

describe("7 places", () => {
  test("every country has a name, and invalid language tags stay unchanged", () => {
    expect(countryOptions().filter(({ value, label }) => label.startsWith(`${value} (`))).toEqual([]);
    expect(visitorNames.language("not a tag")).toBe("not a tag");
  });

  test("every country on the map that has a number has a code", () => {
    const atlas = createRequire(import.meta.url).resolve("world-atlas/countries-110m.json");
    const drawn: { id?: string }[] = JSON.parse(readFileSync(atlas, "utf8")).objects.countries.geometries;
    const codes = drawn.flatMap(({ id }) => (id === undefined ? [] : [countryFromNumericCode(id)]));
    expect(codes.length).toBeGreaterThan(170);
    expect(codes).not.toContain(null);
    expect(new Set(codes).size).toBe(codes.length);
    expect([
      countryFromNumericCode("276"),
      countryFromNumericCode("840"),
      countryFromNumericCode("999"),
      countryFromNumericCode(""),
    ]).toEqual(["DE", "US", null, null]);
  });
});
