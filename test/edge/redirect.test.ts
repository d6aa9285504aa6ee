/**
 * Where visitors go, from outside: requests to short URLs, and the responses that browsers receive. What each condition
 * accepts in detail is tested in `test/core`; here each one must take effect for a visitor.
 */
import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { type Link, LinkPage } from "../../src/core/contract/links.ts";
import { RESERVED_SEGMENTS } from "../../src/core/hosts.ts";
import { addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { notifyLinkObject } from "../../src/store/link-object-client.ts";
import { type LinkRow, snapshotOf } from "../../src/store/links/link-rows.ts";
import { setLinkDisabled } from "../../src/store/links/operator-links.ts";
import worker from "../../src/worker.ts";
import { queryLinks, type SqlValue, withDatabases } from "../support/link-databases.ts";
import { fetchAt } from "../support/changed-env.ts";
import { premiumAccount, send, visit, type VisitOptions } from "../support/test-accounts.ts";
import { errorOf } from "../support/api-response.ts";
import { validationFailed } from "../support/expected-errors.ts";
import {
  ANDROID_CHROME,
  CURL,
  GOOGLEBOT,
  IPAD_SAFARI,
  IPHONE_SAFARI,
  LINUX_FIREFOX,
} from "../support/sample-user-agents.ts";
import { MAC_SAFARI, WINDOWS_CHROME, WINDOWS_EDGE } from "../support/sample-user-agents.ts";
import { freezeClockAt } from "../support/clock.ts";
import { watchDatabase } from "../support/watched-database.ts";

// Thousands of requests on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 30_000 });

const HOST = "http://localhost:8787";
const TEST_HOST = "http://test.localhost:8787";

let slugs = 0;
const newSlug = () => `redirect-${++slugs}`;

const ann = await premiumAccount();

afterEach(() => {
  vi.useRealTimers();
});

/** Destination of a visit; any response other than a redirect fails with its status and text. */
async function destination(shortUrl: string, facts: VisitOptions = {}): Promise<string | null> {
  const reply = await visit(shortUrl, facts);
  if (reply.status !== 302) throw new Error(`${reply.status}: ${await reply.text()}`);
  return reply.headers.get("Location");
}

async function listed(query: Record<string, string>): Promise<unknown> {
  return LinkPage.parse((await ann.call("GET", `/v1/links?${new URLSearchParams(query)}`)).body).data;
}

describe("1.1, 6 the response", () => {
  test("1.1 a visit is a 302 to the link's url that no cache stores", async () => {
    const link = await ann.createLink({ url: "https://example.com/a%2Fb?x=1&y=#part" });
    const reply = await visit(link.short_url);
    expect(reply.status).toBe(302);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      location: "https://example.com/a%2Fb?x=1&y=#part",
      "cache-control": "private, no-store",
    });
    expect(await reply.text()).toBe("");
  });

  test.for([
    ["https://Example.com", "https://Example.com"],
    ["https://example.com/a/../b?q='\"{}|", "https://example.com/a/../b?q='%22%7B%7D%7C"],
    [
      "https://example.com/a[1]|b^c`d\\e<f>?g[]={h}\\#i|[j]",
      "https://example.com/a%5B1%5D%7Cb%5Ec%60d%5Ce%3Cf%3E?g%5B%5D=%7Bh%7D%5C#i%7C%5Bj%5D",
    ],
    ["https://example.com/%41%2f%5B?q=%7c+100%#%zz#", "https://example.com/%41%2f%5B?q=%7c+100%25#%25zz%23"],
    ["HTTPS://Example.com:443/a//b/./?b=2&a=1&&", "HTTPS://Example.com:443/a//b/./?b=2&a=1&&"],
    ["https://[2001:db8::1]:8443/a[0]", "https://[2001:db8::1]:8443/a%5B0%5D"],
    ["https://example.com?q=[ü]", "https://example.com?q=%5B%C3%BC%5D"],
    ["https://example.com/straße?q=ü#é", "https://example.com/stra%C3%9Fe?q=%C3%BC#%C3%A9"],
    ["https://münchen.example/ä", "https://xn--mnchen-3ya.example/%C3%A4"],
    ["https://example.com/🎈", "https://example.com/%F0%9F%8E%88"],
  ] as const)("6 Location of %s is exact, but for what a URI cannot hold: percent-encoded", async ([url, location]) => {
    const link = await ann.createLink({ url });
    expect(link.url).toBe(url);
    expect(await destination(link.short_url)).toBe(location);
  });

  test("6 the longest destination arrives whole", async () => {
    const url = `https://example.com/${"a".repeat(8_192 - "https://example.com/".length)}`;
    const link = await ann.createLink({ url });
    expect(await destination(link.short_url)).toBe(url);
  });

  test("6 HEAD is answered like GET, but not counted", async () => {
    const link = await ann.createLink();
    const head = await visit(link.short_url, { method: "HEAD" });
    expect([head.status, head.headers.get("Location"), head.headers.get("Cache-Control")]).toEqual([
      302,
      "https://example.com/",
      "private, no-store",
    ]);
    await visit(link.short_url);
    expect((await ann.statsAfter(1, link, { include_bots: "true" })).total).toBe(1);
  });

  test.for(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("6 %s to a link answers 405 with Allow", async (method) => {
    const link = await ann.createLink();
    const reply = await visit(link.short_url, { method, headers: { Accept: "application/json" } });
    expect(reply.status).toBe(405);
    expect(reply.headers.get("Allow")).toBe("GET, HEAD");
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    expect(await reply.json()).toEqual({
      error: { code: "method_not_allowed", message: "Links accept only GET and HEAD requests" },
    });
  });

  test("4 slugs are matched regardless of case, encoded or not", async () => {
    const link = await ann.createLink({ slug: "MiXeD-Case_1", url: "https://example.com/mixed" });
    const paths = [link.slug, "mixed-case_1", "MIXED-CASE_1", "%6Dixed-case%5F1", "mixed%2dcase_1"];
    for (const path of paths) expect(await destination(`${HOST}/${path}`)).toBe("https://example.com/mixed");
  });

  test("4 slugs of any script are matched in any case and every form; with statistics, scans, exports and searches", async () => {
    const slug = `${newSlug()}/Größe-❤️`;
    const link = await ann.createLink({ slug, url: "https://example.com/unicode" });
    const path = link.short_url.slice(HOST.length + 1);
    const forms = [slug.normalize("NFD"), slug.toUpperCase(), slug.replace("\ufe0f", ""), slug.replace("ß", "ss")];
    const lowerHex = path.replace(/%../g, (byte) => byte.toLowerCase());
    for (const form of [path, `${path}/`, lowerHex, slug, ...forms])
      expect(await destination(`${HOST}/${form}`)).toBe("https://example.com/unicode");
    for (const other of [path.replace("/", "//"), path.replace("/", "%2F"), path.replace("/", "%5C"), `${path}a`])
      await expectMissing(`${HOST}/${other}`);
    await expectMissing(`${HOST}/${encodeURIComponent(path)}`);
    const code = await ann.createQrCode(link);
    await destination(`${link.short_url}?qr=${code.id.slice("qr_".length)}`);
    expect((await ann.statsAfter(9, link)).total).toBe(9);
    expect((await ann.qrCode(code)).scans).toBe(1);
    const csv = await ann.call("GET", `/v1/links/${link.id}/clicks`, undefined, { Accept: "text/csv" });
    expect(csv.headers.get("Content-Disposition")).toBe(
      `attachment; filename="${slug.replaceAll(/[^\w.~-]/g, "_")}-clicks.csv"; filename*=UTF-8''${encodeURIComponent(slug)}-clicks.csv`,
    );
    for (const query of [{ slug: forms[1] ?? "" }, { short_url: link.short_url }, { short_url: `${HOST}/${forms[0]}` }])
      expect(await listed(query)).toEqual([link]);
    expect(await listed({ search: "GRÖSSE-❤" })).toEqual([link]);
    expect(await listed({ search: slug.slice(0, -4) })).toEqual([link]);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect((await visit(`${HOST}/${forms[0]}`)).status).toBe(410);
  });

  test("1 live and test links with the same slug coexist", async () => {
    const slug = newSlug();
    const live = await ann.createLink({ slug, url: "https://example.com/live" });
    const tester = await ann.withKey("test");
    const test_ = await tester.createLink({ slug, url: "https://example.com/test" });
    expect([live.short_url, test_.short_url]).toEqual([`${HOST}/${slug}`, `${TEST_HOST}/${slug}`]);
    expect(await destination(live.short_url)).toBe("https://example.com/live");
    expect(await destination(test_.short_url)).toBe("https://example.com/test");
    expect((await ann.statsAfter(1, live)).total).toBe(1);
    expect((await tester.statsAfter(1, test_)).total).toBe(1);
  });

  test("1 a link answers on its own domain only", async () => {
    const live = await ann.createLink();
    for (const host of [TEST_HOST, "http://go.customer.example", "http://127.0.0.1:8787"]) {
      expect((await visit(`${host}/${live.slug}`)).status).toBe(404);
    }
  });
});

/** A rule's condition, a visitor who meets it, and one who does not. */
type Case = [what: string, condition: Record<string, unknown>, meets: VisitOptions, fails: VisitOptions];

const by = (headers: Record<string, string>): VisitOptions => ({ headers });
const ua = (userAgent: string) => by({ "User-Agent": userAgent });
const hinted = (userAgent: string, mobile: string, platform: string, brand: string) =>
  by({
    "User-Agent": userAgent,
    "Sec-CH-UA-Mobile": mobile,
    "Sec-CH-UA-Platform": `"${platform}"`,
    "Sec-CH-UA": `"Chromium";v="131", "${brand}";v="131", "Not_A Brand";v="24"`,
  });

