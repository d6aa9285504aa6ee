/** 4.7 POST /v1/links/bulk: links are created independently; the plan is checked for all of them. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import { BulkResult } from "../../../src/core/contract/bulk-links.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { BODY_MAX_BYTES } from "../../../src/core/limits.ts";
import { fetchWith } from "../../support/changed-env.ts";
import { QUOTED_CONTENT } from "../../support/quoted-content.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { errorOf, readResponse, type ApiResponse } from "../../support/api-response.ts";
import { databaseOfLink } from "../../support/link-databases.ts";
import { validationFailed, PLAN_UPGRADE_REQUIRED, slugTaken, asBulkError } from "../../support/expected-errors.ts";

const URL = "https://example.com/";
const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];

function post(actor: TestAccount, body: unknown): Promise<ApiResponse> {
  return actor.call("POST", "/v1/links/bulk", body);
}

async function bulk(actor: TestAccount, links: unknown[]): Promise<BulkResult["results"]> {
  const reply = await post(actor, { links });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect(reply.headers.get("ETag")).toBeNull();
  return BulkResult.parse(reply.body).results;
}

async function listedLinks(actor: TestAccount): Promise<Link[]> {
  const reply = await actor.call("GET", "/v1/links?limit=100&sort=created_at");
  return (reply.body as { data: Link[] }).data;
}

function newSlug(): string {
  return `b-${crypto.randomUUID()}`;
}

describe("4.7 POST /v1/links/bulk", () => {
  test("creates every link, in order, complete, as single requests would", async () => {
    const ann = await premiumAccount();
    const slug = newSlug();
    const results = await bulk(ann, [
      { url: URL },
      { url: "https://example.org/Ü", slug, routing: RULES, expires_at: "2099-01-01T01:00:00+01:00" },
    ]);
    const links = await listedLinks(ann);
    expect(results).toEqual(links.map((link) => ({ link })));
    const [plain, full] = links;
    if (!plain || !full) throw new Error("links are missing");
    expect(plain).toEqual({
      id: expect.stringMatching(/^lnk_[0-9a-z]{26}$/),
      slug: expect.stringMatching(/^[2-9b-df-hjkmnp-tv-xz]{7}$/),
      domain: "localhost:8787",
      short_url: `http://localhost:8787/${plain.slug}`,
      url: URL,
      routing: [],
      expires_at: null,
      created_at: plain.created_at,
      updated_at: plain.created_at,
    });
    expect(full).toEqual({
      ...plain,
      id: full.id,
      slug,
      short_url: `http://localhost:8787/${slug}`,
      url: "https://example.org/Ü",
      routing: RULES,
      expires_at: "2099-01-01T00:00:00.000Z",
    });
    const single = await ann.call("GET", `/v1/links/${full.id}`);
    expect([single.body, single.headers.get("ETag")]).toEqual([full, '"1"']);
    expect((await visit(full.short_url, { country: "DE" })).headers.get("Location")).toBe("https://example.com/de");
  });

  test("returns valid, invalid, taken and repeated links in order, with 200", async () => {
    const ann = await premiumAccount();
    const [taken, once] = [newSlug(), newSlug()];
    const before = await ann.createLink({ slug: taken });
    const results = await bulk(ann, [
      { url: URL, slug: once },
      { url: "nowhere", slug: "no spaces", nope: 1 },
      { url: URL, slug: taken.toUpperCase() },
      { url: URL, slug: once.toUpperCase() },
      "link",
      null,
      { url: URL, domain: "example.com" },
      { url: URL, expires_at: "2020-01-01T00:00:00Z", routing: [{ if: {}, to: URL }] },
      { url: URL, id: "lnk_1" },
      { url: `${URL}last` },
    ]);
    const [, first, last] = await listedLinks(ann);
    expect(first?.slug).toBe(once);
    expect(last?.url).toBe(`${URL}last`);
    expect(await listedLinks(ann)).toHaveLength(3);
    expect(results).toEqual([
      { link: first },
      asBulkError(
        validationFailed(
          ["url", "invalid_value", "must be an absolute URL such as https://example.com/"],
          [
            "slug",
            "invalid_value",
            "must contain only letters, digits, emoji and - _ . ~, in segments that begin and end with a letter, digit or emoji",
          ],
          ["nope", "unknown_field", "is unknown"],
        ),
      ),
      asBulkError(slugTaken(taken.toUpperCase())),
      asBulkError(slugTaken(once.toUpperCase())),
      asBulkError(validationFailed(["", "invalid_type", "must be of type object, not string"])),
      asBulkError(validationFailed(["", "invalid_type", "must be of type object, not null"])),
      asBulkError(
        validationFailed(["domain", "invalid_value", "must be one of your active domains, or localhost:8787"]),
      ),
      asBulkError(
        validationFailed(
          ["routing.0.if", "invalid_value", "must not be empty"],
          ["expires_at", "in_the_past", "must be in the future"],
        ),
      ),
      asBulkError(validationFailed(["id", "immutable_field", "is set by the service and cannot be changed"])),
      { link: last },
    ]);
    expect((await ann.call("GET", `/v1/links/${before.id}`)).body).toEqual(before);
  });

  test("creates 100 links in one request, and refuses 101 links, an empty list and values that are not lists", async () => {
    const ann = await premiumAccount();
    const results = await bulk(
      ann,
      Array.from({ length: 100 }, (_, i) => ({ url: `${URL}${i}` })),
    );
    const links = await listedLinks(ann);
    expect(links).toHaveLength(100);
    expect(results).toEqual(links.map((link) => ({ link })));
    expect(links.map(({ url }) => url)).toEqual(Array.from({ length: 100 }, (_, i) => `${URL}${i}`));
    const many = Array.from({ length: 101 }, () => ({ url: URL }));
    const words = "must have 1 to 100 links";
    expect(errorOf(await post(ann, { links: many }))).toEqual(validationFailed(["links", "too_big", words]));
    expect(errorOf(await post(ann, { links: [] }))).toEqual(validationFailed(["links", "too_small", words]));
    expect(errorOf(await post(ann, { links: { url: URL } }))).toEqual(
      validationFailed(["links", "invalid_type", "must be of type array, not object"]),
    );
    expect(errorOf(await post(ann, {}))).toEqual(validationFailed(["links", "required", "is required"]));
    expect(errorOf(await post(ann, [{ url: URL }]))).toEqual(
      validationFailed(["", "invalid_type", "must be of type object, not array"]),
    );
    expect(errorOf(await post(ann, { links: [{ url: URL }], atomic: true }))).toEqual(
      validationFailed(["atomic", "unknown_field", "is unknown"]),
    );
    expect(await listedLinks(ann)).toHaveLength(100);
  });

  test("accepts a body of the maximum size, with text that is longer in the database", async () => {
    const ann = await premiumAccount();
    const links = Array.from({ length: 100 }, (_, i) => ({ url: `${URL}${i}`, ...QUOTED_CONTENT }));
    const bytes = JSON.stringify({ links }).length;
    expect(bytes).toBeGreaterThan(0.9 * BODY_MAX_BYTES);
    expect(bytes).toBeLessThanOrEqual(BODY_MAX_BYTES);
    const results = await bulk(ann, links);
    const listed = await listedLinks(ann);
    expect(results).toEqual(listed.map((link) => ({ link })));
    expect(listed.map(({ url, title, tags }) => ({ url, title, tags }))).toEqual(links);
  });

  test("with only invalid links answers 200 with their errors", async () => {
    const ann = await premiumAccount();
    const required = asBulkError(validationFailed(["url", "required", "is required"]));
    expect(await bulk(ann, [{}, {}])).toEqual([required, required]);
    expect(await listedLinks(ann)).toEqual([]);
  });

  test("each slug goes to one of several parallel requests for the same slugs", async () => {
    const [ann, ben] = [await premiumAccount(), await freeAccount()];
    const wanted = Array.from({ length: 20 }, () => ({ url: URL, slug: newSlug() }));
    const answers = await Promise.all([bulk(ann, wanted), bulk(ben, wanted.toReversed()), bulk(ann, wanted)]);
    const made = [...(await listedLinks(ann)), ...(await listedLinks(ben))];
    expect(made.map(({ slug }) => slug).sort()).toEqual(wanted.map(({ slug }) => slug).sort());
    const refused = answers.flat().flatMap((result) => ("error" in result ? [result.error] : []));
    expect(refused).toHaveLength(40);
    expect(refused.map(({ message }) => message).toSorted()).toEqual(
      [...wanted, ...wanted].map(({ slug }) => slugTaken(slug).message).toSorted(),
    );
  });

  test("answers 503 with Retry-After if other requests keep taking its slugs, and creates no link", async () => {
    const ann = await premiumAccount();
    const isAtHome = (slug: string) => databaseOfLink(env, { domain: "localhost:8787", slug }) === env.DB;
    const slugs = Array.from({ length: 200 }, newSlug).filter(isAtHome).slice(0, 20);
    let tries = 0;
    const DB = {
      prepare: (sql: string) => env.DB.prepare(sql),
      batch: async (statements: D1PreparedStatement[]) => {
        await ann.createLink({ slug: slugs[tries++] });
        return env.DB.batch(statements);
      },
    };
    vi.spyOn(console, "error").mockImplementationOnce(() => {});
    const links = slugs.map((slug) => ({ url: URL, slug }));
    const response = await fetchWith({ DB: DB as unknown as D1Database }, "/v1/links/bulk", {
      method: "POST",
      headers: { Authorization: `Bearer ${ann.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ links }),
    });
    expect(response.headers.get("Retry-After")).toBe("5");
    expect(errorOf(await readResponse(response))).toMatchObject({ status: 503, code: "unavailable" });
    expect(await listedLinks(ann)).toHaveLength(tries);
    // A repeated request gets the remaining slugs.
    const again = await bulk(ann, links);
    expect(again.filter((result) => "link" in result)).toHaveLength(slugs.length - tries);
  });

  test("with a test key creates links on the test domain", async () => {
    const annTesting = await (await premiumAccount()).withKey("test");
    const [result] = await bulk(annTesting, [{ url: URL }]);
    expect(result).toMatchObject({ link: { domain: "test.localhost:8787" } });
  });
});

describe("1.6 bulk on the Free plan", () => {
  test("with rules in any of its links answers 403 and creates none of them", async () => {
    const ben = await freeAccount();
    const slug = newSlug();
    const links = [{ url: URL, slug }, { url: URL }, { url: URL, routing: RULES }];
    expect(errorOf(await post(ben, { links }))).toEqual(PLAN_UPGRADE_REQUIRED);
    expect(await listedLinks(ben)).toEqual([]);
    expect((await ben.createLink({ slug })).slug).toBe(slug);
  });

  test("without rules, or with empty ones, creates links", async () => {
    const ben = await freeAccount();
    const results = await bulk(ben, [{ url: URL }, { url: URL, routing: [] }]);
    expect(results).toEqual((await listedLinks(ben)).map((link) => ({ link })));
    expect(results).toHaveLength(2);
  });
});
