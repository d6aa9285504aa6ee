import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { mapFacts } from "../../../src/core/clicks/facts.ts";
import {
  preferredLanguage,
  type Geography,
  networkOf,
  parseReferrer,
  type RequestVisitor,
} from "../../../src/core/visitors/visitor.ts";
import { canonicalLanguage, withoutWww } from "../../../src/core/visitors/fact-values.ts";
import { userAgentDigest as digestOf } from "../../../src/core/visitors/visitor-hashes.ts";
import { hash32, splitOf, splitPercent, UNKNOWN_SPLIT } from "../../../src/core/visitors/split.ts";
import { requestVisitor } from "../../support/request-visitor.ts";

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const AT = 1_790_000_000_000;

function arrive(headers: Record<string, string> = {}, geography: Geography = {}): RequestVisitor {
  return requestVisitor({ headers, geography, search: "a=b", now: AT });
}

describe("5 language: the tag with the highest q, the first of equals", () => {
  test.each([
    ["de", "de"],
    ["DE-ch", "de-CH"],
    ["fr-CA, fr;q=0.9, en;q=0.8", "fr-CA"],
    ["en;q=0.5, de;q=0.9, fr;q=0.7", "de"],
    ["en;q=0.8,de;q=0.8", "en"],
    ["en;q=0.999,de;q=1", "de"],
    ["en;q=0.8, de", "de"],
    ["de;q=0, en;q=0.1", "en"],
    ["*, de;q=0.5", "de"],
    ["de ; q=0.3 , en ; Q=0.4", "en"],
    ["de;x=1;q=0.2, en;q=0.3", "en"],
    ["zh-hant-tw", "zh-Hant-TW"],
    [",, ,de", "de"],
    ["de;q=2, en;q=0.1", "en"],
    ["de;q=-1, en;q=0.1", "en"],
    ["de;q=abc, en;q=0.1", "en"],
    ["de;q=, en;q=0.1", "en"],
    ["de;q=NaN, en;q=0.1", "en"],
    ["en_US, de;q=0.1", "de"],
  ])("%s: %s", (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });

  test.each([
    "",
    "*",
    "*;q=0.5",
    "de;q=0",
    "de;q=0.0",
    ";q=1",
    "english",
    "d",
    "<script>",
    "de-",
    "-de",
    "💥",
    "x-klingon",
  ])("%j names no language", (header) => {
    expect(preferredLanguage(header)).toBeNull();
  });

  test.each([
    ["EN-gb", "en-GB"],
    ["sr-LATN-rs", "sr-Latn-RS"],
    ["iw", "he"],
    ["de-a-b-c-d-e", null],
    ["de-ch-ch", null],
    ["deutsch", null],
    ["", null],
  ])("a tag's canonical form: %s is %s", (tag, canonical) => {
    expect(canonicalLanguage(tag)).toBe(canonical);
  });

  test("property: any header gives null or a canonical tag, the same at every call", () => {
    const item = fc.oneof(fc.string(), fc.constantFrom("de", "en-US;q=0.5", "*", ";q=1", "fr;q=1.1"));
    fc.assert(
      fc.property(fc.array(item), (items) => {
        const language = preferredLanguage(items.join(","));
        if (language !== null) expect(canonicalLanguage(language)).toBe(language);
        expect(preferredLanguage(items.join(","))).toBe(language);
      }),
    );
  });
});

