/** 4.7 POST /v1/links/{id}/resolve: the destination of a simulated visit, and why (spec 2.2). Nothing is counted. */
import { describe, expect, test } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import { Resolution } from "../../../src/core/contract/resolutions.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { errorOf } from "../../support/api-response.ts";
import { validationFailed } from "../../support/expected-errors.ts";

const URL = "https://example.com/";
const TO = "https://example.com/to";

async function resolve(actor: TestAccount, link: Link, visitor: Record<string, unknown> = {}): Promise<Resolution> {
  const reply = await actor.call("POST", `/v1/links/${link.id}/resolve`, visitor);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return Resolution.parse(reply.body);
}

describe("2.2 rules", () => {
  const RULES = [
    { if: { country: "DE", device: "mobile" }, to: "https://example.com/de-mobile" },
    { if: { country: ["AT", "DE"] }, to: "https://example.com/dach" },
    { if: { country: "FR", not: { device: "mobile" } }, to: "https://example.com/fr" },
    { if: { device: "mobile" }, to: "https://example.com/mobile" },
  ];
  const first = "country=DE&device=mobile";
  const second = "country=AT,DE";

  test("are tried in order, and the first match wins", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    expect(await resolve(ann, link, { country: "DE", device: "mobile" })).toEqual({
      url: "https://example.com/de-mobile",
      rule: first,
      trace: [{ rule: first, matched: true, failed_on: null }],
    });
    expect(await resolve(ann, link, { country: "DE", device: "desktop" })).toEqual({
      url: "https://example.com/dach",
      rule: second,
      trace: [
        { rule: first, matched: false, failed_on: "device" },
        { rule: second, matched: true, failed_on: null },
      ],
    });
  });

  test("lead to the link's url if none matches, each with the key on which it failed", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    expect(await resolve(ann, link, { country: "JP", device: "desktop" })).toEqual({
      url: URL,
      rule: "default",
      trace: [
        { rule: first, matched: false, failed_on: "country" },
        { rule: second, matched: false, failed_on: "country" },
        { rule: "country=FR&not(device=mobile)", matched: false, failed_on: "country" },
        { rule: "device=mobile", matched: false, failed_on: "device" },
      ],
    });
  });

  test("follow a change of the array immediately", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    await ann.updateLink(link, { routing: RULES.slice(1).toReversed() });
    expect((await resolve(ann, link, { country: "DE", device: "mobile" })).rule).toBe("device=mobile");
    await ann.updateLink(link, { routing: [] });
    expect(await resolve(ann, link, { country: "DE" })).toEqual({ url: URL, rule: "default", trace: [] });
  });
});

