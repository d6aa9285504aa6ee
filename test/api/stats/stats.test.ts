/** Click statistics as the API returns them. Clicks are visits; if their time matters, the clock is stopped. */
import { afterEach, describe, expect, test, vi } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import type { Stats } from "../../../src/core/contract/stats.ts";
import { GROUPINGS } from "../../../src/core/clicks/counting/groupings.ts";
import { type TestAccount, premiumAccount, visit, type VisitOptions } from "../../support/test-accounts.ts";
import { errorOf } from "../../support/api-response.ts";
import { IPHONE_SAFARI } from "../../support/sample-user-agents.ts";
import { freezeClockAt } from "../../support/clock.ts";

// Thousands of requests on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 30_000 });

/** The default time: a link is created at the time of its first click. */
const START = Date.UTC(2031, 4, 6, 7, 8, 9, 10);

const ann = await premiumAccount();

afterEach(() => {
  vi.useRealTimers();
});

const iso = (at: number) => new Date(at).toISOString();
const sum = (items: readonly { clicks: number }[]) => items.reduce((total, { clicks }) => total + clicks, 0);

/** A link with one click at each of these instants, in ascending order. */
async function clickedAt(
  times: readonly (number | string)[],
  facts: VisitOptions = {},
  by: TestAccount = ann,
): Promise<Link> {
  const instants = times.map((at) => (typeof at === "number" ? at : Date.parse(at)));
  freezeClockAt(instants[0] ?? START);
  const link = await by.createLink();
  for (const at of instants) {
    freezeClockAt(at);
    await visit(link.short_url, facts);
  }
  if (times.length > 0) await by.waitForClicks(times.length, link);
  return link;
}

async function bucketsOf(link: Link, group_by: string): Promise<Stats["buckets"]> {
  const stats = await ann.stats(link, { group_by });
  expect(stats.group_by).toBe(group_by);
  expect(sum(stats.buckets)).toBe(stats.total);
  return stats.buckets;
}

describe("2.3 the response", () => {
  test("2.3 without clicks: zeros, empty lists and the applied range", async () => {
    freezeClockAt(START);
    const link = await ann.createLink();
    freezeClockAt(START + 5_000);
    expect(await ann.stats(link)).toEqual({
      total: 0,
      group_by: "country",
      buckets: [],
      interval: null,
      series: [],
      from: link.created_at,
      to: iso(START + 5_000),
    });
  });

  test("2.3 with clicks and an interval: the complete body", async () => {
    const link = await clickedAt([START, START + 1_000, START + 3_600_000], { country: "DE" });
    expect(await ann.stats(link, { interval: "hour" })).toEqual({
      total: 3,
      group_by: "country",
      buckets: [{ key: "DE", clicks: 3 }],
      interval: "hour",
      series: [
        { start: "2031-05-06T07:00:00.000Z", clicks: 2 },
        { start: "2031-05-06T08:00:00.000Z", clicks: 1 },
      ],
      from: iso(START),
      to: iso(START + 3_600_001),
    });
  });
});