describe("7 referrer: lower-case host without www., or app:<package>", () => {
  test.each([
    ["https://www.Example.com/path?q=1#x", "example.com"],
    ["http://example.com:8080/", "example.com"],
    ["https://user:pass@example.com/", "example.com"],
    ["https://example.com./", "example.com"],
    ["https://m.www.example.com/", "m.www.example.com"],
    ["https://wwww.example.com/", "wwww.example.com"],
    ["https://bücher.example/", "xn--bcher-kva.example"],
    ["https://192.0.2.1/", "192.0.2.1"],
    ["https://[2001:DB8::1]/", "[2001:db8::1]"],
    ["android-app://com.Slack/", "app:com.Slack"],
    ["android-app://com.google.android.gm", "app:com.google.android.gm"],
    ["android-app://com.twitter.android/https/example.com", "app:com.twitter.android"],
  ])("%s: %s", (header, referrer) => {
    expect(parseReferrer(header)).toBe(referrer);
  });

  test.each([
    "",
    "about:blank",
    "about:client",
    "example.com",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://example.com/",
    "chrome-extension://abc/",
    "android-app://",
    "android-app:///x",
    "https://",
    "https://exa mple.com/",
    `https://${"a.".repeat(130)}com/`,
    "null",
  ])("%.40j is not a referrer", (header) => {
    expect(parseReferrer(header)).toBeNull();
  });

  test.each([
    ["WWW.Example.com", "example.com"],
    ["www.example.com.", "example.com"],
    ["www.www.example.com", "www.example.com"],
    ["example.www.com", "example.www.com"],
    ["www.", "www"],
    ["www", "www"],
  ])("hosts are compared without www. and the root's dot: %s is %s", (host, bare) => {
    expect(withoutWww(host)).toBe(bare);
  });
});

describe("6 a visit's class", () => {
  test.each([
    [{}, "human"],
    [{ "sec-purpose": "prefetch" }, "prefetch"],
    [{ "sec-purpose": "prefetch;prerender" }, "prefetch"],
    [{ "sec-purpose": "prefetch;anonymous-client-ip" }, "prefetch"],
    [{ purpose: "prefetch" }, "prefetch"],
    [{ purpose: "Prefetch" }, "prefetch"],
    [{ "x-moz": "prefetch" }, "prefetch"],
    [{ purpose: "preview", "x-moz": "", "sec-purpose": "navigate" }, "human"],
    [{ "x-purpose": "prefetch", "sec-fetch-mode": "prefetch" }, "human"],
  ])("of a browser with %j: %s", (headers, expected) => {
    expect(arrive({ "user-agent": CHROME, ...headers }).class).toBe(expected);
  });

  test.each([
    ["Googlebot/2.1 (+http://www.google.com/bot.html)", "bot"],
    ["facebookexternalhit/1.1", "bot"],
    ["curl/8.5.0", "human"],
    ["python-requests/2.31", "human"],
    ["", "human"],
  ])("of %j: %s", (userAgent, expected) => {
    expect(arrive({ "user-agent": userAgent }).class).toBe(expected);
  });

  test("a prefetching bot is a bot", () => {
    expect(arrive({ "user-agent": "Googlebot/2.1", "sec-purpose": "prefetch" }).class).toBe("bot");
  });
});

describe("7 hosts without www.", () => {
  test.each([
    ["www.example.com", "example.com"],
    ["WWW.Example.com.", "example.com"],
    ["www.com", "www.com"],
    ["www.com.", "www.com"],
    ["wwwexample.com", "wwwexample.com"],
  ])("%s is %s", (hostname, expected) => {
    expect(withoutWww(hostname)).toBe(expected);
  });
});

test("6 a prefetch is recognized by any of its headers, even if another header says otherwise", () => {
  expect(arrive({ "sec-purpose": "x", "x-moz": "prefetch" }).class).toBe("prefetch");
});