const CASES: Case[] = [
  ["country", { country: "DE" }, { country: "DE" }, { country: "AT" }],
  ["country in lower case", { country: "de" }, { country: "DE" }, {}],
  ["country, any of", { country: ["AT", "DE"] }, { country: "AT" }, { country: "CH" }],
  ["unknown country", { country: "XX" }, {}, { country: "DE" }],
  ["Tor", { country: "T1" }, { country: "T1" }, { country: "XX" }],
  ["continent", { continent: "EU" }, { country: "DE", continent: "EU" }, { country: "DE" }],
  ["region", { region: "US-TX" }, { country: "US", region: "TX" }, { country: "US", region: "NY" }],
  ["city", { city: "Berlin" }, { country: "DE", city: "berlin" }, { country: "DE", city: "Bern" }],
  ["city beyond ASCII", { city: "zürich" }, { city: "Zürich" }, { city: "Zurich" }],
  ["device mobile", { device: "mobile" }, ua(IPHONE_SAFARI), ua(MAC_SAFARI)],
  ["device tablet", { device: "tablet" }, ua(IPAD_SAFARI), ua(IPHONE_SAFARI)],
  ["device desktop", { device: "desktop" }, ua(WINDOWS_CHROME), ua(ANDROID_CHROME)],
  ["device other", { device: "other" }, ua(CURL), ua(WINDOWS_CHROME)],
  ["os", { os: ["ios", "macos"] }, ua(MAC_SAFARI), ua(LINUX_FIREFOX)],
  ["browser", { browser: "edge" }, ua(WINDOWS_EDGE), ua(WINDOWS_CHROME)],
  [
    "device, a client hint wins over the User-Agent",
    { device: "mobile" },
    hinted(WINDOWS_CHROME, "?1", "Android", "Google Chrome"),
    hinted(ANDROID_CHROME, "?0", "Windows", "Google Chrome"),
  ],
  [
    "os, a client hint wins over the User-Agent",
    { os: "android" },
    hinted(LINUX_FIREFOX, "?1", "Android", "Google Chrome"),
    hinted(ANDROID_CHROME, "?0", "Linux", "Google Chrome"),
  ],
  [
    "browser, a client hint wins over the User-Agent",
    { browser: "edge" },
    hinted(WINDOWS_CHROME, "?0", "Windows", "Microsoft Edge"),
    hinted(WINDOWS_EDGE, "?0", "Windows", "Google Chrome"),
  ],
  ["language", { language: "de" }, by({ "Accept-Language": "de-CH" }), by({ "Accept-Language": "den" })],
  [
    "language, the best by q",
    { language: "fr" },
    by({ "Accept-Language": "de;q=0.3, fr;q=0.9, en;q=0.8" }),
    by({ "Accept-Language": "fr;q=0.3, de" }),
  ],
  [
    "referrer, the host or a sub-host",
    { referrer: "example.org" },
    by({ Referer: "https://news.example.org/page?x=1" }),
    by({ Referer: "https://badexample.org/" }),
  ],
  [
    "referrer app",
    { referrer: "app:com.google.android.gm" },
    by({ Referer: "android-app://com.google.android.gm/" }),
    by({ Referer: "https://com.google.android.gm/" }),
  ],
  ["query value", { query: { ref: "a b" } }, { search: "?x=1&ref=a+b" }, { search: "?ref=a" }],
  ["query present", { query: { ref: true } }, { search: "?ref" }, { search: "?reference=1" }],
  ["utm_source", { utm_source: "News" }, { search: "?utm_source=nEWS" }, { search: "?utm_source=x&utm_source=news" }],
  ["utm_medium", { utm_medium: ["email", "sms"] }, { search: "?a&utm_medium=SMS" }, { search: "?UTM_MEDIUM=sms" }],
  ["utm_campaign", { utm_campaign: "a b" }, { search: "?utm_campaign=a+B" }, { search: "?utm_campaign=" }],
  ["utm_term", { utm_term: "x" }, { search: "?%75tm_term=X" }, { search: "?utm_terms=x" }],
  ["utm_content", { not: { utm_content: "x" } }, { search: "" }, { search: "?utm_content=X" }],
  ["query, any of", { query: { ref: ["x", "y"] } }, { search: "?ref=z&ref=y" }, { search: "?ref=z" }],
  ["source", { source: "link", country: "DE" }, { country: "DE" }, {}],
  ["percent 100", { percent: 100 }, by({ "CF-Connecting-IP": "192.0.2.1" }), {}],
  [
    "several keys at once",
    { country: "DE", device: "mobile" },
    { country: "DE", ...ua(IPHONE_SAFARI) },
    { country: "DE", ...ua(MAC_SAFARI) },
  ],
  ["not", { not: { country: "US" } }, { country: "DE" }, { country: "US" }],
  ["not, of an unknown fact", { not: { language: "de" } }, {}, by({ "Accept-Language": "de" })],
];

describe("2.2, 5 rules", () => {
  test.for(CASES)(
    "2.2 %s: visitors who meet the condition go to the rule's destination",
    async ([, condition, meets, fails]) => {
      const link = await ann.createLink({
        url: "https://example.com/else",
        routing: [{ if: condition, to: "https://example.com/rule" }],
      });
      expect(await destination(link.short_url, meets)).toBe("https://example.com/rule");
      expect(await destination(link.short_url, fails)).toBe("https://example.com/else");
    },
  );

  test("2.2 the first matching rule wins; without one, visitors go to the link's url", async () => {
    const link = await ann.createLink({
      url: "https://example.com/else",
      routing: [
        { if: { country: "DE", device: "mobile" }, to: "https://example.com/1" },
        { if: { country: "DE" }, to: "https://example.com/2" },
        { if: { device: "mobile" }, to: "https://example.com/3" },
        { if: { country: ["DE", "FR"] }, to: "https://example.com/4" },
      ],
    });
    const routes: [VisitOptions, string][] = [
      [{ country: "DE", ...ua(IPHONE_SAFARI) }, "https://example.com/1"],
      [{ country: "DE", ...ua(MAC_SAFARI) }, "https://example.com/2"],
      [{ country: "FR", ...ua(IPHONE_SAFARI) }, "https://example.com/3"],
      [{ country: "FR", ...ua(MAC_SAFARI) }, "https://example.com/4"],
      [{ country: "US", ...ua(MAC_SAFARI) }, "https://example.com/else"],
    ];
    for (const [facts, url] of routes) expect(await destination(link.short_url, facts)).toBe(url);
  });

  test("5 after and before change at the exact millisecond", async () => {
    freezeClockAt("2030-01-01T00:00:00Z");
    const link = await ann.createLink({
      url: "https://example.com/else",
      routing: [
        { if: { before: "2030-01-01T01:00:00+01:00" }, to: "https://example.com/never" },
        { if: { before: "2030-01-01T00:00:01Z" }, to: "https://example.com/before" },
        { if: { after: "2030-01-01T00:00:02Z" }, to: "https://example.com/after" },
      ],
    });
    const times = [
      ["2030-01-01T00:00:00.999Z", "https://example.com/before"],
      ["2030-01-01T00:00:01.000Z", "https://example.com/else"],
      ["2030-01-01T00:00:01.999Z", "https://example.com/else"],
      ["2030-01-01T00:00:02.000Z", "https://example.com/after"],
    ] as const;
    for (const [at, url] of times) {
      freezeClockAt(at);
      expect(await destination(link.short_url)).toBe(url);
    }
  });

  test("5 time is the wall clock of its zone, over midnight and across a clock change", async () => {
    // Saturday; clocks in Berlin go back at 01:00 UTC on Sunday, the 25th.
    freezeClockAt("2026-10-24T12:00:00Z");
    const link = await ann.createLink({
      url: "https://example.com/day",
      routing: [
        {
          if: { time: { tz: "Europe/Berlin", days: ["sat"], from: "22:00", to: "06:00" } },
          to: "https://example.com/night",
        },
      ],
    });
    const times = [
      ["2026-10-24T19:59:59.999Z", "https://example.com/day"],
      ["2026-10-24T20:00:00.000Z", "https://example.com/night"],
      ["2026-10-25T04:59:59.999Z", "https://example.com/night"],
      ["2026-10-25T05:00:00.000Z", "https://example.com/day"],
      ["2026-10-25T21:30:00.000Z", "https://example.com/day"],
    ] as const;
    for (const [at, url] of times) {
      freezeClockAt(at);
      expect(await destination(link.short_url)).toBe(url);
    }
  });

  test("5 percent splits visitors evenly, and each visitor keeps the same destination", async () => {
    const link = await ann.createLink({
      url: "https://example.com/c",
      routing: [
        { if: { percent: 30 }, to: "https://example.com/a" },
        { if: { percent: 60 }, to: "https://example.com/b" },
      ],
    });
    const visitors = Array.from({ length: 300 }, (_, i) =>
      by({ "CF-Connecting-IP": `198.51.100.${i % 250}`, "User-Agent": `${WINDOWS_CHROME} visitor/${i}` }),
    );
    await visit(link.short_url, { method: "HEAD" }); // one look-up, not 300 that wait for each other
    const places = await Promise.all(visitors.map((facts) => destination(link.short_url, facts)));
    // Five standard deviations either way: which visitors go where differs from link to link.
    const strayed = (url: string, share: number) =>
      Math.abs(places.filter((place) => place === url).length / places.length - share);
    expect(strayed("https://example.com/a", 0.3)).toBeLessThan(0.14);
    expect(strayed("https://example.com/b", 0.3)).toBeLessThan(0.14);
    expect(strayed("https://example.com/c", 0.4)).toBeLessThan(0.14);
    for (const [i, facts] of visitors.slice(0, 40).entries()) {
      expect(await destination(link.short_url, { ...facts, country: "DE", search: "?again=1" })).toBe(places[i]);
    }
  });

  test("5 percent distinguishes visitors by address, and splits each link independently", async () => {
    const links = await Promise.all(
      Array.from({ length: 20 }, () =>
        ann.createLink({
          url: "https://example.com/b",
          routing: [{ if: { percent: 50 }, to: "https://example.com/a" }],
        }),
      ),
    );
    const placesOf = async (ip: string) => {
      const places: (string | null)[] = [];
      for (const { short_url } of links) places.push(await destination(short_url, by({ "CF-Connecting-IP": ip })));
      return places;
    };
    const [one, other] = [await placesOf("2001:db8:0:1::1"), await placesOf("2001:db8:0:2::1")];
    expect(new Set(one).size).toBe(2);
    expect(one).not.toEqual(other);
  });
});

