/** Reads UTM parameters from a destination and writes them into it. The rest stays unchanged. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { utmQuery, utmValue, withUtmValue, withUtmValues } from "../../../src/core/links/utm-parameters.ts";

test.each([
  ["https://example.com/?utm_source=news", "news"],
  ["https://example.com/?a=1&utm_source=spring%20sale+2", "spring sale 2"],
  ["https://example.com/?utm_source", ""],
  ["https://example.com/?utm_source=", ""],
  ["https://example.com/?utm_source=a=b", "a=b"],
  ["https://example.com/?utm_source=%zz", "%zz"],
  ["https://example.com/#?utm_source=fragment", ""],
  ["https://example.com/?x=?utm_source=y", ""],
  ["example.com?utm_source=first&utm_source=second", "first"],
  ["", ""],
])("the source of %s is %j", (url, value) => {
  expect(utmValue(url, "utm_source")).toBe(value);
});

describe("a value", () => {
  test.each<[string, string, string, string]>([
    ["is added", "https://example.com", "news", "https://example.com?utm_source=news"],
    ["follows other parameters", "https://example.com/?a=%7E", "news", "https://example.com/?a=%7E&utm_source=news"],
    ["precedes the fragment", "example.com/x#part?a", "news", "example.com/x?utm_source=news#part?a"],
    ["keeps its place", "https://e.com/?utm_source=a&b=1", "c", "https://e.com/?utm_source=c&b=1"],
    ["occurs once", "https://e.com/?utm_source=a&b=1&utm_source=d", "c", "https://e.com/?utm_source=c&b=1"],
    ["is encoded", "https://e.com/", "a b&c=d#é", "https://e.com/?utm_source=a%20b%26c%3Dd%23%C3%A9"],
    ["is removed when it is empty", "https://e.com/?utm_source=a", "", "https://e.com/"],
    ["half of an emoji is replaced", "https://e.com/", "\uD83D", "https://e.com/?utm_source=%EF%BF%BD"],
  ])("%s", (_, url, value, written) => {
    expect(withUtmValue(url, "utm_source", value)).toBe(written);
  });

  test.each(["spring ", " a", "a+b", "100%", "%20", "?&=#"])("is read as typed: %j", (value) => {
    expect(utmValue(withUtmValue("https://example.com/?a=1#b", "utm_term", value), "utm_term")).toBe(value);
  });
});

const TEMPLATE = { utm_source: "news", utm_medium: "e mail&#?", utm_term: "" };
const QUERY = "utm_source=news&utm_medium=e%20mail%26%23%3F";

describe("a template", () => {
  test.each([
    ["https://example.com", `https://example.com?${QUERY}`],
    ["https://example.com/#/app?utm_source=a", `https://example.com/?${QUERY}#/app?utm_source=a`],
    [
      "https://e.com/?UTM_SOURCE=A&utm_medium=old&a=%zz&&b&utm%5Fsource=x&utm_source=y#?&=",
      "https://e.com/?UTM_SOURCE=A&utm_medium=e%20mail%26%23%3F&a=%zz&&b&utm_source=news#?&=",
    ],
    ["https://e.com/?utm_term=kept&utm_campaign=k", `https://e.com/?utm_term=kept&utm_campaign=k&${QUERY}`],
    ["https://e.com/?q=a?utm_source=b", `https://e.com/?q=a?utm_source=b&${QUERY}`],
    ["https://münchen.example/ä?ü=%C3%BC+x", `https://münchen.example/ä?ü=%C3%BC+x&${QUERY}`],
    ["javascript:alert(1)//?utm_source=x", "javascript:alert(1)//?utm_source=news&utm_medium=e%20mail%26%23%3F"],
  ])("is written into %s", (url, written) => {
    expect(withUtmValues(url, TEMPLATE)).toBe(written);
    expect(withUtmValues(written, TEMPLATE)).toBe(written);
  });

  test("changes nothing but its parameters, whatever the destination is", () => {
    const part = fc.string({
      unit: fc.constantFrom("a", "=", "&", "?", "%", "utm_source", "utm%5Fmedium", "é", "/", "+"),
    });
    const text = fc.tuple(part, fc.option(part), fc.option(fc.string()));
    const property = fc.property(text, ([before, query, fragment]) => {
      const url = `https://e.com/${before}${query === null ? "" : `?${query}`}${fragment === null ? "" : `#${fragment}`}`;
      const written = withUtmValues(url.trim(), TEMPLATE);
      const [was, is] = [partsOf(url.trim()), partsOf(written)];
      expect([is.path, is.fragment]).toEqual([was.path, was.fragment]);
      expect(is.others).toEqual(was.others);
      expect(new URL(written).searchParams.getAll("utm_source")).toEqual(["news"]);
      expect(new URL(written).searchParams.getAll("utm_medium")).toEqual(["e mail&#?"]);
    });
    fc.assert(property);
  });

  test("as a query has only the given parameters", () => {
    expect(utmQuery(TEMPLATE)).toBe(QUERY);
    expect(utmQuery({})).toBe("");
  });
});

/** The parts of a URL that a template must not change, found without the code under test. */
function partsOf(url: string) {
  const [, path, , query = "", fragment] = /^([^?#]*)(\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  const names = ["utm_source", "utm_medium"];
  const others = query
    .split("&")
    .filter((pair) => ![...new URLSearchParams(pair).keys()].some((one) => names.includes(one)));
  return { path, fragment, others: query === "" ? [] : others };
}
