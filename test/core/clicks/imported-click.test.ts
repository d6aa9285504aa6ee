import { expect, test } from "vitest";

import { importedClick } from "../../../src/core/clicks/imported-click.ts";
import type { ImportedClick } from "../../../src/core/contract/click-imports.ts";
import { CONTINENT_CODES, COUNTRY_CODES } from "../../../src/core/visitors/fact-values.ts";
import { NO_UTM } from "../../../src/core/visitors/utm.ts";

const AT = "2024-05-01T14:00:00+02:00";
const PHONE =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36";

const NOWHERE = { country: "XX", continent: null, region: null, city: null };
const NO_CLIENT = { device: "other", os: "other", browser: "other", language: null, referrer: null };
const UNKNOWN = { ...NOWHERE, ...NO_CLIENT, ...NO_UTM, at: Date.UTC(2024, 4, 1, 12), class: "human", split: 0xffff };

const factsOf = (sent: Partial<ImportedClick>) => importedClick({ at: AT, ...sent }).visit;

test("a click of which only the time is known matched no rule, code or condition, and is of no known visitor", () => {
  const click = { visit: UNKNOWN, rule: null, qr: null, query: "", visitor: 0, alias: undefined };
  expect(importedClick({ at: AT })).toEqual(click);
});

test("every country is on a continent", () => {
  const continents = [...COUNTRY_CODES].map((country) => factsOf({ country }).continent);
  const counts = CONTINENT_CODES.map((code) => continents.filter((continent) => continent === code).length);
  // The others are unknown countries, and Tor.
  expect([...counts, COUNTRY_CODES.size]).toEqual([58, 5, 51, 53, 41, 28, 14, 252]);
});

test.each([
  ["us", "us-tx", ["US", "NA", "US-TX"]],
  ["FR", "FR-A", ["FR", "EU", "FR-A"]],
  ["gb", "GB-SCT", ["GB", "EU", "GB-SCT"]],
  ["ZA", "US-TX", ["ZA", "AF", null]],
  ["JP", "JP-1234", ["JP", "AS", null]],
  ["BR", "", ["BR", "SA", null]],
  ["ZZ", "US-TX", ["XX", null, null]],
  ["ZZ", "ZZ-A", ["XX", null, null]],
  [undefined, "US-TX", ["XX", null, null]],
  [null, null, ["XX", null, null]],
])("in the country %s, the region %s is %j", (country, region, place) => {
  const facts = factsOf({ ...(country !== undefined && { country }), region });
  expect([facts.country, facts.continent, facts.region]).toEqual(place);
});

test("a client is known by its User-Agent, unless it was sent", () => {
  const client = { user_agent: PHONE, device: null, os: null, browser: null };
  const phone = { ...UNKNOWN, device: "mobile", os: "android", browser: "chrome" };
  expect(factsOf(client)).toEqual(phone);
  expect(factsOf({ ...client, device: "tablet" })).toEqual({ ...phone, device: "tablet" });
  expect(factsOf({ ...client, os: "linux" })).toEqual({ ...phone, os: "linux" });
  expect(factsOf({ ...client, browser: "opera" })).toEqual({ ...phone, browser: "opera" });
});

test.each<[Partial<ImportedClick>, Partial<Record<keyof typeof UNKNOWN, unknown>>]>([
  [{ city: "Berlin" }, { city: "Berlin" }],
  [{ user_agent: "Googlebot/2.1 (+http://www.google.com/bot.html)" }, { class: "bot" }],
  [{ bot: true }, { class: "bot" }],
  [
    { bot: true, user_agent: PHONE },
    { class: "bot", device: "mobile", os: "android", browser: "chrome" },
  ],
  [{ bot: false, user_agent: "Googlebot/2.1 (+http://www.google.com/bot.html)" }, {}],
  [{ language: "en;q=0.5,de-de" }, { language: "de-DE" }],
  [{ referrer: "https://www.Example.com/x" }, { referrer: "example.com" }],
  [{ referrer: `example.com/${"x".repeat(600)}` }, { referrer: "example.com" }],
  [{ referrer: "app:_" }, { referrer: "app:_" }],
  [{ referrer: `app:${"a".repeat(200)}` }, { referrer: `app:${"a".repeat(200)}` }],
  [{ referrer: `app:${"a".repeat(201)}` }, {}],
  [{ referrer: "app:a/app:b" }, {}],
  [{ referrer: null, language: null, city: null, bot: null, user_agent: null }, {}],
  [{ utm_source: "Mail", utm_medium: null, utm_term: "" }, { utm_source: "mail" }],
  [{ utm_campaign: "a&utm_term=b" }, { utm_campaign: "a&utm_term=b" }],
])("the facts of %j: %j", (sent, facts) => {
  expect(factsOf(sent)).toEqual({ ...UNKNOWN, ...facts });
});
