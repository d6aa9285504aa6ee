import { describe, expect, test } from "vitest";

import { type ConditionKey, CONDITIONS } from "../../../src/core/links/conditions.ts";
import { Condition } from "../../../src/core/contract/link-members.ts";
import { COUNTRY_CODES } from "../../../src/core/visitors/fact-values.ts";
import { canonicalText, failedOn } from "../../../src/core/links/routing.ts";
import { parsedCondition, visitor, type VisitorFacts } from "../visitors/visitors.ts";

function matches(condition: unknown, facts: VisitorFacts): boolean {
  return failedOn(parsedCondition(condition), visitor(facts)) === null;
}

function at(text: string): VisitorFacts {
  return { at: Date.parse(text) };
}

/** Facts that meet each condition, and known facts that do not. */
const CASES: Record<ConditionKey, { condition: unknown; met: VisitorFacts[]; unmet: VisitorFacts[] }[]> = {
  after: [
    {
      condition: { after: "2026-05-01T12:00:00+02:00" },
      met: [at("2026-05-01T10:00:00.000Z"), at("2027-01-01T00:00:00Z")],
      unmet: [at("2026-05-01T09:59:59.999Z")],
    },
  ],
  before: [
    {
      condition: { before: "2026-05-01T12:00:00+02:00" },
      met: [at("2026-05-01T09:59:59.999Z"), at("1970-01-01T00:00:00Z")],
      unmet: [at("2026-05-01T10:00:00.000Z")],
    },
  ],
  browser: [
    { condition: { browser: "safari" }, met: [{ browser: "safari" }], unmet: [{ browser: "chrome" }, {}] },
    {
      condition: { browser: ["edge", "other"] },
      met: [{ browser: "edge" }, { browser: "other" }],
      unmet: [{ browser: "chrome" }],
    },
  ],
  city: [
    {
      condition: { city: "  são PAULO " },
      met: [{ city: "São Paulo" }, { city: "SÃO PAULO" }],
      unmet: [{ city: "Sao Paulo" }, { city: "São Paulo do Norte" }],
    },
    {
      condition: { city: "Zu\u0308rich" },
      met: [{ city: "Z\u00fcrich" }, { city: "ZÜRICH" }, { city: "zU\u0308rich" }],
      unmet: [{ city: "Zurich" }],
    },
    { condition: { city: "Gießen" }, met: [{ city: "GIESSEN" }, { city: "gießen" }], unmet: [{ city: "Giesen" }] },
    { condition: { city: "ΠΆΦΟΣ" }, met: [{ city: "Πάφος" }], unmet: [{ city: "Πάφο" }] },
    { condition: { city: ["Berlin", "Wien"] }, met: [{ city: "wien" }], unmet: [{ city: "Bonn" }] },
  ],
  continent: [
    {
      condition: { continent: ["EU", "AN"] },
      met: [{ continent: "EU" }, { continent: "AN" }],
      unmet: [{ continent: "AS" }],
    },
  ],
  country: [
    { condition: { country: "DE" }, met: [{ country: "DE" }], unmet: [{ country: "AT" }, { country: "XX" }] },
    { condition: { country: ["at", "de"] }, met: [{ country: "AT" }, { country: "DE" }], unmet: [{ country: "CH" }] },
    { condition: { country: "xx" }, met: [{}], unmet: [{ country: "T1" }] },
    { condition: { country: "T1" }, met: [{ country: "T1" }], unmet: [{}] },
  ],
  device: [
    { condition: { device: "mobile" }, met: [{ device: "mobile" }], unmet: [{ device: "tablet" }, {}] },
    { condition: { device: ["tablet", "desktop"] }, met: [{ device: "desktop" }], unmet: [{ device: "mobile" }] },
  ],
  language: [
    {
      condition: { language: "DE" },
      met: [{ language: "de" }, { language: "de-CH" }, { language: "de-Latn-AT" }],
      unmet: [{ language: "den" }, { language: "en-DE" }],
    },
    {
      condition: { language: "pt-br" },
      met: [{ language: "pt-BR" }, { language: "pt-BR-abl1943" }],
      unmet: [{ language: "pt" }, { language: "pt-PT" }],
    },
    { condition: { language: ["fr", "zh-hant"] }, met: [{ language: "zh-Hant-HK" }], unmet: [{ language: "zh-Hans" }] },
  ],
  os: [{ condition: { os: ["ios", "android"] }, met: [{ os: "ios" }, { os: "android" }], unmet: [{ os: "macos" }] }],
  percent: [
    {
      condition: { percent: 30 },
      met: [{ splitPoint: 0 }, { splitPoint: 29.999 }],
      unmet: [{ splitPoint: 30 }, { splitPoint: 99 }],
    },
    { condition: { percent: 0 }, met: [], unmet: [{ splitPoint: 0 }] },
    { condition: { percent: 100 }, met: [{ splitPoint: 0 }, { splitPoint: 99.999_999_9 }], unmet: [] },
    { condition: { percent: 0.5 }, met: [{ splitPoint: 0.49 }], unmet: [{ splitPoint: 0.5 }] },
  ],
  query: [
    {
      condition: { query: { ref: "a b" } },
      met: [{ search: "ref=a+b" }, { search: "x=1&ref=a%20b" }, { search: "ref=no&ref=a%20b" }],
      unmet: [{ search: "" }, { search: "ref=A+B" }, { search: "Ref=a+b" }, { search: "ref=a" }],
    },
    {
      condition: { query: { beta: true } },
      met: [{ search: "beta" }, { search: "beta=" }, { search: "beta=0" }],
      unmet: [{ search: "" }, { search: "alpha=beta" }],
    },
    {
      condition: { query: { a: ["1", "2"], b: "" } },
      met: [{ search: "a=2&b" }, { search: "b=&a=1" }],
      unmet: [{ search: "a=3&b=" }, { search: "a=1" }, { search: "a=1&b=x" }],
    },
    { condition: { query: { "ü&=": "%" } }, met: [{ search: "%C3%BC%26%3D=%25" }], unmet: [{ search: "ü&==%25" }] },
    { condition: { query: { toString: true } }, met: [{ search: "toString" }], unmet: [{ search: "x" }] },
  ],
  referrer: [
    {
      condition: { referrer: "WWW.Example.com." },
      met: [{ referrer: "example.com" }, { referrer: "m.example.com" }, { referrer: "a.b.example.com" }],
      unmet: [{ referrer: "notexample.com" }, { referrer: "example.com.evil.net" }, { referrer: "com" }],
    },
    { condition: { referrer: "bücher.example" }, met: [{ referrer: "xn--bcher-kva.example" }], unmet: [] },
    {
      condition: { referrer: ["t.co", "app:com.Slack"] },
      met: [{ referrer: "t.co" }, { referrer: "app:com.Slack" }],
      unmet: [{ referrer: "app:com.Slack.beta" }, { referrer: "app:com.slack" }, { referrer: "x.com" }],
    },
    { condition: { referrer: "youtube" }, met: [], unmet: [{ referrer: "app:com.google.android.youtube" }] },
  ],
  region: [
    {
      condition: { region: ["us-tx", "DE-BE"] },
      met: [{ region: "US-TX" }, { region: "DE-BE" }],
      unmet: [{ region: "US-CA" }],
    },
  ],
  source: [
    { condition: { source: "qr" }, met: [{ source: "qr" }], unmet: [{ source: "link" }] },
    { condition: { source: ["link", "qr"] }, met: [{ source: "qr" }, { source: "link" }], unmet: [] },
  ],
  // 2026-01-12 is a Monday. Berlin is an hour ahead of UTC in January.
  time: [
    {
      condition: { time: { tz: "Europe/Berlin", from: "09:00", to: "17:30" } },
      met: [at("2026-01-12T08:00:00Z"), at("2026-01-12T16:29:59.999Z")],
      unmet: [at("2026-01-12T07:59:59.999Z"), at("2026-01-12T16:30:00Z")],
    },
    {
      condition: { time: { tz: "Europe/Berlin", days: ["mon"] } },
      met: [at("2026-01-11T23:00:00Z"), at("2026-01-12T22:59:59Z")],
      unmet: [at("2026-01-11T22:59:59Z"), at("2026-01-12T23:00:00Z")],
    },
    {
      condition: { time: { tz: "UTC", from: "18:00" } },
      met: [at("2026-01-12T18:00:00Z"), at("2026-01-12T23:59:59Z")],
      unmet: [at("2026-01-12T00:00:00Z"), at("2026-01-12T17:59:59Z")],
    },
    {
      condition: { time: { tz: "UTC", to: "06:00" } },
      met: [at("2026-01-12T00:00:00Z"), at("2026-01-12T05:59:59Z")],
      unmet: [at("2026-01-12T06:00:00Z")],
    },
    {
      condition: { time: { tz: "UTC", from: "20:00", to: "24:00" } },
      met: [at("2026-01-12T23:59:59.999Z")],
      unmet: [at("2026-01-13T00:00:00Z")],
    },
    {
      // Over midnight: Friday night lasts until Saturday morning.
      condition: { time: { tz: "UTC", days: ["fri"], from: "22:00", to: "04:00" } },
      met: [at("2026-01-16T22:00:00Z"), at("2026-01-17T03:59:59Z")],
      unmet: [
        at("2026-01-16T03:00:00Z"),
        at("2026-01-16T21:59:59Z"),
        at("2026-01-17T04:00:00Z"),
        at("2026-01-17T22:00:00Z"),
      ],
    },
    {
      // From Sunday into Monday: the week wraps.
      condition: { time: { tz: "UTC", days: ["sun"], from: "23:00", to: "00:30" } },
      met: [at("2026-01-18T23:30:00Z"), at("2026-01-19T00:29:00Z")],
      unmet: [at("2026-01-18T00:15:00Z"), at("2026-01-19T00:30:00Z")],
    },
    {
      condition: { time: { tz: "UTC", from: "22:00", to: "00:00" } },
      met: [at("2026-01-12T23:59:59Z")],
      unmet: [at("2026-01-13T00:00:00Z")],
    },
    {
      // Clocks go from 02:00 to 03:00 on 29 March 2026 and from 03:00 back to 02:00 on 25 October.
      condition: { time: { tz: "Europe/Berlin", from: "02:00", to: "03:00" } },
      met: [at("2026-10-25T00:00:00Z"), at("2026-10-25T01:59:59Z"), at("2026-03-28T01:30:00Z")],
      unmet: [at("2026-03-29T00:59:59Z"), at("2026-03-29T01:00:00Z"), at("2026-10-25T02:00:00Z")],
    },
    {
      condition: { time: { tz: "Asia/Kathmandu", from: "12:00", to: "12:01" } },
      met: [at("2026-01-12T06:15:00Z")],
      unmet: [at("2026-01-12T06:14:59Z"), at("2026-01-12T06:16:00Z")],
    },
  ],
  utm_campaign: [
    {
      condition: { utm_campaign: ["Spring Sale", "  ÄPFEL "] },
      met: [{ utm_campaign: "spring sale" }, { utm_campaign: "äpfel" }],
      unmet: [{ utm_campaign: "spring" }, { utm_source: "spring sale" }],
    },
  ],
  utm_content: [{ condition: { utm_content: "a,b" }, met: [{ utm_content: "a,b" }], unmet: [{ utm_content: "a" }] }],
  utm_medium: [
    { condition: { utm_medium: "EMAIL" }, met: [{ utm_medium: "email" }], unmet: [{ utm_medium: "e-mail" }] },
  ],
  utm_source: [
    {
      condition: { utm_source: "none" },
      met: [{ utm_source: "none" }],
      unmet: [{ search: "utm_source=none" }, { utm_source: "nonesuch" }],
    },
    { condition: { utm_source: "X".repeat(64) }, met: [{ utm_source: "x".repeat(64) }], unmet: [{ utm_source: "x" }] },
  ],
  utm_term: [{ condition: { utm_term: "𝒳" }, met: [{ utm_term: "𝒳" }], unmet: [{ utm_term: "x" }] }],
};

