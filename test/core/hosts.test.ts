import { describe, expect, test } from "vitest";

import { hostsOf } from "../../src/core/deployment/settings.ts";
import {
  parseRequestUrl,
  shortDomainOf,
  isCustomDomain,
  isDefaultDomain,
  isServiceShortDomain,
  RESERVED_SEGMENTS,
  shortUrl,
} from "../../src/core/hosts.ts";

const DEV = hostsOf(
  {
    BASE_URL: "http://localhost:8787",
    SHORT_DOMAIN: "localhost:8787",
    TEST_SHORT_DOMAIN: "test.localhost:8787",
  },
  "",
);
const DEPLOYED = hostsOf(
  {
    BASE_URL: "https://api.hop.example/",
    SHORT_DOMAIN: "Hop.Example",
    TEST_SHORT_DOMAIN: "test.hop.example",
  },
  "",
);

const SERVICE = { kind: "service" };

function visit(domain: string, slug: string, search = "") {
  return { kind: "visitor", domain, slug, search };
}

describe("1 configuration", () => {
  test("is parsed once: origin, host names, domains in lower case", () => {
    expect(DEPLOYED).toMatchObject({
      baseUrl: "https://api.hop.example",
      protocol: "https:",
      baseHostname: "api.hop.example",
      shortDomains: { live: "hop.example", test: "test.hop.example" },
    });
  });

  test("the reserved segments match the decisions", () => {
    const listed =
      "v1 api dashboard docs mcp cdn qr health ready assets openapi.json asyncapi.json llms.txt llms-full.txt robots.txt favicon.ico sitemap.xml .well-known setup report share oauth dev";
    expect([...RESERVED_SEGMENTS].sort()).toEqual(listed.split(" ").sort());
  });
});

describe("1 on the base host", () => {
  const segments = [...RESERVED_SEGMENTS];

  test.each(segments)("/%s is the service's", (segment) => {
    for (const path of [segment, `${segment}/`, `${segment}/more/of/it`, `${segment}?a=b`, `${segment}/x?to=/y`]) {
      expect({ path, ...parseRequestUrl(`http://localhost:8787/${path}`, DEV) }).toEqual({ path, ...SERVICE });
    }
    expect(parseRequestUrl(`http://localhost:8787/${segment.toUpperCase()}`, DEV)).toEqual(SERVICE);
  });

  test.each(["", "?a=b", "v2", "V10", "v2/links", "v0?a=b", "v123456789012345678901234567890"])(
    "/%s is the service's",
    (path) => {
      expect(parseRequestUrl(`http://localhost:8787/${path}`, DEV)).toEqual(SERVICE);
    },
  );

  test.each(["/", "//", "/v1", "/spring", "//evil.example/", "v", "v2x", "vv2", "v2.0", "v٣"])(
    "/%s is for visitors",
    (path) => {
      expect(parseRequestUrl(`http://localhost:8787/${path}`, DEV)).toEqual(visit("localhost:8787", path));
    },
  );

  test.each(segments)("segments that only begin like /%s are slugs", (segment) => {
    expect(parseRequestUrl(`http://localhost.:8787/${segment}x`, DEV)).toEqual(visit("localhost:8787", `${segment}x`));
    expect(parseRequestUrl(`http://localhost:8787/${segment}x`, DEV)).toEqual(visit("localhost:8787", `${segment}x`));
    expect(parseRequestUrl(`http://localhost:8787/x${segment}`, DEV)).toEqual(visit("localhost:8787", `x${segment}`));
    expect(parseRequestUrl(`http://localhost:8787/x/${segment}`, DEV)).toEqual(visit("localhost:8787", `x/${segment}`));
  });

  test("a reserved word in the query has no effect", () => {
    expect(parseRequestUrl("http://localhost:8787/spring?/v1", DEV)).toEqual(visit("localhost:8787", "spring", "/v1"));
  });
});

describe("1 on a short domain every path is for visitors", () => {
  test.each([...RESERVED_SEGMENTS, ""])("/%s", (path) => {
    expect(parseRequestUrl(`https://hop.example/${path}`, DEPLOYED)).toEqual(visit("hop.example", path));
    expect(parseRequestUrl(`http://test.localhost:8787/${path}`, DEV)).toEqual(visit("test.localhost:8787", path));
    expect(parseRequestUrl(`https://go.customer.example/${path}`, DEPLOYED)).toEqual(
      visit("go.customer.example", path),
    );
  });
});

