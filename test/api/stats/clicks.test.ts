/** The recorded data of a visit, the data that is not recorded, and the pages of the click log. */
import { createExecutionContext, runInDurableObject, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ClickPage } from "../../../src/core/contract/clicks.ts";
import { factKey, mapFacts } from "../../../src/core/clicks/facts.ts";
import { type Link } from "../../../src/core/contract/links.ts";
import type { ClickBatch } from "../../../src/core/clicks/protocol/link-object-rpc.ts";
import worker from "../../../src/worker.ts";
import { premiumAccount, visit } from "../../support/test-accounts.ts";
import { type Click, packClicks } from "../../support/pack-clicks.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { errorOf } from "../../support/api-response.ts";
import { CURL, GOOGLEBOT, IPHONE_SAFARI, LINUX_FIREFOX, WINDOWS_CHROME } from "../../support/sample-user-agents.ts";
import { rowsOfDatabase } from "../../support/stored-rows.ts";

// Thousands of requests on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 30_000 });

const ann = await premiumAccount();

const objectOf = (link: Link) => env.LINK_CLICKS.getByName(`${link.domain}/${link.slug.toLowerCase()}`);

const UNFURLER = "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)";
const MONITOR = "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)";

/** Headers of a visit, and the class that it must get. */
const CLASSES: [what: string, headers: Record<string, string>, expected: string][] = [
  ["a browser", { "User-Agent": WINDOWS_CHROME }, "human"],
  ["a phone", { "User-Agent": IPHONE_SAFARI, "Sec-Purpose": "navigate" }, "human"],
  ["curl", { "User-Agent": CURL }, "human"],
  ["an HTTP library", { "User-Agent": "python-requests/2.32.3" }, "human"],
  ["a client without a name", {}, "human"],
  ["a crawler", { "User-Agent": GOOGLEBOT }, "bot"],
  ["a link unfurler", { "User-Agent": UNFURLER }, "bot"],
  ["a monitor", { "User-Agent": MONITOR }, "bot"],
  ["Sec-Purpose: prefetch", { "User-Agent": WINDOWS_CHROME, "Sec-Purpose": "prefetch" }, "prefetch"],
  ["Sec-Purpose: prerender", { "User-Agent": WINDOWS_CHROME, "Sec-Purpose": "prefetch;prerender" }, "prefetch"],
  ["Purpose: prefetch", { "User-Agent": WINDOWS_CHROME, Purpose: "prefetch" }, "prefetch"],
  ["X-Moz: prefetch", { "User-Agent": LINUX_FIREFOX, "X-Moz": "prefetch" }, "prefetch"],
];

describe("6 classes", () => {
  test.for(CLASSES)("6 %s is recorded correctly", async ([, headers, expected]) => {
    const link = await ann.createLink();
    await visit(link.short_url, { headers });
    await ann.statsAfter(1, link);
    expect((await ann.clicks(link)).data.map((click) => click.class)).toEqual([expected]);
    const humans = expected === "human" ? 1 : 0;
    expect((await ann.stats(link)).total).toBe(humans);
    expect((await ann.stats(link, { include_bots: "false" })).total).toBe(humans);
    expect((await ann.stats(link, { include_bots: "true" })).total).toBe(1);
  });

  test("6 curl counts as a human on device other", async () => {
    const link = await ann.createLink();
    await visit(link.short_url, { headers: { "User-Agent": CURL } });
    const { total, buckets } = await ann.statsAfter(1, link, { group_by: "device" });
    expect([total, buckets]).toEqual([1, [{ key: "other", clicks: 1 }]]);
  });

  test("6 statistics count humans; include_bots adds the rest, bucket by bucket and bin by bin", async () => {
    const link = await ann.createLink();
    const countries = ["DE", "DE", "FR"];
    for (const [i, [, headers]] of CLASSES.entries()) {
      await visit(link.short_url, { headers, country: countries[i % 3] ?? "" });
    }
    const people = await ann.statsAfter(CLASSES.length, link, { interval: "month" });
    expect(people.buckets).toEqual([
      { key: "DE", clicks: 4 },
      { key: "FR", clicks: 1 },
    ]);
    expect(people.series.map(({ clicks }) => clicks)).toEqual([5]);
    const all = await ann.stats(link, { interval: "month", include_bots: "true" });
    expect(all.buckets).toEqual([
      { key: "DE", clicks: 8 },
      { key: "FR", clicks: 4 },
    ]);
    expect(all.series.map(({ clicks }) => clicks)).toEqual([12]);
  });

  test("6 HEAD, 404, 405 and 410 are not recorded", async () => {
    const link = await ann.createLink();
    await visit(link.short_url, { method: "HEAD" });
    await visit(link.short_url, { method: "POST" });
    await visit(`${link.short_url}-unknown`);
    // Clicks are stored in order: had the ones above been counted, they would precede this one.
    await visit(link.short_url, { country: "DE" });
    await ann.statsAfter(1, link);
    expect((await ann.clicks(link)).data.map(({ seq, country }) => [seq, country])).toEqual([[1, "DE"]]);
  });
});