describe("12 members that change the response", () => {
  test("12 noindex is a header of every redirect of the link, also to its fallback", async () => {
    const robots = async ({ short_url }: Link) => (await visit(short_url)).headers.get("X-Robots-Tag");
    const link = await ann.createLink({ noindex: true, url: "https://example.com/noindex" });
    expect(await robots(link)).toBe("noindex");
    // The response to the same destination is not shared with other links.
    expect(await robots(await ann.createLink({ url: "https://example.com/noindex" }))).toBeNull();
    const ended = await ann.updateLink(link, {
      expires_at: "2020-01-01T00:00:00Z",
      fallback_url: "https://example.com/f",
    });
    expect(await robots(ended)).toBe("noindex");
    expect(await robots(await ann.updateLink(link, { noindex: null }))).toBeNull();
  });

  test("12 redirect_status applies to url and rules, not to fallback_url, and no status is cached", async () => {
    const routing = [{ if: { country: "DE" }, to: "https://example.com/de" }];
    const link = await ann.createLink({ redirect_status: 301, url: "https://example.com/status", routing });
    const seen = async (facts: VisitOptions = {}) => {
      const { status, headers } = await visit(link.short_url, facts);
      return [status, headers.get("Location"), headers.get("Cache-Control")];
    };
    const NOT_CACHED = "private, no-store";
    expect(await seen()).toEqual([301, "https://example.com/status", NOT_CACHED]);
    expect(await seen({ country: "DE" })).toEqual([301, "https://example.com/de", NOT_CACHED]);
    expect(await seen({ method: "HEAD" })).toEqual([301, "https://example.com/status", NOT_CACHED]);
    expect((await seen({ method: "POST" }))[0]).toBe(405);
    // The response to the same destination is not shared with other links.
    const other = await ann.createLink({ url: "https://example.com/status" });
    expect((await visit(other.short_url)).status).toBe(302);
    for (const redirect_status of [307, 308]) {
      await ann.updateLink(link, { redirect_status, forward_query: true });
      expect(await seen({ search: "?a=1" })).toEqual([redirect_status, "https://example.com/status?a=1", NOT_CACHED]);
    }
    await ann.updateLink(link, { expires_at: "2020-01-01T00:00:00Z", fallback_url: "https://example.com/f" });
    expect(await seen()).toEqual([302, "https://example.com/f", NOT_CACHED]);
    expect(await ann.updateLink(link, { redirect_status: 302, expires_at: null })).not.toHaveProperty(
      "redirect_status",
    );
    expect((await seen())[0]).toBe(302);
    expect((await ann.statsAfter(5, link)).total).toBe(5);
  });
});

describe("12 a paused link", () => {
  const DOWN = {
    withSession: () => {
      throw new Error("D1_ERROR: down");
    },
  };
  const expectPaused = (shortUrl: string) =>
    expectPage(shortUrl, 404, "paused", "This link is paused", "Its owner has turned it off for now. Try again later.");

  test("12 sends visitors to its fallback or shows that it is paused, and counts neither", async () => {
    const routing = [{ if: { country: "DE" }, to: "https://example.com/de" }];
    const link = await ann.createLink({
      paused: true,
      routing,
      redirect_status: 301,
      starts_at: "2098-01-01T00:00:00Z",
    });
    await expectPaused(link.short_url);
    await ann.updateLink(link, { fallback_url: "https://example.com/f" });
    expect(await destination(link.short_url, { country: "DE" })).toBe("https://example.com/f");
    await ann.updateLink(link, { paused: false, starts_at: null });
    expect((await visit(link.short_url)).headers.get("Location")).toBe("https://example.com/");
    await ann.call("POST", "/v1/links/bulk-update", { links: [{ id: link.id, paused: true, fallback_url: null }] });
    await expectPaused(link.short_url);
    // A pause also hides that the link has expired.
    await ann.updateLink(link, { expires_at: "2020-01-01T00:00:00Z" });
    await expectPaused(link.short_url);
    await ann.updateLink(link, { paused: null, expires_at: null });
    await visit(link.short_url);
    expect((await ann.statsAfter(2, link)).total).toBe(2);
  });

  test("12 stays paused while the database is down, and a disabled one is 410", async () => {
    freezeClockAt("2030-08-01T00:00:00Z");
    const link = await ann.createLink();
    await visit(link.short_url);
    await ann.statsAfter(1, link);
    await ann.updateLink(link, { paused: true });
    const object = env.LINK_CLICKS.getByName(addressObjectName(link.domain, link.slug));
    await runInDurableObject(object, (_, { storage }) => {
      const [newest] = storage.sql.exec<{ snapshot: string }>("SELECT snapshot FROM revisions").toArray();
      // An object of an earlier release redirects only if the state is active.
      expect(JSON.parse(newest?.snapshot ?? "")).toMatchObject({ paused: true, state: "restricted" });
    });
    freezeClockAt("2030-08-01T00:01:00Z");
    const databases = withDatabases(env, () => DOWN as unknown as D1Database);
    expect((await visitWith(databases, link.short_url)).reply.status).toBe(404);
    await setLinkDisabled(env, link.domain, link.slug, true);
    freezeClockAt("2030-08-01T00:02:00Z");
    await vi.waitFor(async () => expect((await visit(link.short_url)).status).toBe(410), { timeout: 20_000 });
  });

  test("12 redirects no one if a release that does not know pauses reads its row or its snapshot", async () => {
    const link = await ann.createLink({ paused: true });
    const read = async () =>
      (await queryLinks<LinkRow>(env, "SELECT * FROM links WHERE id = ?1", link.id))[0] as LinkRow;
    const isClosedInEarlierReleases = async () => {
      const row = await read();
      return row.disabled_at !== null && snapshotOf(row).state !== "active";
    };
    const isPaused = async () => snapshotOf(await read()).state === "restricted";
    const setDisabled = (disabled: boolean) => setLinkDisabled(env, link.domain, link.slug, disabled);
    expect([await isClosedInEarlierReleases(), await isPaused()]).toEqual([true, true]);
    await setDisabled(false);
    expect([await isClosedInEarlierReleases(), await isPaused()]).toEqual([true, true]);
    await setDisabled(true);
    expect([await isClosedInEarlierReleases(), await isPaused()]).toEqual([true, false]);
    await setDisabled(false);
    expect([await isClosedInEarlierReleases(), await isPaused()]).toEqual([true, true]);
    // As an earlier release enables links.
    await queryLinks(env, "UPDATE links SET disabled_at = NULL, revision = revision + 1 WHERE id = ?1", link.id);
    expect([await isClosedInEarlierReleases(), await isPaused()]).toEqual([true, true]);
    await ann.updateLink(link, { paused: false });
    expect((await read()).disabled_at).toBeNull();
    await ann.call("POST", "/v1/links/bulk-update", { links: [{ id: link.id, paused: true }] });
    expect([await isClosedInEarlierReleases(), await isPaused()]).toEqual([true, true]);
    // Resuming does not enable.
    await setDisabled(true);
    await ann.updateLink(link, { paused: false });
    expect(snapshotOf(await read()).state).toBe("disabled");
  });
});

describe("6 nothing else in a visitor's request changes the destination", () => {
  const EVIL = "https://evil.example/";
  test.for([
    `?url=${EVIL}`,
    `?redir_url=${EVIL}`,
    `?redirect=${EVIL}&next=${EVIL}&to=${EVIL}`,
    `?qr=${EVIL}`,
    "?qr=0123456789",
    "?__proto__=1&constructor=1",
  ])("6 query %s", async (search) => {
    const link = await ann.createLink();
    expect(await destination(link.short_url, { search })).toBe("https://example.com/");
  });

  test("12 except the query of a link with forward_query, which adds and never replaces", async () => {
    const LONG = `a=${"x".repeat(5_000)}`;
    const link = await ann.createLink({
      url: "https://example.com/?id=1#top",
      routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
      forward_query: true,
    });
    for (const [search, location] of [
      ["", "https://example.com/?id=1#top"],
      ["?id=2&%69d=3&utm_source=a%20b", "https://example.com/?id=1&utm_source=a%20b#top"],
      ["?a=%0d%0aSet-Cookie:%20x%23y", "https://example.com/?id=1&a=%0d%0aSet-Cookie:%20x%23y#top"],
      ["?a=[ü]|<b>&qr=123", "https://example.com/?id=1&a=%5B%C3%BC%5D%7C%3Cb%3E#top"],
      [`?${LONG}&b=1`, `https://example.com/?id=1&${LONG}&b=1#top`],
      [`?${LONG}${LONG}${LONG}&b=1`, "https://example.com/?id=1#top"],
    ] as const) {
      const reply = await visit(link.short_url, { search });
      expect([reply.status, reply.headers.get("Location")]).toEqual([302, location]);
      expect([reply.headers.get("Set-Cookie"), reply.headers.get("Cache-Control")]).toEqual([
        null,
        "private, no-store",
      ]);
    }
    expect(await destination(link.short_url, { search: "?a=1", country: "DE" })).toBe("https://example.com/de?a=1");
    const code = await ann.createQrCode(link);
    const search = `?qr=${code.id.slice(3)}&a=1`;
    expect(await destination(link.short_url, { search })).toBe("https://example.com/?id=1&a=1#top");
    // The log and the statistics contain only the destination: no other part of a query is stored.
    const { buckets } = await ann.statsAfter(8, link, { group_by: "destination" });
    expect(buckets).toEqual([
      { key: "https://example.com/?id=1#top", clicks: 7 },
      { key: "https://example.com/de", clicks: 1 },
    ]);
    expect((await ann.qrCode(code)).scans).toBe(1);
  });

  test("6 headers", async () => {
    const link = await ann.createLink({ routing: [{ if: { country: "DE" }, to: "https://example.com/de" }] });
    const headers = {
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-For": "192.0.2.1",
      "X-Original-URL": "/other",
      "X-HTTP-Method-Override": "DELETE",
      "CF-IPCountry": "DE",
      Authorization: `Bearer ${ann.key}`,
      Cookie: "country=DE",
    };
    expect(await destination(link.short_url, { country: "AT", headers })).toBe("https://example.com/");
  });
});

/** The text of a page, parsed as HTML. */
async function pageOf(reply: Response) {
  const page = { lang: "", title: "", heading: "", advice: "", robots: "" };
  const into = (name: "title" | "heading" | "advice") => ({
    text: ({ text }: Text) => {
      page[name] += text;
    },
  });
  await new HTMLRewriter()
    .on("html", { element: (html) => void (page.lang = html.getAttribute("lang") ?? "") })
    .on("meta[name=robots]", { element: (meta) => void (page.robots = meta.getAttribute("content") ?? "") })
    .on("title", into("title"))
    .on("main h1", into("heading"))
    .on("main p", into("advice"))
    .transform(reply)
    .text();
  return page;
}

const ERROR_HEADERS = { "cache-control": "no-store", "x-robots-tag": "noindex", "x-content-type-options": "nosniff" };

