import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  BUCKETS_MAX,
  type Grouping,
  GROUPING_RULES,
  GROUPINGS,
  linkGroupings,
  type RouteKeysLookup,
} from "../../../../src/core/clicks/counting/groupings.ts";
import { mapFacts } from "../../../../src/core/clicks/facts.ts";
import { type LinkSnapshot, addressObjectName, routeKeys } from "../../../../src/core/links/link-snapshot.ts";
import {
  earliestStart,
  knowsGroupings,
  needsScan,
  STORED_FIELDS,
  tallyByKey as tallyByKeys,
} from "../../../../src/core/clicks/counting/stats.ts";
import { bucketsOf, countsOf, type TextTally } from "../../../../src/core/clicks/counting/tally.ts";

/** Revision 1 sent Germans by its first rule; revision 2 inserted another rule before it. */
const REVISIONS: Record<string, Pick<LinkSnapshot, "url" | "routing" | "expiresAt">> = {
  "1": {
    url: "https://example.com/1",
    routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
    expiresAt: null,
  },
  "2": {
    url: "https://example.com/2",
    routing: [
      { if: { device: "mobile" }, to: "https://example.com/m" },
      { if: { country: ["DE"] }, to: "https://example.com/de2" },
    ],
    expiresAt: null,
  },
};

const routes: RouteKeysLookup = (route) => {
  const [revision = "", rule = ""] = route.split(".");
  const link = REVISIONS[revision];
  return link ? routeKeys(link, rule) : null;
};

const tallyByKey = (tally: TextTally, grouping: Grouping, keys: RouteKeysLookup) =>
  tallyByKeys(countsOf(tally), linkGroupings({ routeKeysOf: keys, address: "go.example/own" })(grouping), true);

function stored(counts: Record<string, number>): TextTally {
  return new Map(Object.entries(counts).map(([key, human]) => [key, { human, nonHuman: 10 * human }]));
}

