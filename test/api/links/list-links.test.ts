/** 4.7 GET /v1/links: order, pages, filters. */
import { describe, expect, test } from "vitest";

import { type Link, LinkPage } from "../../../src/core/contract/links.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { errorOf } from "../../support/api-response.ts";
import { validationFailed } from "../../support/expected-errors.ts";

const EMPTY = { data: [], has_more: false, next_cursor: null };
const UNKNOWN = "is unknown";

type Page = ReturnType<typeof LinkPage.parse>;

async function list(actor: TestAccount, query: Record<string, string> = {}): Promise<Page> {
  const reply = await actor.call("GET", `/v1/links?${new URLSearchParams(query)}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return LinkPage.parse(reply.body);
}

/** Links with all of these tags: the parameter may be repeated. */
async function listTagged(actor: TestAccount, tags: readonly string[], query = ""): Promise<Page> {
  const reply = await actor.call(
    "GET",
    `/v1/links?${tags.map((tag) => `tag=${encodeURIComponent(tag)}`).join("&")}${query}`,
  );
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return LinkPage.parse(reply.body);
}

async function slugsOf(actor: TestAccount, query: Record<string, string>): Promise<string[]> {
  const { data, has_more } = await list(actor, { ...query, limit: "100" });
  expect(has_more).toBe(false);
  return data.map(({ slug }) => slug).sort();
}

/** Every page, from the first to the last. */
async function allPages(actor: TestAccount, query: Record<string, string>): Promise<Link[][]> {
  const pages: Link[][] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Page = await list(actor, { ...query, ...(cursor ? { cursor } : {}) });
    expect(page.next_cursor === null).toBe(!page.has_more);
    pages.push(page.data);
    cursor = page.next_cursor;
  }
  return pages;
}

async function makeLinks(actor: TestAccount, count: number): Promise<Link[]> {
  const links: Link[] = [];
  for (let i = 0; i < count; i++) links.push(await actor.createLink({ url: `https://example.com/${i}` }));
  return links;
}

/** An id begins with its creation time, and settles the order of links of one millisecond. */
function byNewest(a: Link, b: Link): number {
  return a.id < b.id ? 1 : -1;
}

describe("4.7 GET /v1/links", () => {
  test("without links returns an empty page", async () => {
    const ann = await freeAccount();
    const reply = await ann.call("GET", "/v1/links");
    expect([reply.status, reply.body, reply.headers.get("ETag")]).toEqual([200, EMPTY, null]);
  });

  test("lists complete links, newest first", async () => {
    const ann = await premiumAccount();
    const rules = [{ if: { country: "DE" }, to: "https://example.com/de" }];
    const first = await ann.createLink({ routing: rules, expires_at: "2099-01-01T00:00:00Z" });
    const second = await ann.createLink();
    const newestFirst = [first, second].toSorted(byNewest);
    expect(await list(ann)).toEqual({ data: newestFirst, has_more: false, next_cursor: null });
    expect(await list(ann, { sort: "-created_at" })).toEqual(await list(ann));
    expect((await list(ann, { sort: "created_at" })).data).toEqual(newestFirst.toReversed());
  });

  test("returns the current state of links, without deleted ones", async () => {
    const ann = await premiumAccount();
    const [kept, gone] = [await ann.createLink(), await ann.createLink()];
    const updated = await ann.updateLink(kept, { url: "https://example.org/" });
    await ann.call("DELETE", `/v1/links/${gone.id}`);
    expect((await list(ann)).data).toEqual([updated]);
  });

  test("returns nothing of other accounts, whatever the filter or cursor", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const link = await ann.createLink({ slug: `mine-${crypto.randomUUID()}` });
    for (const query of [{}, { search: link.slug }, { domain: link.domain }, { cursor: link.id, sort: "created_at" }]) {
      expect(await list(ben, query)).toEqual(EMPTY);
    }
  });
});

