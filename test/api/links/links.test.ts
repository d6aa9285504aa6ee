/** One link: create, retrieve, update, delete (spec 1.1, 1.2, 2.1, 2.2, 4.1, 4.2, 4.7, 7, 8). */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { Link } from "../../../src/core/contract/links.ts";
import { changePlan } from "../../../src/store/accounts/accounts.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { errorOf, type ApiResponse } from "../../support/api-response.ts";
import { fetchWith } from "../../support/changed-env.ts";
import { changeLinks, withDatabases } from "../../support/link-databases.ts";
import { watchDatabase } from "../../support/watched-database.ts";
import {
  validationFailed,
  LINK_NOT_FOUND,
  preconditionFailed,
  PLAN_UPGRADE_REQUIRED,
  slugTaken,
  asBulkError,
} from "../../support/expected-errors.ts";

const URL = "https://example.com/";
const DAY_MS = 86_400_000;
const RULES = [
  { if: { country: "DE" }, to: "https://example.com/de" },
  { if: { device: "mobile" }, to: "https://example.com/m" },
];
const WORDS_OF_SLUG =
  "must contain only letters, digits, emoji and - _ . ~, in segments that begin and end with a letter, digit or emoji";
const WORDS_OF_LENGTH = "must have 1 to 128 characters";
const WORDS_OF_TIME = "must be an RFC 3339 time with seconds and an offset or Z, such as 2026-12-31T23:59:59Z";

/** Of the tests with many cases, which would take twice as long with an account for each. */
const ann = await premiumAccount();

function newSlug(): string {
  return `s-${crypto.randomUUID()}`;
}

function create(actor: TestAccount, body: Record<string, unknown>): Promise<ApiResponse> {
  return actor.call("POST", "/v1/links", { url: URL, ...body });
}

function patch(
  actor: TestAccount,
  link: Link,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return actor.call("PATCH", `/v1/links/${link.id}`, body, headers);
}

/** The current link, with its ETag. */
async function current(actor: TestAccount, link: Link): Promise<{ link: Link; etag: string | null }> {
  const reply = await actor.call("GET", `/v1/links/${link.id}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return { link: Link.parse(reply.body), etag: reply.headers.get("ETag") };
}

describe("4.1 POST /v1/links", () => {
  test("with only a url answers 201 and the complete link, with a random slug and no rules or expiry", async () => {
    const ann = await freeAccount();
    const before = Date.now();
    const reply = await ann.call("POST", "/v1/links", { url: URL });
    expect(reply.status).toBe(201);
    expect(reply.headers.get("ETag")).toBe('"1"');
    expect(reply.headers.get("Content-Type")).toBe("application/json");
    const link = Link.parse(reply.body);
    expect(link).toEqual({
      id: expect.stringMatching(/^lnk_[0-9a-z]{26}$/),
      slug: expect.stringMatching(/^[2-9b-df-hjkmnp-tv-xz]{7}$/),
      domain: "localhost:8787",
      short_url: `http://localhost:8787/${link.slug}`,
      url: URL,
      routing: [],
      expires_at: null,
      created_at: expect.any(String),
      updated_at: link.created_at,
    });
    expect(Date.parse(link.created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(link.created_at)).toBeLessThanOrEqual(Date.now());
    expect(await current(ann, link)).toEqual({ link, etag: '"1"' });
  });

  test("with every field answers 201 with every field", async () => {
    const ann = await premiumAccount();
    const slug = newSlug();
    const expires = new Date(Date.now() + DAY_MS).toISOString();
    const sent = { url: URL, slug, domain: "LOCALHOST:8787", expires_at: expires, routing: RULES };
    const reply = await ann.call("POST", "/v1/links", sent);
    expect(reply.status).toBe(201);
    const link = Link.parse(reply.body);
    expect(link).toEqual({
      id: link.id,
      slug,
      domain: "localhost:8787",
      short_url: `http://localhost:8787/${slug}`,
      url: URL,
      routing: RULES,
      expires_at: expires,
      created_at: link.created_at,
      updated_at: link.created_at,
    });
    expect(await current(ann, link)).toEqual({ link, etag: '"1"' });
  });

  test("routing [] and expires_at null are the defaults", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink({ routing: [], expires_at: null });
    expect([link.routing, link.expires_at]).toEqual([[], null]);
  });

  test("1.1, 1.2 visitors go to the url, and those who match a rule to that rule's destination", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    expect((await visit(link.short_url, { country: "JP" })).headers.get("Location")).toBe(URL);
    expect((await visit(link.short_url, { country: "DE" })).headers.get("Location")).toBe("https://example.com/de");
  });

  test("random slugs differ", async () => {
    const ann = await premiumAccount();
    const links = await Promise.all(Array.from({ length: 20 }, () => ann.createLink()));
    expect(new Set(links.map(({ slug }) => slug)).size).toBe(20);
    expect(new Set(links.map(({ id }) => id)).size).toBe(20);
  });

  test.each([
    ["2099-01-01T00:00:00Z", "2099-01-01T00:00:00.000Z"],
    ["2099-01-01T00:00:00.5Z", "2099-01-01T00:00:00.500Z"],
    ["2099-01-01T00:00:00.123456789Z", "2099-01-01T00:00:00.123Z"],
    ["2099-01-01T01:30:00+01:30", "2099-01-01T00:00:00.000Z"],
    ["2098-12-31T16:00:00-08:00", "2099-01-01T00:00:00.000Z"],
    ["2099-01-01t00:00:00z", "2099-01-01T00:00:00.000Z"],
    ["2096-02-29T00:00:00-00:00", "2096-02-29T00:00:00.000Z"],
  ])("expires_at %s is returned as %s", async (sent, returned) => {
    const link = await ann.createLink({ expires_at: sent });
    expect(link.expires_at).toBe(returned);
    expect((await current(ann, link)).link.expires_at).toBe(returned);
  });

  test.each([
    "2099-01-01",
    "2099-01-01T00:00:00",
    "2099-01-01T00:00Z",
    "2099-01-01 00:00:00Z",
    "2099-02-29T00:00:00Z",
    "2099-01-01T24:00:00Z",
    "2099-01-01T23:59:60Z",
    "2099-01-01T00:00:00+25:00",
    "+002099-01-01T00:00:00Z",
    "9999-12-31T23:59:59-01:00",
    "tomorrow",
    "",
  ])("expires_at %j is refused", async (sent) => {
    expect(errorOf(await create(ann, { expires_at: sent }))).toEqual(
      validationFailed(["expires_at", "invalid_value", WORDS_OF_TIME]),
    );
  });

  test.each([[4_102_444_800_000], [true], [{}]])("expires_at %j has the wrong type", async (sent) => {
    const type = typeof sent;
    expect(errorOf(await create(ann, { expires_at: sent }))).toEqual(
      validationFailed(["expires_at", "invalid_type", `must be of type string, not ${type}`]),
    );
  });

  test("expires_at must be in the future", async () => {
    const ann = await premiumAccount();
    for (const past of ["2020-01-01T00:00:00Z", new Date(Date.now()).toISOString()]) {
      expect(errorOf(await create(ann, { expires_at: past }))).toEqual(
        validationFailed(["expires_at", "in_the_past", "must be in the future"]),
      );
    }
  });
});

