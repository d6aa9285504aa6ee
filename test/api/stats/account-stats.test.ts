/**
 * Statistics of all links as the API returns them, compared with the sum of each link's own statistics for the same
 * range. The clock is stopped, so the clicks in a range are known.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { AccountStats, type Stats } from "../../../src/core/contract/stats.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { AccountClicks } from "../../../src/clicks/account-clicks.ts";
import type { AccountStatsAnswer } from "../../../src/core/clicks/protocol/account-object-rpc.ts";
import { GROUPINGS, INTERVALS } from "../../../src/core/clicks/counting/groupings.ts";
import { errorOf } from "../../support/api-response.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { maintainUntilIdle } from "../../support/maintenance-runs.ts";
import { eventually } from "../../support/eventually.ts";
import { IPHONE_SAFARI } from "../../support/sample-user-agents.ts";
import { premiumAccount, type TestAccount, visit, type VisitOptions } from "../../support/test-accounts.ts";

// Preloaded, because in tests, objects that import it simultaneously would wait for each other's I/O.
await import("../../../src/clicks/click-draw.ts");
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Ahead of the clock of KV, and just before a clock in Berlin is set back. */
const START = Date.UTC(new Date().getUTCFullYear() + 1, 9, 20, 21, 30);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const iso = (at: number) => new Date(at).toISOString();
const sum = (items: readonly { clicks: number }[]) => items.reduce((total, { clicks }) => total + clicks, 0);
/** An answer includes the clicks in its millisecond. */
const isNow = (at: string) => at === iso(Date.now()) || at === iso(Date.now() + 1);
const escaped = (key: string) => key.replace(/[\\,]/g, "\\$&");

type Query = Record<string, string>;

