/** What one page of a list may cost, however many links an account has and however few of them match. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import { SCOPES } from "../../../src/core/account.ts";
import { LinkPage, ListLinksQuery } from "../../../src/core/contract/links.ts";
import { hostsOf } from "../../../src/core/deployment/settings.ts";
import type { Caller } from "../../../src/store/accounts/api-keys.ts";
import type { WantedLinks } from "../../../src/store/links/link-filters.ts";
import { listLinkPage } from "../../../src/store/links/link-lists.ts";
import { type TestAccount, premiumAccount } from "../../support/test-accounts.ts";
import { withRowCount } from "../../support/rows-read.ts";

const LINKS = 50_000;
const ROWS_MAX = 20_000;

/**
 * Of 50,000 links: 8 lead to a needle, 5 are on another domain, 4 have expired, and the 10,000 in the middle are
 * deleted. Every third of the others has the tag `common`, and 4 also have `rare`.
 */
const NEEDLES = LINKS / 6_250;

let ann: TestAccount;

beforeAll(async () => {
  ann = await premiumAccount();
  await env.DB.prepare(
    `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision, expires_at, deleted_at, tags)
     WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
     SELECT ?1, 'live', printf('lnk_%026d', i), 'api', iif(i % 10000 = 9000, 'go.example', 'localhost:8787'), 's-' || i,
       iif(i % 6250 = 3000, 'https://Needle.example/', 'https://example.com/') || i, '[]', i, i, 1,
       iif(i % 12500 = 11000, 1, NULL), iif(i / 10000 = 2, 1, NULL),
       CASE WHEN i / 10000 = 2 THEN NULL WHEN i % 10000 = 6000 THEN '[["common","common"],["rare","Rare"]]'
         WHEN i % 3 = 0 THEN '[["common","Common"]]' END
     FROM n`,
  )
    .bind(ann.accountId, LINKS)
    .run();
});

type Query = Record<string, string | string[]>;

/** Every page that the API returns, and the most rows that one of them read. */
async function pagesOf(query: Query): Promise<{ ids: string[]; pages: number; mostRows: number }> {
  const ids: string[] = [];
  let mostRows = 0;
  let pages = 0;
  for (let cursor: string | null = ""; cursor !== null; pages++) {
    const asked: Query = { ...query, ...(cursor ? { cursor } : {}) };
    const pairs = Object.entries(asked).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
    const reply = await ann.call("GET", `/v1/links?${new URLSearchParams(pairs)}`);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    const page: LinkPage = LinkPage.parse(reply.body);
    expect(page.has_more).toBe(page.next_cursor !== null);
    expect(page.next_cursor).not.toBe(cursor);
    ids.push(...page.data.map(({ id }) => id));
    mostRows = Math.max(mostRows, await rowsOf(asked));
    cursor = page.next_cursor;
  }
  return { ids, pages, mostRows };
}

async function rowsOf(query: Query, more: Partial<WantedLinks> = {}, owner = ann): Promise<number> {
  const caller: Caller = {
    accountId: owner.accountId,
    mode: "live",
    plan: "premium",
    scopes: SCOPES,
    origin: "api",
    rateKey: "",
  };
  const watched = withRowCount(env);
  await listLinkPage(watched.env, caller, hostsOf(env, ""), { ...ListLinksQuery.parse(query), ...more });
  return watched.counted.rows;
}

function expected(isMatch: (i: number) => boolean, sort: string): string[] {
  const found = Array.from({ length: LINKS }, (_, i) => i).filter((i) => isMatch(i) && Math.floor(i / 10_000) !== 2);
  const ids = found.map((i) => `lnk_${String(i).padStart(26, "0")}`);
  return sort === "created_at" ? ids : ids.toReversed();
}