describe("4.3, 7 groupings", () => {
  /** The key of each grouping for a visitor with all facts known, and for one with none. */
  const KEYS: Record<Exclude<(typeof GROUPINGS)[number], "address">, [known: string, unknown: string]> = {
    country: ["DE", "XX"],
    device: ["mobile", "other"],
    referrer: ["news.example.org", "direct"],
    rule: ["country=DE", "default"],
    continent: ["EU", "unknown"],
    region: ["DE-BE", "unknown"],
    city: ["Berlin", "unknown"],
    os: ["ios", "other"],
    browser: ["safari", "other"],
    language: ["de-DE", "unknown"],
    destination: ["https://example.com/straße", "https://example.com/else"],
    revision: ["1", "1"],
    source: ["link", "link"],
    qr: ["none", "none"],
    utm_source: ["newsletter", "none"],
    utm_medium: ["e-mail", "none"],
    utm_campaign: ["spring sale", "none"],
    utm_term: ["schuhe größe 42", "none"],
    utm_content: ["c", "none"],
    imported: ["false", "false"],
  };

  test("7 every grouping has its key for known and for unknown facts", async () => {
    const link = await ann.createLink({
      url: "https://example.com/else",
      routing: [{ if: { country: "DE" }, to: "https://example.com/straße" }],
      aliases: [{ slug: `Größe/${crypto.randomUUID()}` }],
    });
    const [alias = link] = link.aliases ?? [];
    const known: VisitOptions = {
      country: "DE",
      continent: "EU",
      region: "BE",
      city: "Berlin",
      search:
        "?utm_source=Newsletter&utm_medium=E-Mail&utm_campaign=Spring+Sale&utm_term=Schuhe%20Gr%C3%B6%C3%9Fe%2042&utm_content=C",
      headers: {
        "User-Agent": IPHONE_SAFARI,
        "Accept-Language": "DE-de, en;q=0.5",
        Referer: "https://www.News.Example.org./page",
      },
    };
    for (const facts of [known, known]) await visit(alias.short_url, facts);
    await visit(link.short_url, {});
    await ann.waitForClicks(3, link);
    const addresses = [alias, link].map(({ short_url }) => short_url.slice("http://".length));
    for (const grouping of GROUPINGS) {
      const [first, second] = grouping === "address" ? addresses : KEYS[grouping];
      const expected =
        first === second
          ? [{ key: first, clicks: 3 }]
          : [
              { key: first, clicks: 2 },
              { key: second, clicks: 1 },
            ];
      expect(await bucketsOf(link, grouping), grouping).toEqual(expected);
    }
    const [byAlias = "", own = ""] = addresses;
    expect(await ann.stats(link, { address: byAlias, group_by: "country" })).toMatchObject({
      total: 2,
      buckets: [{ key: "DE", clicks: 2 }],
    });
    expect(await ann.stats(link, { address: own })).toMatchObject({ total: 1 });
    const { data } = await ann.clicks(link, { address: byAlias });
    expect(data.map(({ seq, address }) => [seq, address])).toEqual([
      [1, byAlias],
      [2, byAlias],
    ]);
  });

  test("4.3 group_by defaults to country", async () => {
    const link = await clickedAt([START], { country: "NZ" });
    const { group_by, buckets } = await ann.stats(link);
    expect({ group_by, buckets }).toEqual({ group_by: "country", buckets: [{ key: "NZ", clicks: 1 }] });
  });

  test.for([
    ["https://www.example.org/", "example.org"],
    ["https://EXAMPLE.org:8443/a?b#c", "example.org"],
    ["http://m.example.org", "m.example.org"],
    ["https://wwwexample.org/", "wwwexample.org"],
    ["https://user:secret@example.org/", "example.org"],
    ["https://münchen.example/", "xn--mnchen-3ya.example"],
    ["http://[2001:db8::1]/", "[2001:db8::1]"],
    ["android-app://com.google.android.gm/", "app:com.google.android.gm"],
    ["android-app://org.telegram.messenger", "app:org.telegram.messenger"],
    ["about:client", "direct"],
    ["not a url", "direct"],
    ["javascript:alert(1)", "direct"],
    ["ftp://example.org/", "direct"],
  ] as const)("7 Referer %s is counted as %s", async ([referer, key]) => {
    const link = await ann.createLink();
    await visit(link.short_url, { headers: { Referer: referer } });
    await ann.waitForClicks(1, link);
    expect(await bucketsOf(link, "referrer")).toEqual([{ key, clicks: 1 }]);
  });

  test.for([
    [{ country: "DE" }, { country: "DE" }, "country=DE"],
    [
      { device: "mobile", country: ["DE", "AT", "DE"] },
      { country: "AT", headers: { "User-Agent": IPHONE_SAFARI } },
      "country=AT,DE&device=mobile",
    ],
    [
      { not: { country: "US" }, language: "FR" },
      { country: "FR", headers: { "Accept-Language": "fr-CH" } },
      "language=fr&not(country=US)",
    ],
    [{ query: { b: ["y", "x"], a: true } }, { search: "?a=1&b=y" }, "query(a&b=x,y)"],
  ] as [object, VisitOptions, string][])(
    "7 rule %o is counted by its canonical text",
    async ([condition, facts, key]) => {
      const link = await ann.createLink({ routing: [{ if: condition, to: "https://example.com/rule" }] });
      await visit(link.short_url, facts);
      await ann.waitForClicks(1, link);
      expect(await bucketsOf(link, "rule")).toEqual([{ key, clicks: 1 }]);
    },
  );

  test("7 rules keep their counts when they are reordered, replaced and removed", async () => {
    const [de, mobile] = [
      { if: { country: "DE" }, to: "https://example.com/de" },
      { if: { device: "mobile" }, to: "https://example.com/mobile" },
    ];
    const both: VisitOptions = { country: "DE", headers: { "User-Agent": IPHONE_SAFARI } };
    const link = await ann.createLink({ url: "https://example.com/1", routing: [de, mobile] });
    let clicks = 0;
    /** Changes the link, and clicks once this isolate sees the change. */
    const clickUnder = async (changes: Record<string, unknown>, destination: string) => {
      await ann.updateLink(link, changes);
      freezeClockAt(Date.now() + 10_000);
      const reply = await visit(link.short_url, both);
      expect(reply.headers.get("Location")).toBe(destination);
      await ann.waitForClicks(++clicks, link);
    };
    freezeClockAt(Date.parse(link.created_at));
    await clickUnder({}, "https://example.com/de");
    await clickUnder({ routing: [mobile, de] }, "https://example.com/mobile");
    await clickUnder({ routing: [{ ...de, to: "https://example.com/de-2" }] }, "https://example.com/de-2");
    await clickUnder({ routing: [] }, "https://example.com/1");
    await clickUnder({ url: "https://example.com/2" }, "https://example.com/2");
    expect(await bucketsOf(link, "rule")).toEqual([
      { key: "country=DE", clicks: 2 },
      { key: "default", clicks: 2 },
      { key: "device=mobile", clicks: 1 },
    ]);
    expect(await bucketsOf(link, "destination")).toEqual(
      ["1", "2", "de", "de-2", "mobile"].map((name) => ({ key: `https://example.com/${name}`, clicks: 1 })),
    );
    expect(await bucketsOf(link, "revision")).toEqual(["1", "2", "3", "4", "5"].map((key) => ({ key, clicks: 1 })));
    expect((await ann.clicks(link)).data.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5]);
  });

  test("7 buckets are sorted by clicks, most first, then by key", async () => {
    const link = await ann.createLink();
    for (const country of ["US", "DE", "FR", "AT", "DE", "US", "CH"]) await visit(link.short_url, { country });
    await ann.waitForClicks(7, link);
    expect((await bucketsOf(link, "country")).map(({ key }) => key)).toEqual(["DE", "US", "AT", "CH", "FR"]);
  });

  test("7 over 1,000 referrers: the first 1,000 by name, the rest in other, and every sum the same", async () => {
    const link = await ann.createLink();
    const sites = Array.from({ length: 1_040 }, (_, i) => `site-${String(i).padStart(4, "0")}.example`);
    const visits = [...sites, ...sites.slice(1_010), ...sites.slice(1_030)];
    for (let i = 0; i < visits.length; i += 100) {
      await Promise.all(
        visits.slice(i, i + 100).map((site) => visit(link.short_url, { headers: { Referer: `https://${site}/` } })),
      );
    }
    await ann.waitForClicks(visits.length, link);
    const stats = await ann.stats(link, { group_by: "referrer", interval: "day" });
    expect(stats.buckets).toEqual([
      ...sites.slice(1_030).map((key) => ({ key, clicks: 3 })),
      ...sites.slice(1_010, 1_030).map((key) => ({ key, clicks: 2 })),
      ...sites.slice(0, 970).map((key) => ({ key, clicks: 1 })),
      { key: "other", clicks: 40 },
    ]);
    expect([stats.total, sum(stats.buckets), sum(stats.series)]).toEqual([1_080, 1_080, 1_080]);
  });
});