describe("7 the click log", () => {
  test("7 a click has all its fields, with the values of the statistics", async () => {
    const link = await ann.createLink({
      url: "https://example.com/else",
      routing: [{ if: { device: "mobile", country: ["DE", "AT"] }, to: "https://example.com/rule" }],
    });
    const before = Date.now();
    await visit(link.short_url, {
      country: "DE",
      continent: "EU",
      region: "BE",
      city: "Berlin",
      search: "?utm_source=Poster&token=secret&utm_source=other&utm_campaign=%20&UTM_TERM=x",
      headers: {
        "User-Agent": IPHONE_SAFARI,
        "Accept-Language": "en;q=0.8,de-de",
        Referer: "https://WWW.News.example.org:8080/private?token=secret",
      },
    });
    await visit(link.short_url);
    const after = Date.now();
    await ann.waitForClicks(2, link);
    const page = await ann.clicks(link);
    const [first, second] = page.data.map(({ occurred_at }) => Date.parse(occurred_at));
    expect(first).toBeGreaterThanOrEqual(before);
    expect(second).toBeGreaterThanOrEqual(first ?? Infinity);
    expect(second).toBeLessThanOrEqual(after);
    expect(page).toEqual({
      data: [
        {
          seq: 1,
          occurred_at: new Date(first ?? 0).toISOString(),
          class: "human",
          revision: 1,
          ...mapFacts((fact) => factKey(fact, "")),
          country: "DE",
          continent: "EU",
          region: "DE-BE",
          city: "Berlin",
          device: "mobile",
          os: "ios",
          browser: "safari",
          language: "de-DE",
          referrer: "news.example.org",
          utm_source: "poster",
          rule: "country=AT,DE&device=mobile",
          destination: "https://example.com/rule",
          source: "link",
          qr_id: null,
          address: link.short_url.split("//")[1],
        },
        {
          seq: 2,
          occurred_at: new Date(second ?? 0).toISOString(),
          class: "human",
          revision: 1,
          ...mapFacts((fact) => factKey(fact, "")),
          country: "XX",
          device: "other",
          os: "other",
          browser: "other",
          rule: "default",
          destination: "https://example.com/else",
          source: "link",
          qr_id: null,
          address: link.short_url.split("//")[1],
        },
      ],
      has_more: false,
      next_after: 2,
    });
  });

  test("7 a link without clicks has an empty page", async () => {
    const link = await ann.createLink();
    expect(await ann.clicks(link)).toEqual({ data: [], has_more: false, next_after: 0 });
    expect(await ann.clicks(link, { after: "7" })).toEqual({ data: [], has_more: false, next_after: 7 });
  });

  test("7 pages are gapless, whatever their size, and keep the order of the visits", async () => {
    const link = await ann.createLink();
    const sent: string[] = [];
    for (let i = 0; i < 130; i++) {
      sent.push(`city ${i}`);
      await visit(link.short_url, { city: `city ${i}` });
    }
    await ann.statsAfter(130, link);
    for (const limit of [1, 7, 65, 130, 131, 1_000]) {
      const seen: ClickPage["data"] = [];
      for (let after = 0; ;) {
        const page = await ann.clicks(link, { after: String(after), limit: String(limit) });
        seen.push(...page.data);
        expect(page.has_more).toBe(seen.length < 130);
        expect(page.next_after).toBe(seen.length);
        if (page.data.length === 0) break;
        expect(page.data.length).toBe(Math.min(limit, 130 - after));
        after = page.next_after;
        if (limit === 1 && after === 10) break;
      }
      const all = limit === 1 ? 10 : 130;
      expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: all }, (_, i) => i + 1));
      expect(seen.map(({ city }) => city)).toEqual(sent.slice(0, all));
    }
    expect((await ann.clicks(link)).data).toHaveLength(100);
    expect(await ann.clicks(link, { after: "128", limit: "1" })).toMatchObject({
      data: [{ seq: 129, city: "city 128" }],
      has_more: true,
      next_after: 129,
    });
  });

  test("7 simultaneous clicks are counted once each", async () => {
    const link = await ann.createLink();
    const cities = Array.from({ length: 300 }, (_, i) => `town ${i}`);
    await visit(link.short_url, { method: "HEAD" }); // one look-up, not 300 that wait for each other
    await Promise.all(cities.map((city) => visit(link.short_url, { city })));
    expect((await ann.statsAfter(300, link)).total).toBe(300);
    const page = await ann.clicks(link, { limit: "1000" });
    expect(page.data.map(({ seq }) => seq)).toEqual(cities.map((_, i) => i + 1));
    expect(page.data.map(({ city }) => city).sort()).toEqual(cities.sort());
    const times = page.data.map(({ occurred_at }) => occurred_at);
    expect(times).toEqual(times.toSorted());
  });

  test("7 clicks with very long rules and destinations are in pages bounded by bytes, gapless to the last", async () => {
    const cities = Array.from({ length: 250 }, (_, i) => `${i} "`.padEnd(190, "Llanfairpwllgwyngyll"));
    const to = `https://example.com/${"d".repeat(8_000)}`;
    const link = await ann.createLink({ routing: [{ if: { city: cities }, to }] });
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    const click = { ...(await ann.clicks(link)).data[0], at: Date.now(), qr: "", rule: "0" } as Click;
    const clicks = packClicks(Array.from({ length: 1_499 }, () => click));
    await objectOf(link).record({ id: 2 ** 40, revision: 1, clicks });
    let seen = 0;
    for (let more = true; more;) {
      const reply = await ann.call("GET", `/v1/links/${link.id}/clicks?after=${seen}&limit=1000`);
      expect(reply.status).toBe(200);
      expect(JSON.stringify(reply.body).length).toBeLessThan(1_200_000);
      const page = ClickPage.parse(reply.body);
      expect(page.data.map(({ seq }) => seq)).toEqual(page.data.map((_, i) => seen + i + 1));
      expect(
        page.data.every((click) => click.seq === 1 || (click.rule.length > 45_000 && click.destination === to)),
      ).toBe(true);
      seen += page.data.length;
      expect(page.next_after).toBe(seen);
      expect(page.has_more).toBe(seen < 1_500);
      more = page.has_more;
    }
    expect(seen).toBe(1_500);
    expect(await ann.clicks(link, { after: "1500", limit: "1000" })).toEqual({
      data: [],
      has_more: false,
      next_after: 1_500,
    });
  });

  test("7 a page can be requested again and stays the same, even after the link has expired", async () => {
    const link = await ann.createLink();
    for (const country of ["DE", "FR", "US"]) await visit(link.short_url, { country });
    await ann.statsAfter(3, link);
    const page = await ann.clicks(link, { after: "1" });
    await ann.updateLink(link, {
      url: "https://example.com/new",
      expires_at: new Date(Date.now() - 1).toISOString(),
      routing: [{ if: { country: "FR" }, to: "https://example.com/fr" }],
    });
    expect(await ann.clicks(link, { after: "1" })).toEqual(page);
  });

  test.for([
    [{ limit: "0" }, "limit"],
    [{ limit: "1001" }, "limit"],
    [{ limit: "1.5" }, "limit"],
    [{ after: "-1" }, "after"],
    [{ after: "x" }, "after"],
    [{ before: "3" }, "before"],
  ] as const)("7 %o answers 422 and names the parameter", async ([query, param]) => {
    const link = await ann.createLink();
    const reply = await ann.call("GET", `/v1/links/${link.id}/clicks?${new URLSearchParams(query)}`);
    expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed", param, errors: [{ path: param }] });
  });

  test("1 clicks and statistics of another account or the other mode are not found", async () => {
    const link = await ann.createLink();
    const strangers = [await premiumAccount(), await ann.withKey("test")];
    for (const stranger of strangers) {
      for (const part of ["clicks", "stats"]) {
        const reply = await stranger.call("GET", `/v1/links/${link.id}/${part}`);
        expect(errorOf(reply)).toMatchObject({ status: 404, code: "link_not_found" });
      }
    }
  });
});

