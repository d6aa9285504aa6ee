/** The rule editor's form shows a stored rule and returns it unchanged or as edited. */
import { describe, expect, test } from "vitest";
import { CONDITIONS, type ConditionKey } from "../../src/core/links/conditions.ts";
import { CreateLink } from "../../src/core/contract/links.ts";
import { canonicalText, type RoutingRule as Rule } from "../../src/core/links/routing.ts";
import {
  type ConditionForm,
  newCondition,
  newRule,
  toRoutingRule,
  toRuleForm,
  unusedConditionKeys,
  moveItem,
} from "../../src/dashboard/pages/link/rules/rule-form.ts";

const TO = "https://example.com/a";
const ALL_KEYS = unusedConditionKeys([]);

const SAMPLES: Record<ConditionKey, Rule["if"][]> = {
  after: [{ after: "2026-01-31T12:00:00.123Z" }],
  before: [{ before: "2026-12-31T23:59:59.000Z" }],
  browser: [{ browser: "safari" }, { browser: ["safari", "edge"] }],
  city: [{ city: ["São Paulo", "Berlin, Mitte"] }],
  continent: [{ continent: ["EU", "NA"] }],
  country: [{ country: "DE" }, { country: ["DE", "XX", "T1"] }],
  device: [{ device: ["mobile", "tablet"] }],
  language: [{ language: "pt-BR" }],
  os: [{ os: ["ios", "android"] }],
  percent: [{ percent: 0 }, { percent: 33.3 }],
  query: [{ query: { ref: true } }, { query: { a: "1", "b.c": ["x", "y"], d: "" } }],
  referrer: [{ referrer: ["news.example.com", "app:org.example.reader"] }],
  region: [{ region: "US-TX" }],
  source: [{ source: "qr" }],
  time: [
    { time: { tz: "Europe/Berlin", days: ["sat", "sun"] } },
    { time: { tz: "UTC", from: "22:00", to: "06:00" } },
    { time: { tz: "Asia/Tokyo", days: ["mon"], to: "24:00" } },
  ],
  utm_campaign: [{ utm_campaign: ["spring", "autumn"] }],
  utm_content: [{ utm_content: "banner" }],
  utm_medium: [{ utm_medium: "email" }],
  utm_source: [{ utm_source: "poster" }],
  utm_term: [{ utm_term: "running shoes" }],
};

const samples = Object.values(SAMPLES).flat();
const mixed: Rule["if"] = {
  country: ["DE", "AT"],
  device: "mobile",
  percent: 20,
  not: { language: "fr", source: "qr" },
};

describe("5 a rule through the editor", () => {
  test.each([...samples, mixed, { not: { country: "US" } }].map((condition) => [canonicalText(condition), condition]))(
    "%s survives a round trip through the form",
    (_, condition) => {
      const rule = { if: condition, to: TO };
      expect(toRoutingRule(toRuleForm("r1", rule))).toEqual(rule);
      expect(toRoutingRule(toRuleForm("r1", { if: { not: withoutNot(condition) }, to: TO })).if).toEqual({
        not: withoutNot(condition),
      });
    },
  );

  test("a list with one value is sent as that value, which means the same", () => {
    const { if: sent } = toRoutingRule(toRuleForm("r1", { if: { country: ["DE"], query: { a: ["1"] } }, to: TO }));
    expect(sent).toEqual({ country: "DE", query: { a: "1" } });
    expect(canonicalText(sent)).toBe(canonicalText({ country: ["DE"], query: { a: ["1"] } }));
  });

  test("every condition of the contract can be added, each once", () => {
    expect([...ALL_KEYS].sort()).toEqual(Object.keys(CONDITIONS).sort());
    expect(unusedConditionKeys([newCondition("country", "UTC"), newCondition("time", "UTC")])).not.toContain("time");
    expect(unusedConditionKeys(ALL_KEYS.map((key) => newCondition(key, "UTC")))).toEqual([]);
  });

  test.each(ALL_KEYS)("a new, empty %s is either valid or refused at its own path", (key) => {
    const form = { ...newRule("r1"), conditions: [newCondition(key, "Europe/Berlin")], to: TO };
    const judged = CreateLink.safeParse({ url: TO, routing: [toRoutingRule(form)] });
    const paths = judged.error?.issues.map(({ path }) => path.join(".")) ?? [];
    if (key === "time" || key === "percent") expect(judged.success).toBe(true);
    else expect(paths.every((path) => path.startsWith(`routing.0.if.${key}`)) && paths.length > 0).toBe(true);
  });

  test("an emptied share is refused instead of omitted", () => {
    const conditions: ConditionForm[] = [{ key: "percent", value: null }];
    const judged = CreateLink.safeParse({
      url: TO,
      routing: [toRoutingRule({ id: "r1", conditions, not: [], to: TO })],
    });
    expect(judged.error?.issues.map(({ path }) => path.join("."))).toEqual(["routing.0.if.percent"]);
  });

  test("spaces around a destination are trimmed", () => {
    expect(toRoutingRule({ ...newRule("r1"), to: `  ${TO}\n` }).to).toBe(TO);
  });
});

function withoutNot(condition: Rule["if"]): Rule["if"] {
  const plain = Object.fromEntries(Object.entries(condition).filter(([key]) => key !== "not"));
  return Object.keys(plain).length > 0 ? plain : { country: "FR" };
}

describe("5 the order of rules", () => {
  test.each([
    [0, 2, "bca"],
    [2, 0, "cab"],
    [1, 1, "abc"],
    [0, -1, "abc"],
    [2, 3, "abc"],
    [7, 0, "abc"],
  ])("from %d to %d", (from, to, order) => {
    expect(moveItem(["a", "b", "c"], from, to).join("")).toBe(order);
  });
});
