/** Reads UTM parameters from a destination and writes them into it. The rest stays unchanged. */
import { describe, expect, test } from "vitest";

import { utmValue, withUtmValue } from "../../src/dashboard/pages/links/utm.ts";

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
