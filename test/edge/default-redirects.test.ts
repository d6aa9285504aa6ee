/** Default redirects of the service's own short domains: `HOME_URL`, `NOT_FOUND_URL` and `EXPIRED_URL`. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { type ChangedEnv, fetchAt } from "../support/changed-env.ts";
import { withDatabases } from "../support/link-databases.ts";
import { premiumAccount, type TestAccount } from "../support/test-accounts.ts";

const HOST = "http://localhost:8787";
const TEST_HOST = "http://test.localhost:8787";
const PAGES = {
  HOME_URL: "https://example.com/home?a=ü",
  NOT_FOUND_URL: "https://example.com/lost",
  EXPIRED_URL: "https://example.com/over",
};
const HOME = [302, "https://example.com/home?a=%C3%BC"];
const LOST = [302, PAGES.NOT_FOUND_URL];
const OVER = [302, PAGES.EXPIRED_URL];
const NOT_FOUND = [404, null];
const GONE = [410, null];

afterEach(() => {
  vi.restoreAllMocks();
});

/** Status and destination of a visit. */
async function visit(url: string, settings: ChangedEnv = PAGES, method = "GET"): Promise<[number, string | null]> {
  const response = await fetchAt(url, settings, { method });
  await response.text();
  return [response.status, response.headers.get("Location")];
}

async function expiredLink(ann: TestAccount, fields: Record<string, unknown> = {}): Promise<Link> {
  return ann.updateLink(await ann.createLink(fields), { expires_at: "2026-01-01T00:00:00Z" });
}

function newSlug(): string {
  return `s${crypto.randomUUID().slice(0, 8)}`;
}

describe("10 HOME_URL", () => {
  test.each([HOST, TEST_HOST])("receives visitors of %s/", async (host) => {
    expect(await visit(`${host}/`)).toEqual(HOME);
    expect(await visit(`${host}/?a=b`)).toEqual(HOME);
    expect(await visit(`${host}/`, PAGES, "HEAD")).toEqual(HOME);
  });

  test("does not hide the service's other paths", async () => {
    expect(await visit(`${HOST}/health`)).toEqual([200, null]);
    expect(await visit(`${HOST}/dashboard/api/config`)).toEqual([200, null]);
  });

  test("is not where the service's host leads if its links are on another host", async () => {
    // Without an account, this host leads to the instructions for creating one.
    await premiumAccount();
    const BASE_URL = "https://api.pages.example";
    const settings = { ...PAGES, BASE_URL, SHORT_DOMAIN: "pages.example", TEST_SHORT_DOMAIN: undefined };
    expect(await visit("https://pages.example/", settings)).toEqual(HOME);
    expect(await visit(`${BASE_URL}/`, settings)).toEqual([302, "/dashboard"]);
    expect(await visit(`https://pages.example/${newSlug()}`, settings)).toEqual(LOST);
    expect(await visit(`${BASE_URL}/${newSlug()}`, settings)).toEqual(NOT_FOUND);
  });
});

describe("10 NOT_FOUND_URL", () => {
  test("receives visitors of unknown slugs in both modes, but no reserved path does", async () => {
    for (const host of [HOST, TEST_HOST]) {
      for (const path of [newSlug(), "not/a/slug", "x.html", "y".repeat(65), `${newSlug()}?a=b`]) {
        expect([path, ...(await visit(`${host}/${path}`))]).toEqual([path, ...LOST]);
      }
      expect(await visit(`${host}/${newSlug()}`, PAGES, "HEAD")).toEqual(LOST);
      expect(await visit(`${host}/${newSlug()}`, PAGES, "POST")).toEqual([405, null]);
    }
    for (const path of ["robots.txt", "favicon.ico", ".well-known/security.txt", "v1/links", "dashboard"]) {
      expect([path, ...(await visit(`${TEST_HOST}/${path}`))]).toEqual([path, ...NOT_FOUND]);
    }
  });

  test("receives visitors who come before a link opens, but not those of its fallback", async () => {
    const ann = await premiumAccount();
    const starts_at = "2099-01-01T00:00:00Z";
    const [plain, other] = [
      await ann.createLink({ starts_at }),
      await ann.createLink({ starts_at, fallback_url: "https://example.com/soon" }),
    ];
    expect(await visit(plain.short_url)).toEqual(LOST);
    expect(await visit(other.short_url)).toEqual([302, "https://example.com/soon"]);
  });

  test("does not apply to other domains", async () => {
    const { domain } = await (await premiumAccount()).activeDomain();
    expect(await visit(`http://${domain}/`)).toEqual(NOT_FOUND);
    expect(await visit(`http://${domain}/${newSlug()}`)).toEqual(NOT_FOUND);
  });

  test("applies to a deployment without configured hosts, and to its test links", async () => {
    const settings = { ...PAGES, BASE_URL: undefined, SHORT_DOMAIN: undefined, TEST_SHORT_DOMAIN: undefined };
    const base = "https://pages.acme.workers.dev";
    expect(await visit(`${base}/`, settings)).toEqual(HOME);
    expect(await visit(`${base}/${newSlug()}`, settings)).toEqual(LOST);
    expect(await visit(`${base}/t/${newSlug()}`, settings)).toEqual(LOST);
    expect(await visit(`${base}/${newSlug()}`, { ...settings, NOT_FOUND_URL: `${base}/lost` })).toEqual(NOT_FOUND);
  });
});

