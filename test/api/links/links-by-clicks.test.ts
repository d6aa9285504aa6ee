/** GET /v1/links?sort=-clicks: most clicked links first. The clock is stopped, so that the counted clicks are known. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";

import { AccountLog } from "../../../src/clicks/account/account-log.ts";
import { BulkResult } from "../../../src/core/contract/bulk-links.ts";
import { type Link, LinkPage } from "../../../src/core/contract/links.ts";
import { objectOf } from "../../support/account-of-links.ts";
import { errorOf } from "../../support/api-response.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

// Preloaded, because in tests, objects that import it simultaneously would wait for each other's I/O.
await import("../../../src/clicks/click-draw.ts");
vi.setConfig({ testTimeout: 60_000 });

const START = Date.UTC(new Date().getUTCFullYear() + 1, 1, 3, 4, 5);
const HOUR_MS = 3_600_000;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function page(actor: TestAccount, query: string): Promise<LinkPage> {
  const reply = await actor.call("GET", `/v1/links?sort=-clicks&${query}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return LinkPage.parse(reply.body);
}

/** Slugs with their clicks, from all pages. */
async function listed(actor: TestAccount, query = "", betweenPages?: () => Promise<unknown>): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { data, next_cursor }: LinkPage = await page(
      actor,
      `include=clicks&${query}${cursor && `&cursor=${cursor}`}`,
    );
    found.push(...data.map(({ slug, clicks }) => `${slug.slice(0, slug.indexOf("-"))} ${clicks}`));
    cursor = next_cursor;
    await betweenPages?.();
  }
  return found;
}

/** Links in order of creation with the given numbers of clicks, all stored an hour ago. */
async function clickedLinks(
  actor: TestAccount,
  wanted: readonly [name: string, clicks: number, fields?: object][],
): Promise<Record<string, Link>> {
  const links: Record<string, Link> = {};
  const run = crypto.randomUUID().slice(0, 8);
  for (const [i, [name, clicks, fields]] of wanted.entries()) {
    freezeClockAt(START + i);
    const link = await actor.createLink({ slug: `${name}-${run}`, ...fields });
    for (let click = 0; click < clicks; click++) await visit(link.short_url, { country: "DE" });
    if (clicks > 0) await actor.waitForClicks(clicks, link);
    links[name] = link;
  }
  freezeClockAt(START + HOUR_MS);
  return links;
}

const LINKS: [string, number, object?][] = [
  ["a", 1, { tags: ["x"] }],
  ["b", 3, { tags: ["x"], expires_at: new Date(START + 60_000).toISOString() }],
  ["c", 0, { tags: ["x", "y"] }],
  ["d", 1, { url: "https://example.org/needle" }],
  ["e", 0],
  ["f", 5, { tags: ["y"] }],
  ["g", 1, { tags: ["x"] }],
];
const ORDER = ["f 5", "b 3", "g 1", "d 1", "a 1", "e 0", "c 0"];

let unchanged: Promise<{ ann: TestAccount; links: Record<string, Link> }> | undefined;

/** An account with `LINKS`, for tests that change nothing. */
async function unchangedLinks() {
  unchanged ??= premiumAccount().then(async (ann) => ({ ann, links: await clickedLinks(ann, LINKS) }));
  const shared = await unchanged;
  freezeClockAt(START + HOUR_MS);
  return shared;
}