describe("2.1 url", () => {
  test.each([
    "https://example.com",
    "HTTPS://EXAMPLE.com/Path?Q=1#Frag",
    "http://example.com:80/",
    "https://example.com/a/../b/./c",
    "https://münchen.example/straße?q=grün#süß",
    "https://example.com/%7Euser/%e4%bd%a0?a=%zz",
    "https://example.com/👋",
    "https://[2001:db8::1]:8443/x",
    "http://localhost:3000/elsewhere",
    "https://example.com/?a=1&a=2&b=%20+x",
    "https://xn--mnchen-3ya.example/",
    "https://example.com/?next=https://user:pw@example.org/",
  ])("%s is stored and returned exactly as sent", async (url) => {
    const ann = await freeAccount();
    const link = await ann.createLink({ url });
    expect(link.url).toBe(url);
    expect((await current(ann, link)).link).toEqual(link);
    expect((await ann.updateLink(link, { url: `${url}#again` })).url).toBe(`${url}#again`);
  });

  test.each([
    ["", "must be an absolute URL such as https://example.com/"],
    ["example.com", "must be an absolute URL such as https://example.com/"],
    ["/path", "must be an absolute URL such as https://example.com/"],
    ["//example.com/", "must be an absolute URL such as https://example.com/"],
    ["https://", "must be an absolute URL such as https://example.com/"],
    ["https://exa<mple.com/", "must be an absolute URL such as https://example.com/"],
    ["javascript:alert(1)", "must begin with http:// or https://"],
    ["data:text/html,hi", "must begin with http:// or https://"],
    ["ftp://example.com/", "must begin with http:// or https://"],
    ["mailto:ann@example.com", "must begin with http:// or https://"],
    ["https:/example.com/", "must have a host after http:// or https://"],
    ["https:example.com", "must have a host after http:// or https://"],
    ["https:///example.com/", "must have a host after http:// or https://"],
    ["https:\\\\example.com\\", "must have a host after http:// or https://"],
    ["https://ann@example.com/", "must not contain a user name or password"],
    ["https://ann:pw@example.com/", "must not contain a user name or password"],
    ["https://:pw@example.com/", "must not contain a user name or password"],
    ["https://@example.com/", "must not contain a user name or password"],
    ["https://:@example.com/", "must not contain a user name or password"],
    ["https://good.example:443@evil.example/", "must not contain a user name or password"],
    ["https://good.example%5c@evil.example/", "must not contain a user name or password"],
    ["https://good.example\\@evil.example/", "must not have a backslash in its host"],
    ["https://good.example\\.evil.example/", "must not have a backslash in its host"],
    ["https://good.example:80\\x", "must not have a backslash in its host"],
    [" https://example.com/", "must not contain spaces or control characters"],
    ["https://example.com/ ", "must not contain spaces or control characters"],
    ["https://example.com/a b", "must not contain spaces or control characters"],
    ["https://example.com/a\nb", "must not contain spaces or control characters"],
    ["java\tscript:alert(1)", "must not contain spaces or control characters"],
    ["https://example.com/\u0000", "must not contain spaces or control characters"],
    ["https://example.com/\ud800", "must be well-formed Unicode"],
  ])("%j is refused, as url and in a rule, on POST and PATCH", async (url, words) => {
    const link = await ann.createLink();
    const asUrl = validationFailed(["url", "invalid_value", words]);
    const asTo = validationFailed(["routing.0.to", "invalid_value", words]);
    const routing = [{ if: { country: "DE" }, to: url }];
    expect(errorOf(await create(ann, { url }))).toEqual(asUrl);
    expect(errorOf(await patch(ann, link, { url }))).toEqual(asUrl);
    expect(errorOf(await create(ann, { routing }))).toEqual(asTo);
    expect(errorOf(await patch(ann, link, { routing }))).toEqual(asTo);
    expect((await current(ann, link)).link).toEqual(link);
  });

  test("has at most 8,192 characters", async () => {
    const ann = await premiumAccount();
    const longest = URL.padEnd(8_192, "a");
    expect((await ann.createLink({ url: longest })).url).toBe(longest);
    const refused = await create(ann, { url: `${longest}b` });
    expect(errorOf(refused)).toEqual(validationFailed(["url", "too_big", "must have at most 8192 characters"]));
  });

  test("has at most 8,192 bytes in its percent-encoded form", async () => {
    const ann = await premiumAccount();
    const longest = `${URL}${"語".repeat(Math.floor((8_192 - URL.length) / 9))}`;
    expect((await ann.createLink({ url: longest })).url).toBe(longest);
    const refused = await create(ann, { url: `${longest}語` });
    const words = "must have at most 8192 bytes in its percent-encoded form";
    expect(errorOf(refused)).toEqual(validationFailed(["url", "invalid_value", words]));
  });

  test.each([
    "http://localhost:8787/x",
    "https://LOCALHOST:8787",
    "http://localhost.:8787/x",
    "http://test.localhost:8787/x",
    "http://localhost:08787/v1",
  ])("%s would loop and is refused", async (url) => {
    const words = "must not lead to one of this service's own short domains";
    const rule = { if: { country: "DE" }, to: url };
    expect(errorOf(await create(ann, { url, routing: [rule] }))).toEqual(
      validationFailed(["url", "loop", words], ["routing.0.to", "loop", words]),
    );
  });

  test.each([[null], [5], [["https://example.com/"]], [{ href: URL }]])("%j has the wrong type", async (url) => {
    const type = url === null ? "null" : Array.isArray(url) ? "array" : typeof url;
    expect(errorOf(await create(ann, { url }))).toEqual(
      validationFailed(["url", "invalid_type", `must be of type string, not ${type}`]),
    );
  });
});