describe("10 EXPIRED_URL", () => {
  test("receives visitors of expired links without a fallback, uncounted; deleted links answer 410", async () => {
    const ann = await premiumAccount();
    const link = await expiredLink(ann);
    expect(await visit(link.short_url)).toEqual(OVER);
    expect(await visit(`${link.short_url}?a=b`, PAGES, "HEAD")).toEqual(OVER);
    expect((await ann.stats(link, { include_bots: "true" })).total).toBe(0);
    const other = await expiredLink(ann, { fallback_url: "https://example.com/fallback" });
    expect(await visit(other.short_url)).toEqual([302, "https://example.com/fallback"]);
    const deleted = await expiredLink(ann);
    expect((await ann.call("DELETE", `/v1/links/${deleted.id}`)).status).toBe(204);
    expect(await visit(deleted.short_url)).toEqual(GONE);
    expect(await visit((await expiredLink(await ann.withKey("test"))).short_url)).toEqual(OVER);
  });

  test("a custom domain has its own", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const link = await expiredLink(ann, { domain });
    expect(await visit(link.short_url)).toEqual(GONE);
  });

  test("12 a redirect to it is hidden from search engines if the link has noindex, on every domain", async () => {
    const ann = await premiumAccount();
    const { id, domain } = await ann.activeDomain();
    const robots = async ({ short_url }: Link) => {
      const { status, headers } = await fetchAt(short_url, PAGES);
      return [status, headers.get("X-Robots-Tag")];
    };
    await ann.call("PATCH", `/v1/domains/${id}`, { expired_url: PAGES.EXPIRED_URL });
    expect(await robots(await expiredLink(ann, { domain, noindex: true }))).toEqual([302, "noindex"]);
    expect(await robots(await expiredLink(ann, { noindex: true }))).toEqual([302, "noindex"]);
    expect(await robots(await expiredLink(ann))).toEqual([302, null]);
  });
});

describe("10 settings that are empty, invalid or lead back", () => {
  test.each([undefined, "", "example.com", "javascript:alert(1)", `${HOST}/docs`, `${TEST_HOST}/a`])(
    "%j: the service's own pages",
    async (url) => {
      const settings = { HOME_URL: url, NOT_FOUND_URL: url, EXPIRED_URL: url };
      const link = await expiredLink(await premiumAccount());
      expect(await visit(`${TEST_HOST}/`, settings)).toEqual(NOT_FOUND);
      expect(await visit(`${HOST}/${newSlug()}`, settings)).toEqual(NOT_FOUND);
      expect(await visit(link.short_url, settings)).toEqual(GONE);
    },
  );

  test("an invalid one is reported by the service, while links redirect", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const link = await (await premiumAccount()).createLink();
    const settings = { EXPIRED_URL: "example.com/over" };
    expect(await visit(link.short_url, settings)).toEqual([302, "https://example.com/"]);
    const response = await fetchAt(`${HOST}/v1/links`, settings);
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: { code: "misconfigured", message: expect.stringContaining("This deployment's EXPIRED_URL must be") } },
    ]);
  });
});

test("10 default redirects cost no query: an expired link and a miss read only links", async () => {
  const link = await expiredLink(await premiumAccount());
  const statements: string[] = [];
  const listening = withDatabases(env, (database) => {
    const note = (sql: string) => {
      statements.push(sql);
      return database.prepare(sql);
    };
    return { prepare: note, withSession: () => ({ prepare: note }) } as unknown as D1Database;
  });
  for (const url of [link.short_url, `${HOST}/${newSlug()}`, `${TEST_HOST}/`]) {
    expect((await visit(url, { ...listening, ...PAGES }))[0]).toBe(302);
  }
  expect(statements.filter((sql) => !/\blinks\b/.test(sql) || /FROM domains/.test(sql))).toEqual([]);
});