describe("5 every condition tests its fact", () => {
  const rows = Object.values(CASES).flat();

  test("the table covers every key", () => {
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(CONDITIONS).sort());
  });

  test.each(rows)("$condition", ({ condition, met, unmet }) => {
    for (const facts of met) expect({ facts, matches: matches(condition, facts) }).toEqual({ facts, matches: true });
    for (const facts of unmet) expect({ facts, matches: matches(condition, facts) }).toEqual({ facts, matches: false });
  });

  test.each(rows)("`not` inverts it: $condition", ({ condition, met, unmet }) => {
    for (const facts of met) expect(matches({ not: condition }, facts)).toBe(false);
    for (const facts of unmet) expect(matches({ not: condition }, facts)).toBe(true);
  });
});

describe("5 an unknown fact never matches, but does match its `not`", () => {
  test.each([
    { continent: ["AF", "AN", "AS", "EU", "NA", "OC", "SA"] },
    { region: "XX-XX" },
    { city: ["null", "undefined", "unknown", "other"] },
    { language: ["en", "und"] },
    { referrer: ["direct", "null"] },
    { percent: 100 },
    { query: { any: true } },
  ])("%j", (condition) => {
    expect(matches(condition, {})).toBe(false);
    expect(matches({ not: condition }, {})).toBe(true);
  });

  test("an unknown country is XX, which is not a country", () => {
    const all = [...COUNTRY_CODES].filter((code) => code !== "XX");
    expect(matches({ country: all.slice(0, 250) }, {})).toBe(false);
    expect(matches({ country: all.slice(250) }, {})).toBe(false);
  });
});