describe("4.7 POST /v1/links/{id}/resolve", () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]>([
    ["country", { country: "DE" }, { country: "de" }, { country: "AT" }],
    ["an unknown country", { country: "XX" }, {}, { country: "DE" }],
    ["continent", { continent: "EU" }, { continent: "eu" }, { continent: "NA" }],
    ["region", { region: "US-TX" }, { country: "US", region: "us-tx" }, { region: "US-NY" }],
    ["city", { city: "Köln" }, { city: "KÖLN" }, { city: "Bonn" }],
    ["device", { device: "tablet" }, { device: "tablet" }, {}],
    ["os", { os: ["ios", "android"] }, { os: "android" }, { os: "linux" }],
    ["browser", { browser: "firefox" }, { browser: "firefox" }, { browser: "safari" }],
    ["language", { language: "de" }, { language: "en;q=0.5, de-CH" }, { language: "en, de;q=0.9" }],
    ["referrer host", { referrer: "example.org" }, { referrer: "news.example.org" }, { referrer: "notexample.org" }],
    ["referrer url", { referrer: "example.org" }, { referrer: "https://www.example.org/x" }, { referrer: "" }],
    ["referrer app", { referrer: "app:com.x" }, { referrer: "android-app://com.x/" }, { referrer: "app:com.xy" }],
    ["query", { query: { utm: "a b&c" } }, { query: { utm: "a b&c" } }, { query: { utm: "a" } }],
    ["query of many", { query: { utm: ["a", "b"] } }, { query: { utm: ["x", "b"] } }, { query: { UTM: "b" } }],
    ["query with any value", { query: { gclid: true } }, { query: { gclid: "" } }, { query: {} }],
    ["utm", { utm_source: "News" }, { query: { utm_source: ["nEWS", "x"] } }, { query: { utm_source: ["x", "news"] } }],
    ["source", { source: "qr" }, { source: "qr" }, {}],
    ["before", { before: "2030-01-01T00:00:00Z" }, { at: "2029-12-31T23:59:59.999Z" }, { at: "2030-01-01T00:00:00Z" }],
    ["after", { after: "2030-01-01T00:00:00Z" }, { at: "2030-01-01T01:00:00+01:00" }, { at: "2029-12-31T23:59:59Z" }],
    [
      "time",
      { time: { tz: "Europe/Berlin", days: ["mon"], from: "09:00", to: "17:00" } },
      { at: "2026-06-01T07:00:00Z" },
      { at: "2026-06-01T15:00:00Z" },
    ],
    ["not", { not: { country: "US" } }, { country: "DE" }, { country: "US" }],
    ["not of an unknown fact", { not: { city: "Bonn" } }, {}, { city: "bonn" }],
    ["not of a split", { not: { percent: 100 } }, {}, { impossible: true }],
  ])("evaluates %s as for a visit", async (_, condition, matching, other) => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: [{ if: condition, to: TO }] });
    const match = await resolve(ann, link, matching);
    const rule = match.trace[0]?.rule;
    expect(match).toEqual({ url: TO, rule, trace: [{ rule, matched: true, failed_on: null }] });
    if ("impossible" in other) return;
    expect(await resolve(ann, link, other)).toEqual({
      url: URL,
      rule: "default",
      trace: [{ rule, matched: false, failed_on: Object.keys(condition)[0] }],
    });
  });

  test("accepts a point in a split: percent rules match below their end", async () => {
    const ann = await premiumAccount();
    const rules = [30, 60.5].map((percent) => ({ if: { percent }, to: `${TO}/${percent}` }));
    const link = await ann.createLink({ routing: rules });
    for (const [point, rule] of [
      [0, "percent=30"],
      [29.999, "percent=30"],
      [30, "percent=60.5"],
      [60.499, "percent=60.5"],
      [60.5, "default"],
      [99.999, "default"],
    ] as const) {
      expect(await resolve(ann, link, { point })).toMatchObject({ rule });
    }
    for (const point of [-0.1, 100, "5", null]) {
      const reply = await ann.call("POST", `/v1/links/${link.id}/resolve`, { point });
      expect(errorOf(reply)).toMatchObject({ status: 422, param: "point" });
    }
  });

  test("without a point in a split no percent rule matches", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: [{ if: { percent: 100 }, to: TO }] });
    expect(await resolve(ann, link, { country: "DE" })).toEqual({
      url: URL,
      rule: "default",
      trace: [{ rule: "percent=100", matched: false, failed_on: "percent" }],
    });
  });

  test("reports that a link would be expired, from the exact instant on, and not before", async () => {
    const ann = await premiumAccount();
    const rules = [{ if: { country: "DE" }, to: TO }];
    const link = await ann.createLink({ expires_at: "2099-01-01T00:00:00Z", routing: rules });
    const expired = { url: null, rule: null, trace: [], expired: true };
    expect(await resolve(ann, link, { country: "DE", at: "2099-01-01T00:00:00Z" })).toEqual(expired);
    expect(await resolve(ann, link, { country: "DE", at: "2199-01-01T00:00:00Z" })).toEqual(expired);
    const open = {
      url: TO,
      rule: "country=DE",
      trace: [{ rule: "country=DE", matched: true, failed_on: null }],
    };
    expect(await resolve(ann, link, { country: "DE", at: "2098-12-31T23:59:59.999Z" })).toEqual(open);
    expect(await resolve(ann, link, { country: "DE" })).toEqual(open);
  });

  test("reports that a link would not be open yet, and its fallback", async () => {
    const ann = await premiumAccount();
    const fallback_url = "https://example.com/soon";
    const times = { starts_at: "2098-01-01T00:00:00Z", expires_at: "2099-01-01T00:00:00Z" };
    const link = await ann.createLink(times);
    const [before, at, after] = ["2097-12-31T23:59:59.999Z", "2098-01-01T00:00:00Z", "2099-01-01T00:00:00Z"];
    const open = { url: URL, rule: "default", trace: [] };
    const closed = { url: null, rule: null, trace: [] };
    expect(await resolve(ann, link)).toEqual({ ...closed, not_open: true });
    expect(await resolve(ann, link, { at: before })).toEqual({ ...closed, not_open: true });
    expect(await resolve(ann, link, { at })).toEqual(open);
    await ann.updateLink(link, { fallback_url });
    expect(await resolve(ann, link, { at: before })).toEqual({ ...closed, url: fallback_url, not_open: true });
    expect(await resolve(ann, link, { at })).toEqual(open);
    expect(await resolve(ann, link, { at: after })).toEqual({ ...closed, url: fallback_url, expired: true });
  });

  test("includes the forwarded query, in a rule's destination as well", async () => {
    const ann = await premiumAccount();
    const routing = [{ if: { country: "DE" }, to: `${TO}?a=0#end` }];
    const link = await ann.createLink({ routing, forward_query: true });
    const query = { a: "1", b: ["x y", "z&"], qr: "1" };
    const [url, ruled] = [`${URL}?a=1&b=x+y&b=z%26`, `${TO}?a=0&b=x+y&b=z%26#end`];
    expect(await resolve(ann, link, { query })).toMatchObject({ url, rule: "default" });
    expect(await resolve(ann, link, { query, country: "DE" })).toMatchObject({ url: ruled, rule: "country=DE" });
    expect(await resolve(ann, await ann.updateLink(link, { forward_query: null }), { query })).toMatchObject({
      url: URL,
    });
  });

  test("12 includes the forwarded path as a visit does, and reports one that the link does not forward", async () => {
    const ann = await premiumAccount();
    const routing = [{ if: { country: "DE" }, to: `${TO}?a=0#end` }];
    const slug = `p${crypto.randomUUID().slice(0, 8)}/Größe`;
    const link = await ann.createLink({ slug, routing, forward_path: true, forward_query: true });
    for (const path of ["/", "/a/b/", "/a%2Fb", "/ü", "/a+", "/a".repeat(14)]) {
      const { url } = await resolve(ann, link, { path, query: { x: "1" }, country: "DE" });
      const visited = await visit(`${link.short_url}${path}?x=1`, { country: "DE" });
      expect([path, visited.headers.get("Location")]).toEqual([path, url]);
    }
    const unknown = { url: null, rule: null, trace: [], not_found: true };
    for (const path of ["//", "/a//b", "/%2e%2E/a", "/a".repeat(15)])
      expect([path, await resolve(ann, link, { path })]).toEqual([path, unknown]);
    for (const path of ["", "a", "/a?b", "/a#b", `/${"a".repeat(8_192)}`])
      expect(errorOf(await ann.call("POST", `/v1/links/${link.id}/resolve`, { path }))).toMatchObject({
        param: "path",
      });
    const fallback_url = "https://example.com/later";
    await ann.updateLink(link, { paused: true, fallback_url });
    expect(await resolve(ann, link, { path: "/a" })).toMatchObject({ url: fallback_url, paused: true });
    await ann.updateLink(link, { forward_path: null });
    expect(await resolve(ann, link, { path: "/a" })).toEqual(unknown);
    expect(await resolve(ann, link, { path: "/" })).toMatchObject({ url: fallback_url, paused: true });
  });

  test("counts nothing and changes nothing", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    for (let i = 0; i < 5; i++) await resolve(ann, link, { country: "DE" });
    expect((await ann.stats(link, { include_bots: "true" })).total).toBe(0);
    expect((await ann.call("GET", `/v1/links/${link.id}/clicks`)).body).toEqual({
      data: [],
      has_more: false,
      next_after: 0,
    });
    const reply = await ann.call("GET", `/v1/links/${link.id}`);
    expect([reply.body, reply.headers.get("ETag")]).toEqual([link, '"1"']);
  });

  test("12 reports a paused link, whatever its times and rules", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ paused: true, routing: [{ if: { country: "AT" }, to: TO }] });
    const paused = { rule: null, trace: [], paused: true };
    expect(await resolve(ann, link, { country: "AT" })).toEqual({ url: null, ...paused });
    await ann.updateLink(link, { fallback_url: TO, expires_at: "2020-01-01T00:00:00Z" });
    expect(await resolve(ann, link)).toEqual({ url: TO, ...paused });
  });

  test("works on the Free plan", async () => {
    const ben = await freeAccount();
    expect(await resolve(ben, await ben.createLink())).toEqual({ url: URL, rule: "default", trace: [] });
  });

  test("returns the destination exactly as sent", async () => {
    const ann = await premiumAccount();
    const url = "HTTPS://münchen.example/Straße?q=%zz";
    const link = await ann.createLink({ url });
    expect((await resolve(ann, link)).url).toBe(url);
  });

  test("accepts other rules without storing them, even on the Free plan", async () => {
    for (const actor of [await premiumAccount(), await freeAccount()]) {
      const link = await actor.createLink();
      const routing = [
        { if: { country: "at", not: { device: ["mobile"] } }, to: TO },
        { if: { country: ["at"] }, to: "https://example.com/phone" },
      ];
      expect(await resolve(actor, link, { country: "AT", device: "mobile", routing })).toEqual({
        url: "https://example.com/phone",
        rule: "country=AT",
        trace: [
          { rule: "country=AT&not(device=mobile)", matched: false, failed_on: "not" },
          { rule: "country=AT", matched: true, failed_on: null },
        ],
      });
      const reply = await actor.call("GET", `/v1/links/${link.id}`);
      expect([reply.body, reply.headers.get("ETag")]).toEqual([link, '"1"']);
      expect(await resolve(actor, link, { country: "AT" })).toEqual({ url: URL, rule: "default", trace: [] });
    }
  });

  test("uses no rules if an empty list replaces the stored ones", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: [{ if: { country: "AT" }, to: TO }] });
    expect(await resolve(ann, link, { country: "AT", routing: [] })).toEqual({ url: URL, rule: "default", trace: [] });
  });

  test("refuses invalid rules like an update of the link", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const rule = { if: { country: "DE" }, to: TO };
    const wrong = [rule, rule, { if: { country: "QQ" }, to: link.short_url }, { if: {}, to: "example.com" }];
    const tried = await ann.call("POST", `/v1/links/${link.id}/resolve`, { routing: wrong });
    const changed = await ann.call("PATCH", `/v1/links/${link.id}`, { routing: wrong });
    expect(tried.status).toBe(422);
    expect(errorOf(tried)).toEqual(errorOf(changed));
  });

  test.each([
    ["too many parameters", Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`p${i}`, ""]))],
    ["too many values", { a: Array(201).fill("") }, "query.a", "too_big"],
    ["names without values", Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`p${i}`, []]))],
    ["too long", { a: "x".repeat(8_192) }],
  ])("refuses a query that does not fit in a URL: %s", async (_, query, path = "query", code = "invalid_value") => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await ann.call("POST", `/v1/links/${link.id}/resolve`, { query });
    const words = "must have at most 200 parameters, of 8192 characters together";
    expect(errorOf(reply)).toEqual(validationFailed([path, code, words]));
  });

  test("refuses an invalid visitor, with all problems together", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await ann.call("POST", `/v1/links/${link.id}/resolve?x=1`, {
      country: "DEU",
      device: "phone",
      query: { a: 5 },
      at: "noon",
      ip: "192.0.2.1",
    });
    expect(errorOf(reply)).toEqual(
      validationFailed(
        ["country", "too_big", "must have at most 2 characters"],
        ["device", "invalid_value", "must be one of mobile, tablet, desktop, other"],
        ["query.a", "invalid_union", "has an unsupported type"],
        [
          "at",
          "invalid_value",
          "must be an RFC 3339 time with seconds and an offset or Z, such as 2026-12-31T23:59:59Z",
        ],
        ["ip", "unknown_field", "is unknown"],
        ["x", "unknown_field", "is unknown"],
      ),
    );
  });
});
