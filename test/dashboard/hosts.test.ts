/** Display of international host names, including names that could deceive. */
import { describe, expect, test } from "vitest";

import { linkName, linkPrefix, readableHost, readableUrl } from "../../src/dashboard/formatting/hosts.ts";

const ascii = (host: string) => new URL(`https://${host}`).hostname;

describe("readable names are shown in their own script", () => {
  test.each([
    "münchen.example",
    "例え.テスト",
    "пример.example",
    "한국.example",
    "ελλάδα.example",
    "go.łódź.example",
    "भारत.example",
    "ไทย.example",
    "türkçe.example",
    "موقع.example",
  ])("%s", (host) => {
    expect(ascii(host)).toContain("xn--");
    expect(readableHost(ascii(host))).toBe(host);
  });
});

describe("names that could be mistaken for others stay in ASCII", () => {
  test.each([
    ["Cyrillic that reads as Latin", "аррӏе.example"],
    ["the same, on a Latin top domain", "раураӏ.com"],
    ["one Cyrillic letter among Latin ones", "pаypal.example"],
    ["one Greek letter among Latin ones", "gοogle.example"],
    ["Greek that reads as Latin", "νικο.example"],
    ["a dotless i", "ıcloud.example"],
    ["a phonetic letter", "ɡoogle.example"],
    ["a slash of Katakana between Latin letters", "comノlogin.example"],
    ["a modifier letter that reads as an apostrophe", "aʼb.example"],
    ["a script that few can read", "ᏣᎳᎩ.example"],
  ])("%s: %s", (_, host) => {
    expect(ascii(host)).toContain("xn--");
    expect(readableHost(ascii(host))).toBe(ascii(host));
  });
});

test.each([
  "example.com",
  "localhost:8787",
  "xn--.example",
  "xn--\u0000.example",
  "XN--X.example",
  // Decodes to Latin letters only. No browser requests such a host in this form.
  "xn--google-.example",
  // Decodes to a capital letter.
  "xn--Mnchen-3ya.example",
])("%s stays unchanged", (host) => expect(readableHost(host)).toBe(host));

describe("a URL keeps everything except its host", () => {
  const host = ascii("münchen.example");
  test.each([
    [`https://${host}/a?b=${host}#${host}`, `https://münchen.example/a?b=${host}#${host}`],
    [`https://${host}@example.com/`, `https://${host}@example.com/`],
    [`https://user:${host}@${host}:8443`, `https://user:${host}@münchen.example:8443`],
    [`https://example.com/${host}`, `https://example.com/${host}`],
    ["https://münchen.example/ä", "https://münchen.example/ä"],
    ["https://pаypal.example/", `https://${ascii("pаypal.example")}/`],
    [`mailto:a@${host}`, `mailto:a@${host}`],
    ["", ""],
  ])("%s", (url, shown) => expect(readableUrl(url)).toBe(shown));
});

test("a link's name is its short URL", () => {
  expect(linkName({ short_url: `https://${ascii("münchen.example")}/go` })).toBe("münchen.example/go");
});

test("a test link's name includes its path if the service has one host", () => {
  const link = { short_url: "http://localhost:8787/t/go", slug: "go" };
  expect([linkName(link), linkPrefix(link)]).toEqual(["localhost:8787/t/go", "localhost:8787/t/"]);
  const short_url = "https://go.example.com/Gr%C3%B6%C3%9Fe/%23%EF%B8%8F%E2%83%A3";
  const unicode = { short_url, slug: "Größe/#\ufe0f\u20e3" };
  expect([linkName(unicode), linkPrefix(unicode)]).toEqual([`go.example.com/${unicode.slug}`, "go.example.com/"]);
});