describe("12 sort=-clicks", () => {
  test("12 lists the most clicked first, the newest first if equal, and those without clicks last", async () => {
    const { ann, links } = await unchangedLinks();
    expect(await listed(ann)).toEqual(ORDER);
    for (const limit of [1, 2, 3, 5, 6, 7]) expect(await listed(ann, `limit=${limit}`)).toEqual(ORDER);
    const { data, has_more } = await page(ann, "limit=2");
    expect([data, has_more]).toEqual([[links["f"], links["b"]], true]);
  });

  test("12 a page that ends with the list has no next page", async () => {
    expect(await page(await premiumAccount(), "")).toEqual({ data: [], has_more: false, next_cursor: null });
    const { ann } = await unchangedLinks();
    expect((await page(ann, "limit=7")).next_cursor).toBeNull();
    const { next_cursor } = await page(ann, "limit=6");
    expect((await page(ann, `limit=1&cursor=${next_cursor}`)).has_more).toBe(false);
  });

  test("12 works with the other filters, across pages as well", async () => {
    const { ann } = await unchangedLinks();
    const filters: [string, (name: string) => boolean][] = [
      ["tag=X", (name) => "abcg".includes(name)],
      ["tag=x&tag=Y", (name) => name === "c"],
      ["search=needle", (name) => name === "d"],
      ["search=%C3%A9", () => false],
      ["status=expired", (name) => name === "b"],
      ["status=active&tag=x", (name) => "acg".includes(name)],
      [`created_after=${new Date(START + 4).toISOString()}`, (name) => "efg".includes(name)],
      [`created_before=${new Date(START + 4).toISOString()}&tag=x`, (name) => "abc".includes(name)],
      ["domain=localhost:8787&tag=y", (name) => "cf".includes(name)],
      ["domain=go.elsewhere.example", () => false],
    ];
    for (const [filter, matches] of filters) {
      const expected = ORDER.filter(([name = ""]) => matches(name));
      expect([filter, await listed(ann, filter)]).toEqual([filter, expected]);
      expect([filter, await listed(ann, `${filter}&limit=1`)]).toEqual([filter, expected]);
    }
  });

  test("12 pages have no gap and no repeat while clicks and links are added", async () => {
    const ann = await premiumAccount();
    const links = await clickedLinks(ann, LINKS);
    let pages = 0;
    const found = await listed(ann, "limit=2", async () => {
      pages++;
      for (const name of ["a", "c", "e"]) await visit(links[name]?.short_url ?? "", { country: "DE" });
      await ann.waitForClicks(pages, links["c"] as Link);
      freezeClockAt(START + (pages + 1) * HOUR_MS);
    });
    expect(found).toEqual(ORDER);
  });

  test("12 deleted links leave the list, even between pages", async () => {
    const ann = await premiumAccount();
    const links = await clickedLinks(ann, LINKS);
    const remove = (name: string) => ann.call("DELETE", `/v1/links/${links[name]?.id}`);
    await remove("b");
    const first = await page(ann, "limit=1");
    await remove("g");
    await remove("e");
    const next = await page(ann, `cursor=${first.next_cursor}`);
    const names = [...first.data, ...next.data].map(({ slug }) => slug.charAt(0));
    expect(names).toEqual(["f", "d", "a", "c"]);
    expect(next.next_cursor).toBeNull();
  });

  test("12 never lists a clicked link as one without clicks while the account's clicks are rewritten", async () => {
    const ann = await premiumAccount();
    const links = await clickedLinks(ann, LINKS);
    const { next_cursor } = await page(ann, "limit=6");
    vi.spyOn(AccountLog.prototype, "merge").mockRejectedValue(new Error("fault: not merged"));
    expect((await ann.call("DELETE", `/v1/links/${links["b"]?.id}?erase=true`)).status).toBe(204);
    const reply = await ann.call("GET", `/v1/links?sort=-clicks&cursor=${next_cursor}`);
    expect([reply.status, reply.body]).toMatchObject([503, { error: { code: "unavailable" } }]);
    vi.restoreAllMocks();
    freezeClockAt(START + 2 * HOUR_MS);
    await runDurableObjectAlarm(objectOf(ann));
    const { data } = await page(ann, `cursor=${next_cursor}`);
    expect(data.map(({ id }) => id)).toEqual([links["c"]?.id]);
  });

  test("12 keeps the order across pages with hundreds of links with equal clicks", async () => {
    const ann = await premiumAccount();
    freezeClockAt(START);
    const made: Link[] = [];
    for (let i = 0; i < 2; i++) {
      const links = Array.from({ length: 100 }, () => ({ url: "https://example.com/" }));
      const { results } = BulkResult.parse((await ann.call("POST", "/v1/links/bulk", { links })).body);
      made.push(...results.flatMap((result) => ("link" in result ? [result.link] : [])));
    }
    const clicked = made.filter((_, i) => i % 6 === 0);
    for (const link of clicked) await visit(link.short_url, { country: "DE" });
    for (const link of clicked) await ann.waitForClicks(1, link);
    freezeClockAt(START + HOUR_MS);
    const byNewest = (one: Link, other: Link) => (one.id < other.id ? 1 : -1);
    const expected = [...clicked.toSorted(byNewest), ...made.filter((_, i) => i % 6 !== 0).toSorted(byNewest)];
    const isCounted = async () => (await ann.call("GET", "/v1/links?sort=-clicks")).status === 200;
    await eventually(isCounted, "the first question");
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { data, next_cursor }: LinkPage = await page(ann, `limit=70${cursor && `&cursor=${cursor}`}`);
      found.push(...data.map(({ id }) => id));
      cursor = next_cursor;
    }
    expect(found).toEqual(expected.map(({ id }) => id));
  });

  test("12 returns nothing of another account or mode", async () => {
    const ann = await premiumAccount();
    const links = await clickedLinks(ann, LINKS.slice(0, 3));
    const first = await page(ann, "limit=1");
    for (const actor of [await premiumAccount(), await ann.withKey("test")]) {
      expect((await page(actor, "")).data).toEqual([]);
      expect((await page(actor, `cursor=${first.next_cursor}`)).data).toEqual([]);
    }
    expect(Object.keys(links)).toHaveLength(3);
  });

  const ID = "lnk_00000000000000000000000000";
  test.for([
    ["sort=-clicks&slug=a", "slug", "slug cannot be combined with sort=-clicks"],
    ["sort=-clicks&short_url=localhost:8787/a", "short_url", "short_url cannot be combined with sort=-clicks"],
    [`sort=-clicks&cursor=${ID}`, "cursor", "cursor must be the next_cursor of an earlier page in the same order"],
    [`cursor=1-1-${ID}`, "cursor", "cursor must be the next_cursor of an earlier page in the same order"],
    [`sort=-clicks&cursor=1-1-1-${ID}`, "cursor", "cursor must be the next_cursor of an earlier page"],
    ["sort=clicks", "sort", "sort must be one of created_at, -created_at, -clicks"],
  ] as const)("12 %s answers 422 and says why", async ([query, param, message]) => {
    const ann = await premiumAccount();
    const reply = await ann.call("GET", `/v1/links?${query}`);
    expect([reply.status, errorOf(reply)]).toMatchObject([422, { code: "validation_failed", param, message }]);
  });

  test.for(["zzzzzzzzzz-0", "zzzzzzzzzz-zzzzzzzzzz", "0-0", "0-5"])(
    "12 a cursor that begins with %s is a valid position",
    async (place) => {
      const ann = await premiumAccount();
      await clickedLinks(ann, [["a", 1]]);
      const { data } = await page(ann, `cursor=${place}-lnk_zzzzzzzzzzzzzzzzzzzzzzzzzz`);
      expect(data.length).toBeLessThanOrEqual(1);
    },
  );
});