describe("2.1 slug", () => {
  test.each([
    ["a"],
    ["7"],
    ["Spring_Sale-2026"],
    ["x".repeat(128)],
    ["a--__b"],
    ["v1.2/notes~a"],
    ["Größe-2", "Gr%C3%B6%C3%9Fe-2"],
    ["e\u0301te\u0301/❤", "e%CC%81te%CC%81/%E2%9D%A4"],
    ["#\ufe0f\u20e3", "%23%EF%B8%8F%E2%83%A3"],
  ])("%s is accepted and returned as typed, 4 percent-encoded in short_url", async (slug, path = slug) => {
    const link = await ann.createLink({ slug });
    expect([link.slug, link.short_url]).toEqual([slug, `http://localhost:8787/${path}`]);
    expect((await current(ann, link)).link).toEqual(link);
  });

  test.each(["-a", "a-", "_a", "a_", "-", "a b", "a//b", "a.", "é\u200d", "a%20b", "a\n", "a?b", "a\u0000b"])(
    "%j is refused",
    async (slug) => {
      expect(errorOf(await create(ann, { slug }))).toEqual(validationFailed(["slug", "invalid_value", WORDS_OF_SLUG]));
    },
  );

  test.each(["v1", "API", "Dashboard", "docs", "cdn", "qr", "health", "Setup", "t"])("%s is reserved", async (slug) => {
    expect(errorOf(await create(ann, { slug }))).toEqual(validationFailed(["slug", "invalid_value", "is reserved"]));
  });

  test("4 on the service's domain looks like no other: on one's own it may, in bulk requests too", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const problem = validationFailed(["slug", "invalid_value", "must not mix scripts in a segment"]);
    expect(errorOf(await create(ann, { slug: "pаypal" }))).toEqual(problem);
    const links = [
      { url: URL, slug: "раура1" },
      { url: URL, slug: "pаypal", domain },
    ];
    const { body } = await ann.call("POST", "/v1/links/bulk", { links });
    expect(body).toMatchObject({
      results: [
        { error: { errors: [{ message: "slug must not look like Latin letters in another script" }] } },
        { link: { slug: "pаypal", domain } },
      ],
    });
  });

  test("has 1 to 128 characters", async () => {
    const ann = await premiumAccount();
    expect(errorOf(await create(ann, { slug: "x".repeat(129) }))).toEqual(
      validationFailed(["slug", "too_big", WORDS_OF_LENGTH]),
    );
    expect(errorOf(await create(ann, { slug: "" }))).toEqual(validationFailed(["slug", "too_small", WORDS_OF_LENGTH]));
    expect(errorOf(await create(ann, { slug: null }))).toEqual(
      validationFailed(["slug", "invalid_type", "must be of type string, not null"]),
    );
  });

  test("in use answers 409 slug_taken, even in another case or by another account", async () => {
    const [ann, ben] = [await premiumAccount(), await freeAccount()];
    const slug = `${newSlug()}/größe`;
    const link = await ann.createLink({ slug });
    for (const again of [slug, slug.toUpperCase(), slug.normalize("NFD")]) {
      expect(errorOf(await create(ann, { slug: again }))).toEqual(slugTaken(again));
      expect(errorOf(await create(ben, { slug: again }))).toEqual(slugTaken(again));
    }
    expect((await current(ann, link)).link).toEqual(link);
  });

  test("on the service's own domain begins with no segment of another account", async () => {
    const [ann, ben] = [await premiumAccount(), await freeAccount()];
    const [top, deep] = [newSlug(), newSlug()];
    await ann.createLink({ slug: top, forward_path: true });
    const below = await ann.createLink({ slug: `${deep}/Größe/a` });
    await ann.call("DELETE", `/v1/links/${below.id}`);
    for (const slug of [`${top}/login`, `${top.toUpperCase()}/a/b`, deep, `${deep}/größe/a/b`, `${deep}/c`]) {
      expect(errorOf(await create(ben, { slug }))).toEqual(slugTaken(slug));
    }
    const links = [`${top}/x`, `${top}-x/a`, `${top}.x`, `${top}0`, `${top}-x/b`].map((slug) => ({ url: URL, slug }));
    const bulk = await ben.call("POST", "/v1/links/bulk", { links });
    expect(bulk.body).toMatchObject({
      results: links.map(({ slug }, i) => (i === 0 ? { error: { code: "slug_taken" } } : { link: { slug } })),
    });
    for (const slug of [`${top}/login`, `${deep}/c`, deep]) await ann.createLink({ slug });
    await (await ben.withKey("test")).createLink({ slug: `${top}/login` });
    const { domain } = await ben.activeDomain();
    for (const slug of [`${top}/login`, top]) await ben.createLink({ slug, domain });
  });

  test("on the service's own domain: of two accounts that create slugs with one first segment, one is refused", async () => {
    const [ann, ben] = [await premiumAccount(), await freeAccount()];
    const segment = newSlug();
    let isFirst = true;
    // Ann's link is created after the check of Ben's slug, and before Ben's link is.
    const racing = withDatabases(env, (database) =>
      watchDatabase(database, async (statements, execute) => {
        const found = await execute();
        if (isFirst && JSON.stringify(statements).includes(`${segment}/b`)) {
          isFirst = false;
          await ann.createLink({ slug: `${segment}/a` });
        }
        return found;
      }),
    );
    const reply = await fetchWith(racing, "/v1/links", {
      method: "POST",
      headers: { Authorization: `Bearer ${ben.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ url: URL, slug: `${segment}/b` }),
    });
    expect([isFirst, reply.status, await reply.json()]).toMatchObject([false, 409, { error: { code: "slug_taken" } }]);
  });

  test("one of 100 parallel requests for one slug gets it", async () => {
    const actors = await Promise.all(Array.from({ length: 5 }, premiumAccount));
    const slug = newSlug();
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        const actor = actors[i % actors.length];
        if (!actor) throw new Error("no actor");
        return create(actor, { slug: i % 2 ? slug : slug.toUpperCase(), url: `${URL}${i}` });
      }),
    );
    const made = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(made).toHaveLength(1);
    expect(refused).toHaveLength(99);
    for (const reply of refused) {
      expect([slugTaken(slug), slugTaken(slug.toUpperCase())]).toContainEqual(errorOf(reply));
    }
    const link = Link.parse(made[0]?.body);
    expect((await visit(link.short_url)).headers.get("Location")).toBe(link.url);
  });
});

describe("2.1 domain", () => {
  test.each(["example.com", "", "localhost", "http://localhost:8787"])("%j is not the caller's", async (domain) => {
    expect(errorOf(await create(ann, { domain }))).toEqual(
      validationFailed(["domain", "invalid_value", "must be one of your active domains, or localhost:8787"]),
    );
  });

  test("of the wrong type is refused", async () => {
    const ann = await premiumAccount();
    expect(errorOf(await create(ann, { domain: 5 }))).toEqual(
      validationFailed(["domain", "invalid_type", "must be of type string, not number"]),
    );
  });
});

describe("problems of a body", () => {
  test("are reported together: types, unknown and immutable fields, domain, time, loop and parameters", async () => {
    const ann = await premiumAccount();
    const body = {
      url: 5,
      slug: "no spaces",
      domain: "example.com",
      expires_at: "2020-01-01T00:00:00Z",
      routing: [{ if: { country: "ZZ" }, to: "http://localhost:8787/x" }, { to: URL }],
      id: "lnk_1",
      short_url: URL,
      nope: true,
    };
    expect(errorOf(await ann.call("POST", "/v1/links?dry_run=1", body))).toEqual(
      validationFailed(
        ["url", "invalid_type", "must be of type string, not number"],
        ["slug", "invalid_value", WORDS_OF_SLUG],
        ["routing.0.if.country", "invalid_value", "must be an ISO 3166-1 alpha-2 country code, XX or T1"],
        ["routing.1.if", "required", "is required"],
        ["id", "immutable_field", "is set by the service and cannot be changed"],
        ["short_url", "immutable_field", "is set by the service and cannot be changed"],
        ["nope", "unknown_field", "is unknown"],
        ["domain", "invalid_value", "must be one of your active domains, or localhost:8787"],
        ["expires_at", "in_the_past", "must be in the future"],
        ["routing.0.to", "loop", "must not lead to one of this service's own short domains"],
        ["dry_run", "unknown_field", "is unknown"],
      ),
    );
  });

  test("a url is required", async () => {
    const ann = await premiumAccount();
    expect(errorOf(await ann.call("POST", "/v1/links", {}))).toEqual(
      validationFailed(["url", "required", "is required"]),
    );
  });

  test.each(["__proto__", "constructor", "toString"])("the field %s is unknown like any other", async (name) => {
    const unknown = validationFailed([name, "unknown_field", "is unknown"]);
    expect(errorOf(await ann.call("POST", "/v1/links", `{"url":"${URL}","${name}":1}`))).toEqual(unknown);
    expect(errorOf(await ann.call("POST", `/v1/links?${name}=1`, { url: URL }))).toEqual(unknown);
    expect(errorOf(await ann.call("GET", `/v1/links?${name}=1`))).toEqual(unknown);
  });
});

describe("2.2 routing", () => {
  test("is returned in its order, with country codes in upper case", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({
      routing: [
        { if: { country: "de" }, to: "https://example.com/de" },
        { if: { country: ["at", "Ch", "xx", "t1"], device: "mobile" }, to: "https://example.com/AT" },
        { if: { not: { country: "us" } }, to: "https://example.com/rest" },
      ],
    });
    expect(link.routing).toEqual([
      { if: { country: "DE" }, to: "https://example.com/de" },
      { if: { country: ["AT", "CH", "XX", "T1"], device: "mobile" }, to: "https://example.com/AT" },
      { if: { not: { country: "US" } }, to: "https://example.com/rest" },
    ]);
    expect((await current(ann, link)).link).toEqual(link);
  });

  test("has at most 100 rules", async () => {
    const ann = await premiumAccount();
    const rules = Array.from({ length: 101 }, (_, i) => ({ if: { city: `c${i}` }, to: URL }));
    expect((await ann.createLink({ routing: rules.slice(1) })).routing).toEqual(rules.slice(1));
    expect(errorOf(await create(ann, { routing: rules }))).toEqual(
      validationFailed(["routing", "too_big", "must have at most 100 rules"]),
    );
  });

  test("has at most 64 KiB", async () => {
    const ann = await premiumAccount();
    const rules = (last: number) =>
      Array.from({ length: 9 }, (_, i) => ({
        if: { city: `c${i}` },
        to: URL.padEnd(i < 8 ? 8_000 : last, "x"),
      }));
    const size = (routing: unknown) => JSON.stringify(routing).length;
    const room = 65_536 - size(rules(URL.length)) + URL.length;
    expect(size(rules(room))).toBe(65_536);
    expect((await ann.createLink({ routing: rules(room) })).routing).toEqual(rules(room));
    expect(errorOf(await create(ann, { routing: rules(room + 1) }))).toEqual(
      validationFailed(["routing", "too_big", "must have at most 65536 bytes as JSON, not 65537"]),
    );
  });

  test("reports every invalid rule with its path, and rules that can never match", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    const routing = [
      { if: {}, to: URL },
      { if: { planet: "mars" }, to: URL },
      { if: { country: "DE" }, to: URL, else: URL },
      { if: { device: "phone" }, to: "nowhere" },
      { if: { country: "de" }, to: URL },
      "rule",
      { if: { country: ["AT", "CH"], device: "mobile" }, to: URL },
      { if: { country: "CH", device: "mobile", os: "ios" }, to: URL },
    ];
    const wrong = validationFailed(
      ["routing.0.if", "invalid_value", "must not be empty"],
      ["routing.1.if.planet", "unknown_field", "is unknown"],
      ["routing.2.else", "unknown_field", "is unknown"],
      ["routing.3.if.device", "invalid_value", "must be one of mobile, tablet, desktop, other"],
      ["routing.3.to", "invalid_value", "must be an absolute URL such as https://example.com/"],
      ["routing.5", "invalid_type", "must be of type object, not string"],
      [
        "routing.4",
        "unreachable_rule",
        "can never match: routing.2 has the same condition (country=DE) and comes first",
      ],
      [
        "routing.7",
        "unreachable_rule",
        "can never match: routing.6 matches all of its visitors (country=AT,CH&device=mobile) and comes first",
      ],
    );
    expect(errorOf(await create(ann, { routing }))).toEqual(wrong);
    expect(errorOf(await patch(ann, link, { routing }))).toEqual(wrong);
    expect((await current(ann, link)).link).toEqual(link);
  });

  test.each([[{}], ["DE"], [null], [5]])("%j is not a list of rules", async (routing) => {
    const type = routing === null ? "null" : typeof routing;
    const wrong = validationFailed(["routing", "invalid_type", `must be of type array, not ${type}`]);
    expect(errorOf(await create(ann, { routing }))).toEqual(wrong);
    expect(errorOf(await patch(ann, await ann.createLink(), { routing }))).toEqual(wrong);
  });

  test.each([
    ["[", "]"],
    ['{"if":', "}"],
  ])("nested a hundred thousand levels deep (%s) is refused before it is read", async (open, close) => {
    const depth = 100_000 / open.length;
    const body = `{"url":"${URL}","routing":[${open.repeat(depth)}1${close.repeat(depth)}]}`;
    expect(errorOf(await ann.call("POST", "/v1/links", body))).toMatchObject({ status: 400, code: "invalid_json" });
  });
});

describe("4.7 GET /v1/links/{id}", () => {
  test("answers 200, the complete link and its ETag; HEAD the same without the body", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    const reply = await ann.call("GET", `/v1/links/${link.id}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual(link);
    expect(reply.headers.get("ETag")).toBe('"1"');
    const head = await ann.call("HEAD", `/v1/links/${link.id}`);
    expect([head.status, head.body, head.headers.get("ETag")]).toEqual([200, "", '"1"']);
  });

  test("accepts no parameters", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const unknown = validationFailed(["expand", "unknown_field", "is unknown"]);
    expect(errorOf(await ann.call("GET", `/v1/links/${link.id}?expand=1`))).toEqual(unknown);
    expect(errorOf(await ann.call("DELETE", `/v1/links/${link.id}?expand=1`))).toEqual(unknown);
    expect(errorOf(await ann.call("PATCH", `/v1/links/${link.id}?expand=1`, {}))).toEqual(unknown);
    expect((await current(ann, link)).link).toEqual(link);
  });
});

describe("4.2 PATCH /v1/links/{id}", () => {
  const EXPIRES = "2099-01-01T00:00:00.000Z";

  test.each([
    ["url", { url: "https://example.org/Neu" }, { url: "https://example.org/Neu" }],
    ["routing", { routing: RULES }, { routing: RULES }],
    ["expires_at", { expires_at: "2099-01-01T01:00:00+01:00" }, { expires_at: EXPIRES }],
    [
      "all three",
      { url: "https://example.org/", routing: RULES, expires_at: EXPIRES },
      { url: "https://example.org/", routing: RULES, expires_at: EXPIRES },
    ],
  ])("changes %s, and only that, with a new updated_at and ETag", async (_, sent, changed) => {
    const link = await ann.createLink();
    const reply = await patch(ann, link, sent);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("ETag")).toBe('"2"');
    const updated = Link.parse(reply.body);
    expect(updated).toEqual({ ...link, ...changed, updated_at: updated.updated_at });
    expect(updated.updated_at > link.updated_at).toBe(true);
    expect(await current(ann, link)).toEqual({ link: updated, etag: '"2"' });
  });

  test("replaces the whole array of rules; [] removes them all", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    const other = [{ if: { country: "FR" }, to: "https://example.com/fr" }];
    expect((await ann.updateLink(link, { routing: other })).routing).toEqual(other);
    expect((await current(ann, link)).link.routing).toEqual(other);
    expect((await ann.updateLink(link, { routing: [] })).routing).toEqual([]);
    expect((await current(ann, link)).link.routing).toEqual([]);
  });

  test("with {} answers 200 and changes nothing, updated_at and ETag included", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES, expires_at: EXPIRES });
    const updated = await ann.updateLink(link, { url: "https://example.org/" });
    const reply = await patch(ann, link, {});
    expect(reply.status).toBe(200);
    expect(reply.headers.get("ETag")).toBe('"2"');
    expect(reply.body).toEqual(updated);
    expect(await current(ann, link)).toEqual({ link: updated, etag: '"2"' });
  });

  test("null clears expires_at; if omitted, it stays unchanged", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ expires_at: EXPIRES });
    expect((await ann.updateLink(link, { url: "https://example.org/" })).expires_at).toBe(EXPIRES);
    expect((await ann.updateLink(link, { expires_at: null })).expires_at).toBeNull();
    expect((await current(ann, link)).link.expires_at).toBeNull();
  });

  test("an expires_at in the past ends the link immediately, a later one or null opens it again", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const ended = await ann.updateLink(link, { expires_at: "2020-01-01T00:00:00Z" });
    expect(ended.expires_at).toBe("2020-01-01T00:00:00.000Z");
    expect((await visit(link.short_url)).status).toBe(410);
    expect((await current(ann, link)).link).toEqual(ended);
    const resolved = await ann.call("POST", `/v1/links/${link.id}/resolve`, {});
    expect(resolved.body).toEqual({ url: null, rule: null, trace: [], expired: true });
    await ann.updateLink(link, { expires_at: null });
    const reopened = await ann.call("POST", `/v1/links/${link.id}/resolve`, {});
    expect(reopened.body).toEqual({ url: URL, rule: "default", trace: [] });
  });

  test("applies nothing if one field is invalid", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    const sent = { url: "https://example.org/", routing: [], expires_at: "soon" };
    expect(errorOf(await patch(ann, link, sent))).toEqual(
      validationFailed(["expires_at", "invalid_value", WORDS_OF_TIME]),
    );
    expect(await current(ann, link)).toEqual({ link, etag: '"1"' });
  });

  test("url and routing cannot be null", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    expect(errorOf(await patch(ann, link, { url: null, routing: null }))).toEqual(
      validationFailed(
        ["url", "invalid_type", "must be of type string, not null"],
        ["routing", "invalid_type", "must be of type array, not null"],
      ),
    );
  });

  test("updated_at strictly increases, however fast the changes come", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const updates = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ann.updateLink(link, { url: `https://example.org/${i}` })),
    );
    const times = updates.map(({ updated_at }) => updated_at).sort();
    expect(new Set([link.updated_at, ...times]).size).toBe(21);
    const last = updates.find(({ updated_at }) => updated_at === times.at(-1));
    expect(await current(ann, link)).toEqual({ link: last, etag: '"21"' });
  });

  test("concurrent changes of different fields are all applied", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await Promise.all([
      ann.updateLink(link, { url: "https://example.org/" }),
      ann.updateLink(link, { routing: RULES }),
      ann.updateLink(link, { expires_at: EXPIRES }),
    ]);
    const now = await current(ann, link);
    expect(now).toEqual({
      link: {
        ...link,
        url: "https://example.org/",
        routing: RULES,
        expires_at: EXPIRES,
        updated_at: now.link.updated_at,
      },
      etag: '"4"',
    });
  });

  test.each(["id", "slug", "domain", "short_url", "created_at", "updated_at"] as const)(
    "%s is immutable: 422, even with its current value",
    async (field) => {
      const link = await ann.createLink();
      const refusal = validationFailed([field, "immutable_field", "is set by the service and cannot be changed"]);
      expect(errorOf(await patch(ann, link, { [field]: "other", url: "https://example.org/" }))).toEqual(refusal);
      expect(errorOf(await patch(ann, link, { [field]: link[field] }))).toEqual(refusal);
      expect(await current(ann, link)).toEqual({ link, etag: '"1"' });
    },
  );
});