/** Every value of every table, as text: blobs byte by byte. */
function dump(rows: Record<string, unknown>[]): string {
  const text = (value: unknown) =>
    value instanceof ArrayBuffer ? String.fromCharCode(...new Uint8Array(value)) : String(value);
  return rows.flatMap((row) => Object.values(row).map(text)).join("\n");
}

describe("6 data that is not stored", () => {
  const IP = "203.0.113.77";
  const SECRET_UA = `${WINDOWS_CHROME} VerySpecialMark/98.76`;
  const PRIVATE = [IP, "VerySpecialMark", "AppleWebKit", "203.0.113", "hush-token", "hush-query", "hush-cookie"];

  test("6 no table contains IP addresses or full User-Agents, nor pages, queries and cookies of visitors", async () => {
    const link = await ann.createLink({ routing: [{ if: { percent: 50 }, to: "https://example.com/half" }] });
    for (let i = 0; i < 3; i++) {
      await visit(link.short_url, {
        country: "DE",
        search: "?q=hush-query",
        headers: {
          "User-Agent": SECRET_UA,
          "CF-Connecting-IP": IP,
          "X-Forwarded-For": IP,
          "X-Real-IP": IP,
          Referer: "https://kept.example.org/page?token=hush-token",
          Cookie: "id=hush-cookie",
        },
      });
    }
    await ann.statsAfter(3, link);
    const object = await runInDurableObject(objectOf(link), (_, { storage: { sql } }) => {
      const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
      const ours = tables.filter(({ name }) => !name.startsWith("_cf_"));
      return ours.map(({ name }) => dump(sql.exec(`SELECT * FROM "${name}"`).toArray())).join("\n");
    });
    // The permitted text is found, so the search itself works.
    expect(object).toContain("kept.example.org");
    const database = (await rowsOfDatabase()).join("\n");
    expect(database).toContain(link.id);
    for (const text of PRIVATE) {
      expect(object).not.toContain(text);
      expect(database).not.toContain(text);
      expect(JSON.stringify(await ann.clicks(link))).not.toContain(text);
    }
  });

  test("3 a link without visits has no tables, whatever is queried about it", async () => {
    const link = await ann.createLink();
    await ann.stats(link, { interval: "day", group_by: "rule" });
    await ann.clicks(link);
    const tables = await runInDurableObject(objectOf(link), (_, { storage: { sql } }) =>
      sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
        .toArray(),
    );
    expect(tables).toEqual([]);
  });
});