const FILTERS: [string, Query, (i: number) => boolean][] = [
  ["a search with few matches", { search: "needle" }, (i) => i % 6_250 === 3_000],
  ["a search without matches", { search: "haystack" }, () => false],
  ["status", { status: "expired" }, (i) => i % 12_500 === 11_000],
  ["archived links, of which there are none", { archived: "true" }, () => false],
  ["scheduled links, of which there are none", { status: "scheduled" }, () => false],
  ["domain", { domain: "go.example" }, (i) => i % 10_000 === 9_000],
  [
    "a tag of many links",
    { tag: ["Common"], limit: "100", search: "https://example.com/499" },
    (i) => String(i).startsWith("499") && i % 3 === 0,
  ],
  ["a rare tag", { tag: ["RARE"] }, (i) => i % 10_000 === 6_000],
  ["a rare tag and one of many links", { tag: ["common", "rare"] }, (i) => i % 10_000 === 6_000],
  ["tags that no link combines", { tag: ["common", "nowhere"] }, () => false],
];

describe.each(["-created_at", "created_at"])("4.7 in 50,000 links, sort %s", (sort) => {
  test.each(FILTERS)("%s reads at most 20,000 rows a page and finds every match once", async (_, query, isMatch) => {
    const { ids, pages, mostRows } = await pagesOf({ ...query, sort });
    expect(ids).toEqual(expected(isMatch, sort));
    expect(mostRows).toBeLessThanOrEqual(ROWS_MAX);
    expect(pages).toBeLessThanOrEqual(LINKS / 5_000);
  });

  test("a page after 40,000 links, or before 10,000 deleted ones, reads no more", async () => {
    for (const i of [1_000, 20_000, 29_999, 49_000]) {
      const rows = await rowsOf({ sort, cursor: `lnk_${String(i).padStart(26, "0")}` });
      expect(rows).toBeLessThanOrEqual(ROWS_MAX);
    }
    // Nothing is deleted near the ends, so twenty links are some twenty rows.
    expect(await rowsOf({ sort, cursor: `lnk_${String(45_000).padStart(26, "0")}` })).toBeLessThan(200);
    expect(await rowsOf({ sort, cursor: `lnk_${String(5_000).padStart(26, "0")}` })).toBeLessThan(200);
  });
});

test("4.7 a page with few matches says so: fewer links than requested, and a cursor", async () => {
  const { body } = await ann.call("GET", "/v1/links?search=needle&limit=100");
  const page = LinkPage.parse(body);
  expect(page.has_more).toBe(true);
  expect(page.data.length).toBeLessThan(NEEDLES);
  const none = LinkPage.parse((await ann.call("GET", "/v1/links?search=haystack")).body);
  expect([none.data, none.has_more]).toEqual([[], true]);
});

test("4.7 long destinations shorten the scan: bytes are bounded, not only rows", async () => {
  const ben = await premiumAccount();
  await env.DB.prepare(
    `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision)
     WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
     SELECT ?1, 'live', printf('lnk_%026d', i), 'api', 'localhost:8787', 'long-' || i,
       'https://example.com/' || replace(hex(zeroblob(4080)), '0', 'a'), '[]', i, i, 1 FROM n`,
  )
    .bind(ben.accountId)
    .run();
  const { body } = await ben.call("GET", "/v1/links?search=b");
  const page = LinkPage.parse(body);
  expect([page.data, page.has_more]).toEqual([[], true]);
  const scanned = 2_000 - Number(page.next_cursor?.slice(4));
  expect(scanned * 8_180).toBeLessThan(5_100_000);
});