async function expectPage(shortUrl: string, status: number, code: string, title: string, advice: string) {
  const page = await visit(shortUrl, { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
  expect(page.status).toBe(status);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    ...ERROR_HEADERS,
    "cache-control": "no-store, no-transform",
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
  expect(await pageOf(page)).toEqual({ lang: "en", title, heading: title, advice, robots: "noindex" });

  const json = await visit(shortUrl, { headers: { Accept: "application/json" } });
  expect(json.status).toBe(status);
  expect(Object.fromEntries(json.headers)).toMatchObject({ ...ERROR_HEADERS, "content-type": "application/json" });
  expect(await json.json()).toEqual({ error: { code, message: title } });

  const head = await visit(shortUrl, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([status, ""]);
}

const expectMissing = (shortUrl: string) =>
  expectPage(shortUrl, 404, "not_found", "This link does not exist", "Check the address for typos.");
const expectGone = (shortUrl: string) =>
  expectPage(shortUrl, 410, "gone", "This link is no longer available", "It has expired or was removed by its owner.");
const expectNotOpen = (shortUrl: string) =>
  expectPage(
    shortUrl,
    404,
    "not_open",
    "This link is not open yet",
    "Its owner has scheduled it for later. Try again then.",
  );

/** What the page for a `+` after a slug shows. */
async function peekAt(shortUrl: string, facts: VisitOptions = {}) {
  const reply = await visit(shortUrl, facts);
  const shown = {
    status: reply.status,
    location: reply.headers.get("Location"),
    host: "",
    href: "",
    rel: "",
    text: "",
  };
  await new HTMLRewriter()
    .on("strong", { text: ({ text }) => void (shown.host += text) })
    .on("pre a", {
      element: (link) => {
        shown.href = unescaped(link.getAttribute("href") ?? "");
        shown.rel = link.getAttribute("rel") ?? "";
      },
      text: ({ text }) => void (shown.text += text),
    })
    .transform(reply)
    .text();
  return { ...shown, host: unescaped(shown.host), text: unescaped(shown.text) };
}

/** HTMLRewriter does not decode character references. */
function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

function leadsTo(url: string) {
  return { status: 200, location: null, host: new URL(url).host, href: url, rel: "noreferrer nofollow", text: url };
}

describe("10 a + after a slug", () => {
  test("10 shows where this visitor would go, when the link was created and the contact, and counts nothing", async () => {
    const link = await ann.createLink({
      url: "https://example.com/else",
      routing: [
        { if: { country: "DE" }, to: "https://example.com/de?a=1&b=2" },
        { if: { source: "qr" }, to: "https://example.com/scan" },
        { if: { percent: 50 }, to: "https://example.com/half" },
      ],
      forward_query: true,
    });
    const code = await ann.createQrCode(link);
    expect(await peekAt(`${link.short_url}+`, { country: "DE" })).toEqual(leadsTo("https://example.com/de?a=1&b=2"));
    expect(await peekAt(`${link.short_url}%2B?x=y&a=2`, { country: "DE" })).toEqual(
      leadsTo("https://example.com/de?a=1&b=2&x=y"),
    );
    expect(await peekAt(`${link.short_url.toUpperCase().replace("HTTP", "http")}%2b`, { country: "DE" })).toEqual(
      leadsTo("https://example.com/de?a=1&b=2"),
    );
    expect(await peekAt(`${link.short_url}+?qr=${code.id.slice(3)}`)).toEqual(leadsTo("https://example.com/scan"));
    for (let i = 0; i < 8; i++) {
      const headers = { "CF-Connecting-IP": `198.51.100.${i}` };
      const would = (await peekAt(`${link.short_url}+`, { headers })).href;
      expect(await destination(link.short_url, { headers })).toBe(would);
    }
    expect((await ann.statsAfter(8, link, { include_bots: "true" })).total).toBe(8);

    const settings = { ABUSE_CONTACT: "abuse@hop.example" };
    const page = await fetchAt(`${link.short_url}+`, settings);
    const text = await page.text();
    const created = `<time datetime="${link.created_at}">`;
    expect([text.includes(created), text.includes("Report abuse")]).toEqual([true, true]);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex",
      "cache-control": "no-store, no-transform",
    });
    const head = await visit(`${link.short_url}+`, { method: "HEAD" });
    expect([head.status, head.headers.get("Location"), await head.text()]).toEqual([200, null, ""]);
    expect((await visit(`${link.short_url}+`, { method: "POST" })).status).toBe(405);
  });

  test.each([
    [
      "https://example.com/?q='\"><script>alert(1)</script>",
      "https://example.com/?q='%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    ],
    ["https://example.com/\u202egpj.exe", "https://example.com/%E2%80%AEgpj.exe"],
    ["https://exаmple.com/", "https://xn--exmple-4nf.com/"],
    [`https://example.com/${"x".repeat(8_000)}`, `https://example.com/${"x".repeat(8_000)}`],
  ])("10 shows %.50s in ASCII, as text", async (url, shown) => {
    const link = await ann.createLink({ url });
    const reply = await visit(`${link.short_url}+`);
    expect(await reply.text()).not.toMatch(/<script|[^\n -~]/i);
    expect(await peekAt(`${link.short_url}+`)).toEqual(leadsTo(shown));
  });

  test("10 answers like the link where that has no destination, and shows a fallback", async () => {
    const [deleted, expired] = [await ann.createLink(), await ann.createLink()];
    expect((await ann.call("DELETE", `/v1/links/${deleted.id}`)).status).toBe(204);
    const over = await ann.updateLink(expired, { expires_at: "2026-01-01T00:00:00Z" });
    const closed = await ann.createLink({ starts_at: "2099-01-01T00:00:00Z" });
    await expectGone(`${deleted.short_url}+`);
    await expectGone(`${over.short_url}+`);
    await expectNotOpen(`${closed.short_url}+`);
    const fallback = { fallback_url: "https://example.com/fallback" };
    for (const link of [over, closed]) {
      await ann.updateLink(link, fallback);
      expect(await peekAt(`${link.short_url}+`)).toEqual(leadsTo(fallback.fallback_url));
    }
    const pages = { NOT_FOUND_URL: "https://example.com/lost", EXPIRED_URL: "https://example.com/over" };
    const [gone, soon] = [
      await ann.updateLink(over, { fallback_url: null }),
      await ann.updateLink(closed, { fallback_url: null }),
    ];
    expect(await (await fetchAt(`${gone.short_url}+`, pages)).text()).toContain(pages.EXPIRED_URL);
    for (const url of [`${soon.short_url}+`, `${HOST}/${newSlug()}+`]) {
      const reply = await fetchAt(url, pages);
      expect([reply.status, reply.headers.get("Location")]).toEqual([302, pages.NOT_FOUND_URL]);
    }
  });

  test("10 shows a paused link's page, and of a protected link only that it has a password", async () => {
    const link = await ann.createLink({ url: "https://example.com/secret", paused: true });
    const paused = await visit(link.short_url);
    const peeked = await visit(`${link.short_url}+`);
    expect([peeked.status, await peeked.text()]).toEqual([404, await paused.text()]);
    await ann.updateLink(link, { paused: null, password: "correct horse" });
    const page = await visit(`${link.short_url}+`);
    const text = await page.text();
    expect([page.status, text.includes("It is protected by a password.")]).toEqual([200, true]);
    expect(text).not.toMatch(/example\.com|<time/);
    const fallback = await ann.updateLink(link, { paused: true, fallback_url: "https://fallback.example/" });
    const shown = await (await visit(`${fallback.short_url}+`)).text();
    expect(shown).toContain("https://fallback.example/");
    expect(shown).not.toMatch(/example\.com|<time/);
    const form = { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" } };
    expect((await visit(`${link.short_url}+`, form)).status).toBe(405);
  });

  test("10 belongs to no other path, and unknown slugs are limited like those without it", async () => {
    const { short_url } = await ann.createLink();
    for (const end of ["/+", "++", "+a", "+/", "%252B", "+%20", "%20+", "%2B%2B", "+x+"]) {
      expect([end, (await visit(short_url + end)).status]).toEqual([end, 404]);
    }
    expect((await visit(`${HOST}/+`)).status).toBe(404);
    const headers = { "CF-Connecting-IP": "203.0.113.91" };
    for (let i = 0; i < 100; i++) expect((await visit(`${HOST}/${newSlug()}+`, { headers })).status).toBe(404);
    expect((await visit(`${HOST}/${newSlug()}+`, { headers })).status).toBe(429);
  });

  test.each(["off", "no", "OFF"])(
    "10 is an unknown slug with PEEK=%s, which does not apply to custom domains",
    async (PEEK) => {
      const { short_url } = await ann.createLink();
      expect((await fetchAt(`${short_url}+`, { PEEK: "on" })).status).toBe(200);
      expect((await fetchAt(`${short_url}+`, { PEEK })).status).toBe(404);
      expect((await fetchAt(short_url, { PEEK })).status).toBe(302);
      const { domain } = await ann.activeDomain();
      const custom = await ann.createLink({ domain });
      expect((await fetchAt(`${custom.short_url}+`, { PEEK })).status).toBe(200);
      // A path like any other, which a shorter link may forward.
      const top = await ann.createLink({ forward_path: true, url: "https://example.com/top" });
      await ann.createLink({ slug: `${top.slug}/a` });
      await ann.createLink({ slug: `${top.slug}/a/b` });
      for (const end of ["/a+", "/a/b%2B?x=y"]) {
        const reply = await fetchAt(top.short_url + end, { PEEK });
        expect([reply.status, reply.headers.get("Location")]).toEqual([302, `${top.url}${end.split("?")[0]}`]);
        expect((await fetchAt(top.short_url + end, { PEEK: "on" })).status).toBe(200);
      }
    },
  );

  test("10 is an unknown slug on a domain with peek: false", async () => {
    freezeClockAt("2030-04-01T00:00:00Z");
    const { id, domain } = await ann.activeDomain();
    const link = await ann.createLink({ domain });
    const change = async (peek: unknown) => (await ann.call("PATCH", `/v1/domains/${id}`, { peek })).body;
    expect(await peekAt(`${link.short_url}+`)).toEqual(leadsTo(link.url));
    expect(await change(false)).toMatchObject({ id, peek: false });
    expect((await ann.call("GET", "/v1/domains")).body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id, peek: false })]),
    });
    freezeClockAt("2030-04-01T00:00:10Z");
    await expectMissing(`${link.short_url}+`);
    expect(await destination(link.short_url)).toBe(link.url);
    await ann.call("PATCH", `/v1/domains/${id}`, { not_found_url: "https://example.com/lost" });
    await ann.call("DELETE", `/v1/links/${link.id}`);
    freezeClockAt("2030-04-01T00:00:20Z");
    expect(await destination(`${link.short_url}+`)).toBe("https://example.com/lost");
    expect((await visit(link.short_url)).status).toBe(410);
    expect(await change(true)).not.toHaveProperty("peek");
    expect(await change(null)).toMatchObject({ error: { code: "validation_failed", param: "peek" } });
    freezeClockAt("2030-04-01T00:00:30Z");
    expect((await visit(`${link.short_url}+`)).status).toBe(410);
  });
});

