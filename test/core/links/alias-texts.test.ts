import { expect, test } from "vitest";

import { aliasesIn, aliasOf, aliasText } from "../../../src/core/links/alias-texts.ts";

test.each([
  ["spring", { slug: "spring" }],
  ["go.example/spring", { slug: "spring", domain: "go.example" }],
  ["go.example/a/b", { slug: "a/b", domain: "go.example" }],
])("%s is written as it is read", (text, alias) => {
  expect(aliasOf(text)).toEqual(alias);
  expect(aliasText(alias)).toBe(text);
});

test.each([
  [" spring\n", { slug: "spring" }],
  ["go.example/http://a", { slug: "http://a", domain: "go.example" }],
  ["/spring", { slug: "spring", domain: "" }],
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