describe("pages", () => {
  test.each(["-created_at", "created_at"])("45 links by 20, sort %s: no gap and no repeat", async (sort) => {
    const ann = await premiumAccount();
    const links = await makeLinks(ann, 45);
    const pages = await allPages(ann, { limit: "20", sort });
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 5]);
    const newestFirst = links.toSorted(byNewest);
    expect(pages.flat()).toEqual(sort === "created_at" ? newestFirst.toReversed() : newestFirst);
    const times = pages.flat().map(({ created_at }) => created_at);
    expect(times).toEqual(sort === "created_at" ? times.toSorted() : times.toSorted().toReversed());
  });

  test("have 20 links by default; the limit is 1 to 100", async () => {
    const ann = await premiumAccount();
    await makeLinks(ann, 21);
    expect((await list(ann)).data).toHaveLength(20);
    expect((await list(ann)).has_more).toBe(true);
    expect((await list(ann, { limit: "1" })).data).toHaveLength(1);
    expect(await list(ann, { limit: "100" })).toMatchObject({ has_more: false, next_cursor: null });
  });

  test("that end exactly at the limit have no next page", async () => {
    const ann = await premiumAccount();
    await makeLinks(ann, 4);
    expect((await allPages(ann, { limit: "2" })).map(({ length }) => length)).toEqual([2, 2]);
    expect((await allPages(ann, { limit: "4" })).map(({ length }) => length)).toEqual([4]);
  });

  test("stay complete when links are added and deleted between them", async () => {
    const ann = await premiumAccount();
    const links = (await makeLinks(ann, 6)).toSorted(byNewest);
    const first = await list(ann, { limit: "2" });
    await ann.createLink();
    const last = first.data[1];
    if (!last) throw new Error("no last link");
    // Deletes the very link that the cursor names.
    await ann.call("DELETE", `/v1/links/${last.id}`);
    const rest = await allPages(ann, { limit: "2", cursor: first.next_cursor ?? "" });
    expect([...first.data, ...rest.flat()]).toEqual(links);
  });

  test("keep links created in one request in its order", async () => {
    const ann = await premiumAccount();
    const wanted = Array.from({ length: 30 }, (_, i) => ({ url: `https://example.com/${i}` }));
    await ann.call("POST", "/v1/links/bulk", { links: wanted });
    const pages = await allPages(ann, { limit: "7", sort: "created_at" });
    expect(pages.flat().map(({ url }) => ({ url }))).toEqual(wanted);
  });
});