describe("If-Match", () => {
  test.each(['"1"', "*", '"7", "1"', '"abc" , "1"', ' "1" '])("%s names the first revision: 200", async (tag) => {
    const link = await ann.createLink();
    const reply = await patch(ann, link, { url: "https://example.org/" }, { "If-Match": tag });
    expect([reply.status, reply.headers.get("ETag")]).toEqual([200, '"2"']);
  });

  test.each(['"2"', 'W/"1"', "1", "abc", '"1', '"01"', '"01x"', '"7", "8"', '"*"', '"-1"', '"99999999999999999999"'])(
    "%s does not: 412 and nothing applied, on PATCH, PATCH {} and DELETE",
    async (tag) => {
      const link = await ann.createLink();
      const headers = { "If-Match": tag };
      for (const reply of [
        await patch(ann, link, { url: "https://example.org/" }, headers),
        await patch(ann, link, {}, headers),
        await ann.call("DELETE", `/v1/links/${link.id}`, undefined, headers),
      ]) {
        expect(errorOf(reply)).toEqual(preconditionFailed('"1"'));
      }
      expect(await current(ann, link)).toEqual({ link, etag: '"1"' });
    },
  );

  test("an older revision is refused with the current one, and succeeds once updated", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const updated = await ann.updateLink(link, { url: "https://example.org/" });
    expect(errorOf(await patch(ann, link, { routing: RULES }, { "If-Match": '"1"' }))).toEqual(
      preconditionFailed('"2"'),
    );
    const same = await patch(ann, link, {}, { "If-Match": '"2"' });
    expect([same.status, same.body, same.headers.get("ETag")]).toEqual([200, updated, '"2"']);
    expect((await patch(ann, link, { routing: RULES }, { "If-Match": '"2"' })).status).toBe(200);
    const deleted = await ann.call("DELETE", `/v1/links/${link.id}`, undefined, { "If-Match": '"3"' });
    expect(deleted.status).toBe(204);
  });

  test("exactly one of twenty concurrent changes with the same tag is applied", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        patch(ann, link, { url: `https://example.org/${i}` }, { "If-Match": '"1"' }),
      ),
    );
    const applied = replies.filter(({ status }) => status === 200);
    expect(applied).toHaveLength(1);
    for (const reply of replies) if (reply.status !== 200) expect(errorOf(reply)).toEqual(preconditionFailed('"2"'));
    expect(await current(ann, link)).toEqual({ link: applied[0]?.body, etag: '"2"' });
  });

  test("exactly one of a concurrent change and deletion with the same tag is applied", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const headers = { "If-Match": '"1"' };
    const [changed, deleted] = await Promise.all([
      patch(ann, link, { url: "https://example.org/" }, headers),
      ann.call("DELETE", `/v1/links/${link.id}`, undefined, headers),
    ]);
    const outcome = [changed.status, deleted.status];
    expect([
      [200, 412],
      [404, 204],
    ]).toContainEqual(outcome);
  });
});