/** A link's object as the Worker calls it, with a failure for each of the first calls. */
function accidentProne(link: Link, accidents: ("lost before" | "lost after")[]) {
  const object = objectOf(link);
  return {
    getByName: () => ({
      record: async (batch: ClickBatch) => {
        const accident = accidents.shift();
        if (accident === "lost before") throw new Error("Network connection lost.");
        const answer = await object.record(batch);
        if (accident === "lost after") throw new Error("Network connection lost.");
        return answer;
      },
    }),
  };
}

describe("6 failures in transit", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("6 the response does not wait, and every click counts once, even if batches and answers are lost", async () => {
    const link = await ann.createLink();
    const LINK_CLICKS = accidentProne(link, ["lost before", "lost after", "lost after", "lost before"]);
    const ctx = createExecutionContext();
    const cities = Array.from({ length: 20 }, (_, i) => `village ${i}`);
    for (const city of cities) {
      const request = new Request(link.short_url, { redirect: "manual", headers: { "x-visitor-city": city } });
      const reply = await worker.fetch(
        request as Parameters<typeof worker.fetch>[0],
        { ...env, LINK_CLICKS } as unknown as Env,
        ctx,
      );
      expect(reply.status).toBe(302);
    }
    await waitOnExecutionContext(ctx);
    const page = await ann.clicks(link, { limit: "1000" });
    expect(page.data.map(({ seq, city }) => [seq, city])).toEqual(cities.map((city, i) => [i + 1, city]));
  });

  test("6 setting the clock while clicks are in transit loses none of them", async () => {
    const link = await ann.createLink();
    let setLater = () => {};
    const clockIsSet = new Promise<void>((done) => (setLater = done));
    const LINK_CLICKS = {
      getByName: () => ({
        record: async (batch: ClickBatch) => {
          await clockIsSet;
          return objectOf(link).record(batch);
        },
      }),
    };
    const ctx = createExecutionContext();
    freezeClockAt("2030-01-01T00:00:00Z");
    for (const city of ["leads", "stands by"]) {
      const request = new Request(link.short_url, { redirect: "manual", headers: { "x-visitor-city": city } });
      await worker.fetch(request as Parameters<typeof worker.fetch>[0], { ...env, LINK_CLICKS } as unknown as Env, ctx);
    }
    freezeClockAt("2030-01-01T01:00:00Z");
    setLater();
    await waitOnExecutionContext(ctx);
    const page = await ann.clicks(link);
    expect(page.data.map(({ city }) => city)).toEqual(["leads", "stands by"]);
  });
});
