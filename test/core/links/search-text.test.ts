import { describe, expect, test } from "vitest";

import { foldSearch } from "../../../src/core/links/link-search.ts";

describe("4.7 folding of a search", () => {
  test.each([
    ["abc", "abc", []],
    ["Äb", "äb", [["Ä", "ä"]]],
    ["ä", "ä", [["Ä", "ä"]]],
    ["ß", "ß", []],
    [
      "Σ",
      "σ",
      [
        ["Σ", "σ"],
        ["ς", "σ"],
      ],
    ],
    ["ÄÄä", "äää", [["Ä", "ä"]]],
    ["🎈中", "🎈中", []],
    ["𐐀", "𐐨", [["𐐀", "𐐨"]]],
    ["İ", "İ", []],
  ])("%s", (search, text, replacements) => {
    expect(foldSearch(search)).toEqual({ text, replacements });
  });
});
