import { describe, expect, test, vi } from "vitest";

import { BulkEnvelope } from "../../../src/core/contract/bulk-links.ts";
import { ClicksQuery } from "../../../src/core/contract/clicks.ts";
import { CreateLink, Link, ListLinksQuery, UpdateLink } from "../../../src/core/contract/links.ts";
import { SimulatedVisitor } from "../../../src/core/contract/resolutions.ts";
import { StatsQuery } from "../../../src/core/contract/stats.ts";
import { type Problem, validationFailed } from "../../../src/core/errors.ts";
import { parseDomainName } from "../../../src/core/domains/domain-name.ts";
import { hostsOf } from "../../../src/core/deployment/settings.ts";
import { ROUTING_MAX_BYTES } from "../../../src/core/limits.ts";
import { locationOf } from "../../../src/core/links/visit-decision.ts";
import { linkProblems, candidateDomains, writesRules } from "../../../src/core/links/link-validation.ts";
import { problemsOf } from "../../../src/core/contract/zod-problems.ts";
import { parseReferrer } from "../../../src/core/visitors/visitor.ts";

const NOW = Date.parse("2026-11-21T09:00:00.000Z");
const TO = "https://example.com/to";
const LINK_FIELDS = new Set(Object.keys(Link.shape));

const HOSTS = hostsOf(
  {
    BASE_URL: "https://api.hop.example",
    SHORT_DOMAIN: "Hop.example",
    TEST_SHORT_DOMAIN: "test.hop.example",
  },
  "",
);
const DEV_HOSTS = hostsOf(
  {
    BASE_URL: "http://localhost:8787",
    SHORT_DOMAIN: "localhost:8787",
    TEST_SHORT_DOMAIN: "test.localhost:8787",
  },
  "",
);

/** Every problem of a new link, as the API reports them. */
function problemsOfNew(body: unknown, hosts = HOSTS): Problem[] {
  const result = CreateLink.safeParse(body);
  return [
    ...(result.success ? [] : problemsOf(result.error, LINK_FIELDS)),
    ...linkProblems(body, hosts, new Map(), NOW),
  ];
}

function problemsOfUpdate(body: unknown): Problem[] {
  const result = UpdateLink.safeParse(body);
  return [
    ...(result.success ? [] : problemsOf(result.error, LINK_FIELDS)),
    ...linkProblems(body, HOSTS, new Map(), null),
  ];
}

function pathsOf(problems: Problem[]): string[] {
  return problems.map(({ path, code }) => `${path} ${code}`);
}

function withUrl(url: unknown) {
  return pathsOf(problemsOfNew({ url }));
}

function withSlug(slug: unknown) {
  return pathsOf(problemsOfNew({ url: TO, slug }));
}

/** Problems of a link with one rule with this condition. */
function withIf(condition: unknown) {
  return pathsOf(problemsOfNew({ url: TO, routing: [{ if: condition, to: TO }] }));
}

function urlOf(chars: number, filler = "a"): string {
  const start = "https://example.com/";
  return start + filler.repeat((chars - start.length) / filler.length);
}

