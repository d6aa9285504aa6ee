/** Display names of the statistics' keys. */
import { CARDS } from "../../src/dashboard/pages/link/stats/stats-params.ts";
import { describe, expect, test } from "vitest";

import { ACCOUNT_GROUPINGS } from "../../src/core/clicks/counting/groupings.ts";
import { bucketName, groupingName, groupingsOfCard } from "../../src/dashboard/pages/link/stats/bucket-names.ts";

describe("7 display names of keys", () => {
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
    ["referrer", "app:com.slack", "Slack (Android)"],
    ["referrer", "app:org.example.reader", "org.example.reader (Android)"],
    ["referrer", "other", "All others"],
    ["source", "qr", "QR code"],
    ["qr", "none", "No QR code"],
    ["rule", "default", "Everyone else"],
    ["rule", "country=DE", "Visitors from Germany"],
    ["destination", "https://example.com/<b>", "https://example.com/<b>"],
    ["revision", "12", "Version 12"],
    ["revision", "other", "All others"],
  ] as const)("%s %s is %s", (grouping, key, name) => {
    expect(bucketName(grouping, key)).toBe(name);
  });

  test("every grouping has a distinct name", () => {
    expect(new Set(ACCOUNT_GROUPINGS.map(groupingName)).size).toBe(ACCOUNT_GROUPINGS.length);
  });

  test("the cards show each grouping exactly once", () => {
    const shown = CARDS.flatMap(groupingsOfCard);
    expect(shown.sort()).toEqual([...ACCOUNT_GROUPINGS].sort());
  });
});