describe("7 groupings of clicks", () => {
  test.each<[Grouping, Record<string, number>, Record<string, number>]>([
    ["country", { DE: 2, XX: 1, T1: 1, "": 3 }, { DE: 2, XX: 1, T1: 1, unknown: 3 }],
    ["continent", { EU: 1, "": 1 }, { EU: 1, unknown: 1 }],
    ["region", { "US-TX": 1, "": 1 }, { "US-TX": 1, unknown: 1 }],
    ["city", { Berlin: 1, "": 1 }, { Berlin: 1, unknown: 1 }],
    ["device", { mobile: 2, other: 1 }, { mobile: 2, other: 1 }],
    ["os", { ios: 2, other: 1 }, { ios: 2, other: 1 }],
    ["browser", { safari: 2, other: 1 }, { safari: 2, other: 1 }],
    ["language", { "de-CH": 2, "": 1 }, { "de-CH": 2, unknown: 1 }],
    ["utm_source", { newsletter: 2, "": 1 }, { newsletter: 2, none: 1 }],
    ["utm_medium", { email: 2, "": 1 }, { email: 2, none: 1 }],
    ["utm_campaign", { "spring sale": 2, none: 1, "": 1 }, { "spring sale": 2, none: 2 }],
    ["utm_term", { shoes: 2, "": 1 }, { shoes: 2, none: 1 }],
    ["utm_content", { banner: 2, "": 1 }, { banner: 2, none: 1 }],
    ["referrer", { "example.com": 2, "app:com.Slack": 1, "": 4 }, { "example.com": 2, "app:com.Slack": 1, direct: 4 }],
    ["source", { "": 5, qr_1: 2, qr_2: 3 }, { link: 5, qr: 5 }],
    ["qr", { "": 5, qr_1: 2, qr_2: 3 }, { none: 5, qr_1: 2, qr_2: 3 }],
    ["address", { "": 5, "go.example/alias": 2 }, { "go.example/own": 5, "go.example/alias": 2 }],
    ["rule", { "1.0": 1, "2.0": 2, "2.1": 4, "1.": 8, "2.": 16 }, { "country=DE": 5, "device=mobile": 2, default: 24 }],
    ["rule", { "9.0": 3, other: 4, "1.0": 1 }, { other: 7, "country=DE": 1 }],
    ["rule", { "1.7": 2 }, { default: 2 }],
    [
      "destination",
      { "1.0": 1, "2.0": 2, "2.1": 4, "1.": 8, "2.": 16, "9.": 32 },
      {
        "https://example.com/de": 1,
        "https://example.com/m": 2,
        "https://example.com/de2": 4,
        "https://example.com/1": 8,
        "https://example.com/2": 16,
        other: 32,
      },
    ],
    [
      "revision",
      { "1.0": 1, "2.0": 2, "2.1": 4, "12.": 8, "1.": 16, other: 32 },
      { "1": 17, "2": 6, "12": 8, other: 32 },
    ],
  ])("by %s: %j is %j", (grouping, counts, expected) => {
    expect(tallyByKey(stored(counts), grouping, routes)).toEqual(stored(expected));
  });

  test("everything that a click carries is counted, except its class; the rule with its revision", () => {
    const facts = Object.keys(mapFacts(() => ""));
    expect([...STORED_FIELDS].sort()).toEqual([...facts, "qr", "route", "address"].sort());
  });

  describe("keys that are too long for one answer", () => {
    /** Destinations of one mebibyte each, by revision: four of them fill an answer. */
    const long: RouteKeysLookup = (route) => ({ rule: "default", destination: route.padEnd(1024 * 1024, "x") });
    const seen = (tally: TextTally) =>
      [...tally].map(([key, { human, nonHuman }]) => [key.slice(0, 5), human, nonHuman]);

    test("those with the fewest clicks are counted as other", () => {
      const tally: TextTally = new Map([
        ["1.", { human: 5, nonHuman: 0 }],
        ["2.", { human: 0, nonHuman: 1 }],
        ["3.", { human: 1, nonHuman: 7 }],
        ["4.", { human: 9, nonHuman: 0 }],
        ["5.", { human: 2, nonHuman: 4 }],
        ["6.", { human: 0, nonHuman: 2 }],
      ]);
      expect(seen(tallyByKey(tally, "destination", long))).toEqual([
        ["4.xxx", 9, 0],
        ["3.xxx", 1, 7],
        ["5.xxx", 2, 4],
        ["1.xxx", 5, 0],
        ["other", 0, 3],
      ]);
    });

    test("values with too few clicks to be listed are in other, and never get separate buckets", () => {
      const counts = Array.from({ length: BUCKETS_MAX + 5 }, (_, i) => ({ value: i, human: 2_000 - i, nonHuman: 0 }));
      const keysOf = (value: number | string) => [String(value).padEnd(1024 * 1024, "x")];
      const buckets = bucketsOf(
        tallyByKeys(counts, { field: "route", keysOf, isLong: true, isOneToOne: true }, true),
        true,
      );
      const clicks = counts.reduce((sum, { human }) => sum + human, 0);
      expect(buckets.map(({ key, clicks }) => [key.slice(0, 5), clicks])).toEqual([
        ["other", clicks - (2_000 + 1_999 + 1_998 + 1_997)],
        ...[0, 1, 2, 3].map((value) => [`${value}xxxx`, 2_000 - value]),
      ]);
    });

    test("a repeated key takes no additional room", () => {
      const same: RouteKeysLookup = () => ({ rule: "default", destination: "x".repeat(1024 * 1024) });
      const tally: TextTally = new Map(Array.from({ length: 9 }, (_, i) => [`${i}.`, { human: 1, nonHuman: 0 }]));
      expect(seen(tallyByKey(tally, "destination", same))).toEqual([["xxxxx", 9, 0]]);
    });

    test("other values keep their order", () => {
      expect([...tallyByKey(stored({ FR: 1, DE: 5, AT: 3 }), "country", routes).keys()]).toEqual(["FR", "DE", "AT"]);
    });
  });

  test("every grouping has its field in the log", () => {
    // Imported clicks have separate tables.
    const fields = [...STORED_FIELDS, "imported"];
    for (const grouping of GROUPINGS) expect(fields).toContain(GROUPING_RULES[grouping].field);
  });

  test("4.3 the four required by the specification exist", () => {
    expect(GROUPINGS).toEqual(expect.arrayContaining(["country", "device", "referrer", "rule"]));
  });

  test("property: no grouping loses a click", () => {
    const keys = fc.constantFrom("", "DE", "other", "1.0", "2.1", "1.", "7.0", "x");
    fc.assert(
      fc.property(
        fc.constantFrom(...GROUPINGS),
        fc.dictionary(keys, fc.nat(9), { noNullPrototype: true }),
        (by, counts) => {
          const [before, after] = [stored(counts), tallyByKey(stored(counts), by, routes)].map((tally) => {
            const all = [...tally.values()];
            return [
              all.reduce((sum, { human }) => sum + human, 0),
              all.reduce((sum, { nonHuman }) => sum + nonHuman, 0),
            ];
          });
          expect(after).toEqual(before);
        },
      ),
    );
  });
});

describe("the object of a link", () => {
  test("slugs are matched case-insensitively", () => {
    expect(addressObjectName("hop.example", "SpRing")).toBe("hop.example/spring");
    expect(addressObjectName("hop.example", "spring")).toBe("hop.example/spring");
    expect(addressObjectName("localhost:8787", "a")).toBe("localhost:8787/a");
  });
});

const by = (name: string) => ({ grouping: name as Grouping, values: ["a"] });

test("filters and unique visitors need each click", () => {
  expect([{}, { uniques: false, filters: [] }].some(needsScan)).toBe(false);
  expect([{ uniques: true }, { filters: [by("country")] }].every(needsScan)).toBe(true);
});

test.each([
  [{}, true],
  [{ groupBy: "country", filters: [by("rule"), by("qr")] }, true],
  [{ groupBy: "moon", filters: [by("rule")] }, false],
  [{ groupBy: "country", filters: [by("rule"), by("moon")] }, false],
  [{ groupBy: "constructor" }, false],
  [{ groupBy: "link" }, false],
])("this release knows all groupings of %j: %s", (request, expected) => {
  expect(knowsGroupings(request as Parameters<typeof knowsGroupings>[0])).toBe(expected);
});

test("the problem of a range that is too large contains its earliest start", () => {
  const [first, code] = [{ path: "to", code: "a", message: "2026-11-21T08:00:00Z" }, "too_small"];
  const startIn = (path: string, message: string) => earliestStart([first, { path, code, message }]);
  expect(startIn("from", "from must be 2026-11-21T09:00:00.005Z or later")).toBe(Date.UTC(2026, 10, 21, 9, 0, 0, 5));
  expect(startIn("from", "from must not be later than to")).toBeNull();
  expect(startIn("to", "to must be 2026-11-21T09:00:00.005Z or later")).toBeNull();
});