describe("4.3, 7 the range", () => {
  const T = START;
  const TIMES = [T, T + 10, T + 10, T + 11, T + 1_000];

  test.for([
    [T, T, 0],
    [T, T + 1, 1],
    [T, T + 10, 1],
    [T, T + 11, 3],
    [T + 1, T + 11, 2],
    [T + 10, T + 11, 2],
    [T + 10, T + 12, 3],
    [T + 11, T + 1_000, 1],
    [T + 11, T + 1_001, 2],
    [T + 1_001, T + 2_000, 0],
    [T - 1_000, T, 0],
    [0, T + 1_001, 5],
  ] as const)("7 [%i, %i) is half-open, exact to the millisecond: %i clicks", async ([from, to, clicks]) => {
    const link = await clickedAt(TIMES);
    const stats = await ann.stats(link, { from: iso(from), to: iso(to), interval: "month" });
    expect(stats).toMatchObject({ total: clicks, from: iso(from), to: iso(to) });
    expect([sum(stats.buckets), sum(stats.series)]).toEqual([clicks, clicks]);
  });

  test("7 the exact occurred_at of a click is in a range from it, but not in one up to it", async () => {
    const link = await ann.createLink();
    for (let i = 0; i < 5; i++) await visit(link.short_url);
    await ann.waitForClicks(5, link);
    const times = (await ann.clicks(link)).data.map(({ occurred_at }) => Date.parse(occurred_at));
    for (const at of times) {
      const count = (from: number, to: number) => times.filter((time) => time >= from && time < to).length;
      const total = async (from: number, to: number) => (await ann.stats(link, { from: iso(from), to: iso(to) })).total;
      expect(await total(at, at + 1)).toBe(count(at, at + 1));
      expect(await total(at - 1, at)).toBe(count(at - 1, at));
    }
  });

  test("7 by default from is the link's created_at and to the current time; each can be sent alone", async () => {
    const link = await clickedAt(TIMES);
    freezeClockAt(T + 60_000);
    const [created, now] = [link.created_at, iso(T + 60_000)];
    expect(await ann.stats(link)).toMatchObject({ total: 5, from: created, to: now });
    expect(await ann.stats(link, { from: iso(T + 11) })).toMatchObject({ total: 2, from: iso(T + 11), to: now });
    expect(await ann.stats(link, { to: iso(T + 11) })).toMatchObject({ total: 3, from: created, to: iso(T + 11) });
    expect(await ann.stats(link, { to: iso(T + 90_000) })).toMatchObject({ total: 5, to: iso(T + 90_000) });
  });

  test("7 times can have any offset and are returned in UTC", async () => {
    const link = await clickedAt(TIMES);
    const query = { from: "2031-05-06T09:08:09.010+02:00", to: "2031-05-06t02:08:10.010123-05:00" };
    expect(await ann.stats(link, query)).toMatchObject({ total: 4, from: iso(T), to: iso(T + 1_000) });
  });

  test("7 from equal to to is an empty range, with an empty series", async () => {
    const link = await clickedAt(TIMES);
    const query = { from: iso(T + 10), to: iso(T + 10), interval: "minute" };
    expect(await ann.stats(link, query)).toMatchObject({ total: 0, buckets: [], series: [] });
  });

  test("7 from later than to answers 422; nothing is swapped", async () => {
    const link = await clickedAt([T]);
    const reversed = {
      status: 422,
      code: "validation_failed",
      message: "from must not be later than to",
      param: "from",
      errors: [{ path: "from", code: "out_of_range", message: "from must not be later than to" }],
    };
    const queries = [
      { from: iso(T + 2), to: iso(T + 1) },
      { from: "2031-05-06T10:00:00+02:00", to: "2031-05-06T07:59:59Z" },
      // `to` is now.
      { from: iso(T + 3_600_000) },
      // `from` is the time of the link's creation.
      { to: iso(T - 1) },
    ];
    for (const query of queries) {
      const reply = await ann.call("GET", `/v1/links/${link.id}/stats?${new URLSearchParams(query)}`);
      expect(errorOf(reply)).toEqual(reversed);
    }
  });

  test("7 polling from the last answer's to is never refused, even if it is a moment ahead", async () => {
    const link = await clickedAt([T]);
    const { to } = await ann.stats(link);
    expect(to).toBe(iso(T + 1));
    expect(await ann.stats(link, { from: to })).toMatchObject({ total: 0, from: to, to });
    expect(await ann.stats(link, { from: iso(T + 50) })).toMatchObject({
      total: 0,
      from: iso(T + 50),
      to: iso(T + 50),
    });
  });

  test("4.3, 7 polling with from adds up, and no finished range ever changes", async () => {
    const link = await ann.createLink();
    const VISITS = 400;
    const polls: Stats[] = [];
    let from = link.created_at;
    const poll = async () => {
      const stats = await ann.stats(link, { from, interval: "minute", group_by: "referrer" });
      polls.push(stats);
      from = stats.to;
    };
    const ROUNDS = 4;
    for (let round = 1; round <= ROUNDS; round++) {
      await Promise.all(
        Array.from({ length: 4 }, async (_, i) => {
          for (let n = 0; n < VISITS / 4 / ROUNDS; n++) {
            await visit(link.short_url, { headers: { Referer: `https://site-${i}.example/` } });
            // One visitor polls, so that there are fewer requests than the rate limit allows.
            if (i === 0) await poll();
          }
        }),
      );
      await ann.waitForClicks((VISITS / ROUNDS) * round, link);
      await poll();
    }
    expect(polls.length).toBeGreaterThan(3);
    expect(polls.filter(({ total }) => total > 0).length).toBeGreaterThan(1);
    expect(polls.reduce((total, stats) => total + stats.total, 0)).toBe(VISITS);
    for (const stats of polls) {
      const again = await ann.stats(link, { from: stats.from, to: stats.to, interval: "minute", group_by: "referrer" });
      expect(again).toEqual(stats);
    }
  });
});

