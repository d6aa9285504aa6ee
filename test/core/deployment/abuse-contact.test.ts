import { describe, expect, test } from "vitest";

import { abuseContact } from "../../../src/core/deployment/settings.ts";
import { settingsProblem } from "../../../src/store/operators/deployment-state.ts";

const BETTER_AUTH_SECRET = "x".repeat(32);

describe("ABUSE_CONTACT", () => {
  test.each([
    ["abuse@hop.example", "mailto:abuse@hop.example"],
    [" abuse@hop.example ", "mailto:abuse@hop.example"],
    ["a?subject=&b@hop.example", "mailto:a%3Fsubject%3D%26b@hop.example"],
    ["https://hop.example/abuse?a=1&b=2", "https://hop.example/abuse?a=1&b=2"],
    ["http://hop.example", "http://hop.example/"],
    [`${"x".repeat(242)}@hop.example`, `mailto:${"x".repeat(242)}@hop.example`],
    [`https://hop.example/${"x".repeat(2_028)}`, `https://hop.example/${"x".repeat(2_028)}`],
  ])("%j is accepted", (text, href) => {
    expect(abuseContact({ ABUSE_CONTACT: text })).toEqual({ text: text.trim(), href });
    expect(settingsProblem({ BETTER_AUTH_SECRET, ABUSE_CONTACT: text })).toBeNull();
  });

  test.each([undefined, "", "  "])("%j means no contact", (text) => {
    const settings = text === undefined ? {} : { ABUSE_CONTACT: text };
    expect(abuseContact(settings)).toBeNull();
    expect(settingsProblem({ BETTER_AUTH_SECRET, ...settings })).toBeNull();
  });

  test.each([
    "abuse",
    "abuse@",
    "javascript:alert(1)",
    "javascript:alert@hop.example",
    "data:text/html,x",
    "https://user:password@hop.example/",
    "https://user@hop.example/",
    "https://:password@hop.example/",
    "ftp://hop.example/",
    "abuse@hop.example?subject=x",
    "abuse@hop.example/",
    "a b@hop.example",
    '"><script>@hop.example',
    `${"x".repeat(243)}@hop.example`,
    `https://hop.example/${"x".repeat(2_029)}`,
  ])("%j is refused at startup", (text) => {
    expect(abuseContact({ ABUSE_CONTACT: text })).toBe("invalid");
    expect(settingsProblem({ BETTER_AUTH_SECRET, ABUSE_CONTACT: text })).toMatchObject({
      code: "misconfigured",
      message: expect.stringContaining("ABUSE_CONTACT must be"),
    });
  });
});