describe("5 the facts of a request", () => {
  test("missing facts are unknown", () => {
    const { query, splitPoint: point, network, source, at, userAgentDigest } = arrive();
    expect({ ...arrive(), query, point, network, source, at, userAgentDigest }).toEqual({
      ...mapFacts(() => null),
      country: "XX",
      device: "other",
      os: "other",
      browser: "other",
      class: "human",
      query: new Map([["a", new Set(["b"])]]),
      source: "link",
      at: AT,
      point: null,
      network: null,
      userAgentDigest: digestOf(""),
    });
  });

  test("the edge's geography, the client's headers", () => {
    const visitor = arrive(
      { "user-agent": CHROME, "accept-language": "de-CH,de;q=0.9", referer: "https://www.example.com/x" },
      { country: "US", continent: "NA", regionCode: "TX", city: "Austin" },
    );
    expect(visitor).toMatchObject({
      country: "US",
      continent: "NA",
      region: "US-TX",
      city: "Austin",
      device: "desktop",
      os: "windows",
      browser: "chrome",
      language: "de-CH",
      referrer: "example.com",
    });
  });

  test("client hints take precedence over the User-Agent", () => {
    const visitor = arrive({
      "user-agent": CHROME,
      "sec-ch-ua-mobile": "?1",
      "sec-ch-ua-platform": '"Android"',
      "sec-ch-ua": '"Microsoft Edge";v="131", "Chromium";v="131"',
    });
    expect(visitor).toMatchObject({ device: "mobile", os: "android", browser: "edge" });
  });

  test.each([
    [
      { country: "", continent: "", regionCode: "", city: "" },
      { country: "XX", continent: null, region: null, city: null },
    ],
    [
      { country: null, continent: null, regionCode: null, city: null },
      { country: "XX", region: null, city: null },
    ],
    [{ country: "T1" }, { country: "T1", continent: null }],
    [{ city: "New York" }, { city: "New York" }],
    [{ city: "x".repeat(500) }, { city: "x".repeat(100) }],
  ])("%j", (geography, facts) => {
    expect(arrive({}, geography)).toMatchObject(facts);
  });

  test.each([
    ["user-agent", "Mozilla/5.0 ".repeat(10_000)],
    ["user-agent", "\u00ff".repeat(4_096)],
    ["accept-language", "de;q=0.5,".repeat(50_000)],
    ["accept-language", `${"x".repeat(1_000)},de`],
    ["referer", `https://example.com/${"a".repeat(100_000)}`],
    ["referer", `https://${"a".repeat(100_000)}.com/`],
    ["referer", "https://[::1"],
    ["sec-ch-ua", '"'.repeat(100_000)],
    ["sec-ch-ua-platform", '"Android'],
    ["sec-ch-ua-mobile", "?1, ?0"],
    ["sec-purpose", ";".repeat(100_000)],
    ["cf-connecting-ip", "x".repeat(100_000)],
  ])("a hostile %s is harmless", (name, value) => {
    const start = performance.now();
    const visitor = arrive({ [name]: value });
    expect(visitor.splitPoint === null || visitor.splitPoint < 100).toBe(true);
    expect(visitor.referrer === null || visitor.referrer === "example.com").toBe(true);
    expect([null, "de"]).toContain(visitor.language);
    expect(JSON.stringify(visitor).length).toBeLessThan(1_000);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  test("property: no set of headers makes it throw, or return text with more than one line", () => {
    const names = ["user-agent", "accept-language", "referer", "sec-ch-ua", "sec-ch-ua-platform", "sec-ch-ua-mobile"];
    const value = fc.string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), fc.string(), (headers, city) => {
        const visitor = arrive(headers, { city });
        for (const fact of Object.values(visitor)) expect(String(fact)).not.toMatch(/[\r\n]/);
      }),
    );
  });

  test("6 no IP address and no User-Agent is available for storage", () => {
    const visitor = arrive({ "user-agent": CHROME, "cf-connecting-ip": "192.0.2.7" });
    const seen = JSON.stringify({ ...visitor });
    expect(seen).not.toContain("192.0.2.7");
    expect(seen).not.toContain("Mozilla");
    expect(JSON.stringify(visitor)).toBe(seen);
  });
});