/** A host that takes seconds to parse: all of its characters are different. */
const ENDLESS = Array.from({ length: 8_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");

describe("4 url", () => {
  test("a host that is longer than DNS allows is refused unparsed, in any field", () => {
    const long = {
      path: "url",
      code: "invalid_value",
      message: "url must have a valid host of at most 253 characters",
    };
    const parse = vi.spyOn(URL, "parse");
    for (const url of [
      `https://${ENDLESS}/`,
      `https://${"a.".repeat(130)}example`,
      `https://${"%C3%A4".repeat(50)}/`,
    ]) {
      const body = { url, domain: ENDLESS, routing: [{ if: { country: "DE" }, to: url }] };
      expect(problemsOfNew(body)).toEqual([
        long,
        { ...long, path: "routing.0.to", message: long.message.replace("url", "routing.0.to") },
      ]);
      expect(candidateDomains([body, { url: `  http:\\\\${ENDLESS}` }, { url: "x".repeat(8_193) }])).toEqual([ENDLESS]);
      expect(parseDomainName(ENDLESS)).toEqual({ fault: expect.stringContaining("at most 237 characters") });
      expect(parseReferrer(url)).toBeNull();
    }
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
    expect(withUrl(`https://${"a.".repeat(126)}a.:65535/`)).toEqual([]);
  });

  test.each([
    "https://example.com",
    "http://example.com/a?b=c#d",
    "HTTPS://EXAMPLE.COM:8443/",
    "https://bücher.example/straße?ä=ö",
    "https://192.0.2.1/",
    "https://[2001:db8::1]:8080/x",
    "https://example.com/@user:pass",
    "https://example.com/?to=user:pass@host",
    "https://example.com/a%20b",
    "https://example.com/\u{1F600}",
    urlOf(8_192),
  ])("%.60s is accepted, and kept exactly as sent", (url) => {
    expect(problemsOfNew({ url })).toEqual([]);
    expect(CreateLink.parse({ url }).url).toBe(url);
  });

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,x",
    "ftp://example.com/",
    "file:///etc/passwd",
    "mailto:ann@example.com",
    "intent://x#Intent;end",
    "blob:https://example.com/x",
    "",
    " ",
    "example.com",
    "/path",
    "//example.com/",
    "https:",
    "https:/example.com",
    "https:example.com",
    "https://",
    "https:///",
    "https:///example.com",
    "https:////example.com",
    "https:\\\\example.com",
    "https://\\example.com",
    "https://?q",
    "https://#x",
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://:password@example.com/",
    "https://example.com:99999/",
    "https://exa mple.com/",
    "https://example.com/a b",
    "https://example.com/\r\nSet-Cookie: a=b",
    "https://exa\nmple.com/",
    " https://example.com/",
    "https://example.com/ ",
    "https://example.com/\u0000",
    "https://example.com/\u007f",
    "https://example.com/\ud800",
    "https://a%00b/",
    urlOf(8_193),
  ])("%j is refused", (url) => {
    const code = url.length > 8_192 ? "too_big" : "invalid_value";
    expect(withUrl(url)).toEqual([`url ${code}`]);
  });

  test("an emoji is one character", () => {
    expect(withUrl(urlOf(20) + "\u{1F600}".repeat(8_172))).toEqual(["url invalid_value"]);
    expect(withUrl(urlOf(20) + "\u{1F600}".repeat(8_173))).toEqual(["url too_big"]);
  });

  test.each([
    ["\u{1F600}", 12],
    ["é", 6],
    ["|", 3],
    ["%", 3],
    ["%C3", 3],
    ["#", 3],
    ["[", 3],
  ])("no more than 8,192 bytes when percent-encoded: %s takes %i", (text, bytes) => {
    const start = `${urlOf(20)}#`;
    const longest = start + text.repeat(Math.floor((8_192 - start.length) / bytes));
    expect(withUrl(longest)).toEqual([]);
    expect(locationOf(longest).length).toBeGreaterThan(8_192 - 2 * bytes);
    const isTooLong = [...longest, ...text].length > 8_192;
    expect(withUrl(longest + text)).toEqual([isTooLong ? "url too_big" : "url invalid_value"]);
  });

  test.each([
    [undefined, "required", "url is required"],
    [null, "invalid_type", "url must be of type string, not null"],
    [5, "invalid_type", "url must be of type string, not number"],
    [[TO], "invalid_type", "url must be of type string, not array"],
  ])("%j: %s", (url, code, message) => {
    expect(problemsOfNew({ url })).toEqual([{ path: "url", code, message }]);
  });

  test.each(["ftp://example.com/", "javascript:alert(1)", "HTTP+x.y-1://example.com/", "mailto:a@example.com"])(
    "%s has another scheme",
    (url) => {
      expect(problemsOfNew({ url })).toEqual([
        { path: "url", code: "invalid_value", message: "url must begin with http:// or https://" },
      ]);
    },
  );

  test.each(["example.com", "/a:b", "1a:b"])("%s is not absolute", (url) => {
    expect(problemsOfNew({ url })).toEqual([
      { path: "url", code: "invalid_value", message: "url must be an absolute URL such as https://example.com/" },
    ]);
  });

  test("a rule's destination must satisfy the same", () => {
    for (const to of ["javascript:alert(1)", "https://u:p@example.com/", "https:///x", "x"]) {
      expect(pathsOf(problemsOfNew({ url: TO, routing: [{ if: { country: "DE" }, to }] }))).toEqual([
        "routing.0.to invalid_value",
      ]);
    }
    expect(pathsOf(problemsOfNew({ url: TO, routing: [{ if: { country: "DE" } }] }))).toEqual([
      "routing.0.to required",
    ]);
    const long = { url: TO, routing: [{ if: { country: "DE" }, to: urlOf(8_193) }] };
    expect(pathsOf(problemsOfNew(long))).toEqual(["routing.0.to too_big"]);
  });
});