describe("4.7 DELETE /v1/links/{id}", () => {
  test("answers 204 without a body; then the API answers 404 and the short url 410", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const reply = await ann.call("DELETE", `/v1/links/${link.id}`);
    expect([reply.status, reply.body, reply.headers.get("Content-Type")]).toEqual([204, "", null]);
    expect(errorOf(await ann.call("GET", `/v1/links/${link.id}`))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await ann.call("DELETE", `/v1/links/${link.id}`))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await patch(ann, link, { url: URL }))).toEqual(LINK_NOT_FOUND);
    expect((await visit(link.short_url)).status).toBe(410);
    expect((await ann.call("GET", "/v1/links")).body).toEqual({ data: [], has_more: false, next_cursor: null });
  });

  test("never frees the slug: 409 for the same account, for others, in another case and in bulk", async () => {
    const [ann, ben] = [await premiumAccount(), await freeAccount()];
    const slug = newSlug();
    const link = await ann.createLink({ slug });
    expect((await ann.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
    expect(errorOf(await create(ann, { slug }))).toEqual(slugTaken(slug));
    expect(errorOf(await create(ben, { slug: slug.toUpperCase() }))).toEqual(slugTaken(slug.toUpperCase()));
    const bulk = await ben.call("POST", "/v1/links/bulk", { links: [{ url: URL, slug }] });
    expect([bulk.status, bulk.body]).toEqual([200, { results: [asBulkError(slugTaken(slug))] }]);
  });

  test("one of ten parallel deletions answers 204, the others 404", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const replies = await Promise.all(Array.from({ length: 10 }, () => ann.call("DELETE", `/v1/links/${link.id}`)));
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const reply of replies) if (reply.status !== 204) expect(errorOf(reply)).toEqual(LINK_NOT_FOUND);
  });
});