describe("7 invalid parameters", () => {
  test.for([
    [{ from: "yesterday" }, "from"],
    [{ from: "2031-05-06" }, "from"],
    [{ from: "2031-05-06T07:08:09" }, "from"],
    [{ from: "2031-02-30T00:00:00Z" }, "from"],
    [{ from: "2031-05-06 07:08:09Z" }, "from"],
    [{ from: "1746000000" }, "from"],
    [{ from: "" }, "from"],
    [{ to: "2031-05-06T25:00:00Z" }, "to"],
    [{ to: "2031-05-06T07:08:09+2" }, "to"],
    [{ to: "now" }, "to"],
    [{ timezone: "Mars/Phobos", interval: "day" }, "timezone"],
    [{ timezone: "+02:00" }, "timezone"],
    [{ timezone: "" }, "timezone"],
    [{ interval: "year" }, "interval"],
    [{ interval: "Day" }, "interval"],
    [{ group_by: "ip" }, "group_by"],
    [{ group_by: "class; DROP TABLE batches" }, "group_by"],
    [{ group_by: "toString" }, "group_by"],
    [{ include_bots: "yes" }, "include_bots"],
    [{ groupBy: "country" }, "groupBy"],
  ] as [Record<string, string>, string][])("7 %o answers 422 and names the parameter", async ([query, param]) => {
    const link = await ann.createLink();
    const reply = await ann.call("GET", `/v1/links/${link.id}/stats?${new URLSearchParams(query)}`);
    expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed", param, errors: [{ path: param }] });
  });

  test("7 all problems are reported together", async () => {
    const link = await ann.createLink();
    const reply = await ann.call(
      "GET",
      `/v1/links/${link.id}/stats?from=x&to=y&timezone=z&colour=red&interval=day&interval=hour`,
    );
    const { errors = [] } = errorOf(reply);
    expect(errors.map(({ path }) => path).sort()).toEqual(["colour", "from", "interval", "timezone", "to"]);
  });
});