describe("4 destinations do not lead back to the service's own short domains", () => {
  test.each([
    "https://hop.example/abc",
    "http://hop.example/abc",
    "https://HOP.Example/abc",
    "https://hop.example./abc",
    "https://hop.example:8443/abc",
    "https://ｈｏｐ.example/abc",
    "https://hop。example/abc",
    "https://hop.example。/abc",
    "https://%68op.example/abc",
    "https://test.hop.example/",
    "https://TEST.HOP.EXAMPLE./",
  ])("%s", (url) => {
    expect(problemsOfNew({ url })).toEqual([
      { path: "url", code: "loop", message: "url must not lead to one of this service's own short domains" },
    ]);
    expect(pathsOf(problemsOfUpdate({ url }))).toEqual(["url loop"]);
    const routing = [
      { if: { country: "DE" }, to: TO },
      { if: { country: "AT" }, to: url },
    ];
    expect(pathsOf(problemsOfNew({ url: TO, routing }))).toEqual(["routing.1.to loop"]);
  });

  test.each([
    "https://nothop.example/",
    "https://hop.example.com/",
    "https://other.hop.example/",
    "https://example.com/https://hop.example/",
    "https://example.com/?to=https://hop.example/x",
  ])("%s is not the service's", (url) => {
    expect(problemsOfNew({ url })).toEqual([]);
  });

  test.each([
    ["http://localhost:8787/x", true],
    ["https://LOCALHOST.:8787/x", true],
    ["http://test.localhost:8787/x", true],
    ["http://localhost:3000/x", false],
    ["http://localhost/x", false],
  ])("in development only the configured port is the service's: %s %s", (url, ours) => {
    expect(pathsOf(problemsOfNew({ url }, DEV_HOSTS))).toEqual(ours ? ["url loop"] : []);
  });
});

describe("4 slug", () => {
  test.each([
    "a",
    "7",
    "A-b_C",
    "a--b",
    "a__b",
    "0".repeat(128),
    "a/b",
    "a.b",
    "ä",
    "\u{1F600}",
    "ａ",
    "v2x",
    "apis",
    "spring-2026",
  ])("%s is accepted as typed", (slug) => {
    expect(withSlug(slug)).toEqual([]);
    expect(CreateLink.parse({ url: TO, slug }).slug).toBe(slug);
  });

  test.each([
    "-a",
    "a-",
    "_a",
    "a_",
    "-",
    "a//b",
    "/a",
    "a.",
    "a b",
    " a",
    "a\n",
    "ä\u200d",
    "a%20b",
    "a?b",
    "a#b",
    "a\u0000b",
    "..",
    "／",
  ])("%j is refused", (slug) => {
    expect(withSlug(slug)).toEqual(["slug invalid_value"]);
  });

  test("the empty slug and one of 129 characters are refused", () => {
    expect(withSlug("")).toEqual(["slug too_small"]);
    expect(withSlug("a".repeat(129))).toEqual(["slug too_big"]);
    expect(withSlug(5)).toEqual(["slug invalid_type"]);
    expect(withSlug(null)).toEqual(["slug invalid_type"]);
  });

  test.each(["v1", "api", "dashboard", "docs", "cdn", "qr", "health", "assets", "V1", "Dashboard", "DOCS", "qR"])(
    "1 %s is reserved",
    (slug) => {
      expect(problemsOfNew({ url: TO, slug })).toEqual([
        { path: "slug", code: "invalid_value", message: "slug is reserved" },
      ]);
    },
  );

  test.each(["openapi.json", "robots.txt", "favicon.ico", "sitemap.xml", ".well-known"])("1 so is %s", (slug) => {
    expect(problemsOfNew({ url: TO, slug }).map(({ message }) => message)).toContain("slug is reserved");
  });
});

