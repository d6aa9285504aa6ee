import { expect, test } from "vitest";

import {
  ACCOUNT_GROUPINGS,
  type AccountGrouping,
  accountGroupings,
  addressIn,
  addressText,
  linkIdIn,
  GROUPINGS,
  linkGroupings,
} from "../../../../src/core/clicks/counting/groupings.ts";

/** Texts of an account's log by their numbers, of which 0 is none. */
const TEXTS = {
  link: ["", addressText("lnk_1", "hop.example/a"), addressText("lnk_2", "hop.example/b c"), addressText("lnk_3", "c")],
  rule: ["", "country=DE"],
  destination: ["", "https://example.com/"],
  code: ["", "qr_1"],
  alias: ["", addressText("lnk_2", "go.example/d")],
};
const TAGS: Record<string, string[]> = { lnk_1: ["sale", "print"], lnk_3: ["new"] };
const LONG = { isLong: true, isOneToOne: true };

test.each<[AccountGrouping, object, Record<string, string[]>]>([
  ["link", { field: "link", ...LONG }, { 1: ["lnk_1"], 2: ["lnk_2"] }],
  ["tag", { field: "link" }, { 1: ["sale", "print"], 2: ["none"], 3: ["new"] }],
  ["domain", { field: "domain" }, { "hop.example": ["hop.example"] }],
  ["rule", { field: "rule", ...LONG }, { 0: ["other"], 1: ["country=DE"] }],
  ["destination", { field: "destination", ...LONG }, { 0: ["other"], 1: ["https://example.com/"] }],
  ["revision", { field: "revision" }, { 12: ["12"] }],
  ["source", { field: "code" }, { 0: ["link"], 1: ["qr"] }],
  ["qr", { field: "code", ...LONG }, { 0: ["none"], 1: ["qr_1"] }],
  ["imported", { field: "imported" }, { "": ["false"], true: ["true"] }],
  [
    "address",
    { field: "visited", isLong: true },
    { 2: ["hop.example/a"], 3: ["go.example/d"], 4: ["hop.example/b c"] },
  ],
  ["country", { field: "country" }, { "": ["unknown"], DE: ["DE"] }],
  ["referrer", { field: "referrer" }, { "": ["direct"] }],
  ["utm_term", { field: "utm_term" }, { "": ["none"] }],
])("in an account's log, by %s: %j, %j", (grouping, facts, keys) => {
  const textOf = (field: keyof typeof TEXTS, number: number) => TEXTS[field][number] ?? "?";
  const { keysOf, ...others } = accountGroupings({ textOf, tagsOf: (linkId) => TAGS[linkId] ?? [] })(grouping);
  expect(others).toEqual(facts);
  for (const [text, expected] of Object.entries(keys)) {
    expect(keysOf(/^\d+$/.test(text) ? Number(text) : text)).toEqual(expected);
  }
});

test("the groupings of all links are those of a link, and link, tag and domain", () => {
  expect(ACCOUNT_GROUPINGS).toEqual([...GROUPINGS, "link", "tag", "domain"]);
});

test("in a link's log, only keys of routes are long, and clicks without a mark were recorded here", () => {
  const keysOfGrouping = linkGroupings({ routeKeysOf: () => null, address: "" });
  expect(GROUPINGS.filter((grouping) => keysOfGrouping(grouping).isLong)).toEqual(["rule", "destination", "revision"]);
  expect(["", "true"].map(keysOfGrouping("imported").keysOf)).toEqual([["false"], ["true"]]);
});

test.each(["go.example/a", "go.example/a b", ""])(
  "a link's id and its address %j are read from one text",
  (address) => {
    const text = addressText("lnk_1", address);
    expect([linkIdIn(text), addressIn(text)]).toEqual(["lnk_1", address]);
  },
);
