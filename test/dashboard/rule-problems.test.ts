/** Problems of the API, at the rule and the field they are about. */
import { describe, expect, test } from "vitest";

import { CreateLink } from "../../src/core/contract/links.ts";
import { linkProblems } from "../../src/core/links/link-validation.ts";
import { hostsOf } from "../../src/core/hosts.ts";
import { problemsOf } from "../../src/core/contract/zod-problems.ts";
import {
  clearRuleProblems,
  clearOrderProblems,
  groupProblemsByRule,
} from "../../src/dashboard/pages/link/rules/rule-problems.ts";

const URL = "https://example.com/";
const HOSTS = hostsOf({
  BASE_URL: "https://base.example.com",
  SHORT_DOMAIN: "short.example.com",
  TEST_SHORT_DOMAIN: "test.example.com",
});

/** What the API says of these rules, placed. */
function placed(routing: unknown[], ids = routing.map((_, index) => `r${index}`)) {
  const body = { url: URL, routing };
  const schema = CreateLink.safeParse(body);
  const problems = [...(schema.error ? problemsOf(schema.error) : []), ...linkProblems(body, HOSTS, new Map(), null)];
  const { general, byRule } = groupProblemsByRule(problems, ids);
  return { general, byRule: Object.fromEntries([...byRule].map(([id, fields]) => [id, Object.fromEntries(fields)])) };
}

describe("5 problems in the editor", () => {
  test("each stands at its rule and field, in words without the path", () => {
    const { general, byRule } = placed([
      { if: { country: "DE" }, to: URL },
      { if: { country: ["DE", "QQ"], not: { region: "Texas" } }, to: "ftp://example.com" },
      { if: {}, to: URL },
      { if: { query: { "a.b": [] }, time: { tz: "Mars", days: ["mon"] } }, to: URL },
    ]);
    expect(general).toEqual([]);
    expect(byRule).toEqual({
      r1: {
        "if.country": ["Must be a country code of ISO 3166-1 alpha-2, XX or T1"],
        "if.not.region": ["Must be a subdivision code of ISO 3166-2 such as US-TX"],
        to: ["Must begin with http:// or https://"],
      },
      r2: { if: ["Must not be empty"] },
      r3: {
        "if.query": ["Must have at least one"],
        "if.time": ["Must be an IANA time zone such as Europe/Berlin"],
      },
    });
  });

  test("a rule that can never fire names the other as people count", () => {
    const rule = { if: { country: "DE" }, to: URL };
    expect(placed([rule, { if: { country: "AT" }, to: URL }, rule], ["a", "b", "c"]).byRule).toEqual({
      c: { "": ["Can never fire: rule 1 has the same condition (country=DE) and comes first"] },
    });
  });

  test("a changed rule is judged anew, and so is the order once rules are moved", () => {
    const problems = groupProblemsByRule(
      [
        { path: "routing.0.to", code: "required", message: "routing.0.to is required" },
        { path: "routing.1", code: "unreachable_rule", message: "routing.1 can never fire" },
        { path: "routing.1.to", code: "required", message: "routing.1.to is required" },
        { path: "routing.2", code: "unreachable_rule", message: "routing.2 can never fire" },
      ],
      ["a", "b", "c"],
    );
    expect([...clearRuleProblems(problems, "b").byRule.keys()]).toEqual(["a", "c"]);
    expect([...clearOrderProblems(problems).byRule].map(([id, fields]) => [id, [...fields.keys()]])).toEqual([
      ["a", ["to"]],
      ["b", ["to"]],
    ]);
  });

  test("what is about all rules, or about something else, is told above them", () => {
    expect(
      groupProblemsByRule(
        [
          { path: "routing", code: "too_big", message: "routing must have at most 100 rules" },
          { path: "routing.7.to", code: "loop", message: "routing.7.to must not lead here" },
        ],
        ["a"],
      ).general,
    ).toEqual(["Must have at most 100 rules", "Must not lead here"]);
  });
});