describe("5 all keys of a condition must hold", () => {
  const both = { country: "DE", device: "mobile", not: { os: "ios", language: "en" } };
  test.each([
    ["all hold", { country: "DE", device: "mobile", os: "android" }, null],
    ["one part of `not` alone does not make it fail", { country: "DE", device: "mobile", os: "ios" }, null],
    ["the first failing key in alphabetical order is named", { country: "AT", device: "desktop" }, "country"],
    ["the second fails", { country: "DE", device: "desktop" }, "device"],
    ["all of `not` holds", { country: "DE", device: "mobile", os: "ios", language: "en-GB" }, "not"],
  ] as const)("%s", (_name, facts, failed) => {
    expect(failedOn(parsedCondition(both), visitor(facts))).toBe(failed);
  });
});

describe("5 a condition is written in one form", () => {
  test.each([
    [{ country: "de" }, { country: "DE" }],
    [{ country: ["de", "At"] }, { country: ["DE", "AT"] }],
    [{ region: "us-tx" }, { region: "US-TX" }],
    [{ city: " New York " }, { city: "New York" }],
    [{ language: ["DE-ch", "ZH-hant-tw"] }, { language: ["de-CH", "zh-Hant-TW"] }],
    [{ referrer: "WWW.Example.COM" }, { referrer: "example.com" }],
    [{ referrer: "app:com.Slack" }, { referrer: "app:com.Slack" }],
    [{ after: "2026-05-01T12:00:00+02:00" }, { after: "2026-05-01T10:00:00.000Z" }],
    [{ before: "2026-05-01t12:00:00.5z" }, { before: "2026-05-01T12:00:00.500Z" }],
    [{ time: { tz: "europe/BERLIN", from: "08:00" } }, { time: { tz: "Europe/Berlin", from: "08:00" } }],
    [{ time: { tz: "Asia/Kolkata", to: "08:00" } }, { time: { tz: "Asia/Kolkata", to: "08:00" } }],
    [{ not: { country: "fr" } }, { not: { country: "FR" } }],
  ])("%j is %j", (sent, stored) => {
    expect(parsedCondition(sent)).toEqual(stored);
    expect(parsedCondition(stored)).toEqual(stored);
  });
});