describe("4 expires_at", () => {
  test.each([
    ["2026-12-31T23:59:59Z"],
    ["2026-12-31T23:59:59.123456789Z"],
    ["2026-11-21T10:00:00.001+01:00"],
    ["2028-02-29T00:00:00Z"],
    ["2026-12-31t23:59:59z"],
    [null],
  ])("%s is accepted", (expires_at) => {
    expect(problemsOfNew({ url: TO, expires_at })).toEqual([]);
  });

  test.each([
    "2026-12-31T23:59:59",
    "2026-12-31",
    "2026-12-31 23:59:59Z",
    "2027-02-30T00:00:00Z",
    "2020-02-30T00:00:00Z",
    "2027-02-29T00:00:00Z",
    "2027-04-31T00:00:00Z",
    "2027-13-01T00:00:00Z",
    "2027-00-01T00:00:00Z",
    "2027-01-00T00:00:00Z",
    "2027-01-01T24:00:00Z",
    "2027-01-01T23:60:00Z",
    "2027-01-01T23:59:60Z",
    "2027-01-01T23:59Z",
    "2027-01-01T23:59:59+0100",
    "2027-01-01T23:59:59+24:00",
    "9999-12-31T23:59:59-01:00",
    "+012027-01-01T00:00:00Z",
    "tomorrow",
    "2020",
    "1798761599",
    "",
  ])("%j is refused, for one reason", (expires_at) => {
    expect(pathsOf(problemsOfNew({ url: TO, expires_at }))).toEqual(["expires_at invalid_value"]);
    expect(pathsOf(problemsOfUpdate({ expires_at }))).toEqual(["expires_at invalid_value"]);
  });

  test("numbers and true are refused", () => {
    expect(pathsOf(problemsOfNew({ url: TO, expires_at: NOW + 1_000 }))).toEqual(["expires_at invalid_type"]);
    expect(pathsOf(problemsOfNew({ url: TO, expires_at: true }))).toEqual(["expires_at invalid_type"]);
  });

  test.each([
    ["2026-11-21T09:00:00.000Z", false],
    ["2026-11-21T10:00:00.000+01:00", false],
    ["2026-11-21T09:00:00.001Z", true],
    ["2000-01-01T00:00:00Z", false],
  ])("a new link must not be expired from the start: %s %s", (expires_at, fine) => {
    expect(pathsOf(problemsOfNew({ url: TO, expires_at }))).toEqual(fine ? [] : ["expires_at in_the_past"]);
  });

  test("an update may expire a link now", () => {
    expect(problemsOfUpdate({ expires_at: "2000-01-01T00:00:00Z" })).toEqual([]);
    expect(problemsOfUpdate({ expires_at: null })).toEqual([]);
  });
});

describe("4 fields", () => {
  test("only known ones are accepted; read-only ones are named as such", () => {
    const body = { url: TO, id: "lnk_1", created_at: "x", short_url: "x", colour: "red", Url: "x" };
    expect(pathsOf(problemsOfNew(body)).sort()).toEqual([
      "Url unknown_field",
      "colour unknown_field",
      "created_at immutable_field",
      "id immutable_field",
      "short_url immutable_field",
    ]);
  });

  test("4 slug and domain never change", () => {
    expect(problemsOfUpdate({ slug: "new", domain: "x.example" })).toEqual([
      { path: "slug", code: "immutable_field", message: "slug is set by the service and cannot be changed" },
      { path: "domain", code: "immutable_field", message: "domain is set by the service and cannot be changed" },
    ]);
  });

  test("an empty update is fine, and null only clears expires_at", () => {
    expect(problemsOfUpdate({})).toEqual([]);
    expect(pathsOf(problemsOfUpdate({ url: null, routing: null }))).toEqual([
      "url invalid_type",
      "routing invalid_type",
    ]);
  });

  test.each([[null], [5], ["text"], [[]], [true]])("%j is not a body", (body) => {
    expect(pathsOf(problemsOfNew(body))).toEqual([" invalid_type"]);
    expect(problemsOfNew(body)[0]?.message).toMatch(/^The body must be of type object, not /);
  });

  test("__proto__, as parsed from JSON, is an unknown field like any other", () => {
    const body: unknown = JSON.parse(`{"url":"${TO}","__proto__":{"slug":"x"}}`);
    expect(pathsOf(problemsOfNew(body))).toEqual(["__proto__ unknown_field"]);
  });
});

