import { describe, expect, test } from "vitest";

import { aliasesIn, aliasOf, aliasText, foldSearch, parseShortUrl } from "../../../src/core/links/link-search.ts";

test.each([
  ["https://go.example.com/spring", "go.example.com", "spring"],
  ["HTTP://GO.example.com:80/Spring", "go.example.com", "Spring"],
  ["go.example.com/spring", "go.example.com", "spring"],
  ["go.example.com./spring/", "go.example.com", "spring"],
  ["localhost:8787/spring?qr=1#top", "localhost:8787", "spring"],
  ["https://bücher.example/a", "xn--bcher-kva.example", "a"],
  ["go.example.com/a/b", "go.example.com", "a/b"],
  ["https://hop.acme.workers.dev/t/Spring/", "hop.acme.workers.dev/t", "Spring"],
  ["localhost:8787/T/spring?qr=1", "localhost:8787/t", "spring"],
  ["go.example.com/t", "go.example.com", "t"],
  ["go.example.com/%41b", "go.example.com", "Ab"],
  ["go.example.com/%74/%41b", "go.example.com/t", "Ab"],
])("%s is %s and %s", (text, domain, slug) => {
  expect(parseShortUrl(text)).toEqual({ domain, slug });
});

test.each([
  "spring",
  "go.example.com",
  "https://go.example.com/",
  "https:///spring",
  "",
  "go.example.com/%4",
  `${"a".repeat(300)}/b`,
])("%j is not a short URL", (text) => {
  expect(parseShortUrl(text)).toBeNull();
});

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

test.each([
  ["spring", { slug: "spring" }],
  ["go.example/spring", { slug: "spring", domain: "go.example" }],
  ["go.example/a/b", { slug: "a/b", domain: "go.example" }],
  ["/a/b", { slug: "a/b" }],
])("%s is written as it is read", (text, alias) => {
  expect(aliasOf(text)).toEqual(alias);
  expect(aliasText(alias)).toBe(text);
});

test.each([
  [" spring\n", { slug: "spring" }],
  ["go.example/http://a", { slug: "http://a", domain: "go.example" }],
  ["/spring", { slug: "spring" }],
  ["https://go.example/spring", { slug: "spring", domain: "go.example" }],
  ["HTTP://go.example:8787/a/b", { slug: "a/b", domain: "go.example:8787" }],
  ["go.example/Gr%C3%B6%C3%9Fe", { slug: "Größe", domain: "go.example" }],
  ["go.example/a%2Fb", { slug: "a%2Fb", domain: "go.example" }],
])("%j is read as %j", (text, alias) => {
  expect(aliasOf(text)).toEqual(alias);
});

test("the aliases of a cell are separated by commas, semicolons, bars or white space", () => {
  const aliases = aliasesIn(" a,go.example/b; c|d\te\n");
  expect(aliases.map(aliasText)).toEqual(["a", "go.example/b", "c", "d", "e"]);
  expect(aliasesIn(" , ")).toEqual([]);
});