describe("4.7 search for letters beyond ASCII", () => {
  const WORD = "СЪЕШЬЕЩЁЭТИХМЯГКИХ";

  test.each(["-created_at", "created_at"])("reads no more rows, sort %s", async (sort) => {
    const { ids, pages, mostRows } = await pagesOf({ search: WORD, sort });
    expect([ids, pages <= LINKS / 5_000]).toEqual([[], true]);
    expect(mostRows).toBeLessThanOrEqual(ROWS_MAX);
    expect((await pagesOf({ search: WORD, tag: ["common"], sort })).mostRows).toBeLessThanOrEqual(ROWS_MAX);
  });

  test("in long destinations of such letters scans fewer bytes", async () => {
    const ben = await premiumAccount();
    await env.DB.prepare(
      `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision)
       WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
       SELECT ?1, 'live', printf('lnk_%026d', i), 'api', 'localhost:8787', 'wide-' || i,
         'https://example.com/' || replace(hex(zeroblob(4080)), '0', 'Ж'), '[]', i, i, 1 FROM n`,
    )
      .bind(ben.accountId)
      .run();
    const { body } = await ben.call("GET", `/v1/links?search=${encodeURIComponent(WORD)}`);
    const page = LinkPage.parse(body);
    expect([page.data, page.has_more]).toEqual([[], true]);
    const scanned = 200 - Number(page.next_cursor?.slice(4));
    expect(scanned * 16_340).toBeLessThan(600_000);
    const found = LinkPage.parse((await ben.call("GET", `/v1/links?search=${encodeURIComponent("жжж")}`)).body);
    expect(found.data).toHaveLength(20);
  });
});

test("4.7 searches of tags, aliases and short URLs, and the dashboard's filters, read at most 20,000 rows a page", async () => {
  for (const search of ["common", "[", "localhost:8787/s-4999"])
    expect(await rowsOf({ search, limit: "100" }), search).toBeLessThanOrEqual(ROWS_MAX);
  for (const filter of [{ rules: "true" }, { origin: "dashboard" }] as const)
    expect(await rowsOf({}, filter)).toBeLessThanOrEqual(ROWS_MAX);
  // Each of these texts contains the search outside of its values.
  const ben = await premiumAccount();
  await env.DB.prepare(
    `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision, tags, aliases)
     WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
     SELECT ?1, 'live', printf('lnk_%026d', i), 'api', 'localhost:8787', 'listed-' || i, 'https://example.com/', '[]',
       i, i, 1, ?2, ?3 FROM n`,
  )
    .bind(
      ben.accountId,
      JSON.stringify(Array.from({ length: 20 }, (_, i) => [`${i}`, `${i}`])),
      JSON.stringify(Array.from({ length: 20 }, (_, i) => ["localhost:8787", `a${i}`, 0, null])),
    )
    .run();
  expect(await rowsOf({ search: "," }, {}, ben)).toBeLessThanOrEqual(ROWS_MAX);
});

test("4.7 a rare tag costs as much as its links, even combined with a tag of many links", async () => {
  expect(await rowsOf({ tag: ["rare"] })).toBeLessThan(40);
  expect(await rowsOf({ tag: ["common", "rare"] })).toBeLessThan(300);
  expect(await rowsOf({ tag: ["common"] })).toBeLessThan(200);
});

test("4.7 long tags shorten the scan of links that lack one of the requested tags", async () => {
  const ben = await premiumAccount();
  const tags = Array.from({ length: 20 }, (_, i) => "😀".repeat(48) + (10 + i));
  const lacking = (tag: number) => JSON.stringify(tags.filter((_, i) => i !== tag).map((each) => [each, each]));
  await env.DB.prepare(
    `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at, revision, tags)
     WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
     SELECT ?1, 'live', printf('lnk_%026d', i), 'api', 'localhost:8787', 'tagged-' || i, 'https://example.com/', '[]',
       i, i, 1, iif(i % 2, ?2, ?3) FROM n`,
  )
    .bind(ben.accountId, lacking(18), lacking(19))
    .run();
  const query = tags.map((tag) => `tag=${encodeURIComponent(tag)}`).join("&");
  const page = LinkPage.parse((await ben.call("GET", `/v1/links?${query}`)).body);
  expect([page.data, page.has_more]).toEqual([[], true]);
  const scanned = 2_000 - Number(page.next_cursor?.slice(4));
  expect(scanned * new TextEncoder().encode(lacking(0)).length).toBeLessThan(2_600_000);
});