describe("1.6, 4.2, 7, 8 rules on the Free plan", () => {
  test("POST answers 403 plan_upgrade_required and creates nothing: the slug stays free", async () => {
    const ben = await freeAccount();
    const slug = newSlug();
    expect(errorOf(await create(ben, { slug, routing: RULES }))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect((await ben.call("GET", "/v1/links")).body).toEqual({ data: [], has_more: false, next_cursor: null });
    expect((await ben.createLink({ slug })).slug).toBe(slug);
  });

  test("PATCH answers 403 plan_upgrade_required and applies nothing of that body", async () => {
    const ben = await freeAccount();
    const link = await ben.createLink();
    const sent = { url: "https://example.org/", expires_at: "2099-01-01T00:00:00Z", routing: RULES };
    expect(errorOf(await patch(ben, link, sent))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect(await current(ben, link)).toEqual({ link, etag: '"1"' });
  });

  test("routing [] is allowed on POST and PATCH, and so is every other field", async () => {
    const ben = await freeAccount();
    const link = await ben.createLink({ routing: [], expires_at: "2099-01-01T00:00:00Z" });
    const updated = await ben.updateLink(link, { routing: [], url: "https://example.org/" });
    expect(updated).toEqual({ ...link, url: "https://example.org/", updated_at: updated.updated_at });
  });

  test("stored rules remain after a downgrade, even when other members change, and can be removed", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ routing: RULES });
    await changePlan(env, ann.email, "free");
    const updated = await ann.updateLink(link, { url: "https://example.org/" });
    expect(updated.routing).toEqual(RULES);
    const resolved = await ann.call("POST", `/v1/links/${link.id}/resolve`, { country: "DE" });
    expect(resolved.body).toEqual({
      url: "https://example.com/de",
      rule: "country=DE",
      trace: [{ rule: "country=DE", matched: true, failed_on: null }],
    });
    expect((await visit(link.short_url, { country: "DE" })).headers.get("Location")).toBe("https://example.com/de");
    expect(errorOf(await patch(ann, link, { routing: RULES }))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect((await ann.updateLink(link, { routing: [] })).routing).toEqual([]);
  });
});