describe("filters", () => {
  test("search finds parts of slug and url, in any case", async () => {
    const ann = await premiumAccount();
    const tag = crypto.randomUUID().slice(0, 8);
    await ann.createLink({ slug: `Spring-${tag}`, url: "https://example.com/one" });
    await ann.createLink({ slug: `other-${tag}`, url: "https://SHOP.example/Spring?x=1" });
    await ann.createLink({ slug: `third-${tag}`, url: "https://example.com/winter" });
    expect(await slugsOf(ann, { search: "sPRING" })).toEqual([`Spring-${tag}`, `other-${tag}`]);
    expect(await slugsOf(ann, { search: "shop.EXAMPLE" })).toEqual([`other-${tag}`]);
    expect(await slugsOf(ann, { search: "?x=" })).toEqual([`other-${tag}`]);
    expect(await slugsOf(ann, { search: tag })).toHaveLength(3);
    expect(await slugsOf(ann, { search: "summer" })).toEqual([]);
  });

  test("17 search finds titles, tags, aliases and whole short URLs too", async () => {
    const ann = await premiumAccount();
    const mark = crypto.randomUUID().slice(0, 8);
    const titled = await ann.createLink({ title: `Fête d'été ${mark}`, slug: `One-${mark}` });
    const tagged = await ann.createLink({ tags: ['B"2B', "Straße"] });
    const aliased = await ann.createLink({ aliases: [{ slug: `poster-${mark}` }, { slug: `Müller-${mark}` }] });
    const found = async (search: string) => (await list(ann, { search })).data;
    for (const search of ["FÊTE D'ÉTÉ", `été ${mark}`, "D'", `localhost:8787/one-${mark}`, `${titled.short_url}?qr=1`])
      expect(await found(search), search).toEqual([titled]);
    for (const search of ["straSSE", 'b"2', "STRASS"]) expect(await found(search), search).toEqual([tagged]);
    for (const search of [`POSTER-${mark}`, `localhost:8787/poster-${mark}`, `MÜLLER-${mark}`])
      expect(await found(search), search).toEqual([aliased]);
    expect(await found(encodeURI(`http://localhost:8787/müller-${mark}/`))).toEqual([aliased]);
    for (const search of ["[", '",', "null", `localhost:1/one-${mark}`])
      expect(await found(search), search).toEqual([]);
  });

  test("search ignores case beyond ASCII", async () => {
    const ann = await premiumAccount();
    const urls = [
      "https://example.com/ÄPFEL/straße",
      "https://example.com/äpfel/STRASSE",
      "https://example.com/Привет-Σίσυφος",
      "https://example.com/apfel",
    ];
    const made = await Promise.all(urls.map((url) => ann.createLink({ url })));
    const found = async (search: string, more = {}) =>
      (await list(ann, { search, sort: "created_at", ...more })).data.map(({ url }) => urls.indexOf(url)).sort();
    for (const search of ["äpfel", "ÄPFEL", "Äpfel", "/äPF"]) expect(await found(search)).toEqual([0, 1]);
    expect(await found("äpfel/STRASSE")).toEqual([1]);
    expect(await found("STRAßE")).toEqual([0]);
    for (const search of ["привет", "ПРИВЕТ", "ΣΊΣΥΦΟΣ", "σίσυφοσ", "ς"]) expect(await found(search)).toEqual([2]);
    expect(await found("Привет, мир")).toEqual([]);
    expect(await found("съешьещёэтихмягкихфранцузскихбулокдавыпейчаю")).toEqual([]);
    const [first] = made;
    if (!first) throw new Error("no link");
    await ann.updateLink(first, { tags: ["Obst"] });
    expect(await found("ÄPFEL", { tag: "obst" })).toEqual([0]);
    expect(await found("ÄPFEL", { short_url: first.short_url })).toEqual([0]);
  });

  test.each(["%", "_", "%25", "a_c", "'", '"', "\\", "*", "[a]"])(
    "search takes %s literally, not as a pattern",
    async (search) => {
      const ann = await premiumAccount();
      await ann.createLink({ url: "https://example.com/abc" });
      const link = await ann.createLink({ url: `https://example.com/?q=${search}z` });
      expect((await list(ann, { search })).data).toEqual([link]);
    },
  );

  test("domain, in any case, returns links of that domain only", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    expect((await list(ann, { domain: "localhost:8787" })).data).toEqual([link]);
    expect((await list(ann, { domain: "LocalHost:8787" })).data).toEqual([link]);
    expect(await list(ann, { domain: "test.localhost:8787" })).toEqual(EMPTY);
    expect(await list(ann, { domain: "localhost" })).toEqual(EMPTY);
  });

  test("status distinguishes active from expired links", async () => {
    const ann = await premiumAccount();
    const open = await ann.createLink();
    const later = await ann.createLink({ expires_at: "2099-01-01T00:00:00Z" });
    const ended = await ann.updateLink(await ann.createLink(), { expires_at: "2020-01-01T00:00:00Z" });
    expect((await list(ann, { status: "active", sort: "created_at" })).data.toSorted(byNewest)).toEqual(
      [open, later].toSorted(byNewest),
    );
    expect((await list(ann, { status: "expired" })).data).toEqual([ended]);
  });

  test("12 status=paused and status=scheduled are subsets of active", async () => {
    const ann = await premiumAccount();
    const paused = await ann.createLink({ paused: true });
    const later = await ann.createLink({ starts_at: "2098-01-01T00:00:00Z" });
    const both = await ann.createLink({ paused: true, starts_at: "2098-01-01T00:00:00Z" });
    const opened = await ann.createLink({ starts_at: "2020-01-01T00:00:00Z" });
    const ended = await ann.updateLink(await ann.createLink({ paused: true }), { expires_at: "2020-01-01T00:00:00Z" });
    const listed = async (status: string) => (await list(ann, { status })).data;
    expect(await listed("paused")).toEqual([paused, both].toSorted(byNewest));
    expect(await listed("scheduled")).toEqual([later, both].toSorted(byNewest));
    expect(await listed("active")).toEqual([paused, later, both, opened].toSorted(byNewest));
    expect(await listed("expired")).toEqual([ended]);
  });

  test("12 lists leave archived links out unless they are requested, which still redirect and count", async () => {
    const ann = await premiumAccount();
    const plain = await ann.createLink({ url: "https://example.com/a", tags: ["t"] });
    const link = await ann.createLink({ url: "https://example.com/archived", archived: true, tags: ["t"] });
    const all = [plain, link].toSorted(byNewest);
    for (const query of [{}, { search: "example.com" }, { status: "active" }, { tag: "t" }, { sort: "-clicks" }]) {
      expect((await list(ann, query)).data).toEqual([plain]);
      expect((await list(ann, { ...query, archived: "false" })).data).toEqual([plain]);
      expect((await list(ann, { ...query, archived: "true" })).data).toEqual([link]);
      expect((await list(ann, { ...query, archived: "any" })).data.toSorted(byNewest)).toEqual(all);
    }
    for (const query of [{ slug: link.slug }, { short_url: link.short_url }]) {
      expect(await list(ann, query)).toEqual(EMPTY);
      expect((await list(ann, { ...query, archived: "any" })).data).toEqual([link]);
    }
    expect((await ann.call("GET", "/v1/tags")).body).toMatchObject({ data: [{ tag: "t", links: 2 }] });
    expect((await visit(link.short_url)).headers.get("Location")).toBe("https://example.com/archived");
    expect((await ann.statsAfter(1, link)).total).toBe(1);
    const back = await ann.updateLink(link, { archived: false });
    expect((await list(ann, {})).data).toEqual([plain, back].toSorted(byNewest));
  });

  test("tag, in any case, returns links that have it; repeated, those that have all of them", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const both = await ann.createLink({ tags: ["Spring", "Straße"] });
    const one = await ann.createLink({ tags: ["spring"] });
    await ann.createLink();
    await ben.createLink({ tags: ["spring"] });
    const newestFirst = [both, one].toSorted(byNewest);
    for (const tag of ["spring", "SPRING"]) expect((await listTagged(ann, [tag])).data).toEqual(newestFirst);
    expect((await listTagged(ann, ["spring"], "&sort=created_at")).data).toEqual(newestFirst.toReversed());
    expect((await listTagged(ann, ["STRASSE"])).data).toEqual([both]);
    expect((await listTagged(ann, ["spring", "strasse", "Spring"])).data).toEqual([both]);
    for (const none of [["spring", "summer"], ["summer"], ["spr"], ["%"]])
      expect(await listTagged(ann, none)).toEqual(EMPTY);
    expect(await listTagged(await ann.withKey("test"), ["spring"])).toEqual(EMPTY);
  });

  test("tag follows changes and deletions, and works with the other filters and with pages", async () => {
    const ann = await premiumAccount();
    const links = await makeLinks(ann, 9);
    const tagged: Link[] = [];
    for (const [i, link] of links.entries())
      tagged.push(await ann.updateLink(link, { tags: ["a", i % 2 ? "odd" : "even"] }));
    const even = tagged.filter((_, i) => i % 2 === 0).toSorted(byNewest);
    expect((await listTagged(ann, ["even", "A"])).data).toEqual(even);
    const pages: Link[][] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Page = await listTagged(ann, ["a", "even"], `&limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(page.data);
      cursor = page.next_cursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(even);
    expect((await listTagged(ann, ["a"], "&search=example.com/3&status=active")).data).toEqual([tagged[3]]);
    await ann.call("DELETE", `/v1/links/${even[0]?.id}`);
    if (even[1]) await ann.updateLink(even[1], { tags: null });
    expect((await listTagged(ann, ["even"])).data).toEqual(even.slice(2));
  });

  test("work together, and with pages", async () => {
    const ann = await premiumAccount();
    const wanted: Link[] = [];
    for (let i = 0; i < 5; i++) {
      const link = await ann.createLink({ url: `https://example.com/sale/${i}` });
      wanted.push(await ann.updateLink(link, { expires_at: "2020-01-01T00:00:00Z" }));
      await ann.createLink({ url: `https://example.com/sale/open/${i}` });
      await ann.updateLink(await ann.createLink(), { expires_at: "2020-01-01T00:00:00Z" });
    }
    const query = { search: "SALE", status: "expired", domain: "localhost:8787", limit: "2" };
    const pages = await allPages(ann, query);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(wanted.toSorted(byNewest));
  });
});

