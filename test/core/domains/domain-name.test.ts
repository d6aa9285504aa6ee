import { describe, expect, test } from "vitest";

import { isServiceHost, normalizedDomain, parseDomainName } from "../../../src/core/domains/domain-name.ts";
import { hostsOf } from "../../../src/core/deployment/settings.ts";

const label = (chars: number) => "a".repeat(chars);
/** A name of this many characters, in labels of at most 63. */
const name = (chars: number) => `${label(63)}.${label(63)}.${label(63)}.${label(chars - 192)}`;

const LONG = "must have at most 237 characters as A-labels, so that its _hoplink-verify record fits into DNS";
const NO_HOST = "must be a valid host name such as go.example.com";
const IP = "must be a host name, not an IP address";
const ALONE = "must be only a host name, without scheme, path or user";
const SPACE = "must not contain spaces, control characters or %";
const LABEL = "must have labels of letters, digits and hyphens that begin and end with a letter or digit";
const EMPTY_LABEL = "must not contain an empty label (two dots, or a dot at the beginning)";

describe("names of short domains", () => {
  test.each([
    ["go.example.com", "go.example.com"],
    ["GO.Example.COM", "go.example.com"],
    ["go.example.com.", "go.example.com"],
    ["a.b", "a.b"],
    ["1.example", "1.example"],
    ["example.1a", "example.1a"],
    ["a-b.example", "a-b.example"],
    ["a--b.example", "a--b.example"],
    ["München.de", "xn--mnchen-3ya.de"],
    ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
    ["ｇｏ．example", "go.example"],
    [`${label(63)}.example`, `${label(63)}.example`],
    [name(237), name(237)],
    [`${name(237)}.`, name(237)],
  ])("%s is %s", (text, domain) => {
    expect(parseDomainName(text)).toEqual({ domain });
    expect(normalizedDomain(text)).toBe(domain);
  });

  test.each([
    ["", "must not be empty"],
    [name(238), LONG],
    [`${name(253)}.`, LONG],
    [`${name(253)}..`, LONG],
    // Short as it is written, long as A-labels.
    [Array.from({ length: 60 }, () => "ü").join("."), LONG],
    ["*.example.com", "must be a single host name, not a wildcard"],
    ["https://go.example.com", ALONE],
    ["go.example.com/a", ALONE],
    ["go.example.com?a", ALONE],
    ["go.example.com#a", ALONE],
    ["ann@go.example.com", ALONE],
    ["go\\example.com", ALONE],
    ["[2001:db8::1]", IP],
    ["[example.com", IP],
    ["2001:db8::1", IP],
    ["a:b:c", IP],
    ["192.0.2.1", IP],
    ["0x7f.1", IP],
    ["1.2", IP],
    ["go.example.com:8080", "must be a host name without a port"],
    ["go example.com", SPACE],
    ["go.example.com\t", SPACE],
    ["go\u0000.example.com", SPACE],
    ["go\u007f.example.com", SPACE],
    ["go%2eexample.com", SPACE],
    ["\ud800.example", "must be well-formed Unicode"],
    ["xn--a.example", NO_HOST],
    ["a\u200e.example", NO_HOST],
    [".", NO_HOST],
    ["example", "must contain a dot, as in go.example.com"],
    ["example.", "must contain a dot, as in go.example.com"],
    ["go..example.com", EMPTY_LABEL],
    [".example.com", EMPTY_LABEL],
    [`${label(64)}.example`, "must have labels of at most 63 characters"],
    ["_dmarc.example.com", "must not contain underscores"],
    ["-a.example", LABEL],
    ["a-.example", LABEL],
    ["a!b.example", LABEL],
    ["good.-.example", LABEL],
  ])("%j %s", (text, fault) => {
    expect(parseDomainName(text)).toEqual({ fault });
  });

  test("names that cannot be domains are looked up in lower case", () => {
    expect(normalizedDomain("LocalHost:8787")).toBe("localhost:8787");
  });
});

test.each([
  ["api.hop.example", true],
  ["hop.example", true],
  ["test.hop.example", true],
  ["x.hop.example", true],
  ["a.b.test.hop.example", true],
  ["cdn.example", true],
  ["eu.cdn.example", true],
  ["xhop.example", false],
  ["hop.example.com", false],
  ["example", false],
  ["go.ann.example", false],
])("%s is the service's: %s", (domain, isOurs) => {
  const hosts = hostsOf(
    {
      BASE_URL: "https://api.hop.example",
      SHORT_DOMAIN: "hop.example",
      TEST_SHORT_DOMAIN: "test.hop.example",
    },
    "",
  );
  expect(isServiceHost(domain, hosts, ["cdn.example"])).toBe(isOurs);
});