describe("12 aliases", () => {
  const aliasOf = (slug: string, domain = "localhost:8787") => ({
    slug,
    domain,
    short_url: `http://${domain}/${slug}`,
  });
  const aliasTaken = (slug: string, at: number, domain = "localhost:8787") => ({
    ...slugTaken(slug, domain),
    param: `aliases.${at}`,
  });
  const statusOf = async (url: string) => (await visit(url)).status;

  test("lead to the link as its slug does, are shown in their order, and PATCH replaces them", async () => {
    const ann = await freeAccount();
    const [slug, ...slugs] = [newSlug(), newSlug(), `${newSlug()}/Größe`, newSlug()];
    const [one = "", two = "", three = ""] = slugs;
    const reply = await create(ann, { slug, aliases: [{ slug: one }, { slug: two, domain: "LOCALHOST:8787" }] });
    const link = Link.parse(reply.body);
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    const encoded = { ...aliasOf(two), short_url: `http://localhost:8787/${two.replace("Größe", "Gr%C3%B6%C3%9Fe")}` };
    expect(link.aliases).toEqual([aliasOf(one), encoded]);
    expect((await current(ann, link)).link).toEqual(link);
    for (const url of [
      link.short_url,
      aliasOf(one).short_url,
      encoded.short_url,
      aliasOf(two.toUpperCase()).short_url,
    ]) {
      const { status, headers } = await visit(url);
      expect([status, headers.get("Location")], url).toEqual([302, URL]);
    }
    const patched = await patch(ann, link, { aliases: [{ slug: three }, { slug: one.toUpperCase() }] });
    expect(patched.headers.get("ETag")).toBe('"2"');
    expect(Link.parse(patched.body).aliases).toEqual([aliasOf(three), aliasOf(one.toUpperCase())]);
    expect(await statusOf(aliasOf(three).short_url)).toBe(302);
    expect(await statusOf(aliasOf(one).short_url)).toBe(302);
    // Removed, even in this isolate's cache.
    expect(await statusOf(encoded.short_url)).toBe(410);
    const cleared = Link.parse((await patch(ann, link, { aliases: null })).body);
    expect(cleared).toEqual({ ...link, aliases: undefined, updated_at: cleared.updated_at });
    expect(await Promise.all([one, two, three].map((each) => statusOf(aliasOf(each).short_url)))).toEqual([
      410, 410, 410,
    ]);
    expect(await statusOf(link.short_url)).toBe(302);
    expect(Link.parse((await patch(ann, link, { aliases: [{ slug: two }] })).body).aliases).toEqual([encoded]);
    expect(await statusOf(encoded.short_url)).toBe(302);
  });

  test("are never issued to another link: as slug or alias, removed or of a deleted link", async () => {
    const [ann, ben] = [await freeAccount(), await freeAccount()];
    const [one, two] = [newSlug(), newSlug()];
    const link = await ann.createLink({ aliases: [{ slug: one }, { slug: two }] });
    await ann.updateLink(link, { aliases: [{ slug: two }] });
    const other = await ben.createLink({ slug: newSlug() });
    const refuses = async () => {
      for (const slug of [one, two.toUpperCase()]) {
        expect(errorOf(await create(ben, { slug }))).toEqual(slugTaken(slug));
        expect(errorOf(await create(ben, { aliases: [{ slug: newSlug() }, { slug }] }))).toEqual(aliasTaken(slug, 1));
        expect(errorOf(await patch(ben, other, { aliases: [{ slug }] }))).toEqual(aliasTaken(slug, 0));
      }
    };
    await refuses();
    expect((await ann.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
    await refuses();
    expect(await Promise.all([one, two].map((each) => statusOf(aliasOf(each).short_url)))).toEqual([410, 410]);
    // And a slug is never issued as an alias, deleted or not.
    expect(errorOf(await create(ann, { aliases: [{ slug: other.slug }] }))).toEqual(aliasTaken(other.slug, 0));
    await ben.call("DELETE", `/v1/links/${other.id}`);
    expect(errorOf(await create(ann, { aliases: [{ slug: other.slug }] }))).toEqual(aliasTaken(other.slug, 0));
    expect((await current(ben, await ben.createLink())).link).not.toHaveProperty("aliases");
  });

  test.each<[string, (slug: string) => Record<string, unknown>, [path: string, code: string, message: string]]>([
    [
      "21",
      (slug) => ({ aliases: Array.from({ length: 21 }, (_, i) => ({ slug: `${slug}${i}` })) }),
      ["aliases", "too_big", "must have at most 20 aliases"],
    ],
    ["a reserved slug", () => ({ aliases: [{ slug: "api" }] }), ["aliases.0.slug", "invalid_value", "is reserved"]],
    [
      "an unknown member",
      (slug) => ({ aliases: [{ slug, url: URL }] }),
      ["aliases.0.url", "unknown_field", "is unknown"],
    ],
    [
      "the own slug",
      (slug) => ({ slug, aliases: [{ slug: slug.toUpperCase() }] }),
      ["aliases.0.slug", "invalid_value", "is the link's own slug"],
    ],
    [
      "the same twice, spelled differently",
      (slug) => ({ aliases: [{ slug: `${slug}ß` }, { slug }, { slug: `${slug}SS` }] }),
      ["aliases.2", "invalid_value", "is aliases.0 again"],
    ],
    [
      "another's domain",
      (slug) => ({ aliases: [{ slug, domain: "go.example.com" }] }),
      ["aliases.0.domain", "invalid_value", "must be one of your active domains, or localhost:8787"],
    ],
    [
      "an empty domain",
      (slug) => ({ aliases: [{ slug, domain: "" }] }),
      ["aliases.0.domain", "too_small", "must have at least 1 character"],
    ],
    [
      "letters that look like Latin ones",
      () => ({ aliases: [{ slug: "\u0440\u0430\u0440\u0430" }] }),
      ["aliases.0.slug", "invalid_value", "must not look like Latin letters in another script"],
    ],
  ])("%s: refused by POST, PATCH and in bulk, and nothing is written", async (_, bodyWith, [path, code, words]) => {
    const ann = await freeAccount();
    const slug = newSlug();
    const { slug: own = newSlug(), aliases } = bodyWith(slug);
    const problem = validationFailed([path, code, words]);
    expect(errorOf(await create(ann, { slug: own, aliases }))).toEqual(problem);
    const link = await ann.createLink({ slug: own });
    expect(errorOf(await patch(ann, link, { title: "x", aliases }))).toEqual(problem);
    const bulk = await ann.call("POST", "/v1/links/bulk-update", { links: [{ id: link.id, aliases }] });
    expect(bulk.body).toEqual({ results: [asBulkError(problem)] });
    expect((await current(ann, link)).link).toEqual(link);
    if (path !== "aliases.0.slug") expect((await create(ann, { slug })).status).toBe(201);
  });

  test("their problems are reported with the others of a body", async () => {
    const slug = newSlug();
    const aliases = [{ slug: slug.toUpperCase() }, { slug: newSlug(), domain: "go.example.com" }];
    const besides = (...problem: [path: string, code: string, words: string]) =>
      validationFailed(
        problem,
        ["aliases.0.slug", "invalid_value", "is the link's own slug"],
        ["aliases.1.domain", "invalid_value", "must be one of your active domains, or localhost:8787"],
      );
    const blank = besides("title", "too_small", "must have 1 to 200 characters");
    expect(errorOf(await create(ann, { slug, title: "", aliases }))).toEqual(blank);
    expect(errorOf(await create(ann, { slug, expires_at: "2020-01-01T00:00:00Z", aliases }))).toEqual(
      besides("expires_at", "in_the_past", "must be in the future"),
    );
    const links = [{ url: URL, slug, title: "", aliases }, { url: URL, aliases: [{ slug: newSlug() }] }, null];
    const bulk = await ann.call("POST", "/v1/links/bulk", { links });
    expect(bulk.body).toMatchObject({ results: [asBulkError(blank), { link: { url: URL } }, { error: {} }] });
    const link = await ann.createLink({ slug });
    expect(errorOf(await patch(ann, link, { title: "", aliases }))).toEqual(blank);
    expect((await current(ann, link)).link).toEqual(link);
  });

  test("a link has at most 100 in its life", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    const slug = newSlug();
    const aliases = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ({ slug: `${slug}-${from + i}` }));
    for (let from = 0; from < 100; from += 20) await ann.updateLink(link, { aliases: aliases(from, from + 20) });
    expect(errorOf(await patch(ann, link, { aliases: aliases(100, 101) }))).toEqual(
      validationFailed([
        "aliases",
        "too_big",
        "must not have more than 100 aliases in the life of a link, including removed ones, which are 100 here",
      ]),
    );
    expect((await ann.updateLink(link, { aliases: aliases(0, 20) })).aliases).toHaveLength(20);
  });

  test("on a custom domain follow its settings, and count as links there", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { domain, id } = await ann.activeDomain();
    expect((await ann.call("PATCH", `/v1/domains/${id}`, { case_sensitive: true })).status).toBe(200);
    const link = await ann.createLink({
      aliases: [
        { slug: "Ab", domain },
        { slug: "aB", domain },
      ],
    });
    expect(link.aliases).toEqual([
      { slug: "Ab", domain, short_url: `http://${domain}/Ab` },
      { slug: "aB", domain, short_url: `http://${domain}/aB` },
    ]);
    expect(await Promise.all(["Ab", "aB", "ab"].map((slug) => statusOf(`http://${domain}/${slug}`)))).toEqual([
      302, 302, 404,
    ]);
    expect(errorOf(await create(ann, { domain, slug: "aB" }))).toEqual(slugTaken("aB", domain));
    const own = await ann.createLink({ domain, slug: "AB", aliases: [{ slug: "more" }] });
    expect(own.aliases).toEqual([{ slug: "more", domain, short_url: `http://${domain}/more` }]);
    expect(errorOf(await create(ben, { aliases: [{ slug: "x", domain }] }))).toEqual(
      validationFailed(["aliases.0.domain", "invalid_value", "must be one of your active domains, or localhost:8787"]),
    );
    // An alias alone keeps the domain in use, and its case setting.
    await ann.call("DELETE", `/v1/links/${own.id}`);
    expect((await ann.call("DELETE", `/v1/domains/${id}`)).body).toMatchObject({ error: { code: "domain_in_use" } });
    expect((await ann.call("PATCH", `/v1/domains/${id}`, { case_sensitive: false })).status).toBe(409);
    await ann.updateLink(link, { aliases: [] });
    expect((await ann.call("DELETE", `/v1/domains/${id}`)).status).toBe(204);
  });

  test("of one account and mode: test links have their own", async () => {
    const ann = await premiumAccount();
    const test = await ann.withKey("test");
    const slug = newSlug();
    const live = await ann.createLink({ aliases: [{ slug }] });
    const other = await test.createLink({ url: `${URL}test`, aliases: [{ slug }] });
    expect([live, other].map(({ aliases }) => aliases?.[0]?.short_url)).toEqual([
      `http://localhost:8787/${slug}`,
      `http://test.localhost:8787/${slug}`,
    ]);
    const found = await visit(`http://test.localhost:8787/${slug}`);
    expect(found.headers.get("Location")).toBe(`${URL}test`);
  });

  test("with an Idempotency-Key a repeated request gets the link as created, alone and in bulk", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const slug = newSlug();
    const body = { url: URL, domain, aliases: [{ slug: `${slug}/É` }, { slug, domain: "localhost:8787" }] };
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const first = await ann.call("POST", "/v1/links", body, key);
    expect(Link.parse(first.body).aliases?.map((alias) => alias.domain)).toEqual([domain, "localhost:8787"]);
    await ann.updateLink(Link.parse(first.body), { aliases: null });
    expect((await ann.call("POST", "/v1/links", body, key)).body).toEqual(first.body);

    const links = {
      links: [
        { url: URL, aliases: [{ slug: `${slug}1` }] },
        { url: URL, aliases: [{ slug: `${slug}2` }, { slug: `${slug}1` }] },
        { url: URL, slug: `${slug}1` },
        { url: URL, slug: `${slug}2` },
      ],
    };
    const bulkKey = { "Idempotency-Key": crypto.randomUUID() };
    const bulk = await ann.call("POST", "/v1/links/bulk", links, bulkKey);
    expect(bulk.body).toMatchObject({
      results: [
        { link: { aliases: [aliasOf(`${slug}1`)] } },
        asBulkError(aliasTaken(`${slug}1`, 1)),
        asBulkError(slugTaken(`${slug}1`)),
        { link: { slug: `${slug}2` } },
      ],
    });
    expect((await ann.call("POST", "/v1/links/bulk", links, bulkKey)).body).toEqual(bulk.body);
    const [one] = (bulk.body as { results: { link: Link }[] }).results;
    const items = [{ slug: `${slug}3` }, { slug: `${slug}4` }];
    const updates = { links: items.map((alias) => ({ id: one?.link.id, aliases: [alias] })) };
    const updated = await ann.call("POST", "/v1/links/bulk-update", updates, {
      "Idempotency-Key": bulkKey["Idempotency-Key"].slice(1),
    });
    expect(updated.body).toMatchObject({
      results: [{ link: { aliases: [aliasOf(`${slug}3`)] } }, { link: { aliases: [aliasOf(`${slug}4`)] } }],
    });
    // The first of two changes of a link in one request is never seen.
    expect(await Promise.all([1, 3, 4].map((n) => statusOf(aliasOf(`${slug}${n}`).short_url)))).toEqual([
      410, 404, 302,
    ]);
  });

  test("one of 60 parallel requests gets an address, as slug or alias, of a new link or another", async () => {
    const actors = await Promise.all(Array.from({ length: 3 }, premiumAccount));
    const links = await Promise.all(actors.map((actor) => actor.createLink()));
    const slug = newSlug();
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const [actor, link] = [actors[i % 3], links[i % 3]];
        if (!actor || !link) throw new Error("no actor");
        const spelled = i % 2 ? slug : slug.toUpperCase();
        if (i % 4 === 0) return create(actor, { slug: spelled, url: `${URL}${i}` });
        if (i % 4 === 1) return create(actor, { aliases: [{ slug: spelled }], url: `${URL}${i}` });
        return patch(actor, link, { aliases: [{ slug: spelled }], url: `${URL}${i}` });
      }),
    );
    const codes = replies.map((reply) => (reply.status < 300 ? "done" : `${errorOf(reply).code}`));
    const ids = new Set(replies.filter(({ status }) => status < 300).map(({ body }) => Link.parse(body).id));
    // A link may get its own alias again. Over several databases, the address is reserved before the link is written.
    const allowed = ["done", "slug_taken", ...(env.LINK_DATABASES ? ["unavailable"] : [])];
    expect([ids.size, codes.filter((code) => !allowed.includes(code))]).toEqual([1, []]);
    const [id] = ids;
    const holder = (await Promise.all(actors.map((actor) => actor.call("GET", `/v1/links/${id}`)))).find(
      ({ status }) => status === 200,
    );
    expect((await visit(`http://localhost:8787/${slug}`)).headers.get("Location")).toBe(Link.parse(holder?.body).url);
  });

  // Several databases first use up their reserves (link-quota.test.ts).
  test.skipIf(env.LINK_DATABASES)(
    "are refused above the quota, one by one in bulk; replaced ones need no room",
    async () => {
      const ann = await freeAccount();
      const slug = newSlug();
      const link = await ann.createLink({ aliases: [{ slug: `${slug}a` }] });
      await changeLinks(env, "UPDATE link_counts SET links = links + 9997 WHERE account_id = ?1", ann.accountId);
      const message = "This account has 9999 links. The free plan allows 10000.";
      const exceeded = { status: 422, code: "quota_exceeded", message };
      expect(errorOf(await create(ann, { aliases: [{ slug: `${slug}b` }] }))).toEqual(exceeded);
      const two = [{ slug: `${slug}a` }, { slug: `${slug}b` }, { slug: `${slug}c` }];
      expect(errorOf(await patch(ann, link, { aliases: two }))).toEqual(exceeded);
      const items = [
        { id: link.id, aliases: two },
        { id: link.id, title: "x" },
      ];
      const bulk = await ann.call("POST", "/v1/links/bulk-update", { links: items });
      expect(bulk.body).toMatchObject({ results: [{ error: { code: "quota_exceeded" } }, { link: { title: "x" } }] });
      expect((await ann.updateLink(link, { aliases: two.slice(1, 2) })).aliases).toHaveLength(1);
      expect((await ann.updateLink(link, { aliases: two.slice(1) })).aliases).toHaveLength(2);
      expect((await ann.updateLink(link, { aliases: two.slice(0, 2) })).aliases).toHaveLength(2);
      // A replaced alias keeps its address, so the new one is one more that was ever created. After a change of plan, an
      // account may also have more links than it may create.
      const swap = { id: link.id, aliases: [{ slug: `${slug}a` }, { slug: `${slug}d` }] };
      for (const counts of ["made = 100000", "links = 10010, made = 50000"]) {
        await changeLinks(env, `UPDATE link_counts SET ${counts} WHERE account_id = ?1`, ann.accountId);
        const swapped = await ann.call("POST", "/v1/links/bulk-update", {
          links: [swap, { id: link.id, title: counts }],
        });
        expect(swapped.body).toMatchObject({
          results: [{ error: { code: "quota_exceeded" } }, { link: { title: counts } }],
        });
        expect(errorOf(await patch(ann, link, { aliases: swap.aliases }))).toMatchObject({ code: "quota_exceeded" });
      }
      const fewer = await ann.updateLink(link, { aliases: two.slice(0, 1) });
      expect(fewer.aliases).toMatchObject(two.slice(0, 1));
    },
  );

  test("count as links in the quota, until they are removed", async () => {
    const ann = await freeAccount();
    const used = async () => {
      const { limits } = (await ann.call("GET", "/v1/me")).body as { limits: Record<string, { used: number }> };
      return [limits["links"]?.used, limits["links_created"]?.used];
    };
    const slug = newSlug();
    const link = await ann.createLink({ aliases: [{ slug: `${slug}a` }, { slug: `${slug}b` }] });
    expect(await used()).toEqual([3, 3]);
    await ann.updateLink(link, { aliases: [{ slug: `${slug}b` }, { slug: `${slug}c` }] });
    expect(await used()).toEqual([3, 4]);
    await ann.updateLink(link, { aliases: [{ slug: `${slug}a` }] });
    expect(await used()).toEqual([2, 4]);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect(await used()).toEqual([0, 4]);
  });
});