describe("1 requests of visitors", () => {
  test.each([
    ["http://localhost:8787/Spring", visit("localhost:8787", "Spring")],
    ["http://localhost/spring", visit("localhost:8787", "spring")],
    ["http://localhost:9999/spring", visit("localhost:8787", "spring")],
    ["http://test.localhost:8787/spring", visit("test.localhost:8787", "spring")],
    ["http://go.customer.example:8787/spring", visit("go.customer.example", "spring")],
    ["http://localhost:8787/spring?", visit("localhost:8787", "spring")],
    ["http://localhost:8787/spring?a=b&c=d?e#", visit("localhost:8787", "spring", "a=b&c=d?e#")],
    [
      "http://localhost:8787/spring?u=http://x.example/y?z",
      visit("localhost:8787", "spring", "u=http://x.example/y?z"),
    ],
    ["http://localhost:8787/spring/", visit("localhost:8787", "spring/")],
    ["http://localhost:8787/a/b", visit("localhost:8787", "a/b")],
    ["http://localhost:8787/%73pring", visit("localhost:8787", "%73pring")],
    ["http://localhost:8787/%761/links", visit("localhost:8787", "%761/links")],
    ["http://localhost:8787/v1%2Flinks", visit("localhost:8787", "v1%2Flinks")],
    ["http://[::1]:8787/spring", visit("[::1]", "spring")],
    ["http://[::1]/spring", visit("[::1]", "spring")],
  ])("dev %s", (url, door) => {
    expect(parseRequestUrl(url, DEV)).toEqual(door);
  });

  test.each([
    ["https://hop.example/spring", visit("hop.example", "spring")],
    ["https://hop.example:8443/spring", visit("hop.example", "spring")],
    ["https://test.hop.example/spring?qr=1", visit("test.hop.example", "spring", "qr=1")],
    ["https://api.hop.example/spring", visit("api.hop.example", "spring")],
    ["https://xn--bcher-kva.example/a", visit("xn--bcher-kva.example", "a")],
  ])("deployed %s", (url, door) => {
    expect(parseRequestUrl(url, DEPLOYED)).toEqual(door);
  });

  test.each([
    ["localhost", DEV, "localhost:8787"],
    ["test.localhost", DEV, "test.localhost:8787"],
    ["sub.test.localhost", DEV, "sub.test.localhost"],
    ["hop.example", DEPLOYED, "hop.example"],
    ["nothop.example", DEPLOYED, "nothop.example"],
  ])("the short domain of %s", (hostname, hosts, domain) => {
    expect(shortDomainOf(hostname, hosts)).toBe(domain);
  });
});

describe("4 own short domains", () => {
  test.each([
    ["https://hop.example/x", true],
    ["http://HOP.example:8080/x", true],
    ["https://hop.example./x", true],
    ["https://test.hop.example/x", true],
    ["https://api.hop.example/x", false],
    ["https://hop.example.org/x", false],
    ["https://ahop.example/x", false],
  ])("deployed: %s %s", (url, own) => {
    expect(isServiceShortDomain(new URL(url), DEPLOYED)).toBe(own);
  });

  test.each([
    ["http://localhost:8787/x", true],
    ["https://localhost:8787/x", true],
    ["http://test.localhost.:8787/x", true],
    ["http://localhost/x", false],
    ["https://localhost/x", false],
    ["http://localhost:18787/x", false],
    ["http://127.0.0.1:8787/x", false],
  ])("in development: %s %s", (url, own) => {
    expect(isServiceShortDomain(new URL(url), DEV)).toBe(own);
  });

  test.each([
    ["http://hop.example/x", "hop.example:80", true],
    ["https://hop.example/x", "hop.example:443", true],
    ["https://hop.example/x", "hop.example:80", false],
  ])("%s on the default port of %s: %s", (url, domain, own) => {
    const hosts = hostsOf(
      { BASE_URL: "https://api.example", SHORT_DOMAIN: domain, TEST_SHORT_DOMAIN: "t.example" },
      "",
    );
    expect(isServiceShortDomain(new URL(url), hosts)).toBe(own);
  });
});

describe("2.1 short_url", () => {
  test.each([
    [DEV, "localhost:8787", "http://localhost:8787/Spring"],
    [DEPLOYED, "hop.example", "https://hop.example/Spring"],
    [DEPLOYED, "go.customer.example", "https://go.customer.example/Spring"],
  ])("of %o on %s", (hosts, domain, url) => {
    expect(shortUrl({ domain, slug: "Spring" }, hosts)).toBe(url);
    expect(parseRequestUrl(url, hosts)).toEqual(visit(domain, "Spring"));
  });
});

test.each([
  ["hop.example", false],
  ["test.hop.example", false],
  ["api.hop.example", false],
  ["go.ann.example", true],
  ["x.hop.example", true],
])("%s is a customer's domain: %s", (domain, isCustom) => {
  expect(isCustomDomain(domain, DEPLOYED)).toBe(isCustom);
});

test.each([
  [DEPLOYED, "hop.example", true],
  [DEPLOYED, "test.hop.example", true],
  [DEPLOYED, "api.hop.example", false],
  [DEPLOYED, "go.ann.example", false],
  [DEV, "localhost:8787", true],
  [hostsOf({ BASE_URL: "https://one.example" }, ""), "one.example", true],
  [hostsOf({}, "https://unrelated.example/"), "unrelated.example", false],
])("of %o, %s is one of the service's own short domains: %s", (hosts, domain, isDefault) => {
  expect(isDefaultDomain(domain, hosts)).toBe(isDefault);
});
