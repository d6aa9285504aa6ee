/** Destinations as users type them. */
import { describe, expect, test } from "vitest";

import { completeUrl } from "../../../src/core/links/typed-url.ts";

describe("a host without a scheme gets https", () => {
  test.each([
    ["example.com", "https://example.com"],
    ["example.com/x", "https://example.com/x"],
    ["  example.com/x  ", "https://example.com/x"],
    ["www.example.co.uk?a=1", "https://www.example.co.uk?a=1"],
    ["example.com#top", "https://example.com#top"],
    ["example.com:8443/x", "https://example.com:8443/x"],
    ["example.com./x", "https://example.com./x"],
    ["//example.com/x", "https://example.com/x"],
    ["EXAMPLE.com/X", "https://EXAMPLE.com/X"],
    ["a_b.example.com", "https://a_b.example.com"],
    ["münchen.example/straße", "https://münchen.example/straße"],
    ["例え.テスト/道", "https://例え.テスト/道"],
    ["xn--mnchen-3ya.example", "https://xn--mnchen-3ya.example"],
    ["192.0.2.1:8080/x", "https://192.0.2.1:8080/x"],
    ["example.com/a:b@c", "https://example.com/a:b@c"],
  ])("%s", (typed, url) => expect(completeUrl(typed)).toBe(url));
});

describe("everything else stays unchanged", () => {
  test.each([
    "",
    "https://example.com/x",
    "HTTP://example.com",
    "http:/example.com",
    "ftp://example.com",
    "javascript:alert(1)",
    "javascript:1.2.3.4/x",
    "java.script:alert(1)",
    "data:text/html,a.b",
    "mailto:ann@example.com",
    "ann@example.com",
    "user:password@example.com",
    "localhost:3000",
    "example",
    "two words.example",
    "1.5",
    "1.2.3",
    ".example.com",
    "example..com",
    "/a.b/c",
    "///example.com",
    "[2001:db8::1]/x",
  ])("%s", (typed) => expect(completeUrl(typed)).toBe(typed));
});

test("the time for a long text is linear in its length", () => {
  const began = performance.now();
  completeUrl(`${"a.".repeat(50_000)}!`);
  completeUrl("1.".repeat(50_000));
  completeUrl(`${"a-".repeat(50_000)} `);
  expect(performance.now() - began).toBeLessThan(1_000);
});