describe("12 link previews", () => {
  const AGENTS = [
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Twitterbot/1.0",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "WhatsApp/2.23.20.0 A",
    "TelegramBot (like TwitterBot)",
  ];
  const by = (userAgent: string) => ({ headers: { "User-Agent": userAgent } });
  const TWITTER = by("Twitterbot/1.0");
  const SOCIAL = { title: `"><script>'&amp;`, description: "50 % 🌷", image: "https://example.com/card.png?a=1&b='" };

  test("12 known preview programs get the card and a link to url, counted as bots; rules do not apply", async () => {
    const slug = newSlug();
    const routing = [{ if: { not: { country: "AQ" } }, to: "https://example.com/rule" }];
    const link = await ann.createLink({ slug, url: "https://example.com/a?x=1&y='[2]", social: SOCIAL, routing });
    for (const userAgent of AGENTS) {
      const page = await visit(`${link.short_url}?utm_source=x`, by(userAgent));
      expect(page.status).toBe(200);
      expect(Object.fromEntries(page.headers)).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "x-robots-tag": "noindex",
        "cache-control": "no-store, no-transform",
      });
      const html = await page.text();
      const title = "&#34;&#62;&#60;script&#62;&#39;&#38;amp;";
      const image = "https://example.com/card.png?a=1&#38;b=&#39;";
      expect(html).toContain(`<title>${title}</title>
<meta property="og:type" content="website">
<meta property="og:url" content="${link.short_url}">
<meta property="og:site_name" content="example.com">
<meta property="og:title" content="${title}">
<meta property="og:description" content="50 % 🌷">
<meta property="og:image" content="${image}">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="50 % 🌷">
<meta name="twitter:image" content="${image}">
`);
      expect(html).toContain('<a href="https://example.com/a?x=1&#38;y=&#39;%5B2%5D" rel="nofollow">example.com</a>');
    }
    const head = await visit(link.short_url, { method: "HEAD", ...TWITTER });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const { buckets } = await ann.statsAfter(AGENTS.length, link, { include_bots: "true", group_by: "rule" });
    expect(buckets).toEqual([{ key: "default", clicks: AGENTS.length }]);
    expect((await ann.stats(link)).total).toBe(0);
  });

  test("12 a preview of a forwarded path leads to that path", async () => {
    const link = await ann.createLink({ url: "https://example.com/docs", social: SOCIAL, forward_path: true });
    const html = await (await visit(`${link.short_url}/a/b`, TWITTER)).text();
    expect(html).toContain('<a href="https://example.com/docs/a/b" rel="nofollow">');
  });

  test("12 a card without texts has the destination's host as its title", async () => {
    const link = await ann.createLink({ social: { image: "https://example.org/a.png" } });
    const html = await (await visit(link.short_url, TWITTER)).text();
    expect(html).toContain('<meta property="og:title" content="example.com">');
    expect(html).not.toContain("description");
  });

  test("12 everyone else is redirected: people, browsers in apps, search engines, and previews of links without a card", async () => {
    const link = await ann.createLink({ social: SOCIAL });
    const others = [
      WINDOWS_CHROME,
      GOOGLEBOT,
      CURL,
      "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
      "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/470.0.0]",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]",
    ];
    for (const userAgent of others)
      expect(await destination(link.short_url, by(userAgent))).toBe("https://example.com/");
    const plain = await ann.createLink();
    for (const userAgent of AGENTS)
      expect(await destination(plain.short_url, by(userAgent))).toBe("https://example.com/");
  });

  test("12 no card for a link that is disabled, deleted, expired or not open", async () => {
    const statusOf = async ({ short_url }: Link) => (await visit(short_url, TWITTER)).status;
    const early = await ann.createLink({ social: SOCIAL, starts_at: "2098-01-01T00:00:00Z" });
    expect(await statusOf(early)).toBe(404);
    const late = await ann.createLink({ social: SOCIAL });
    expect(await statusOf(late)).toBe(200);
    await ann.call("PATCH", `/v1/links/${late.id}`, { expires_at: "2020-01-01T00:00:00Z" });
    expect(await statusOf(late)).toBe(410);
    const gone = await ann.createLink({ social: SOCIAL });
    await ann.call("DELETE", `/v1/links/${gone.id}`);
    expect(await statusOf(gone)).toBe(410);
  });
});