describe("5 percent: a visitor's place", () => {
  /** Network 192.0.2.7 with curl on the link lnk_1. */
  const PLACE = 50_247;
  const pointOf = (linkId: string, network: string, userAgent: string) =>
    splitPercent(splitOf(linkId, network, digestOf(userAgent))) ?? NaN;
  const at = (headers: Record<string, string>, linkId = "lnk_1") =>
    requestVisitor({ headers, linkId, now: Math.random() * 1e12 }).splitPoint;

  test("stays the same when other facts change", () => {
    const first = at({ "cf-connecting-ip": "192.0.2.7", "user-agent": CHROME });
    expect(first).not.toBeNull();
    expect(at({ "cf-connecting-ip": "192.0.2.7", "user-agent": CHROME, referer: "https://x.example/" })).toBe(first);
  });

  test("stays the same within an IPv6 /64 network, in which addresses change daily", () => {
    const from = (ip: string) => at({ "cf-connecting-ip": ip, "user-agent": CHROME });
    expect(from("2001:db8:1:2:aaaa::1")).toBe(from("2001:db8:1:2:bbbb:cccc:dddd:1"));
    expect(from("2001:db8:1:3:aaaa::1")).not.toBe(from("2001:db8:1:2:aaaa::1"));
  });

  test.each([
    ["2001:db8::a:b:c:d", "2001:db8:0:0:1:2:3:4"],
    ["2001:db8::a:b:c:d", "2001:DB8:0000:0::"],
    ["2001:db8:1::a", "2001:db8:1:0:b:c:d:e"],
    ["::a:b:c:d", "::1"],
    ["1::", "1::2"],
  ])("%s and %s are of one network, however they are written", (one, other) => {
    const network = (ip: string) => networkOf(new Headers({ "cf-connecting-ip": ip }));
    expect(network(one)).toBe(network(other));
    expect(network(one)).not.toBe(network("2001:db8:1:2::a"));
  });

  test("differs between visitors, devices and links", () => {
    const points = [
      at({ "cf-connecting-ip": "192.0.2.7", "user-agent": CHROME }),
      at({ "cf-connecting-ip": "192.0.2.8", "user-agent": CHROME }),
      at({ "cf-connecting-ip": "192.0.2.7", "user-agent": "curl/8.5.0" }),
      at({ "cf-connecting-ip": "192.0.2.7", "user-agent": CHROME }, "lnk_2"),
    ];
    expect(new Set(points).size).toBe(points.length);
  });

  test("is unknown without an address", () => {
    expect(at({ "user-agent": CHROME })).toBeNull();
  });

  test("a visitor has the same place in every release", () => {
    expect(splitOf("lnk_1", "192.0.2.7", digestOf("curl"))).toBe(PLACE);
    expect(hash32("lnk_1|192.0.2.7|curl") / 2 ** 32).toBeCloseTo(0.63123823307, 8);
  });

  test("rules test a value derived from the 16 bits that clicks store", () => {
    const visitor = arrive({ "cf-connecting-ip": "192.0.2.7", "user-agent": "curl" });
    expect([visitor.split, visitor.splitPoint]).toEqual([PLACE, splitPercent(PLACE)]);
    expect([0, 32_768, 65_534, UNKNOWN_SPLIT].map(splitPercent)).toEqual([0, 50, (65_534 / 65_536) * 100, null]);
    expect(arrive().split).toBe(UNKNOWN_SPLIT);
  });

  test.each([
    ["addresses in a row", (i: number) => pointOf("lnk_1", `10.0.${i >> 8}.${i & 255}`, CHROME)],
    ["links in a row", (i: number) => pointOf(`lnk_${i}`, "192.0.2.7", CHROME)],
    ["User-Agents in a row", (i: number) => pointOf("lnk_1", "192.0.2.7", `Chrome/${i}.0`)],
  ])("is evenly distributed over %s", (_name, point) => {
    const bins = Array.from({ length: 20 }, () => 0);
    const visitors = 20_000;
    for (let i = 0; i < visitors; i++) {
      const bin = Math.floor(point(i) / 5);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    expect(bins.length).toBe(20);
    // 1,000 are expected in each; the standard deviation is 31.
    for (const count of bins) expect(Math.abs(count - visitors / 20)).toBeLessThan(6 * 31);
  });

  test("splits of two links are independent", () => {
    let both = 0;
    const visitors = 20_000;
    for (let i = 0; i < visitors; i++) {
      const network = `10.0.${i >> 8}.${i & 255}`;
      if (pointOf("lnk_a", network, CHROME) < 50 && pointOf("lnk_b", network, CHROME) < 50) both++;
    }
    expect(Math.abs(both / visitors - 0.25)).toBeLessThan(0.02);
  });

  test("property: from 0 to under 100", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const point = pointOf("lnk_1", "192.0.2.7", text);
        expect(point >= 0 && point < 100).toBe(true);
      }),
    );
  });
});
