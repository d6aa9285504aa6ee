/** Rules as sentences, from conditions and from the keys of statistics. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { ConditionKey } from "../../src/core/links/conditions.ts";
import { canonicalText, type RuleCondition } from "../../src/core/links/routing.ts";
import { formatDateTime } from "../../src/dashboard/formatting/dates.ts";
import { parseRuleKey, ruleKeyName, ruleSentence } from "../../src/dashboard/pages/link/rules/rule-sentence.ts";

const NEW_YEAR = "2026-01-01T00:00:00.000Z";
const SPRING = "2026-03-01T09:30:00.000Z";

const SENTENCES: Record<ConditionKey, [RuleCondition, string][]> = {
  country: [
    [{ country: "DE" }, "Visitors from Germany"],
    [{ country: ["US", "NL", "XX"] }, "Visitors from the Netherlands, the United States or an unknown country"],
    [{ country: ["AT", "BE", "CH", "DE", "FR"] }, "Visitors from Austria, Belgium, Switzerland or 2 more"],
  ],
  continent: [[{ continent: ["EU", "NA"] }, "Visitors from Europe or North America"]],
  region: [[{ region: "DE-QQ" }, "Visitors in Germany, QQ"]],
  city: [
    [{ city: "Berlin" }, "Visitors in Berlin"],
    [{ city: "x".repeat(60) }, `Visitors in ${"x".repeat(40)}…`],
  ],
  device: [[{ device: ["mobile", "tablet"] }, "Visitors on a phone or a tablet"]],
  os: [[{ os: ["ios", "other"] }, "Visitors running iOS or another system"]],
  browser: [[{ browser: "samsung" }, "Visitors using Samsung Internet"]],
  language: [[{ language: ["de", "fr"] }, "Visitors who prefer German or French"]],
  referrer: [
    [
      { referrer: ["news.example.com", "app:org.example"] },
      "Visitors coming from org.example (Android) or news.example.com",
    ],
  ],
  source: [
    [{ source: "qr" }, "Visitors who scan a QR code"],
    [{ source: ["link", "qr"] }, "Visitors who open the link or scan a QR code"],
  ],
  utm_source: [[{ utm_source: "poster" }, "Visitors with UTM source “poster”"]],
  utm_medium: [[{ utm_medium: ["email", "print"] }, "Visitors with UTM medium “email” or “print”"]],
  utm_campaign: [[{ utm_campaign: "spring" }, "Visitors with UTM campaign “spring”"]],
  utm_term: [[{ utm_term: "shoes" }, "Visitors with UTM term “shoes”"]],
  utm_content: [[{ utm_content: "banner" }, "Visitors with UTM content “banner”"]],
  query: [
    [{ query: { ref: true } }, "Visitors with “ref” in the link"],
    [{ query: { a: ["1", "2"], b: true } }, "Visitors with “a” set to “1” or “2” and “b” in the link"],
  ],
  time: [
    [
      { time: { tz: "Europe/Berlin", days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", to: "17:00" } },
      "Visitors on weekdays between 09:00 and 17:00 (Europe/Berlin)",
    ],
    [{ time: { tz: "UTC", days: ["sun", "sat"] } }, "Visitors on weekends (UTC)"],
    [{ time: { tz: "UTC", days: ["wed", "mon"], from: "22:00" } }, "Visitors on Monday or Wednesday from 22:00 (UTC)"],
    [{ time: { tz: "UTC", to: "06:00" } }, "Visitors until 06:00 (UTC)"],
  ],
  after: [[{ after: NEW_YEAR }, `Visitors after ${formatDateTime(NEW_YEAR)}`]],
  before: [
    [{ before: SPRING }, `Visitors before ${formatDateTime(SPRING)}`],
    [
      { after: NEW_YEAR, before: SPRING },
      `Visitors after ${formatDateTime(NEW_YEAR)} and before ${formatDateTime(SPRING)}`,
    ],
  ],
  percent: [
    [{ percent: 33.3 }, "The first 33.3% of visitors"],
    [{ percent: 50, country: "DE" }, "The first 50% of visitors from Germany"],
  ],
};

const MIXED: [RuleCondition, string][] = [
  [{ country: "DE", device: "mobile" }, "Visitors from Germany on a phone"],
  [{ not: { country: "US" } }, "Everyone, except those from the United States"],
  [
    { language: "fr", not: { country: "CA", device: "desktop" } },
    "Visitors who prefer French, except those from Canada on a computer",
  ],
  [{ country: "DE", not: { percent: 10 } }, "Visitors from Germany, except the first 10% of those"],
];

const ALL = [...Object.values(SENTENCES).flat(), ...MIXED];

describe("5 rules as sentences", () => {
  test.each(ALL)("%j: %s", (condition, sentence) => {
    expect(ruleSentence(condition)).toBe(sentence);
  });

  test.each([
    [{ country: [] }, "Visitors from …"],
    [{ after: "" }, "Visitors after …"],
    [{ query: { "": true as const } }, "Visitors with “…” in the link"],
    [{ query: {} }, "Visitors with … in the link"],
    [{ percent: null as unknown as number }, "The first …% of visitors"],
    [{}, "Visitors"],
    [{ not: {} }, "Everyone, except those"],
  ])("an ellipsis replaces missing values: %j", (condition, sentence) => {
    expect(ruleSentence(condition)).toBe(sentence);
  });
});

describe("7 rules in statistics", () => {
  test.each(ALL)("the key of %j can be parsed back, and reads like the rule", (condition) => {
    const key = canonicalText(condition);
    const parsed = parseRuleKey(key);
    expect(parsed && canonicalText(parsed)).toBe(key);
    // Cities are compared, and stored in keys, in lower case.
    expect(ruleKeyName(key).toLowerCase()).toBe(ruleSentence(condition).toLowerCase());
  });

  test("keys of rules with any texts can be parsed back", () => {
    const text = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });
    const texts = fc.array(text, { minLength: 1, maxLength: 3 });
    const query = fc.dictionary(text, fc.oneof(fc.constant(true as const), texts), {
      minKeys: 1,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(texts, query, (city, names) => {
        const condition = { city, query: names, not: { city, utm_term: city } };
        const parsed = parseRuleKey(canonicalText(condition));
        expect(parsed && canonicalText(parsed)).toBe(canonicalText(condition));
      }),
    );
  });

  test("keys are shown as sentences, and a key from a later release stays unchanged", () => {
    expect(ruleKeyName("country=AT,DE&not(device=mobile)")).toBe(
      "Visitors from Austria or Germany, except those on a phone",
    );
    expect(ruleKeyName("default")).toBe("Everyone else");
    expect(ruleKeyName('country=DE&weather={"sun":true}')).toBe('country=DE&weather={"sun":true}');
    expect(ruleKeyName("country=DE&mood(happy)")).toBe("country=DE&mood(happy)");
  });
});