describe("7 the canonical text of each condition", () => {
  test.each([
    [{ after: "2026-05-01T12:00:00+02:00" }, "after=2026-05-01T10:00:00.000Z"],
    [{ before: "2026-05-01T12:00:00Z" }, "before=2026-05-01T12:00:00.000Z"],
    [{ browser: ["safari", "edge"] }, "browser=edge,safari"],
    [{ city: ["Wien", "Berlin", "BERLIN"] }, "city=berlin,wien"],
    [{ city: "Washington, D.C. (50%)" }, "city=washington%2C d.c. %2850%25%29"],
    [{ continent: "EU" }, "continent=EU"],
    [{ country: ["fr", "DE", "fr"] }, "country=DE,FR"],
    [{ device: ["mobile"] }, "device=mobile"],
    [{ language: "DE-ch" }, "language=de-CH"],
    [{ os: "ios" }, "os=ios"],
    [{ percent: 12.5 }, "percent=12.5"],
    [{ query: { b: true, a: ["2", "1", "2"], c: "" } }, "query(a=1,2&b&c=)"],
    [{ query: { "a=b": "c&d" } }, "query(a%3Db=c%26d)"],
    [{ referrer: ["x.com", "app:com.Slack"] }, "referrer=app:com.Slack,x.com"],
    [{ region: "us-tx" }, "region=US-TX"],
    [{ source: "qr" }, "source=qr"],
    [
      { time: { tz: "Europe/Berlin", to: "17:00", from: "09:00", days: ["tue", "mon"] } },
      "time(days=mon,tue&from=09:00&to=17:00&tz=Europe/Berlin)",
    ],
    [{ time: { tz: "UTC", from: "09:00", to: "24:00" } }, "time(from=09:00&tz=UTC)"],
    [{ time: { tz: "utc", from: "00:00", to: "09:00" } }, "time(to=09:00&tz=UTC)"],
  ])("%j is %s", (condition, text) => {
    expect(canonicalText(parsedCondition(condition))).toBe(text);
  });
});

describe("5 places", () => {
  test("every ISO 3166-1 alpha-2 code, Kosovo, XX and T1 are countries", () => {
    expect(COUNTRY_CODES.size).toBe(249 + 3);
    for (const code of COUNTRY_CODES) expect(Condition.safeParse({ country: code }).success).toBe(true);
  });

  test.each(["UK", "EU", "AN", "SU", "ZZ", "DEU", "D", "", "D1"])("%j is not a country", (country) => {
    expect(Condition.safeParse({ country }).success).toBe(false);
  });
});