describe("5 rules", () => {
  const rule = (i: number) => ({ if: { city: `city ${i}` }, to: TO });
  const rules = (count: number) => Array.from({ length: count }, (_, i) => rule(i));

  test("100 are accepted, 101 are not", () => {
    expect(problemsOfNew({ url: TO, routing: rules(100) })).toEqual([]);
    expect(problemsOfNew({ url: TO, routing: rules(101) })).toEqual([
      { path: "routing", code: "too_big", message: "routing must have at most 100 rules" },
    ]);
  });

  test("64 KiB are accepted, one byte more is not", () => {
    const withSum = (bytes: number) => {
      const routing = Array.from({ length: 9 }, (_, i) => ({ if: { percent: i + 1 }, to: urlOf(7_200) }));
      const missing = bytes - JSON.stringify(routing).length;
      return [{ if: { percent: 1 }, to: urlOf(7_200 + missing) }, ...routing.slice(1)];
    };
    expect(JSON.stringify(withSum(ROUTING_MAX_BYTES)).length).toBe(65_536);
    expect(problemsOfNew({ url: TO, routing: withSum(ROUTING_MAX_BYTES) })).toEqual([]);
    expect(problemsOfNew({ url: TO, routing: withSum(ROUTING_MAX_BYTES + 1) })).toEqual([
      { path: "routing", code: "too_big", message: "routing must have at most 65536 bytes as JSON, not 65537" },
    ]);
  });

  test("bytes are counted, not characters", () => {
    const city = Array.from({ length: 40 }, (_, i) => "é".repeat(190) + i);
    const routing = Array.from({ length: 6 }, (_, i) => ({ if: { percent: i + 1, city }, to: TO }));
    expect(pathsOf(problemsOfNew({ url: TO, routing }))).toEqual(["routing too_big"]);
  });

  test.each([
    [{}, ["routing.0.if required", "routing.0.to required"]],
    [null, ["routing.0 invalid_type"]],
    ["rule", ["routing.0 invalid_type"]],
    [{ if: { country: "DE" }, to: TO, name: "x" }, ["routing.0.name unknown_field"]],
    [{ if: null, to: TO }, ["routing.0.if invalid_type"]],
    [{ if: [], to: TO }, ["routing.0.if invalid_type"]],
    [{ if: "country=DE", to: TO }, ["routing.0.if invalid_type"]],
  ])("%j", (wrong, paths) => {
    expect(pathsOf(problemsOfNew({ url: TO, routing: [wrong] })).sort()).toEqual(paths);
  });

  test.each([
    [{}, "routing.0.if invalid_value"],
    [{ planet: "mars" }, "routing.0.if.planet unknown_field"],
    [{ Country: "DE" }, "routing.0.if.Country unknown_field"],
    [{ not: {} }, "routing.0.if.not invalid_value"],
    [{ not: null }, "routing.0.if.not invalid_type"],
    [{ not: [{ country: "DE" }] }, "routing.0.if.not invalid_type"],
    [{ not: { planet: "mars" } }, "routing.0.if.not.planet unknown_field"],
    [{ not: { not: { country: "DE" } } }, "routing.0.if.not.not unknown_field"],
    [{ not: { country: "UK" } }, "routing.0.if.not.country invalid_value"],
    [{ country: "UK" }, "routing.0.if.country invalid_value"],
    [{ country: ["DE", "UK"] }, "routing.0.if.country.1 invalid_value"],
    [{ country: "Germany" }, "routing.0.if.country invalid_value"],
    [{ country: [] }, "routing.0.if.country too_small"],
    [{ country: ["DE", 5] }, "routing.0.if.country.1 invalid_type"],
    [{ country: [["DE"]] }, "routing.0.if.country.0 invalid_type"],
    [{ country: null }, "routing.0.if.country invalid_union"],
    [{ country: 276 }, "routing.0.if.country invalid_union"],
    [{ continent: "Europe" }, "routing.0.if.continent invalid_value"],
    [{ region: "Texas" }, "routing.0.if.region invalid_value"],
    [{ region: "US-TEXAS" }, "routing.0.if.region invalid_value"],
    [{ city: " " }, "routing.0.if.city too_small"],
    [{ city: "x".repeat(201) }, "routing.0.if.city too_big"],
    [{ device: "phone" }, "routing.0.if.device invalid_value"],
    [{ device: ["mobile", "phone"] }, "routing.0.if.device.1 invalid_value"],
    [{ os: ["ios", "iOS"] }, "routing.0.if.os.1 invalid_value"],
    [{ browser: "ie" }, "routing.0.if.browser invalid_value"],
    [{ language: "*" }, "routing.0.if.language invalid_value"],
    [{ language: "german" }, "routing.0.if.language invalid_value"],
    [{ language: "de_DE" }, "routing.0.if.language invalid_value"],
    [{ language: ["de", ""] }, "routing.0.if.language.1 invalid_value"],
    [{ referrer: "https://example.com/" }, "routing.0.if.referrer invalid_value"],
    [{ referrer: "example.com/path" }, "routing.0.if.referrer invalid_value"],
    [{ referrer: "example.com:8080" }, "routing.0.if.referrer invalid_value"],
    [{ referrer: "*.example.com" }, "routing.0.if.referrer invalid_value"],
    [{ referrer: "." }, "routing.0.if.referrer invalid_value"],
    [{ referrer: "a..b" }, "routing.0.if.referrer invalid_value"],
    [{ referrer: "" }, "routing.0.if.referrer invalid_value"],
    [{ referrer: "app:" }, "routing.0.if.referrer invalid_value"],
    [{ query: {} }, "routing.0.if.query invalid_value"],
    [{ query: { "": "x" } }, "routing.0.if.query. invalid_key"],
    [{ query: { a: false } }, "routing.0.if.query.a invalid_value"],
    [{ query: { a: [] } }, "routing.0.if.query.a too_small"],
    [{ query: { a: ["x", 5] } }, "routing.0.if.query.a.1 invalid_type"],
    [{ query: "a=b" }, "routing.0.if.query invalid_type"],
    [{ source: "QR" }, "routing.0.if.source invalid_value"],
    [{ after: "2026-05-01" }, "routing.0.if.after invalid_value"],
    [{ after: "garbage" }, "routing.0.if.after invalid_value"],
    [{ before: "2026-02-30T00:00:00Z" }, "routing.0.if.before invalid_value"],
    [{ before: 5 }, "routing.0.if.before invalid_type"],
    [{ after: ["2026-05-01T00:00:00Z"] }, "routing.0.if.after invalid_type"],
    [{ percent: 100.1 }, "routing.0.if.percent too_big"],
    [{ percent: -1 }, "routing.0.if.percent too_small"],
    [{ percent: "50" }, "routing.0.if.percent invalid_type"],
    [{ percent: [50] }, "routing.0.if.percent invalid_type"],
    [{ time: {} }, "routing.0.if.time.tz required"],
    [{ time: { tz: "UTC" } }, "routing.0.if.time invalid_value"],
    [{ time: { tz: "Mars/Olympus", from: "08:00" } }, "routing.0.if.time.tz invalid_value"],
    [{ time: { tz: "+02:00", from: "08:00" } }, "routing.0.if.time.tz invalid_value"],
    [{ time: { tz: "UTC", from: "24:00" } }, "routing.0.if.time.from invalid_value"],
    [{ time: { tz: "UTC", from: "8:00" } }, "routing.0.if.time.from invalid_value"],
    [{ time: { tz: "UTC", to: "24:01" } }, "routing.0.if.time.to invalid_value"],
    [{ time: { tz: "UTC", from: "08:00", to: "08:00" } }, "routing.0.if.time invalid_value"],
    [{ time: { tz: "UTC", to: "00:00" } }, "routing.0.if.time invalid_value"],
    [{ time: { tz: "UTC", days: [] } }, "routing.0.if.time.days too_small"],
    [{ time: { tz: "UTC", days: ["mon", "monday"] } }, "routing.0.if.time.days.1 invalid_value"],
    [{ time: { tz: "UTC", days: "mon" } }, "routing.0.if.time.days invalid_type"],
    [{ time: { tz: "UTC", days: ["mon"], until: "x" } }, "routing.0.if.time.until unknown_field"],
  ])("%j: %s", (condition, path) => {
    expect(withIf(condition)).toEqual([path]);
  });

  test.each([
    ["country", Array.from({ length: 251 }, () => "DE")],
    ["city", Array.from({ length: 251 }, (_, i) => `city ${i}`)],
    ["referrer", Array.from({ length: 251 }, (_, i) => `h${i}.example`)],
    ["language", Array.from({ length: 251 }, () => "de")],
    ["device", Array.from({ length: 251 }, () => "mobile")],
  ])("%s accepts 250 values, not 251", (key, values) => {
    expect(withIf({ [key]: values.slice(0, 250) })).toEqual([]);
    expect(withIf({ [key]: values })).toEqual([`routing.0.if.${key} too_big`]);
  });

  test("query accepts 20 names with 250 values each", () => {
    const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, true]));
    expect(withIf({ query: names(20) })).toEqual([]);
    expect(withIf({ query: names(21) })).toEqual(["routing.0.if.query invalid_value"]);
    expect(withIf({ query: { a: Array.from({ length: 250 }, String) } })).toEqual([]);
    expect(withIf({ query: { a: Array.from({ length: 251 }, String) } })).toEqual(["routing.0.if.query.a too_big"]);
  });

  test("a rule that can never match is refused by the path of the later one", () => {
    const routing = [{ if: { country: "DE" }, to: TO }, rule(1), { if: { country: ["de", "DE"] }, to: `${TO}/2` }];
    expect(pathsOf(problemsOfNew({ url: TO, routing }))).toEqual(["routing.2 unreachable_rule"]);
    expect(pathsOf(problemsOfUpdate({ routing }))).toEqual(["routing.2 unreachable_rule"]);
  });

  test("invalid rules are not compared, and valid ones keep their index", () => {
    const routing = [{ if: { planet: 1 }, to: TO }, { if: { planet: 1 }, to: TO }, null, rule(1), rule(1)];
    expect(pathsOf(problemsOfNew({ url: TO, routing })).sort()).toEqual([
      "routing.0.if.planet unknown_field",
      "routing.1.if.planet unknown_field",
      "routing.2 invalid_type",
      "routing.4 unreachable_rule",
    ]);
  });

  test.each([
    [{ routing: [{}] }, true],
    [{ routing: [null] }, true],
    [{ routing: [] }, false],
    [{ routing: "rules" }, false],
    [{}, false],
    [null, false],
    [[{ routing: [{}] }], false],
  ])("2 the plan is checked for rules, even invalid ones, and not without rules: %j %s", (body, writes) => {
    expect(writesRules(body)).toBe(writes);
  });
});

