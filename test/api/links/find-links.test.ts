/** Decision 12: the lists' filters by slug, short URL and time of creation. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { type Link, LinkPage, ListLinksQuery } from "../../../src/core/contract/links.ts";
import { hostsOf } from "../../../src/core/deployment/settings.ts";
import { linkDatabases } from "../../../src/store/directory/databases.ts";
import { listLinkPage } from "../../../src/store/links/link-lists.ts";
import { errorOf } from "../../support/api-response.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { validationFailed } from "../../support/expected-errors.ts";
import { withRowCount } from "../../support/rows-read.ts";
import { type TestAccount, freeAccount, premiumAccount } from "../../support/test-accounts.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function list(actor: TestAccount, query: Record<string, string>): Promise<LinkPage> {
  const reply = await actor.call("GET", `/v1/links?${new URLSearchParams(query)}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return LinkPage.parse(reply.body);
}

async function found(actor: TestAccount, query: Record<string, string>): Promise<Link[]> {
  const page = await list(actor, query);
  expect([page.has_more, page.next_cursor]).toEqual([false, null]);
  return page.data;
}

const byNewest = (one: Link, other: Link) => (one.id < other.id ? 1 : -1);
const newSlug = () => `Find-${crypto.randomUUID()}`;

describe("12 slug", () => {
  test("finds the link in any case, on each of the account's domains", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const slug = newSlug();
    const [plain, branded] = [await ann.createLink({ slug }), await ann.createLink({ slug, domain })];
    await ann.createLink();
    for (const text of [slug, slug.toLowerCase(), slug.toUpperCase()]) {
      expect(await found(ann, { slug: text })).toEqual([plain, branded].toSorted(byNewest));
    }
    expect(await found(ann, { slug, domain })).toEqual([branded]);
    expect(await found(ann, { slug, domain: "localhost:8787" })).toEqual([plain]);
    expect(await found(ann, { slug: slug.slice(0, -1) })).toEqual([]);
    expect(await found(ann, { slug: "%" })).toEqual([]);
  });

  test("still finds a link on a domain that is no longer active", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await ann.activeDomain();
    const slug = newSlug();
    const link = await ann.createLink({ slug, domain });
    await ben.inheritDomain(domain);
    expect(await found(ann, { slug })).toEqual([{ ...link, domain_transferred: true }]);
    expect(await found(ben, { slug })).toEqual([]);
  });

  test("finds nothing of other accounts, of the other mode, or deleted", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const link = await ann.createLink({ slug: newSlug() });
    const strangers = [ben, await ann.withKey("test")];
    for (const query of [{ slug: link.slug }, { short_url: link.short_url }]) {
      for (const stranger of strangers) expect(await found(stranger, query)).toEqual([]);
    }
    await ann.call("DELETE", `/v1/links/${link.id}`);
    for (const query of [{ slug: link.slug }, { short_url: link.short_url }]) {
      expect(await found(ann, query)).toEqual([]);
    }
  });

  test("reads a few rows, however many links the account has", async () => {
    const ann = await premiumAccount();
    const links = Array.from({ length: 100 }, () => ({ url: "https://example.com/" }));
    for (let i = 0; i < 3; i++) await ann.call("POST", "/v1/links/bulk", { links });
    const link = await ann.createLink({ slug: newSlug() });
    const caller = {
      accountId: ann.accountId,
      mode: "live",
      plan: "premium",
      scopes: [],
      origin: "api",
      rateKey: "",
    } as const;
    for (const query of [{ slug: link.slug }, { short_url: link.short_url }]) {
      const watched = withRowCount(env);
      const { items: shown } = await listLinkPage(watched.env, caller, hostsOf(env, ""), ListLinksQuery.parse(query));
      expect(shown.map(({ link: { id } }) => id)).toEqual([link.id]);
      expect(watched.counted.rows).toBeLessThan(12 * linkDatabases(env).length);
    }
  });
});

describe("12 short_url", () => {
  test("finds the link by its short URL, as displayed or as people paste it", async () => {
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    const slug = newSlug();
    const [plain, branded] = [await ann.createLink({ slug }), await ann.createLink({ slug, domain })];
    for (const text of [plain.short_url, `localhost:8787/${slug.toLowerCase()}`, `${plain.short_url}/?qr=1#top`]) {
      expect(await found(ann, { short_url: text })).toEqual([plain]);
    }
    expect(await found(ann, { short_url: branded.short_url })).toEqual([branded]);
    expect(await found(ann, { short_url: branded.short_url, slug })).toEqual([branded]);
    expect(await found(ann, { short_url: branded.short_url, slug: "other" })).toEqual([]);
    expect(await found(ann, { short_url: branded.short_url, domain: "localhost:8787" })).toEqual([]);
  });

  test("of another service's domain returns an empty list", async () => {
    const ann = await freeAccount();
    const { slug } = await ann.createLink({ slug: newSlug() });
    for (const host of ["bit.example", "localhost:1", "test.localhost:8787"]) {
      expect(await found(ann, { short_url: `https://${host}/${slug}` })).toEqual([]);
    }
  });
});

describe("12 aliases", () => {
  test("are found by slug and by short URL, on their own domains, while the link has them", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const { domain } = await ann.activeDomain();
    const [slug, other] = [newSlug(), newSlug()];
    const aliases = [{ slug }, { slug: `${other}/ä`, domain }];
    const link = await ann.createLink({ aliases });
    const namesake = await ann.createLink({ slug, domain });
    const [first, second] = link.aliases?.map(({ short_url }) => short_url) ?? [];
    expect(await found(ann, { slug: slug.toUpperCase() })).toEqual([link, namesake].toSorted(byNewest));
    expect(await found(ann, { slug, domain: "localhost:8787" })).toEqual([link]);
    expect(await found(ann, { slug, domain })).toEqual([namesake]);
    expect(await found(ann, { slug: `${other}/Ä`, domain })).toEqual([link]);
    for (const short_url of [first ?? "", second ?? "", `${second}/?qr=1`, link.short_url]) {
      expect(await found(ann, { short_url })).toEqual([link]);
      expect(await found(ben, { short_url })).toEqual([]);
    }
    expect(await found(ann, { short_url: first ?? "", slug: other })).toEqual([]);
    expect(await found(ann, { short_url: first ?? "", domain })).toEqual([]);
    const archived = await ann.updateLink(link, { archived: true });
    expect(await found(ann, { slug, archived: "any" })).toEqual([archived, namesake].toSorted(byNewest));
    expect(await found(ann, { slug })).toEqual([namesake]);
    const removed = await ann.updateLink(link, { aliases: [aliases[1]] });
    expect(await found(ann, { slug, archived: "any" })).toEqual([namesake]);
    expect(await found(ann, { short_url: second ?? "", archived: "any" })).toEqual([removed]);
  });
});

describe("12 created_after and created_before", () => {
  const DAY_MS = 86_400_000;
  const start = Date.UTC(2030, 0, 1);
  const day = (days: number, ms = 0) => new Date(start + days * DAY_MS + ms).toISOString();

  /** Five links, one a day. */
  async function dailyLinks(actor: TestAccount): Promise<Link[]> {
    const links: Link[] = [];
    for (let i = 0; i < 5; i++) {
      freezeClockAt(start + i * DAY_MS);
      links.push(await actor.createLink({ url: `https://example.com/${i % 2 ? "odd" : "even"}`, tags: ["daily"] }));
    }
    return links;
  }

  test("are exact to the millisecond: the first is inclusive, the second exclusive", async () => {
    const ann = await premiumAccount();
    const links = await dailyLinks(ann);
    const between = (from: string, to: string) =>
      found(ann, { created_after: from, created_before: to, sort: "created_at" });
    expect(links.map(({ created_at }) => created_at)).toEqual([0, 1, 2, 3, 4].map((i) => day(i)));
    expect(await between(day(1), day(3))).toEqual(links.slice(1, 3));
    expect(await between(day(1, 1), day(3, 1))).toEqual(links.slice(2, 4));
    expect(await between("2030-01-02T01:00:00+01:00", day(3))).toEqual(links.slice(1, 3));
    expect(await between(day(3), day(1))).toEqual([]);
    expect(await found(ann, { created_after: day(4) })).toEqual(links.slice(4));
    expect(await found(ann, { created_before: day(1) })).toEqual(links.slice(0, 1));
    expect(await found(ann, { created_after: day(4, 1) })).toEqual([]);
    expect(await found(ann, { created_before: "1900-01-01T00:00:00Z" })).toEqual([]);
    expect(await found(ann, { created_after: "1900-01-01T00:00:00Z" })).toEqual(links.toReversed());
    expect(await found(ann, { created_before: "9999-12-31T23:59:59Z" })).toEqual(links.toReversed());
  });

  test.each(["created_at", "-created_at"])("work with pages and the other filters, sort %s", async (sort) => {
    const ann = await premiumAccount();
    const links = await dailyLinks(ann);
    const inOrder = (wanted: Link[]) => (sort === "created_at" ? wanted : wanted.toReversed());
    const range = { created_after: day(1), created_before: day(4), sort };
    const first = await list(ann, { ...range, limit: "2" });
    const second = await found(ann, { ...range, limit: "2", cursor: first.next_cursor ?? "" });
    expect([...first.data, ...second]).toEqual(inOrder(links.slice(1, 4)));
    expect(await found(ann, { ...range, search: "odd" })).toEqual(inOrder([links[1], links[3]] as Link[]));
    expect(await found(ann, { ...range, tag: "daily" })).toEqual(inOrder(links.slice(1, 4)));
    expect(await found(ann, { ...range, slug: links[2]?.slug ?? "" })).toEqual([links[2]]);
    expect(await found(ann, { ...range, slug: links[4]?.slug ?? "" })).toEqual([]);
    // A cursor outside the range: the range still applies.
    const cursor = (sort === "created_at" ? links[0] : links[4])?.id ?? "";
    expect(await found(ann, { ...range, cursor })).toEqual(inOrder(links.slice(1, 4)));
  });
});

test("all problems are reported together", async () => {
  const ann = await freeAccount();
  const query = new URLSearchParams({
    slug: "",
    short_url: "spring",
    created_after: "yesterday",
    created_before: "2030-02-30T00:00:00Z",
  });
  const time = "must be an RFC 3339 time with seconds and an offset or Z, such as 2026-12-31T23:59:59Z";
  expect(errorOf(await ann.call("GET", `/v1/links?${query}`))).toEqual(
    validationFailed(
      ["slug", "too_small", "must have at least 1 character"],
      ["short_url", "invalid_value", "must be a short URL such as https://go.example.com/spring"],
      ["created_after", "invalid_value", time],
      ["created_before", "invalid_value", time],
    ),
  );
});
