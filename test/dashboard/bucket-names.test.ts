/** Keys of the statistics in words, and the map's codes and colours. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";

import { GROUPINGS } from "../../src/core/clicks/groupings.ts";
import { COUNTRY_OPTIONS, countryFromNumericCode, languageName } from "../../src/dashboard/pages/link/place-names.ts";
import { bucketName, groupingName, groupingsOfCard } from "../../src/dashboard/pages/link/stats/bucket-names.ts";
import { levelStarts, mapLevel } from "../../src/dashboard/pages/link/stats/map-scale.ts";

describe("7 keys in words", () => {
  test.each([
    ["country", "DE", "Germany"],
    ["country", "XX", "Unknown country"],
    ["country", "T1", "Tor network"],
    ["country", "XK", "Kosovo"],
    ["continent", "NA", "North America"],
    ["region", "US-TX", "United States, TX"],
    ["city", "Berlin", "Berlin"],
    ["device", "other", "Other"],
    ["os", "macos", "macOS"],
    ["browser", "samsung", "Samsung Internet"],
    ["language", "pt-BR", "Brazilian Portuguese"],
    ["language", "unknown", "Unknown"],
    ["referrer", "direct", "Direct"],
    ["referrer", "app:org.example.reader", "App org.example.reader"],
    ["referrer", "other", "All others"],
    ["source", "qr", "QR code"],
    ["qr", "none", "No QR code"],
    ["rule", "default", "No rule matched"],
    ["rule", "country=DE", "country=DE"],
    ["destination", "https://example.com/<b>", "https://example.com/<b>"],
  ] as const)("%s %s is %s", (grouping, key, name) => {
    expect(bucketName(grouping, key)).toBe(name);
  });

  test("every grouping has a name of its own", () => {
    expect(new Set(GROUPINGS.map(groupingName)).size).toBe(GROUPINGS.length);
  });

  test("the cards show every grouping once", () => {
    const shown = (["Places", "Sources", "Devices", "Routing"] as const).flatMap(groupingsOfCard);
    expect(shown.sort()).toEqual([...GROUPINGS].sort());
  });

  test("every country has a name, and unreadable tags stay as they are", () => {
    expect(COUNTRY_OPTIONS.filter(({ value, label }) => label.startsWith(`${value} (`))).toEqual([]);
    expect(languageName("not a tag")).toBe("not a tag");
  });
});

describe("the world map", () => {
  test("every country that is drawn with a number has its code", () => {
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

  test.each([1, 2, 3, 10, 1_000, 12_345_678])(
    "colours up to %d clicks reach from the first step to the last",
    (most) => {
      expect([mapLevel(0, most), mapLevel(most, most)]).toEqual([0, 5]);
      const starts = levelStarts(most);
      for (const { level, from } of starts) {
        expect(mapLevel(from, most)).toBe(level);
        if (from > 1) expect(mapLevel(from - 1, most)).toBeLessThan(level);
      }
      expect(starts.at(-1)).toEqual({ level: 5, from: most });
    },
  );
});