describe("6 links without a destination", () => {
  test("6 an unknown slug answers 404: a page, or JSON on request", async () => {
    await expectMissing(`${HOST}/never-made`);
    await expectMissing(`${TEST_HOST}/never-made`);
  });

  test("6 many unknown slugs from one address answer 429: a page, or JSON on request", async () => {
    const headers = { "CF-Connecting-IP": "198.51.100.9", Accept: "application/json" };
    for (let i = 0; i < 100; i++) {
      expect((await visit(`${HOST}/${newSlug()}`, { headers })).status).toBe(404);
    }
    const json = await visit(`${HOST}/${newSlug()}`, { headers });
    expect([json.status, json.headers.get("Cache-Control")]).toEqual([429, "no-store"]);
    expect(Number(json.headers.get("Retry-After"))).toBeGreaterThan(0);
    const message = "Too many requests for unknown links";
    expect(await json.json()).toEqual({ error: { code: "rate_limited", message } });
    const page = await visit(`${HOST}/${newSlug()}`, { headers: { ...headers, Accept: "text/html" } });
    expect([page.status, page.headers.get("Content-Type")]).toEqual([429, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain(message);
  });

  test("6 an expired link answers 410 from the exact millisecond, before any rule, and counts nothing", async () => {
    freezeClockAt("2030-03-01T00:00:00Z");
    const link = await ann.createLink({
      expires_at: "2030-03-01T00:00:05Z",
      routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
    });
    freezeClockAt("2030-03-01T00:00:04.999Z");
    expect(await destination(link.short_url, { country: "DE" })).toBe("https://example.com/de");
    freezeClockAt("2030-03-01T00:00:05.000Z");
    expect((await visit(link.short_url, { country: "DE" })).status).toBe(410);
    await expectGone(link.short_url);
    await ann.updateLink(link, { expires_at: null });
    freezeClockAt("2030-03-01T00:00:15.000Z");
    expect(await destination(link.short_url)).toBe("https://example.com/");
    expect((await ann.statsAfter(2, link, { include_bots: "true" })).total).toBe(2);
  });

  test("12 a link opens at the exact millisecond, from the cache too; until then it is an uncounted 404 that says so", async () => {
    freezeClockAt("2030-03-02T00:00:00Z");
    const rules = [{ if: { country: "DE" }, to: "https://example.com/de" }];
    const link = await ann.createLink({ starts_at: "2030-03-02T00:00:05Z", routing: rules });
    for (const at of ["2030-03-02T00:00:00Z", "2030-03-02T00:00:04.999Z"]) {
      freezeClockAt(at);
      await expectNotOpen(link.short_url);
    }
    freezeClockAt("2030-03-02T00:00:05.000Z");
    expect(await destination(link.short_url, { country: "DE" })).toBe("https://example.com/de");
    await ann.updateLink(link, { starts_at: "2030-03-02T00:01:00Z" });
    freezeClockAt("2030-03-02T00:00:15.000Z");
    expect((await visit(link.short_url)).status).toBe(404);
    expect((await ann.statsAfter(1, link, { include_bots: "true" })).total).toBe(1);
  });

  test("12 fallback_url receives early and late visitors, uncounted, but never those of a deleted or disabled link", async () => {
    freezeClockAt("2030-03-03T00:00:00Z");
    const times = { starts_at: "2030-03-03T00:00:02Z", expires_at: "2030-03-03T00:00:04Z" };
    const link = await ann.createLink({ ...times, fallback_url: "https://example.com/later?x=ü" });
    const isSentToFallback = async () => {
      const reply = await visit(link.short_url, { search: "?utm_source=x" });
      expect([reply.status, reply.headers.get("Location"), reply.headers.get("Cache-Control")]).toEqual([
        302,
        "https://example.com/later?x=%C3%BC",
        "private, no-store",
      ]);
    };
    await isSentToFallback();
    freezeClockAt("2030-03-03T00:00:03Z");
    expect(await destination(link.short_url)).toBe("https://example.com/");
    freezeClockAt("2030-03-03T00:00:04Z");
    await isSentToFallback();
    expect((await ann.statsAfter(1, link, { include_bots: "true" })).total).toBe(1);
    await setLinkDisabled(env, link.domain, link.slug, true);
    freezeClockAt("2030-03-03T00:00:14Z");
    await expectGone(link.short_url);
    await setLinkDisabled(env, link.domain, link.slug, false);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    freezeClockAt("2030-03-03T00:00:24Z");
    await expectGone(link.short_url);
  });

  test("6 a deleted link answers 410 permanently", async () => {
    const link = await ann.createLink();
    await ann.call("DELETE", `/v1/links/${link.id}`);
    await expectGone(link.short_url);
    await expectGone(link.short_url.toUpperCase().replace("HTTP", "http"));
  });

  test("1 a disabled link answers 410 within 10 s, and redirects again once it is enabled", async () => {
    freezeClockAt("2030-04-01T00:00:00Z");
    const link = await ann.createLink();
    await visit(link.short_url, { method: "HEAD" });
    await setLinkDisabled(env, link.domain, link.slug, true);
    freezeClockAt("2030-04-01T00:00:10Z");
    await expectGone(link.short_url);
    await setLinkDisabled(env, link.domain, link.slug, false);
    freezeClockAt("2030-04-01T00:00:20Z");
    expect(await destination(link.short_url)).toBe("https://example.com/");
  });

  test.for([
    ["application/json", "application/json"],
    ["application/json, */*;q=0.1", "application/json"],
    ["text/html, application/json;q=0.5", "text/html; charset=utf-8"],
    ["*/*", "text/html; charset=utf-8"],
  ] as const)("6 Accept: %s is answered with %s", async ([accept, type]) => {
    const reply = await visit(`${HOST}/never-made`, { headers: { Accept: accept } });
    expect(reply.headers.get("Content-Type")).toBe(type);
  });
});

describe("6 changes", () => {
  test("6 a created link is never a 404, even if it was requested a moment before", async () => {
    const slug = newSlug();
    expect((await visit(`${HOST}/${slug}`)).status).toBe(404);
    const link = await ann.createLink({ slug });
    expect(await destination(link.short_url)).toBe("https://example.com/");
  });

  /** Visits that are not counted, so the isolate learns nothing from them. */
  const peek = (shortUrl: string) => visit(shortUrl, { method: "HEAD" });
  /** Less than the age at which a cached link is read again in any case. */
  const SOON = { timeout: 4_000 };

  /** A change by another isolate: it writes to the database and notifies the link's object. */
  async function changeElsewhere({ id }: { id: string }, change: string, value: SqlValue): Promise<void> {
    const sql = `UPDATE links SET ${change} = ?2, revision = revision + 1 WHERE id = ?1 RETURNING *`;
    const [row] = await queryLinks<LinkRow>(env, sql, id, value);
    if (!row) throw new Error("there is no such link");
    await notifyLinkObject(env, snapshotOf(row));
  }

  test("6 the next visit in the isolate that handled a PATCH, a bulk update or a DELETE sees it", async () => {
    const link = await ann.createLink({ url: "https://example.com/1" });
    expect(await destination(link.short_url)).toBe("https://example.com/1");
    await ann.updateLink(link, { url: "https://example.com/2" });
    expect(await destination(link.short_url)).toBe("https://example.com/2");
    await ann.updateLink(link, { routing: [{ if: { device: "desktop" }, to: "https://example.com/desktop" }] });
    expect(await destination(link.short_url, { headers: { "User-Agent": WINDOWS_CHROME } })).toBe(
      "https://example.com/desktop",
    );
    await ann.call("POST", "/v1/links/bulk-update", { links: [{ id: link.id, url: "https://example.com/3" }] });
    expect(await destination(link.short_url, { headers: { "User-Agent": IPHONE_SAFARI } })).toBe(
      "https://example.com/3",
    );
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect((await visit(link.short_url)).status).toBe(410);
  });

  test.each([
    ["DELETE with erase=true", ({ id }: Link) => ann.call("DELETE", `/v1/links/${id}?erase=true`)],
    ["a bulk deletion", ({ id }: Link) => ann.call("POST", "/v1/links/bulk-delete", { links: [{ id }] })],
    [
      "a bulk deletion that erases",
      ({ id }: Link) => ann.call("POST", "/v1/links/bulk-delete", { links: [{ id }], erase: true }),
    ],
  ])("6 the next visit in the isolate that handled %s is a 410", async (_, end) => {
    const link = await ann.createLink();
    await peek(link.short_url);
    await end(link);
    expect((await peek(link.short_url)).status).toBe(410);
  });

  test("6 a visit in progress while the link is changed does not bring the old destination back", async () => {
    for (let i = 0; i < 10; i++) {
      const link = await ann.createLink({ url: "https://example.com/old" });
      const early = [1, 2, 3].map(() => destination(link.short_url));
      await ann.updateLink(link, { url: "https://example.com/new" });
      await Promise.all(early);
      expect(await destination(link.short_url)).toBe("https://example.com/new");
    }
  });

  test("6 the visit after a recorded click sees a change made elsewhere", async () => {
    const link = await ann.createLink({ url: "https://example.com/old" });
    await visit(link.short_url);
    await ann.statsAfter(1, link);
    await changeElsewhere(link, "url", "https://example.com/new");
    await visit(link.short_url);
    await vi.waitFor(async () => {
      expect((await peek(link.short_url)).headers.get("Location")).toBe("https://example.com/new");
    }, SOON);
    await changeElsewhere(link, "deleted_at", Date.now());
    await visit(link.short_url);
    await vi.waitFor(async () => {
      expect((await peek(link.short_url)).status).toBe(410);
    }, SOON);
  });

  test("12 the visit after a recorded click by an alias sees a change made elsewhere", async () => {
    const link = await ann.createLink({ aliases: [{ slug: newSlug() }] });
    const aliasUrl = link.aliases?.[0]?.short_url ?? "";
    await visit(aliasUrl);
    await ann.statsAfter(1, link);
    await changeElsewhere(link, "url", "https://example.com/new");
    await visit(aliasUrl);
    await vi.waitFor(async () => {
      expect((await peek(aliasUrl)).headers.get("Location")).toBe("https://example.com/new");
    }, SOON);
    await changeElsewhere(link, "aliases", null);
    await visit(aliasUrl);
    await vi.waitFor(async () => expect((await peek(aliasUrl)).status).toBe(410), SOON);
    expect((await peek(link.short_url)).status).toBe(302);
  });

  test("6 every visit sees a change after 10 s, however busy the link is with uncounted visits", async () => {
    freezeClockAt("2030-05-01T00:00:00.000Z");
    const start = Date.now();
    const link = await ann.createLink({ url: "https://example.com/old" });
    await peek(link.short_url);
    await changeElsewhere(link, "url", "https://example.com/new");
    for (let at = start; at < start + 10_000; at += 250) {
      freezeClockAt(at);
      expect((await peek(link.short_url)).status).toBe(302);
    }
    freezeClockAt(start + 10_000);
    expect((await peek(link.short_url)).headers.get("Location")).toBe("https://example.com/new");
  });

  test("6 what an isolate learns from a click is not cached longer than the entry that it replaces", async () => {
    freezeClockAt("2030-06-01T00:00:00.000Z");
    const start = Date.now();
    const link = await ann.createLink({ url: "https://example.com/old" });
    await peek(link.short_url);
    await changeElsewhere(link, "url", "https://example.com/new");
    await setLinkDisabled(env, link.domain, link.slug, true);
    freezeClockAt(start + 4_000);
    await visit(link.short_url);
    await vi.waitFor(async () => {
      // While it waits, Vitest advances a stopped clock; one second more, and the look-up would be repeated.
      freezeClockAt(start + 4_000);
      expect((await peek(link.short_url)).headers.get("Location")).toBe("https://example.com/new");
    }, SOON);
    freezeClockAt(start + 10_000);
    expect((await peek(link.short_url)).status).toBe(410);
  });
});

/** One visitor's request to the Worker, with other bindings than it was started with. */
async function visitWith(changes: Partial<Record<keyof Env, unknown>>, shortUrl: string, facts: VisitOptions = {}) {
  const ctx = createExecutionContext();
  const request = new Request(shortUrl, { headers: facts.headers ?? {}, redirect: "manual" });
  const reply = await worker.fetch(request as Parameters<typeof worker.fetch>[0], { ...env, ...changes } as Env, ctx);
  return { reply, recorded: waitOnExecutionContext(ctx) };
}

describe("6 an unknown slug", () => {
  /** Databases that record their sessions; their responses to the first kind come from the primary or a replica. */
  function databasesOf(served: "primary" | "replica that lags"): { databases: typeof env; sessions: string[] } {
    const sessions: string[] = [];
    const lagging = (statement: D1PreparedStatement) => ({
      bind: () => lagging(statement),
      all: async () => {
        const { meta } = await statement.bind("[]", 0).all();
        return { results: [], meta: { ...meta, served_by_primary: false } };
      },
    });
    const sessionsOf = (database: D1Database) => (freshness: "first-primary" | "first-unconstrained") => {
      sessions.push(freshness);
      const session = database.withSession(freshness);
      const isReplica = freshness === "first-unconstrained" && served === "replica that lags";
      return isReplica ? { prepare: (sql: string) => lagging(session.prepare(sql)) } : session;
    };
    const databases = withDatabases(env, (one) => ({ withSession: sessionsOf(one) }) as unknown as D1Database);
    return { databases, sessions };
  }

  test("6 takes one query if the primary is the nearest", async () => {
    const { databases, sessions } = databasesOf("primary");
    const { reply } = await visitWith(databases, `${HOST}/${newSlug()}`);
    expect([reply.status, sessions]).toEqual([404, ["first-unconstrained"]]);
  });

  test("12 takes one query for all slugs that a path may lead to, and none for another path of a link found before", async () => {
    const { databases, sessions } = databasesOf("primary");
    const link = await ann.createLink({ slug: newSlug(), forward_path: true });
    for (const path of ["a/b/c/d/e", `${newSlug()}/x`]) {
      const { reply } = await visitWith(databases, `${HOST}/${path}`);
      expect([reply.status, sessions.splice(0)]).toEqual([404, ["first-unconstrained"]]);
    }
    for (const queries of [["first-unconstrained"], []]) {
      const { reply, recorded } = await visitWith(databases, `${link.short_url}/${queries.length}/b`);
      await recorded;
      expect([reply.status, reply.headers.get("Location")]).toEqual([302, `https://example.com/${queries.length}/b`]);
      expect(sessions.splice(0)).toEqual(queries);
    }
  });

  test("6 takes a second query, to the primary, if a replica does not have it, so that new links are found", async () => {
    const { databases, sessions } = databasesOf("replica that lags");
    const { reply } = await visitWith(databases, `${HOST}/${newSlug()}`);
    expect([reply.status, sessions]).toEqual([404, ["first-unconstrained", "first-primary"]]);
    const link = await ann.createLink();
    const { reply: found, recorded } = await visitWith(databases, link.short_url);
    expect([found.status, sessions.slice(2)]).toEqual([302, ["first-unconstrained", "first-primary"]]);
    await recorded;
  });
});

describe("6 with the database down or stalled", () => {
  const DOWN = {
    withSession: () => {
      throw new Error("D1_ERROR: down");
    },
  };
  const statement = { bind: () => statement, all: () => new Promise<never>(() => {}) };
  const STALLED = { withSession: () => ({ prepare: () => statement }) };
  /** Enough to read every link database, so that no circuit breaker stays open for the tests that follow. */
  const UNKNOWN_SLUGS = 16;

  test.for([
    ["down", DOWN],
    ["stalled", STALLED],
  ] as const)(
    "6 %s: clicked links keep redirecting, others answer 503, never 404, and nothing is stored for them",
    async ([, failing]) => {
      const databases = withDatabases(env, () => failing as unknown as D1Database);
      freezeClockAt("2030-07-01T00:00:00Z");
      const clicked = await ann.createLink({
        routing: [{ if: { device: "mobile" }, to: "https://example.com/mobile" }],
      });
      const fresh = await ann.createLink();
      await visit(clicked.short_url);
      await ann.statsAfter(1, clicked);
      freezeClockAt("2030-07-01T00:01:00Z");
      const { reply, recorded } = await visitWith(databases, clicked.short_url, ua(IPHONE_SAFARI));
      expect([reply.status, reply.headers.get("Location")]).toEqual([302, "https://example.com/mobile"]);
      await recorded;
      expect((await ann.statsAfter(2, clicked)).total).toBe(2);
      for (const shortUrl of [fresh.short_url, `${HOST}/never-made`]) {
        const { reply: refused } = await visitWith(databases, shortUrl, by({ Accept: "application/json" }));
        expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "5"]);
        expect(refused.headers.get("Cache-Control")).toBe("no-store");
        expect(await refused.json()).toEqual({
          error: { code: "unavailable", message: "This link is temporarily unavailable" },
        });
      }
      const asked = env.LINK_CLICKS.getByName("localhost:8787/never-made");
      await runInDurableObject(asked, async (_, { storage }) => {
        expect(storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
        expect(await storage.getAlarm()).toBeNull();
      });
      await vi.waitFor(
        async () => {
          expect((await visit(fresh.short_url)).status).toBe(302);
          for (let i = 0; i < UNKNOWN_SLUGS; i++) {
            const reply = await visit(`${HOST}/unknown-${i}`, by({ "CF-Connecting-IP": `198.51.100.${i}` }));
            expect(reply.status).toBe(404);
          }
        },
        { timeout: 20_000 },
      );
    },
  );

  test("6 visitors who requested many links during that time do not count as scanners", async () => {
    const databases = withDatabases(env, () => DOWN as unknown as D1Database);
    const from = by({ "CF-Connecting-IP": "198.51.100.77" });
    const links = await Promise.all(Array.from({ length: 8 }, () => ann.createLink()));
    for (let i = 0; i < 104; i++) {
      const { reply } = await visitWith(databases, links[i % links.length]?.short_url ?? "", from);
      expect(reply.status).toBe(503);
    }
    const opened = async () =>
      expect(await Promise.all(links.map(async ({ short_url }) => (await visit(short_url, from)).status))).toEqual(
        Array(links.length).fill(302),
      );
    await vi.waitFor(opened, { timeout: 20_000 });
  });
});

describe("6 headers that replace the edge's data, in development only", () => {
  const located = by({
    "x-visitor-country": "de",
    "x-visitor-region": "DE-BE",
    "x-visitor-city": "Berlin",
    "x-visitor-continent": "EU",
  });
  const everyFact = { country: "DE", region: "DE-BE", city: "berlin", continent: "EU" };
  const rule = (condition: object) => ({ routing: [{ if: condition, to: "https://example.com/rule" }] });

  test("6 they override the visitor's facts", async () => {
    const link = await ann.createLink(rule(everyFact));
    expect(await destination(link.short_url, { ...located, country: "US", continent: "NA" })).toBe(
      "https://example.com/rule",
    );
    expect(await destination(link.short_url, { country: "US", continent: "NA" })).toBe("https://example.com/");
  });

  test.for([
    [{ country: "FR" }, { "x-visitor-country": "FR" }],
    [{ region: "US-TX" }, { "x-visitor-country": "US", "x-visitor-region": "TX" }],
    [{ region: "US-TX" }, { "x-visitor-region": "us-tx" }],
    [{ city: "Bern" }, { "x-visitor-city": "Bern" }],
    [{ continent: "AF" }, { "x-visitor-continent": "af" }],
  ] as [object, Record<string, string>][])("6 %o is met by %o", async ([condition, headers]) => {
    const link = await ann.createLink(rule(condition));
    expect(await destination(link.short_url, { headers })).toBe("https://example.com/rule");
  });

  test("6 they have no effect if the setting is off", async () => {
    const link = await ann.createLink(rule({ country: "DE" }));
    const { reply, recorded } = await visitWith({ DEV_VISITOR_HEADERS: "0" }, link.short_url, located);
    expect(reply.headers.get("Location")).toBe("https://example.com/");
    await recorded;
  });
});

function percentEncoded(char: string): string {
  return `%${char.charCodeAt(0).toString(16)}`;
}

describe("6 a slash after the slug", () => {
  test("6 leads to the destination of the slug: with a query, encoded, on every host", async () => {
    const { domain } = await ann.activeDomain();
    const testing = await ann.withKey("test");
    const rules = [{ if: { query: { a: true } }, to: "https://example.com/rule" }];
    for (const link of [
      await ann.createLink({ routing: rules }),
      await ann.createLink({ routing: rules, domain }),
      await testing.createLink({ routing: rules }),
    ]) {
      expect(await destination(`${link.short_url}/`)).toBe("https://example.com/");
      expect(await destination(`${link.short_url}/?a=1`)).toBe("https://example.com/rule");
      expect(await destination(`${link.short_url.replace(/.$/, percentEncoded)}/`)).toBe("https://example.com/");
      for (const path of ["//", "/x", "%2F", "%2f/"]) await expectMissing(link.short_url + path);
    }
  });

  test("6 is counted", async () => {
    const link = await ann.createLink();
    await destination(`${link.short_url}/`);
    expect((await ann.statsAfter(1, link)).total).toBe(1);
  });
});

describe("12 forwarded paths", () => {
  const rules = [{ if: { query: { a: true } }, to: "https://example.com/rule/?r=1" }];

  test("12 what follows the slug goes to the path of the destination, by rule or not, on every host, in any case", async () => {
    const { domain } = await ann.activeDomain();
    const exact = await ann.activeDomain();
    await ann.call("PATCH", `/v1/domains/${exact.id}`, { case_sensitive: true });
    const testing = await ann.withKey("test");
    const body = { url: "https://example.com/to?x=1#end", routing: rules, forward_path: true, forward_query: true };
    for (const link of [
      await ann.createLink({ ...body, slug: `${newSlug()}/Größe` }),
      await ann.createLink({ ...body, slug: newSlug(), domain }),
      await ann.createLink({ ...body, slug: newSlug(), domain: exact.domain }),
      await testing.createLink({ ...body, slug: newSlug() }),
    ]) {
      expect(await destination(link.short_url)).toBe("https://example.com/to?x=1#end");
      expect(await destination(`${link.short_url}/`)).toBe("https://example.com/to?x=1#end");
      expect(await destination(`${link.short_url}/a/b`)).toBe("https://example.com/to/a/b?x=1#end");
      expect(await destination(`${link.short_url}/a%2Fb/?y=2`)).toBe("https://example.com/to/a%2Fb/?x=1&y=2#end");
      expect(await destination(`${link.short_url}/a?a=1`)).toBe("https://example.com/rule/a?r=1&a=1");
      for (const path of ["//", "/a//b", "/a/%2E%2e%2f/..%2F//", "/x".repeat(16)])
        await expectMissing(link.short_url + path);
      expect((await (link.short_url.includes("test.") ? testing : ann).statsAfter(5, link)).total).toBe(5);
    }
  });

  test("12 without the member, a path below the slug is unknown; nor is it forwarded to the fallback", async () => {
    const plain = await ann.createLink();
    await destination(plain.short_url);
    await expectMissing(`${plain.short_url}/a`);
    const fallback_url = "https://example.com/closed";
    const closed = await ann.createLink({ forward_path: true, fallback_url, starts_at: "2098-01-01T00:00:00Z" });
    expect(await destination(`${closed.short_url}/a`)).toBe(fallback_url);
    await ann.call("PATCH", `/v1/links/${plain.id}`, { forward_path: true });
    expect(await destination(`${plain.short_url}/a`)).toBe("https://example.com/a");
    await ann.call("PATCH", `/v1/links/${plain.id}`, { forward_path: null });
    await expectMissing(`${plain.short_url}/a`);
  });

  test("12 an exact slug wins, deleted or not; else the longest that forwards paths", async () => {
    const slug = newSlug();
    const create = (below: string, forward_path: boolean) =>
      ann.createLink({ slug: slug + below, url: `https://example.com${below || "/top"}`, forward_path });
    const [top, , exact] = [await create("", true), await create("/a/b", true), await create("/a", false)];
    for (let round = 0; round < 2; round++) {
      expect(await destination(`${top.short_url}/c`)).toBe("https://example.com/top/c");
      expect(await destination(`${top.short_url}/a`)).toBe("https://example.com/a");
      expect(await destination(`${top.short_url}/a/c`)).toBe("https://example.com/top/a/c");
      expect(await destination(`${top.short_url}/a/b`)).toBe("https://example.com/a/b");
      expect(await destination(`${top.short_url}/a/b/c%20d`)).toBe("https://example.com/a/b/c%20d");
      expect(await destination(`${top.short_url}/a%20b/c`)).toBe("https://example.com/top/a%20b/c");
    }
    await ann.call("DELETE", `/v1/links/${exact.id}`);
    expect((await visit(`${top.short_url}/a/`)).status).toBe(410);
    expect(await destination(`${top.short_url}/a/c`)).toBe("https://example.com/top/a/c");
    await ann.call("DELETE", `/v1/links/${top.id}`);
    await expectMissing(`${top.short_url}/a/c`);
    expect((await visit(top.short_url)).status).toBe(410);
  });

  test("12 a new link takes over its path within ten seconds from one that forwarded it, and is never unknown", async () => {
    const now = Date.now();
    freezeClockAt(now);
    const top = await ann.createLink({ forward_path: true, url: "https://example.com/top" });
    expect(await destination(`${top.short_url}/a`)).toBe("https://example.com/top/a");
    const longer = await ann.createLink({ slug: `${top.slug}/a`, url: "https://example.com/a" });
    expect(["https://example.com/top/a", "https://example.com/a"]).toContain(await destination(longer.short_url));
    freezeClockAt(now + 10_000);
    expect(await destination(longer.short_url)).toBe("https://example.com/a");
    expect(await destination(`${top.short_url}/b`)).toBe("https://example.com/top/b");
  });

  test("12 visitors of one network may request any number of paths below a link, but not among longer slugs", async () => {
    freezeClockAt("2030-05-01T00:00:00Z");
    const [link, mixed] = [await ann.createLink({ forward_path: true }), await ann.createLink({ forward_path: true })];
    await ann.createLink({ slug: `${mixed.slug}/a/b` });
    const headers = { "CF-Connecting-IP": "203.0.113.77" };
    const statuses = async ({ short_url }: Link, paths: number) => {
      const seen = new Set<number>();
      for (let i = 0; i < paths; i++) seen.add((await visit(`${short_url}/${i}`, { headers })).status);
      return [...seen];
    };
    expect(await statuses(link, 120)).toEqual([302]);
    expect(await statuses(mixed, 120)).toEqual([302]);
    // These are not unknown names.
    expect((await visit(`${HOST}/${newSlug()}`, { headers })).status).toBe(404);
    expect(await statuses(mixed, 310)).toEqual([302, 429]);
    expect((await visit(`${mixed.short_url}/1`, { headers })).status).toBe(302);
  });
});

describe("12 aliases", () => {
  const aliasUrl = ({ aliases }: Link, at = 0) => aliases?.[at]?.short_url ?? "";

  test("12 an alias counts on its link, whose codes it scans, and is peeked at like it", async () => {
    const link = await ann.createLink({ aliases: [{ slug: newSlug() }, { slug: `${newSlug()}/ä` }] });
    const code = await ann.createQrCode(link);
    expect(await destination(link.short_url)).toBe("https://example.com/");
    expect(await destination(aliasUrl(link))).toBe("https://example.com/");
    expect(await destination(`${aliasUrl(link, 1)}/?qr=${code.id.slice(3)}`)).toBe("https://example.com/");
    expect((await ann.statsAfter(3, link, { group_by: "source" })).buckets).toMatchObject([
      { key: "link", clicks: 2 },
      { key: "qr", clicks: 1 },
    ]);
    expect((await visit(`${aliasUrl(link)}+`)).status).toBe(200);
    await ann.updateLink(link, { aliases: null });
    expect([(await visit(`${aliasUrl(link)}+`)).status, (await visit(aliasUrl(link))).status]).toEqual([410, 410]);
    expect((await ann.stats(link)).total).toBe(3);
  });

  test("12 pauses, passwords, expiry and a disabled link apply to its aliases", async () => {
    const link = await ann.createLink({ aliases: [{ slug: newSlug() }] });
    const status = async () => (await visit(aliasUrl(link))).status;
    expect(await status()).toBe(302);
    await ann.updateLink(link, { paused: true });
    expect(await status()).toBe(404);
    await ann.updateLink(link, { paused: null, password: "secret-word" });
    expect(await status()).toBe(401);
    await ann.updateLink(link, { password: null, expires_at: "2020-01-01T00:00:00Z" });
    expect(await status()).toBe(410);
    await ann.updateLink(link, { expires_at: null });
    expect(await status()).toBe(302);
    expect(await setLinkDisabled(env, "localhost:8787", new URL(aliasUrl(link)).pathname.slice(1), true)).toBe(link.id);
    freezeClockAt(Date.now() + 10_000);
    expect(await status()).toBe(410);
  });

  test("12 forwarded paths: the longest slug or alias wins, whose link forwards them", async () => {
    const slug = newSlug();
    const to = (path: string) => ({ url: `https://example.com${path}`, forward_path: true });
    const top = await ann.createLink({ ...to("/top"), aliases: [{ slug }] });
    const below = await ann.createLink({ ...to("/below"), aliases: [{ slug: `${slug}/a` }] });
    const plain = await ann.createLink({ aliases: [{ slug: `${slug}/a/b` }] });
    for (let round = 0; round < 2; round++) {
      expect(await destination(`${HOST}/${slug.toUpperCase()}/x?y`)).toBe("https://example.com/top/x");
      expect(await destination(`${HOST}/${slug}/a/c`)).toBe("https://example.com/below/c");
      expect(await destination(`${HOST}/${slug}/a/b`)).toBe("https://example.com/");
      expect(await destination(`${HOST}/${slug}/a/b/c`)).toBe("https://example.com/below/b/c");
    }
    await ann.updateLink(plain, { aliases: [] });
    expect((await visit(`${HOST}/${slug}/a/b`)).status).toBe(410);
    await ann.updateLink(below, { aliases: [] });
    expect(await destination(`${HOST}/${slug}/a/c`)).toBe("https://example.com/top/a/c");
    expect((await ann.statsAfter(3, top)).total).toBe(3);
  });

  test("12 while the database is down, aliases that were visited before redirect, others answer 503", async () => {
    const link = await ann.createLink({ aliases: [{ slug: newSlug() }, { slug: newSlug() }] });
    expect(await destination(aliasUrl(link))).toBe("https://example.com/");
    const down = () => {
      throw new Error("D1_ERROR: down");
    };
    const databases = withDatabases(env, () => ({ withSession: down }) as unknown as D1Database);
    freezeClockAt(Date.now() + 20_000);
    const statuses = [];
    for (const url of [aliasUrl(link), aliasUrl(link, 1)]) {
      const { reply, recorded } = await visitWith(databases, url);
      await recorded;
      statuses.push(reply.status);
    }
    expect(statuses).toEqual([302, 503]);
  });

  test("12 an alias costs visits by the slug no row and no statement more", async () => {
    const link = await ann.createLink({ slug: newSlug() });
    const rowsRead: number[] = [];
    const databases = withDatabases(env, (database) =>
      watchDatabase(database, async (_, execute) => {
        const result = (await execute()) as D1Result;
        rowsRead.push(result.meta.rows_read);
        return result;
      }),
    );
    const rowsOf = async (url: string) => {
      const { reply, recorded } = await visitWith(databases, url);
      await recorded;
      expect(reply.status).toBe(302);
      return rowsRead.splice(0);
    };
    freezeClockAt("2030-05-01T00:00:00Z");
    const before = await rowsOf(link.short_url);
    expect(before).toHaveLength(1);
    const aliased = await ann.updateLink(link, { aliases: [{ slug: newSlug() }] });
    freezeClockAt("2030-05-01T00:01:00Z");
    expect(await rowsOf(link.short_url)).toEqual(before);
    // In the same statement, unless the alias is in another database than the link.
    expect((await rowsOf(aliasUrl(aliased))).length).toBeLessThanOrEqual(env.LINK_DATABASES ? 2 : 1);
  });
});

describe("1 two slashes", () => {
  test.for(["//", "//spring", "//v1/links", "//dashboard"])("1 %s is a visitor page on every host", async (path) => {
    for (const host of [HOST, TEST_HOST]) {
      const reply = await visit(host + path, { headers: { Accept: "text/html" } });
      expect([reply.status, reply.headers.get("Content-Type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(await reply.text()).toContain("This link does not exist");
    }
  });
});

describe("1 paths of the service on its own host", () => {
  test.for(["v2", "V10", "v0", "v2026"])("1 /%s is reserved: v and digits denote versions", async (segment) => {
    const refused = await ann.call("POST", "/v1/links", { url: "https://example.com/", slug: segment });
    expect(errorOf(refused)).toEqual(validationFailed(["slug", "invalid_value", "is reserved"]));
    expect(errorOf(await send("GET", `/${segment}/links`))).toMatchObject({ status: 404, code: "not_found" });
    await expectMissing(`${TEST_HOST}/${segment}`);
  });

  test.for([...RESERVED_SEGMENTS])("1 /%s is never a slug, on any host", async (segment) => {
    const reply = await visit(`${HOST}/${segment}`, { headers: { Accept: "text/html" } });
    expect(reply.headers.get("X-Robots-Tag")).toBeNull();
    const refused = await ann.call("POST", "/v1/links", { url: "https://example.com/", slug: segment.toUpperCase() });
    expect(errorOf(refused)).toMatchObject({ status: 422, code: "validation_failed", param: "slug" });
    await expectMissing(`${TEST_HOST}/${segment}`);
  });

  test("1 a slug may begin like one of them", async () => {
    const link = await ann.createLink({ slug: `v1${newSlug()}` });
    expect(await destination(link.short_url)).toBe("https://example.com/");
  });

  test("1 paths below them belong to the service: unknown API routes require a key", async () => {
    expect((await send("GET", "/V1/links")).status).toBe(404);
    expect(errorOf(await send("GET", "/v1/nothing")).code).toBe("missing_api_key");
  });
});

describe("6 hostile requests", () => {
  const LONG = "x".repeat(10_000);

  test.for([
    "/%00",
    "/..%2f",
    "/%2e%2e%2fv1%2flinks",
    "//",
    "//evil.example/a",
    "//v1/links",
    "/never-made//",
    "/a/b",
    "/never-made/",
    "/%",
    "/%zz",
    "/%ff%fe",
    "/%F0%9F%8E%88",
    "/-",
    "/_",
    "/__proto__",
    "/constructor",
    "/' OR 1=1 --",
    "/%0d%0aLocation:%20https://evil.example",
    `/${LONG}`,
    `/${"%61".repeat(5_000)}`,
    `/?${LONG}`,
  ])("6 path %.40s is a 404, on every host", async (path) => {
    for (const host of [HOST, TEST_HOST, "http://go.customer.example"]) {
      const status = (await visit(host + path)).status;
      // The service's own root may have a page some day.
      if (host === HOST && path.startsWith("/?")) expect(status).toBeLessThan(500);
      else expect(status).toBe(404);
    }
  });

  test.for([
    ["a User-Agent of 10 KB", { "User-Agent": LONG }],
    ["a User-Agent of 10 KB that ends in a bot", { "User-Agent": `${MAC_SAFARI} ${LONG} ${GOOGLEBOT}` }],
    ["a User-Agent that parsers choke on", { "User-Agent": `Mozilla/5.0 ${"(".repeat(5_000)}${"naver(".repeat(500)}` }],
    ["an empty User-Agent", { "User-Agent": "" }],
    ["bytes that aren't text", { "User-Agent": "\x80\xff\xfe", Referer: "\xff\xfe", "Accept-Language": "\xe9\xe9" }],
    ["long lists", { "Accept-Language": "de;q=0.1,".repeat(2_000), "Sec-CH-UA": '"a";v="1",'.repeat(1_000) }],
    ["a long Referer", { Referer: `https://${"a".repeat(5_000)}.example/${LONG}` }],
    ["a Referer that isn't a URL", { Referer: "javascript:alert(1)" }],
    ["invalid client hints", { "Sec-CH-UA-Mobile": "maybe", "Sec-CH-UA-Platform": '"', "Sec-CH-UA": "\\" }],
    ["an invalid address", { "CF-Connecting-IP": "'; DROP TABLE batches; --" }],
  ] as [string, Record<string, string>][])("6 %s: the visit is redirected and counted", async ([, headers]) => {
    const link = await ann.createLink({
      routing: [
        { if: { language: "de", referrer: "example.org", percent: 50 }, to: "https://example.com/a" },
        { if: { query: { x: true } }, to: "https://example.com/b" },
      ],
    });
    expect((await visit(link.short_url, { headers })).status).toBe(302);
    expect((await ann.statsAfter(1, link, { include_bots: "true" })).total).toBe(1);
  });

  test("6 a query that is not valid text", async () => {
    const link = await ann.createLink({ routing: [{ if: { query: { "%": true } }, to: "https://example.com/a" }] });
    expect(await destination(link.short_url, { search: "?%zz&%ff=%fe&&&==&%00" })).toBe("https://example.com/");
    expect(await destination(link.short_url, { search: "?%" })).toBe("https://example.com/a");
  });
});