/** Starts of the bins of a range, and the clicks in each. */
async function seriesOf(link: Link, query: Record<string, string>): Promise<[start: string, clicks: number][]> {
  const { series, total, buckets } = await ann.stats(link, query);
  expect([sum(series), sum(buckets)]).toEqual([total, total]);
  return series.map(({ start, clicks }) => [start, clicks]);
}

describe("2.3, 7 the series", () => {
  test("7 minutes, zeros included; the first bin contains from", async () => {
    const link = await clickedAt(["2031-01-01T00:00:59.999Z", "2031-01-01T00:01:00.000Z", "2031-01-01T00:03:10Z"]);
    const query = { interval: "minute", from: "2031-01-01T00:00:30Z", to: "2031-01-01T00:04:00.001Z" };
    expect(await seriesOf(link, query)).toEqual([
      ["2031-01-01T00:00:00.000Z", 1],
      ["2031-01-01T00:01:00.000Z", 1],
      ["2031-01-01T00:02:00.000Z", 0],
      ["2031-01-01T00:03:00.000Z", 1],
      ["2031-01-01T00:04:00.000Z", 0],
    ]);
    expect(await seriesOf(link, { ...query, to: "2031-01-01T00:04:00.000Z" })).toHaveLength(4);
  });

  test("7 clicks in the first bin but before from are not counted", async () => {
    const link = await clickedAt(["2031-01-01T00:00:10Z", "2031-01-01T00:00:20Z"]);
    const query = { interval: "month", from: "2031-01-01T00:00:15Z", to: "2031-01-01T00:01:00Z" };
    expect(await seriesOf(link, query)).toEqual([["2031-01-01T00:00:00.000Z", 1]]);
  });

  test("7 hours of a zone half an hour off", async () => {
    const link = await clickedAt(["2031-01-01T00:29:59.999Z", "2031-01-01T00:30:00.000Z"]);
    const query = {
      interval: "hour",
      timezone: "Asia/Kolkata",
      from: "2031-01-01T00:00:00Z",
      to: "2031-01-01T01:00:00Z",
    };
    expect(await seriesOf(link, query)).toEqual([
      ["2030-12-31T23:30:00.000Z", 1],
      ["2031-01-01T00:30:00.000Z", 1],
    ]);
  });

  test("7 a day of 25 hours is one day, with one hour twice", async () => {
    const link = await clickedAt([
      "2026-10-24T21:59:59.999Z",
      "2026-10-24T22:00:00Z",
      "2026-10-25T00:30:00Z",
      "2026-10-25T01:30:00Z",
      "2026-10-25T22:59:59.999Z",
      "2026-10-25T23:00:00Z",
    ]);
    const range = { timezone: "Europe/Berlin", from: "2026-10-24T12:00:00Z", to: "2026-10-26T12:00:00Z" };
    expect(await seriesOf(link, { ...range, interval: "day" })).toEqual([
      ["2026-10-23T22:00:00.000Z", 1],
      ["2026-10-24T22:00:00.000Z", 4],
      ["2026-10-25T23:00:00.000Z", 1],
    ]);
    const night = { ...range, from: "2026-10-24T23:00:00Z", to: "2026-10-25T03:00:00Z", interval: "hour" };
    expect(await seriesOf(link, night)).toEqual([
      ["2026-10-24T23:00:00.000Z", 0],
      ["2026-10-25T00:00:00.000Z", 1],
      ["2026-10-25T01:00:00.000Z", 1],
      ["2026-10-25T02:00:00.000Z", 0],
    ]);
  });

  test("7 a day of 23 hours is one day", async () => {
    const link = await clickedAt([
      "2027-03-14T04:59:59.999Z",
      "2027-03-14T05:00:00Z",
      "2027-03-15T03:59:59.999Z",
      "2027-03-15T04:00:00Z",
    ]);
    const query = {
      interval: "day",
      timezone: "America/New_York",
      from: "2027-03-13T05:00:00Z",
      to: "2027-03-16T04:00:00Z",
    };
    expect(await seriesOf(link, query)).toEqual([
      ["2027-03-13T05:00:00.000Z", 1],
      ["2027-03-14T05:00:00.000Z", 2],
      ["2027-03-15T04:00:00.000Z", 1],
    ]);
  });

  test("7 weeks begin on Monday, in the zone", async () => {
    const link = await clickedAt(["2026-10-25T22:59:59.999Z", "2026-10-25T23:00:00Z"]);
    const range = { interval: "week", from: "2026-10-21T00:00:00Z", to: "2026-10-27T00:00:00Z" };
    expect(await seriesOf(link, { ...range, timezone: "Europe/Berlin" })).toEqual([
      ["2026-10-18T22:00:00.000Z", 1],
      ["2026-10-25T23:00:00.000Z", 1],
    ]);
    expect(await seriesOf(link, range)).toEqual([
      ["2026-10-19T00:00:00.000Z", 2],
      ["2026-10-26T00:00:00.000Z", 0],
    ]);
  });

  test("7 months are the calendar's", async () => {
    const link = await clickedAt(["2027-02-01T07:59:59.999Z", "2027-02-01T08:00:00Z", "2027-03-31T12:00:00Z"]);
    const query = {
      interval: "month",
      timezone: "America/Los_Angeles",
      from: "2027-01-15T00:00:00Z",
      to: "2027-04-01T07:00:00Z",
    };
    expect(await seriesOf(link, query)).toEqual([
      ["2027-01-01T08:00:00.000Z", 1],
      ["2027-02-01T08:00:00.000Z", 1],
      ["2027-03-01T08:00:00.000Z", 1],
    ]);
  });

  test.for([
    ["minute", "2031-01-01T00:00:00Z", "2031-01-02T09:20:00.000Z"],
    ["minute", "2031-01-01T00:00:30Z", "2031-01-02T09:20:00.000Z"],
    ["hour", "2031-01-01T00:00:00Z", "2031-03-25T08:00:00.000Z"],
    ["day", "2031-01-01T00:00:00Z", "2036-06-23T00:00:00.000Z"],
    ["week", "2029-01-01T00:00:00Z", "2067-05-02T00:00:00.000Z"],
    ["month", "2031-01-01T00:00:00Z", "2197-09-01T00:00:00.000Z"],
  ] as const)(
    "7 %s: 2,000 bins from %s pass, one more answers 422 too_many_intervals",
    async ([interval, from, to]) => {
      const link = await clickedAt(["2031-01-01T00:00:45Z"]);
      const stats = await ann.stats(link, { interval, from, to });
      expect([stats.series.length, sum(stats.series), stats.total]).toEqual([2_000, 1, 1]);
      const more = iso(Date.parse(to) + 1);
      const reply = await ann.call(
        "GET",
        `/v1/links/${link.id}/stats?${new URLSearchParams({ interval, from, to: more })}`,
      );
      expect(errorOf(reply)).toEqual({
        status: 422,
        code: "too_many_intervals",
        message: "The range has more than 2000 intervals. Choose a longer interval or a shorter range.",
        param: "interval",
      });
    },
  );
});