async function accountStats(actor: TestAccount, query: Query = {}): Promise<AccountStats> {
  const reply = await actor.call("GET", `/v1/stats?${new URLSearchParams(query)}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return AccountStats.parse(reply.body);
}

/** A link with one stored visit. */
async function visitedLink(actor: TestAccount, at: number, fields: object, options: VisitOptions): Promise<Link> {
  freezeClockAt(at);
  const link = await actor.createLink({ ...fields });
  await visit(link.short_url, options);
  await actor.waitForClicks(1, link);
  return link;
}

const as = (visitor: number, agent = "Mozilla/5.0") => ({
  "cf-connecting-ip": `192.0.2.${visitor}`,
  "User-Agent": agent,
});
const GOOGLEBOT = { headers: { "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" } };

/**
 * Creates four links on two domains, two of them with tags, and visits them over three weeks. The clock advances, so
 * old salts are erased.
 */
async function fourLinks(actor: TestAccount): Promise<Link[]> {
  freezeClockAt(START - 1_000);
  const { domain } = await actor.activeDomain();
  const scanned = await actor.createLink({ tags: ["Spring", "print"] });
  const ruled = await actor.createLink({
    tags: ["spring"],
    routing: [{ if: { country: ["DE", "AT"], device: "mobile" }, to: "https://example.com/c,d" }],
  });
  const onDomain = await actor.createLink({ domain });
  const unclicked = await actor.createLink();
  const qr = await actor.createQrCode(scanned);
  const visits: [after: number, link: Link, VisitOptions][] = [
    [0, scanned, { country: "DE", city: "Berlin", headers: as(1) }],
    [30 * MINUTE_MS, ruled, { country: "DE", headers: as(1, IPHONE_SAFARI) }],
    [HOUR_MS, scanned, { country: "DE", headers: as(1), search: "?utm_source=News&utm_medium=mail" }],
    [HOUR_MS, onDomain, { country: "DE", headers: as(1) }],
    [2 * DAY_MS, ruled, { country: "JP", city: "東京", headers: as(3) }],
    [5 * DAY_MS, scanned, { country: "AT", headers: { ...as(2, IPHONE_SAFARI), Referer: "https://example.org/" } }],
    [5 * DAY_MS + 1, scanned, GOOGLEBOT],
    [20 * DAY_MS, ruled, { country: "AT", headers: as(2, IPHONE_SAFARI), search: "?utm_campaign=a,b" }],
    [21 * DAY_MS, onDomain, { headers: as(4) }],
    [22 * DAY_MS, scanned, { country: "DE", search: `?qr=${qr.id.slice(3)}`, headers: as(5) }],
  ];
  const clicks = new Map([scanned, ruled, onDomain, unclicked].map((link) => [link, 0]));
  for (const [after, link, options] of visits) {
    freezeClockAt(START + after);
    await visit(link.short_url, options);
    const stored = (clicks.get(link) ?? 0) + 1;
    await actor.waitForClicks(stored, link);
    clicks.set(link, stored);
  }
  return [...clicks.keys()];
}

/** The sum of the links' statistics. */
async function summed(actor: TestAccount, links: readonly Link[], query: Query): Promise<Omit<Stats, "from" | "to">> {
  const all = await Promise.all(links.map((link) => actor.stats(link, query)));
  const buckets = new Map<string, number>();
  const series = new Map<string, number>();
  for (const stats of all) {
    for (const { key, clicks } of stats.buckets) buckets.set(key, (buckets.get(key) ?? 0) + clicks);
    for (const { start, clicks } of stats.series) series.set(start, (series.get(start) ?? 0) + clicks);
  }
  return {
    total: all.reduce((total, stats) => total + stats.total, 0),
    group_by: query["group_by"] ?? "country",
    buckets: [...buckets]
      .map(([key, clicks]) => ({ key, clicks }))
      .sort((one, other) => other.clicks - one.clicks || (one.key < other.key ? -1 : 1)),
    interval: query["interval"] ?? null,
    series: [...series].map(([start, clicks]) => ({ start, clicks })),
  };
}

describe("14 GET /v1/stats", () => {
  let ann: TestAccount;
  let links: Link[];
  const now = START + 23 * DAY_MS;
  const range = { from: iso(START), to: iso(now) };

  beforeAll(async () => {
    ann = await premiumAccount();
    links = await fourLinks(ann);
  });

  test("14 is the sum of the links' own statistics, for every grouping, interval and filter", async () => {
    freezeClockAt(now);
    const filters: Query[] = [{}, { country: "DE,AT" }, { device: "mobile", os: "ios" }];
    const intervals: Query[] = [
      {},
      ...INTERVALS.filter((interval) => interval !== "minute").map((interval) => ({
        interval,
        timezone: "Europe/Berlin",
      })),
      { interval: "minute", to: iso(START + 90 * MINUTE_MS) },
    ];
    for (const [i, group_by] of GROUPINGS.entries()) {
      for (const filter of filters) {
        const include_bots = String(i % 2 === 0);
        const query: Query = { ...range, group_by, include_bots, ...filter, ...intervals[i % intervals.length] };
        const { from, to, as_of, ...stats } = await accountStats(ann, query);
        expect({ query, ...stats }).toEqual({ query, ...(await summed(ann, links, query)) });
        expect([from, to, isNow(as_of)]).toEqual([query["from"], query["to"], true]);
        if (query["interval"]) expect(sum(stats.series)).toBe(stats.total);
        expect(sum(stats.buckets)).toBe(stats.total);
      }
    }
  });

  test("14 every grouping can be a filter, by the keys of its buckets", async () => {
    freezeClockAt(now);
    for (const group_by of [...GROUPINGS, "domain"]) {
      const { buckets } = await accountStats(ann, { ...range, group_by });
      for (const { key, clicks } of buckets) {
        const query = { ...range, group_by, [group_by]: escaped(key), interval: "week" };
        const { total, buckets: filtered, series } = await accountStats(ann, query);
        expect({ group_by, total, filtered, series: sum(series) }).toEqual({
          group_by,
          total: clicks,
          filtered: [{ key, clicks }],
          series: clicks,
        });
      }
    }
  });

  test("14 groups by link, by tag in its latest spelling, and by domain", async () => {
    freezeClockAt(now);
    const [scanned, ruled, onDomain] = links as [Link, Link, Link];
    const query = { ...range, include_bots: "true" };
    expect((await accountStats(ann, { ...query, group_by: "link" })).buckets).toEqual([
      { key: scanned.id, clicks: 5 },
      { key: ruled.id, clicks: 3 },
      { key: onDomain.id, clicks: 2 },
    ]);
    // A link with two tags counts in both buckets.
    expect(await accountStats(ann, { ...query, group_by: "tag" })).toMatchObject({
      total: 10,
      buckets: [
        { key: "spring", clicks: 8 },
        { key: "print", clicks: 5 },
        { key: "none", clicks: 2 },
      ],
    });
    expect((await accountStats(ann, { ...query, group_by: "domain" })).buckets).toEqual([
      { key: scanned.domain, clicks: 8 },
      { key: onDomain.domain, clicks: 2 },
    ]);
  });

  test.for<[Query, number]>([
    [{ tag: "SPRING" }, 8],
    [{ tag: "print,none" }, 7],
    [{ tag: "Print", country: "DE" }, 3],
    [{ tag: "unknown" }, 0],
    [{ domain: "LOCALHOST:8787" }, 8],
    [{ domain: "localhost:8787", tag: "none" }, 0],
    [{ link_id: "lnk_00000000000000000000000000" }, 0],
  ])("14 filters by tag and domain in any case: %o", async ([filter, total]) => {
    freezeClockAt(now);
    expect((await accountStats(ann, { ...range, include_bots: "true", ...filter })).total).toBe(total);
  });

  test("14 filters by several links return their sum", async () => {
    freezeClockAt(now);
    const [one, , other] = links as [Link, Link, Link];
    const query = { ...range, group_by: "city", interval: "day" };
    const {
      from: _,
      to: __,
      as_of: ___,
      ...stats
    } = await accountStats(ann, {
      ...query,
      link_id: `${one.id},${other.id}`,
    });
    expect(stats).toEqual(await summed(ann, [one, other], query));
  });

  test("14 a visitor of several links counts once a day", async () => {
    freezeClockAt(now);
    const { unique_visitors, series } = await accountStats(ann, { ...range, include: "uniques", interval: "day" });
    // On the first day a visitor with two browsers; then one visitor on each of five days.
    expect(unique_visitors).toBe(2 + 5);
    expect(series[0]).toEqual({ start: iso(START - (START % DAY_MS)), clicks: 4, unique_visitors: 2 });
    expect(await accountStats(ann, range)).not.toHaveProperty("unique_visitors");
  });

  test("14 from defaults to 30 days ago, and to is never later than as_of", async () => {
    freezeClockAt(now);
    for (const query of [{}, { to: iso(now + DAY_MS) }]) {
      const { from, to, as_of } = await accountStats(ann, query);
      expect([from, to, isNow(to)]).toEqual([iso(now - 30 * DAY_MS), as_of, true]);
    }
  });

  test("14 another account and the other mode see none of it", async () => {
    freezeClockAt(now);
    const [first] = links as [Link];
    for (const actor of [await premiumAccount(), await ann.withKey("test")]) {
      for (const group_by of ["link", "tag", "country"]) {
        const { total, buckets } = await accountStats(actor, { ...range, group_by });
        expect([total, buckets]).toEqual([0, []]);
      }
      expect((await accountStats(actor, { ...range, link_id: first.id })).total).toBe(0);
    }
  });

  test.for([
    ["an unknown grouping", "group_by=colour", "group_by"],
    ["link as a filter", "link=lnk_1", "link"],
    ["an empty value", "tag=", "tag"],
    ["a parameter given twice", "tag=a&tag=b", "tag"],
    ["a grouping given twice", "group_by=tag&group_by=link", "group_by"],
    ["101 values", `link_id=${Array(101).fill("a").join(",")}`, "link_id"],
    ["more than 16,384 characters in total", `city=${"a".repeat(8_000)}&tag=${"b".repeat(8_385)}`, "tag"],
    ["a range that ends before it begins", "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
    ["an unknown include value", "include=clicks", "include"],
    ["a time without an offset", "from=2026-01-01T00:00:00", "from"],
    ["an unknown time zone", "timezone=Europe/Nowhere", "timezone"],
  ] as const)("14 %s answers 422 and names the parameter", async ([_name, query, param]) => {
    const reply = await ann.call("GET", `/v1/stats?${query}`);
    expect([reply.status, errorOf(reply).code, errorOf(reply).param]).toEqual([422, "validation_failed", param]);
  });

  test("14 too many intervals answer 422", async () => {
    const reply = await ann.call("GET", "/v1/stats?interval=minute");
    expect([reply.status, errorOf(reply)]).toMatchObject([422, { code: "too_many_intervals", param: "interval" }]);
  });

  test("14 a tag of 16,000 accents is not folded, which would take long", async () => {
    freezeClockAt(now);
    const started = performance.now();
    expect((await accountStats(ann, { ...range, tag: `a${"\u0315\u0300".repeat(8_000)}` })).total).toBe(0);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

/** Runs the maintenance that is due `after` ms after `START`, as the maintenance object does. */
async function eraseDue(after: number): Promise<void> {
  freezeClockAt(START + after);
  await maintainUntilIdle(env);
}

describe("14 changes over time", () => {
  /** Two links with one visit each, and the first query about them. */
  async function twoLinks(): Promise<{ ann: TestAccount; one: Link; other: Link }> {
    const ann = await premiumAccount();
    const one = await visitedLink(ann, START, { tags: ["a"] }, { country: "DE" });
    const other = await visitedLink(ann, START, { tags: ["b"] }, { country: "AT" });
    freezeClockAt(START + HOUR_MS);
    expect((await accountStats(ann)).total).toBe(2);
    return { ann, one, other };
  }

  const byTag = async (ann: TestAccount) =>
    (await accountStats(ann, { group_by: "tag" })).buckets.map(({ key, clicks }) => `${key} ${clicks}`);

  test("14 tags are the current ones of the links, in their latest spelling", async () => {
    const { ann, one, other } = await twoLinks();
    expect(await byTag(ann)).toEqual(["a 1", "b 1"]);
    await ann.updateLink(one, { tags: ["B", "c"] });
    expect(await byTag(ann)).toEqual(["B 2", "c 1"]);
    expect((await accountStats(ann, { tag: "a" })).total).toBe(0);
    expect((await accountStats(ann, { tag: "b,c", country: "AT" })).total).toBe(1);
    await ann.updateLink(other, { tags: null });
    expect(await byTag(ann)).toEqual(["B 1", "c 1", "none 1"]);
  });

  test("14 clicks appear within a minute, and polling from the end of the last answer adds up", async () => {
    const { ann, one } = await twoLinks();
    let { to } = await accountStats(ann);
    for (let clicks = 2; clicks <= 4; clicks++) {
      freezeClockAt(START + clicks * HOUR_MS);
      await visit(one.short_url, { country: "JP" });
      await ann.waitForClicks(clicks, one);
      freezeClockAt(START + clicks * HOUR_MS + MINUTE_MS);
      const news = await accountStats(ann, { from: to });
      expect([news.total, news.to, isNow(news.to)]).toEqual([1, news.as_of, true]);
      ({ to } = news);
    }
    expect((await accountStats(ann, { link_id: one.id })).total).toBe(4);
  });

  test("14 a new link and its clicks appear within a minute, and finished ranges do not change", async () => {
    const { ann } = await twoLinks();
    const before = await accountStats(ann, { from: iso(START) });
    const made = await visitedLink(ann, START + HOUR_MS + 2, { tags: ["a"] }, { country: "JP" });
    freezeClockAt(START + HOUR_MS + MINUTE_MS);
    await eventually(async () => (await accountStats(ann)).total === 3, "all clicks");
    expect(await byTag(ann)).toEqual(["a 2", "b 1"]);
    expect((await accountStats(ann, { link_id: made.id })).total).toBe(1);
    const { as_of: _, ...again } = await accountStats(ann, { from: iso(START), to: before.to });
    expect({ ...again, as_of: before.as_of }).toEqual(before);
    // Polling from the end of the last answer adds up.
    expect((await accountStats(ann, { from: before.to })).total).toBe(1);
  });

  /** Whether each answer about all links contains one of them. */
  async function answersAbout(ann: TestAccount, { id }: Link): Promise<Record<string, boolean>> {
    const byLink = await accountStats(ann, { group_by: "link", to: iso(START + MINUTE_MS) });
    const filtered = await accountStats(ann, { link_id: id });
    const listed = await ann.call("GET", "/v1/links?sort=-clicks");
    const clicks = await ann.call("GET", "/v1/clicks");
    expect([listed.status, clicks.status]).toEqual([200, 200]);
    const has = (body: unknown) => JSON.stringify(body).includes(id);
    return { byLink: has(byLink), filtered: filtered.total > 0, listed: has(listed.body), clicks: has(clicks.body) };
  }
  const NOWHERE = { byLink: false, filtered: false, listed: false, clicks: false };

  test.for([
    ["DELETE", (ann: TestAccount, { id }: Link) => ann.call("DELETE", `/v1/links/${id}?erase=true`)],
    [
      "bulk-delete",
      (ann: TestAccount, { id }: Link) => ann.call("POST", "/v1/links/bulk-delete", { links: [{ id }], erase: true }),
    ],
  ] as const)("14 after %s with erase, no answer about all links has the link's clicks", async ([, erase]) => {
    const { ann, one, other } = await twoLinks();
    expect(Object.values(await answersAbout(ann, one))).toEqual([true, true, true, true]);
    expect((await erase(ann, one)).status).toBeLessThan(300);
    expect(await answersAbout(ann, one)).toEqual(NOWHERE);
    // For a minute, isolates that have not learned of the erasure still send clicks.
    await visit(one.short_url);
    freezeClockAt(START + HOUR_MS + 2 * MINUTE_MS);
    expect(await answersAbout(ann, one)).toEqual(NOWHERE);
    await eraseDue(2 * HOUR_MS);
    expect(await answersAbout(ann, one)).toEqual(NOWHERE);
    expect((await accountStats(ann, { group_by: "link" })).buckets).toEqual([{ key: other.id, clicks: 1 }]);
  });

  test("14 a deleted link remains, without its tags; an erased one disappears from every range", async () => {
    const { ann, one, other } = await twoLinks();
    await ann.call("DELETE", `/v1/links/${one.id}`);
    expect((await accountStats(ann, { group_by: "link" })).buckets).toHaveLength(2);
    expect(await byTag(ann)).toEqual(["b 1", "none 1"]);
    await ann.call("DELETE", `/v1/links/${one.id}?erase=true`);
    await eraseDue(2 * HOUR_MS);
    await eventually(async () => (await accountStats(ann)).total === 1, "the erasure");
    expect((await accountStats(ann, { group_by: "link", from: iso(START) })).buckets).toEqual([
      { key: other.id, clicks: 1 },
    ]);
    expect((await accountStats(ann, { link_id: one.id })).total).toBe(0);
  });
});

describe("14 an object that cannot answer", () => {
  const answers = (answer: AccountStatsAnswer) =>
    vi.spyOn(AccountClicks.prototype, "stats").mockResolvedValueOnce(answer);

  test.for([
    ["busy", 429, "too_many_reads"],
    ["packing", 429, "too_many_reads"],
    ["unavailable", 503, "unavailable"],
  ] as const)("14 %s answers %i with Retry-After", async ([kind, status, code]) => {
    const ann = await premiumAccount();
    answers({ kind });
    const reply = await ann.call("GET", "/v1/stats?country=DE");
    expect([reply.status, errorOf(reply).code]).toEqual([status, code]);
    expect(Number(reply.headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  test("14 too many clicks answer 422 with the earliest possible from", async () => {
    const ann = await premiumAccount();
    answers({ kind: "too_many_clicks", from: START });
    const reply = await ann.call("GET", "/v1/stats?country=DE");
    const message = `from must be ${iso(START)} or later`;
    expect([reply.status, errorOf(reply)]).toMatchObject([
      422,
      { code: "range_too_large", param: "from", errors: [{ path: "from", message }] },
    ]);
  });

  test("14 while past clicks are read, the answer has the progress, and a range not reached yet is empty", async () => {
    const ann = await premiumAccount();
    const from = iso(START);
    const empty = { total: 0, buckets: [], series: [] };
    answers({ kind: "stats", ...empty, to: START - DAY_MS, asOf: START - DAY_MS, progress: 0.25 });
    const asOf = iso(START - DAY_MS);
    freezeClockAt(START + DAY_MS);
    expect(await accountStats(ann, { from })).toEqual({
      ...empty,
      group_by: "country",
      interval: null,
      from: asOf,
      to: asOf,
      as_of: asOf,
      progress: 0.25,
    });
  });

  test("12 links by clicks wait until past clicks are read", async () => {
    const ann = await premiumAccount();
    const byLink = vi.spyOn(AccountClicks.prototype, "clicksByLink");
    byLink.mockResolvedValueOnce({ kind: "links", links: [], hasMore: false, asOf: START, progress: 0.25 });
    const reply = await ann.call("GET", "/v1/links?sort=-clicks");
    expect([reply.status, errorOf(reply).code, reply.headers.get("Retry-After")]).toEqual([503, "unavailable", "5"]);
  });
});