describe("2 problems", () => {
  test("all of a body are reported together", () => {
    const body = {
      url: "javascript:alert(1)",
      slug: "a//b",
      expires_at: "2000-01-01T00:00:00Z",
      colour: "red",
      routing: [
        { if: { country: "UK", planet: "mars" }, to: "https://hop.example/" },
        { if: { country: "DE" }, to: "https://u:p@example.com/" },
        { if: { country: "DE" }, to: TO },
        { if: {}, to: 5 },
      ],
    };
    expect(pathsOf(problemsOfNew(body)).sort()).toEqual([
      "colour unknown_field",
      "expires_at in_the_past",
      "routing.0.if.country invalid_value",
      "routing.0.if.planet unknown_field",
      "routing.0.to loop",
      "routing.1.to invalid_value",
      "routing.2 unreachable_rule",
      "routing.3.if invalid_value",
      "routing.3.to invalid_type",
      "slug invalid_value",
      "url invalid_value",
    ]);
  });

  test.each([
    [{ url: TO, routing: [{ if: { device: "phone" }, to: TO }] }, "must be one of mobile, tablet, desktop, other"],
    [{ url: TO, routing: [{ if: { country: 5 }, to: TO }] }, "has an unsupported type"],
    [{ url: TO, routing: [{ if: { query: { a: 5 } }, to: TO }] }, "must be true, a string or a list of strings"],
    [{ url: TO, routing: [{ if: { percent: 101 }, to: TO }] }, "must be at most 100"],
    [{ url: TO, routing: [{ if: {}, to: TO }] }, "must not be empty"],
    [{ url: TO, slug: "x".repeat(129) }, "must have 1 to 128 characters"],
    [{ url: TO, colour: "red" }, "is unknown"],
  ])("state the allowed values: %j", (body, words) => {
    const [problem] = problemsOfNew(body);
    expect(problem?.message).toBe(`${problem?.path} ${words}`);
  });

  test("no message echoes a value", () => {
    const secret = "svc_live_SECRET";
    const bodies = [
      { url: secret },
      { url: TO, slug: `${secret}!` },
      { url: TO, expires_at: secret },
      { url: TO, routing: secret },
      ...["country", "city", "device", "language", "percent", "after", "time", "not"].map((key) => ({
        url: TO,
        routing: [{ if: { [key]: key === "city" ? [5, secret] : secret }, to: secret }],
      })),
    ];
    for (const body of bodies) {
      const problems = problemsOfNew(body);
      expect(problems).not.toEqual([]);
      expect(JSON.stringify(problems)).not.toContain("SECRET");
    }
  });

  test("the first problem gives the error its parameter and code, and the rest are counted", () => {
    const problems = [
      { path: "url", code: "required", message: "url is required" },
      { path: "slug", code: "invalid_value", message: "slug is reserved" },
      { path: "", code: "invalid_type", message: "The body …" },
    ];
    const many = validationFailed(problems);
    expect([many.status, many.code, many.message]).toEqual([
      422,
      "validation_failed",
      "url is required (and 2 more, see errors)",
    ]);
    expect(many.details).toEqual({ param: "url", errors: problems });
    expect(validationFailed(problems.slice(1, 2)).message).toBe("slug is reserved");
    expect(validationFailed(problems.slice(2)).details).toEqual({ errors: problems.slice(2) });
  });
});

