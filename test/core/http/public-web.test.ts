import { expect, test } from "vitest";

import { fetchableUrl, isPublicAddress } from "../../../src/core/http/public-web.ts";

test.each(["https://example.com/a?b#c", "http://www.example.co.uk/", "https://münchen.example/"])("%s", (text) => {
  expect(fetchableUrl(text)?.href).toBe(new URL(text).href);
});

test.each([
  "ftp://example.com/",
  "javascript:alert(1)",
  "https://localhost/",
  "https://intranet/",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://[::1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://1.1.1.1./",
  "https://example.com:8080/",
  "https://user:password@example.com/",
  `https://${"a".repeat(300)}.example/`,
  "",
])("not %s", (text) => {
  expect(fetchableUrl(text)).toBeNull();
});

test("a redirect is resolved against the page that it comes from", () => {
  const base = new URL("https://example.com/a/b");
  expect(fetchableUrl("../c", base)?.href).toBe("https://example.com/c");
  expect(fetchableUrl("//192.168.0.1/", base)).toBeNull();
  // A long host takes quadratic time to parse, and no valid one is so long.
  expect(fetchableUrl(`/${"a".repeat(3_000)}`, base)).toBeNull();
});

test.each([
  ["93.184.215.14", true],
  ["2606:2800:21f:cb07:6820:80da:af6b:8b2c", true],
  ["::ffff:93.184.215.14", true],
  ["10.0.0.1", false],
  ["172.16.0.1", false],
  ["192.168.1.1", false],
  ["127.0.0.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["0.0.0.0", false],
  ["192.0.2.1", false],
  ["198.18.0.1", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["fe80::1", false],
  ["fd00::1", false],
  ["::ffff:127.0.0.1", false],
  ["64:ff9b::7f00:1", false],
  ["2002:7f00:1::", false],
  ["not an address", false],
])("%s is public: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});