describe("invalid parameters", () => {
  test.each([
    ["limit=0", ["limit", "too_small", "must be between 1 and 100"]],
    ["limit=101", ["limit", "too_big", "must be between 1 and 100"]],
    ["limit=-1", ["limit", "too_small", "must be between 1 and 100"]],
    ...[
      "",
      "1.5",
      "abc",
      "1e1",
      "0x10",
      "%205",
      "5%20",
      "+5",
      "%2B5",
      "05",
      "00",
      "-0",
      "5.0",
      "٥",
      "１",
      "Infinity",
      "1_0",
    ].map((limit) => [`limit=${limit}`, ["limit", "invalid_type", "must be a whole number in decimal digits"]]),
    ["limit=999999999999999", ["limit", "too_big", "must be between 1 and 100"]],
    ["cursor=abc", ["cursor", "invalid_value", "must be the next_cursor of an earlier page"]],
    ["cursor=", ["cursor", "invalid_value", "must be the next_cursor of an earlier page"]],
    ["status=deleted", ["status", "invalid_value", "must be one of active, paused, scheduled, expired"]],
    ["sort=name", ["sort", "invalid_value", "must be one of created_at, -created_at, -clicks"]],
    ["search=", ["search", "too_small", "must have at least 1 character"]],
    ["domain=", ["domain", "too_small", "must have at least 1 character"]],
    [`search=${"x".repeat(201)}`, ["search", "too_big", "must have at most 200 characters"]],
    ["tag=", ["tag.0", "too_small", "must have 1 to 50 characters"]],
    [`tag=a&tag=${"x".repeat(51)}`, ["tag.1", "too_big", "must have 1 to 50 characters"]],
    ["tag=a".repeat(21).replaceAll("at", "a&t"), ["tag", "too_big", "must be given at most 20 times"]],
    ["page=2", ["page", "unknown_field", UNKNOWN]],
    ["Limit=2", ["Limit", "unknown_field", UNKNOWN]],
  ] as [string, [string, string, string]][])("%s is refused", async (query, problem) => {
    const ann = await premiumAccount();
    expect(errorOf(await ann.call("GET", `/v1/links?${query}`))).toEqual(validationFailed(problem));
  });

  test("given twice are refused, even with the same value", async () => {
    const ann = await premiumAccount();
    expect(errorOf(await ann.call("GET", "/v1/links?limit=5&limit=5"))).toEqual(
      validationFailed(["limit", "repeated", "must be given once"]),
    );
  });

  test("are reported together", async () => {
    const ann = await premiumAccount();
    const reply = await ann.call("GET", "/v1/links?limit=0&status=x&nope=1&sort=created_at&sort=created_at");
    expect(errorOf(reply)).toEqual(
      validationFailed(
        ["limit", "too_small", "must be between 1 and 100"],
        ["status", "invalid_value", "must be one of active, paused, scheduled, expired"],
        ["nope", "unknown_field", UNKNOWN],
        ["sort", "repeated", "must be given once"],
      ),
    );
  });
});