describe("queries", () => {
  test("4.3 statistics: defaults", () => {
    expect(StatsQuery.parse({})).toEqual({ group_by: "country", timezone: "UTC", include_bots: "false" });
  });

  test.each([
    [{ group_by: "Country" }, "group_by invalid_value"],
    [{ group_by: "ip" }, "group_by invalid_value"],
    [{ interval: "year" }, "interval invalid_value"],
    [{ timezone: "Berlin" }, "timezone invalid_value"],
    [{ timezone: "+01:00" }, "timezone invalid_value"],
    [{ from: "2026-01-01" }, "from invalid_value"],
    [{ to: "2026-01-01T00:00:00" }, "to invalid_value"],
    [{ include_bots: "1" }, "include_bots invalid_value"],
    [{ form: "2026-01-01T00:00:00Z" }, "form unknown_field"],
  ])("4.3 statistics: %j", (query, problem) => {
    const result = StatsQuery.safeParse(query);
    expect(result.error && pathsOf(problemsOf(result.error))).toEqual([problem]);
  });

  test.each([
    [{ limit: "0" }, false],
    [{ limit: "1" }, true],
    [{ limit: "100" }, true],
    [{ limit: "101" }, false],
    [{ limit: "1.5" }, false],
    [{ limit: "ten" }, false],
    [{ sort: "-created_at" }, true],
    [{ sort: "slug" }, false],
    [{ status: "disabled" }, false],
    [{ cursor: `lnk_${"0".repeat(26)}` }, true],
    [{ cursor: "lnk_1" }, false],
    [{ search: "" }, false],
  ])("4 list: %j %s", (query, fine) => {
    expect(ListLinksQuery.safeParse(query).success).toBe(fine);
  });

  test.each([
    [{ limit: "1000" }, true],
    [{ limit: "1001" }, false],
    [{ after: "-1" }, false],
    [{ after: "0" }, true],
    [{ after: "0.5" }, false],
  ])("7 clicks: %j %s", (query, fine) => {
    expect(ClicksQuery.safeParse(query).success).toBe(fine);
  });

  test.each([
    [[], false],
    [[null], true],
    [Array(100).fill({}), true],
    [Array(101).fill({}), false],
  ])("4 bulk accepts 1 to 100 links", (links, fine) => {
    expect(BulkEnvelope.safeParse({ links }).success).toBe(fine);
  });

  test.each([
    [{}, true],
    [{ country: "de", query: { a: ["1", "2"], b: "" }, at: "2026-01-01T00:00:00Z" }, true],
    [{ country: "DEU" }, false],
    [{ at: "now" }, false],
    [{ device: "phone" }, false],
    [{ ip: "192.0.2.1" }, false],
    [{ query: { a: true } }, false],
  ])("4 a simulated visitor: %j %s", (facts, fine) => {
    expect(SimulatedVisitor.safeParse(facts).success).toBe(fine);
  });
});

describe("4 title and tags", () => {
  const withTags = (...tags: string[]) => problemsOfNew({ url: TO, tags });

  test("a title is not blank, but may be empty or have spaces around it", () => {
    expect(problemsOfNew({ url: TO, title: " A " })).toEqual([]);
    expect(problemsOfNew({ url: TO, title: "  " })).toEqual([
      { path: "title", code: "invalid_value", message: "title must not be blank" },
    ]);
  });

  test("a tag is given once, in any case", () => {
    expect(withTags("News", "Press")).toEqual([]);
    expect(withTags("News", "Press", "NEWS", "press", "news")).toEqual(
      [
        [2, 0],
        [3, 1],
        [4, 0],
      ].map(([again, first]) => ({
        path: `tags.${again}`,
        code: "invalid_value",
        message: `tags.${again} is tags.${first} again; case does not matter`,
      })),
    );
  });
});
