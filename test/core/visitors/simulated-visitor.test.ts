import { describe, expect, test } from "vitest";

import { SimulatedVisitor } from "../../../src/core/contract/resolutions.ts";
import { simulatedVisitor } from "../../../src/core/visitors/simulated-visitor.ts";
import { failedOn } from "../../../src/core/links/routing.ts";
import { visitor, parsedCondition } from "./visitors.ts";

const NOW = Date.UTC(2026, 10, 21, 9);

function pretended(facts: unknown) {
  return simulatedVisitor(SimulatedVisitor.parse(facts), NOW);
}

describe("4 a simulated visitor for a dry run", () => {
  test("has no known facts if none are given", () => {
    expect(pretended({})).toEqual(visitor({ at: NOW }));
  });

  test.each([
    [{ country: "de" }, { country: "DE" }],
    [{ country: "" }, { country: "XX" }],
    [{ continent: "eu" }, { continent: "EU" }],
    [{ region: "us-tx" }, { region: "US-TX" }],
    [{ city: "Berlin" }, { city: "Berlin" }],
    [
      { device: "mobile", os: "ios", browser: "safari" },
      { device: "mobile", os: "ios", browser: "safari" },
    ],
    [{ language: "en;q=0.5, de-ch" }, { language: "de-CH" }],
    [{ language: "*" }, { language: null }],
    [{ language: "" }, { language: null }],
    [{ referrer: "https://www.Example.com:8080/path?q" }, { referrer: "example.com" }],
    [{ referrer: "WWW.Example.com" }, { referrer: "example.com" }],
    [{ referrer: "example.com/path" }, { referrer: "example.com" }],
    [{ referrer: "Bücher.example" }, { referrer: "xn--bcher-kva.example" }],
    [{ referrer: "android-app://com.Slack/" }, { referrer: "app:com.Slack" }],
    [{ referrer: "app:com.Slack" }, { referrer: "app:com.Slack" }],
    [{ referrer: "" }, { referrer: null }],
    [{ referrer: "about:blank" }, { referrer: null }],
    [{ referrer: "ftp://example.com/" }, { referrer: null }],
    [{ source: "qr" }, { source: "qr" }],
    [{ query: { a: "1", b: ["2", "3"], "ü &": "=" } }, { search: "a=1&b=2&b=3&%C3%BC+%26=%3D" }],
    [{ query: { a: [] } }, { search: "" }],
    [{ at: "2026-05-01T12:00:00+02:00" }, { at: Date.UTC(2026, 4, 1, 10) }],
  ] as const)("%j is %j", (facts, expected) => {
    expect(pretended(facts)).toEqual(visitor({ at: NOW, ...expected }));
  });
});

describe("4 rules are tried with the values that they are written with", () => {
  test.each([
    [{ country: "de" }, { country: "de" }],
    [{ region: "us-tx" }, { region: "us-tx" }],
    [{ city: "köln" }, { city: "KÖLN" }],
    [{ language: "DE-ch" }, { language: "DE-ch" }],
    [{ referrer: "WWW.Bücher.example" }, { referrer: "WWW.Bücher.example" }],
    [{ referrer: "app:com.Slack" }, { referrer: "app:com.Slack" }],
    [{ query: { "a b": ["ü", "&"] } }, { query: { "a b": "ü" } }],
    [{ query: { a: true } }, { query: { a: "" } }],
    [{ after: "2026-05-01T12:00:00+02:00" }, { at: "2026-05-01T10:00:00Z" }],
    [{ source: "qr" }, { source: "qr" }],
  ])("%j is met by %j", (condition, facts) => {
    expect(failedOn(parsedCondition(condition), pretended(facts))).toBeNull();
    expect(failedOn(parsedCondition(condition), pretended({ at: "2000-01-01T00:00:00Z" }))).not.toBeNull();
  });

  test("5 a split is not decided for a visitor without a place", () => {
    expect(failedOn({ percent: 100 }, pretended({}))).toBe("percent");
  });
});
