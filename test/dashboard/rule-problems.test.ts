/** Problems that the API reports, assigned to the rule and field that they concern. */
import { describe, expect, test } from "vitest";

import { CreateLink } from "../../src/core/contract/links.ts";
import { linkProblems } from "../../src/core/links/link-validation.ts";
import { hostsOf } from "../../src/core/deployment/settings.ts";
import { problemsOf } from "../../src/core/contract/zod-problems.ts";
import {
  clearRuleProblems,
  clearOrderProblems,
  type RuleProblem,
  ruleProblemsOf,
} from "../../src/dashboard/pages/link/rules/rule-form.ts";

const URL = "https://example.com/";
const HOSTS = hostsOf(
  {
    BASE_URL: "https://base.example.com",
    SHORT_DOMAIN: "short.example.com",
    TEST_SHORT_DOMAIN: "test.example.com",
  },
  "",
);

/** The API's problems with these rules, by rule and field. */
function placed(routing: unknown[], ids = routing.map((_, index) => `r${index}`)) {
  const body = { url: URL, routing };
  const schema = CreateLink.safeParse(body);
  const problems = [...(schema.error ? problemsOf(schema.error) : []), ...linkProblems(body, HOSTS, new Map(), null)];
  const byRule: Record<string, Record<string, string[]>> = {};
  const found = ruleProblemsOf(problems, ids);
  for (const { rule, field, text } of found) if (rule !== null) ((byRule[rule] ??= {})[field] ??= []).push(text);
  return { general: generalOf(found), byRule };
}

function generalOf(problems: readonly RuleProblem[]): string[] {
  return problems.filter(({ rule }) => rule === null).map(({ text }) => text);
}

describe("5 problems in the editor", () => {
  test("each is shown at its rule and field, without the path in its text", () => {
    const { general, byRule } = placed([
      { if: { country: "DE" }, to: URL },
      { if: { country: ["DE", "QQ"], not: { region: "Texas" } }, to: "ftp://example.com" },
      { if: {}, to: URL },
      { if: { query: { "a.b": [] }, time: { tz: "Mars", days: ["mon"] } }, to: URL },
    ]);
    expect(general).toEqual([]);
    expect(byRule).toEqual({
      r1: {
        "if.country": ["Choose countries from the list."],
        "if.not.region": ["Enter regions as US-TX or DE-BE: country, dash, region."],
        to: ["The address must start with http:// or https://."],
      },
      r2: { if: ["Add at least one condition."] },
      r3: {
        "if.query": ["Choose or type at least one."],
        "if.time": ["Choose a time zone from the list."],
      },
    });
  });

  test.each<[string, unknown, string, string]>([
    ["country", [], "if.country", "Choose or type at least one."],
    ["language", "x_y", "if.language", "Enter languages as de or pt-BR."],
    ["referrer", "https://example.com/", "if.referrer", "Enter sites as example.com, without https://."],
    ["after", "", "if.after", "Choose a date and a time."],
    ["before", "soon", "if.before", "Choose a date and a time."],
    ["time", { tz: "UTC" }, "if.time", "Choose days or hours."],
    ["time", { tz: "UTC", from: "09:00", to: "09:00" }, "if.time", "Start and end must differ."],
    ["percent", null, "if.percent", "Enter a number from 0 to 100."],
    ["percent", 101, "if.percent", "Enter a number from 0 to 100."],
    ["percent", -1, "if.percent", "Enter a number from 0 to 100."],
    ["query", {}, "if.query", "Add at least one parameter."],
    ["query", { "": true }, "if.query", "Every parameter needs a name."],
  ])("%s of %j: the dashboard's text, not the server's", (key, value, field, message) => {
    expect(placed([{ if: { [key]: value }, to: URL }]).byRule).toEqual({ r0: { [field]: [message] } });
  });

  test.each([
    ["", "Enter a web address, such as https://example.com/page."],
    ["nonsense", "Enter a web address, such as https://example.com/page."],
    ["https:///x", "Enter a web address, such as https://example.com/page."],
    ["https://short.example.com/x", "This is a short link of this service. Enter the final destination."],
  ])("a destination %j: the dashboard's text, not the server's", (to, message) => {
    expect(placed([{ if: { country: "DE" }, to }]).byRule).toEqual({ r0: { to: [message] } });
  });

  test("an unreachable rule names the earlier rule, counted from 1", () => {
    const rule = { if: { country: "DE" }, to: URL };
    const narrower = { if: { country: "AT", os: "ios" }, to: URL };
    expect(placed([rule, { if: { country: "AT" }, to: URL }, rule, narrower], ["a", "b", "c", "d"]).byRule).toEqual({
      c: { "": ["This rule never applies: rule 1 matches all its visitors first."] },
      d: { "": ["This rule never applies: rule 2 matches all its visitors first."] },
    });
  });

  test("problems of a changed rule are cleared, and those of the order once rules are moved", () => {
    const problems = ruleProblemsOf(
      [
        { path: "routing.0.to", code: "required", message: "routing.0.to is required" },
        { path: "routing.1", code: "unreachable_rule", message: "routing.1 can never match" },
        { path: "routing.1.to", code: "required", message: "routing.1.to is required" },
        { path: "routing.2", code: "unreachable_rule", message: "routing.2 can never match" },
      ],
      ["a", "b", "c"],
    );
    expect(clearRuleProblems(problems, "b").map(({ rule }) => rule)).toEqual(["a", "c"]);
    expect(clearOrderProblems(problems).map(({ rule, field }) => [rule, field])).toEqual([
      ["a", "to"],
      ["b", "to"],
    ]);
  });

  test("problems with all rules, or with something else, are shown above them", () => {
    expect(
      generalOf(
        ruleProblemsOf(
          [
            { path: "routing", code: "too_big", message: "routing must have at most 100 rules" },
            { path: "routing.7.to", code: "loop", message: "routing.7.to must not lead here" },
          ],
          ["a"],
        ),
      ),
    ).toEqual(["Must have at most 100 rules", "Must not lead here"]);
  });
});
