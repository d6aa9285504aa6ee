import { describe, expect, test } from "vitest";

import { hostsOf } from "../../../src/core/deployment/settings.ts";
import {
  anyWritesRules,
  linkAddressProblems,
  type KnownDomains,
  defaultRedirectProblems,
  linkProblems,
  candidateDomains,
  writesRules,
} from "../../../src/core/links/link-validation.ts";

const NOW = Date.parse("2026-11-21T09:00:00.000Z");
const HOSTS = hostsOf(
  {
    BASE_URL: "https://api.hop.example",
    SHORT_DOMAIN: "hop.example",
    TEST_SHORT_DOMAIN: "test.hop.example",
  },
  "",
);
const KNOWN: KnownDomains = new Map([
  ["go.ann.example", "active"],
  ["new.ann.example", "pending"],
  ["old.ann.example", "misconfigured"],
  ["go.bob.example", null],
]);

/** 8,192 characters, the most a URL may have. */
const LONGEST = "https://long.example/".padEnd(8_192, "a");

function loop(path: string) {
  return { path, code: "loop", message: `${path} must not lead to one of this service's own short domains` };
}

describe("names that may be short domains", () => {
  test.each<[string, unknown[], string[]]>([
    ["no body", [], []],
    ["not an object", [null, "https://a.example/", 1, ["https://a.example/"]], []],
    ["a url", [{ url: "https://a.example/x" }], ["a.example"]],
    [
      "default redirects",
      [{ root_url: "https://r.example/", not_found_url: "https://n.example/", expired_url: "https://e.example/" }],
      ["r.example", "n.example", "e.example"],
    ],
    ["a fallback", [{ fallback_url: "https://f.example/" }], ["f.example"]],
    ["rules", [{ routing: [{ to: "https://a.example/" }, { to: "https://b.example/" }] }], ["a.example", "b.example"]],
    ["more rules than a link has", [{ routing: Array(101).fill({ to: "https://a.example/" }) }], []],
    ["invalid rules", [{ routing: { to: "https://a.example/" } }, { routing: [null, "x", { to: 1 }, {}] }], []],
    [
      "the domain, before the destinations",
      [{ url: "https://a.example/", domain: "Go.Ann.Example." }],
      ["go.ann.example", "a.example"],
    ],
    ["a domain that is not a string", [{ domain: 7 }, { domain: null }, { domain: ["a.example"] }], []],
    [
      "a repeated name",
      [{ url: "https://a.example/" }, { url: "http://a.example/2", root_url: "https://b.example/" }],
      ["a.example", "b.example"],
    ],
    [
      "one final dot is removed",
      [{ url: "https://a.example./" }, { url: "https://b.example/" }],
      ["a.example", "b.example"],
    ],
    ["not a URL", [{ url: "a.example", root_url: 5 }], []],
    ["the longest URL", [{ url: LONGEST }], ["long.example"]],
    ["a longer one", [{ url: `${LONGEST}a` }], []],
  ])("%s", (_name, bodies, names) => {
    expect(candidateDomains(bodies)).toEqual(names);
  });
});

describe("a link that would lead to itself", () => {
  test.each<[string, unknown, string[]]>([
    ["a service domain", { url: "https://hop.example/a" }, ["url"]],
    ["the test domain", { url: "http://test.hop.example/a" }, ["url"]],
    ["the account's domain, whatever its state", { url: "https://new.ann.example/a" }, ["url"]],
    ["another account's domain", { url: "https://go.bob.example/" }, ["url"]],
    ["as the fallback", { url: "https://a.example/", fallback_url: "https://hop.example/a" }, ["fallback_url"]],
    ["with a final dot", { url: "https://go.bob.example./" }, ["url"]],
    ["a subdomain of a known one", { url: "https://x.go.bob.example/" }, []],
    ["one with an additional dot inside", { url: "https://g.o.bob.example/" }, []],
    [
      "a rule's",
      { url: "https://a.example/", routing: [{ to: "https://a.example/" }, { to: "https://hop.example/" }] },
      ["routing.1.to"],
    ],
    [
      "all together",
      { url: "https://hop.example/", routing: [{ to: "https://go.ann.example/" }] },
      ["url", "routing.0.to"],
    ],
    ["the longest URL", { url: `https://hop.example/${"a".repeat(8_172)}` }, ["url"]],
    ["a longer one, which the schema refuses", { url: `https://hop.example/${"a".repeat(8_173)}` }, []],
    ["rules that are not a list", { routing: { to: "https://hop.example/" } }, []],
    ["not an object", ["https://hop.example/"], []],
    ["nothing", null, []],
    ["a text", "https://hop.example/", []],
  ])("%s", (_name, body, paths) => {
    expect(linkProblems(body, HOSTS, KNOWN, NOW)).toEqual(paths.map(loop));
  });

  test.each<[unknown, string[]]>([
    [{ root_url: "https://hop.example/" }, ["root_url"]],
    [{ not_found_url: "https://go.ann.example/" }, ["not_found_url"]],
    [{ expired_url: "https://hop.example/" }, ["expired_url"]],
    [{ root_url: "https://hop.example/", not_found_url: "https://hop.example/x" }, ["root_url", "not_found_url"]],
    [{ root_url: "https://a.example/", not_found_url: null }, []],
    [null, []],
    ["https://hop.example/", []],
    [[], []],
  ])("default redirects %j", (body, paths) => {
    expect(defaultRedirectProblems(body, HOSTS, KNOWN)).toEqual(paths.map(loop));
  });
});

describe("the expiry of a link", () => {
  const past = { path: "expires_at", code: "in_the_past", message: "expires_at must be in the future" };

  test.each<[unknown, number | null, unknown[]]>([
    ["2026-11-21T08:59:59.999Z", NOW, [past]],
    ["2026-11-21T09:00:00.000Z", NOW, [past]],
    ["2026-11-21T09:00:00.001Z", NOW, []],
    ["2026-11-21T09:00:00.000Z", null, []],
    ["2000-01-01", NOW, []],
    [null, NOW, []],
    [0, NOW, []],
    [["2000-01-01T00:00:00Z"], NOW, []],
  ])("%j at %j", (expiresAt, now, problems) => {
    expect(linkProblems({ expires_at: expiresAt }, HOSTS, KNOWN, now)).toEqual(problems);
  });
});

describe("the start and the expiry of a link", () => {
  const [TEN, ELEVEN] = ["2027-01-01T10:00:00Z", "2027-01-01T11:00:00Z"];

  test.each<[unknown, string[]]>([
    [{ starts_at: TEN, expires_at: ELEVEN }, []],
    [{ starts_at: ELEVEN, expires_at: TEN }, ["starts_at"]],
    [{ starts_at: "2027-01-01T11:30:00+01:00", expires_at: ELEVEN }, []],
    [{ starts_at: ELEVEN, expires_at: null }, []],
    [{ starts_at: "eleven", expires_at: TEN }, []],
    [{ starts_at: 5, expires_at: TEN }, []],
    [{ starts_at: "2000-01-01T00:00:00Z" }, []],
  ])("%j", (body, paths) => {
    expect(linkProblems(body, HOSTS, KNOWN, NOW).map(({ path }) => path)).toEqual(paths);
  });

  test("are compared with the stored ones if only one is sent", () => {
    const stored = { startsAt: Date.parse(TEN), expiresAt: Date.parse(ELEVEN) };
    const pathsOf = (body: unknown) => linkProblems(body, HOSTS, KNOWN, null, stored).map(({ path }) => path);
    expect(pathsOf({ starts_at: ELEVEN })).toEqual(["starts_at"]);
    expect(pathsOf({ expires_at: TEN })).toEqual(["expires_at"]);
    expect(pathsOf({ starts_at: ELEVEN, expires_at: null })).toEqual([]);
    expect(pathsOf({ starts_at: null, expires_at: TEN })).toEqual([]);
    expect(pathsOf({})).toEqual([]);
  });
});

test("rules may have 65,536 bytes together", () => {
  const rules = (bytes: number) => [{ note: "é".repeat(1_000) + "x".repeat(bytes - 2_000 - '[{"note":""}]'.length) }];
  expect(linkProblems({ routing: rules(65_536) }, HOSTS, KNOWN, NOW)).toEqual([]);
  expect(linkProblems({ routing: rules(65_537) }, HOSTS, KNOWN, NOW)).toEqual([
    { path: "routing", code: "too_big", message: "routing must have at most 65536 bytes as JSON, not 65537" },
  ]);
});

test("a rule after one that always matches is found among unreadable rules", () => {
  const rules = [null, { if: { nonsense: 1 }, to: "x" }, { if: { country: ["DE"] } }, { if: { country: ["DE"] } }];
  const problems = linkProblems({ routing: rules }, HOSTS, KNOWN, NOW);
  expect(problems.map(({ path }) => path)).toEqual(["routing.3"]);
});

describe("the domain of a new link", () => {
  const unknown = {
    path: "domain",
    code: "invalid_value",
    message: "domain must be one of your active domains, or hop.example",
  };
  const inactive = (status: string) => ({
    path: "domain",
    code: "not_active",
    message: `domain must be active to accept new links, but is ${status}`,
  });

  test.each<[unknown, unknown[]]>([
    [{ domain: "hop.example" }, []],
    [{ domain: "HOP.example." }, []],
    [{ domain: "go.ann.example" }, []],
    [{ domain: "Go.Ann.Example" }, []],
    [{ domain: "new.ann.example" }, [inactive("pending")]],
    [{ domain: "old.ann.example" }, [inactive("misconfigured")]],
    [{ domain: "go.bob.example" }, [unknown]],
    [{ domain: "nowhere.example" }, [unknown]],
    [{ domain: "" }, [unknown]],
    [{ domain: 5 }, []],
    [{}, []],
    [null, []],
    ["hop.example", []],
  ])("%j", (body, problems) => {
    expect(linkAddressProblems(body, "hop.example", KNOWN)).toEqual(problems);
  });
});

describe("whether a body writes rules", () => {
  const rule = { if: { country: ["DE"] }, to: "https://a.example/" };

  test.each<[unknown, boolean]>([
    [{ routing: [rule] }, true],
    [{ routing: ["nonsense"] }, true],
    [{ routing: [] }, false],
    [{ routing: null }, false],
    [{ routing: "rules" }, false],
    [{}, false],
    [null, false],
    [[rule], false],
  ])("%j: %s", (body, writes) => {
    expect(writesRules(body)).toBe(writes);
  });

  test.each<[unknown, boolean]>([
    [{ links: [{ routing: [rule] }] }, true],
    [{ links: [{}, null, { routing: [rule] }] }, true],
    [{ links: [{}, { routing: [] }] }, false],
    [{ links: [] }, false],
    [{ links: { 0: { routing: [rule] } } }, false],
    [{ routing: [rule] }, false],
    [null, false],
    [[{ routing: [rule] }], false],
  ])("any of %j: %s", (body, writes) => {
    expect(anyWritesRules(body)).toBe(writes);
  });
});
