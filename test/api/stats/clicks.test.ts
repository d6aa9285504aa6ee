/** The recorded data of a visit, the data that is not recorded, and the pages of the click log. */
import {
  createExecutionContext,
  runDurableObjectAlarm,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LinkClicks } from "../../../src/clicks/link-clicks.ts";
import { ClickPage } from "../../../src/core/contract/clicks.ts";
import { factKey, mapFacts } from "../../../src/core/clicks/facts.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { feedName } from "../../../src/core/streams/event-log.ts";
import type { ClickBatch, LinkQuestion } from "../../../src/core/clicks/protocol/link-object-rpc.ts";
import type { LinkSnapshot } from "../../../src/core/links/link-snapshot.ts";
import { importedClick } from "../../../src/core/clicks/imported-click.ts";
import { snapshotOfRecord } from "../../../src/store/links/link-rows.ts";
import * as statsNews from "../../../src/store/links/stats-news.ts";
import type { Caller } from "../../../src/store/accounts/api-keys.ts";
import { beginLinkImport, setClicksBefore, undoSomeLinks } from "../../../src/store/click-imports.ts";
import { readLink } from "../../../src/store/links/links.ts";
import worker from "../../../src/worker.ts";
import { eventually } from "../../support/eventually.ts";
import { premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";
import { type Click, packClicks } from "../../support/pack-clicks.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { type ApiResponse, errorOf } from "../../support/api-response.ts";
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
          imported: false,
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
          imported: false,
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

describe("7 imported clicks", () => {
  let imports = 0;
  const newImport = () => `imp_${(++imports).toString(16).padStart(32, "0")}`;
  const caller = { accountId: ann.accountId, mode: "live", plan: "premium" } as Caller;
  const HOUR_MS = 3_600_000;
  const OLD = Date.UTC(2024, 4, 1);
  const iso = (at: number) => new Date(at).toISOString();

  /** Clicks an hour apart. */
  const clicksFrom = (first: number, count: number, facts: object = {}) =>
    Array.from({ length: count }, (_, i) => ({ at: iso(first + i * HOUR_MS), country: i % 2 ? "DE" : "US", ...facts }));

  const send = (by: TestAccount, id: string, link: Pick<Link, "id">, body: object) =>
    by.call("PUT", `/v1/imports/${id}/links/${link.id}`, body);

  async function imported(id: string, link: Link, clicks: object[], offset = 0, by = ann): Promise<number> {
    const reply = await send(by, id, link, { offset, clicks });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    expect(reply.body).toEqual({ object: "import_link", import: id, link: link.id, clicks: expect.any(Number) });
    return (reply.body as { clicks: number }).clicks;
  }

  const refusal = (reply: ApiResponse) => [reply.status, errorOf(reply).code];
  const undo = (id: string, by = ann) => by.call("DELETE", `/v1/imports/${id}`);
  const totals = async (link: Link, query: Record<string, string> = {}) => (await ann.stats(link, query)).total;

  test("7 come first, are flagged and filtered, and the default range begins with them", async () => {
    const link = await ann.createLink({ routing: [{ if: { country: "DE" }, to: "https://example.com/de" }] });
    const id = newImport();
    const sent = [
      {
        at: "2024-05-01T12:00:00+02:00",
        user_agent: IPHONE_SAFARI,
        referrer: "https://www.News.example/a",
        city: "Köln",
      },
      { at: "2024-05-01T10:00:00Z", user_agent: GOOGLEBOT, country: "at", region: "AT-9", language: "de-at" },
      { at: "2024-05-02T10:00:00Z", country: "DE", region: "US-TX", device: "tablet", utm_source: "News", bot: null },
    ];
    expect(await imported(id, link, sent)).toBe(3);
    await visit(link.short_url, { country: "DE" });
    await ann.waitForClicks(4, link);
    const { data } = await ann.clicks(link);
    expect(data.map(({ seq, imported: flag, revision, rule }) => [seq, flag, revision, rule])).toEqual([
      [1, true, 1, "default"],
      [2, true, 1, "default"],
      [3, true, 1, "default"],
      [4, false, 1, "country=DE"],
    ]);
    expect(data.slice(0, 3)).toMatchObject([
      { class: "human", device: "mobile", os: "ios", referrer: "news.example", city: "Köln", country: "XX" },
      { class: "bot", country: "AT", continent: "EU", region: "AT-9", language: "de-AT" },
      { country: "DE", region: "unknown", device: "tablet", utm_source: "news", destination: "https://example.com/" },
    ]);
    const stats = await ann.stats(link, { group_by: "imported", include: "uniques", include_bots: "true" });
    expect(stats).toMatchObject({ total: 4, from: "2024-05-01T10:00:00.000Z", unique_visitors: 0 });
    expect(stats.buckets.map(({ key, clicks }) => [key, clicks])).toEqual([
      ["true", 3],
      ["false", 1],
    ]);
    expect(await totals(link, { imported: "true" })).toBe(2);
    expect(await totals(link, { imported: "false" })).toBe(1);
    expect(await totals(link, { from: link.created_at })).toBe(1);
    expect(await totals(link, { to: link.created_at })).toBe(2);
    expect((await ann.clicks(link, { imported: "false" })).data.map(({ seq }) => seq)).toEqual([4]);
    const file = await ann.call("GET", `/v1/links/${link.id}/clicks?imported=true`, undefined, { Accept: "text/csv" });
    const rows = String(file.body).trim().split("\r\n");
    expect(rows.map((row) => row.split(",").at(-1))).toEqual(["imported", "true", "true", "true"]);
  });

  test("7 a repeated, overlapping or simultaneous request adds nothing twice", async () => {
    const [link, id] = [await ann.createLink(), newImport()];
    const all = clicksFrom(OLD, 12);
    expect(await imported(id, link, [])).toBe(0);
    const both = [imported(id, link, all.slice(0, 5)), imported(id, link, all.slice(0, 5))];
    expect(await Promise.all(both)).toEqual([5, 5]);
    expect(await imported(id, link, all.slice(3, 9), 3)).toBe(9);
    const ahead = await send(ann, id, link, { offset: 10, clicks: all.slice(10) });
    expect(refusal(ahead)).toEqual([409, "import_conflict"]);
    expect(await imported(id, link, all)).toBe(12);
    await visit(link.short_url);
    await ann.waitForClicks(13, link);
    expect(await imported(id, link, all)).toBe(12);
    expect((await ann.clicks(link)).data.map(({ occurred_at }) => occurred_at).slice(0, 12)).toEqual(
      all.map(({ at }) => at),
    );
    expect((await ann.call("GET", `/v1/imports/${id}`)).body).toEqual({
      object: "import",
      id,
      data: [{ link: link.id, clicks: 12 }],
      has_more: false,
      next_cursor: null,
    });
  });

  test("7 a visit in the middle of an import ends it, and nothing is lost", async () => {
    const [link, id] = [await ann.createLink(), newImport()];
    await imported(id, link, clicksFrom(OLD, 3));
    await visit(link.short_url);
    await ann.waitForClicks(4, link);
    const late = await send(ann, id, link, { offset: 3, clicks: clicksFrom(OLD + 3 * HOUR_MS, 3) });
    expect(refusal(late)).toEqual([409, "link_has_clicks"]);
    expect(await totals(link)).toBe(4);
    // As if the first request had been interrupted before it saved the number.
    await env.DB.prepare("UPDATE imported_links SET clicks = 0 WHERE import_id = ?1").bind(id).run();
    await send(ann, id, link, { offset: 3, clicks: clicksFrom(OLD + 3 * HOUR_MS, 3) });
    expect((await undo(id)).body).toMatchObject({ remaining: 0 });
    expect(await totals(link)).toBe(1);
    const refused = await send(ann, newImport(), link, { clicks: clicksFrom(OLD, 1) });
    expect(refusal(refused)).toEqual([409, "link_has_clicks"]);
    const rows = env.DB.prepare("SELECT count(*) FROM imported_links WHERE link_id = ?1").bind(link.id);
    expect(await rows.first("count(*)")).toBe(0);
  });

  test("7 a later import begins after the earlier one, and is undone before it; its numbers stay unused", async () => {
    const link = await ann.createLink();
    const [one, other, third] = [newImport(), newImport(), newImport()];
    await imported(one, link, clicksFrom(OLD, 4));
    const overlapping = await send(ann, other, link, { clicks: clicksFrom(OLD + 3 * HOUR_MS, 2) });
    expect(refusal(overlapping)).toEqual([409, "link_has_clicks"]);
    await imported(other, link, clicksFrom(OLD + 4 * HOUR_MS, 2));
    const more = await send(ann, one, link, { offset: 4, clicks: clicksFrom(OLD + 9 * HOUR_MS, 1) });
    expect(refusal(more)).toEqual([409, "link_has_clicks"]);
    expect(refusal(await undo(one))).toEqual([409, "import_conflict"]);
    expect((await undo(other)).body).toEqual({ object: "import", id: other, remaining: 0 });
    expect(refusal(await undo(other))).toEqual([404, "import_not_found"]);
    await imported(third, link, clicksFrom(OLD + 4 * HOUR_MS, 2));
    await visit(link.short_url);
    await visit(link.short_url);
    await ann.waitForClicks(10, link);
    const seqs = async (query: Record<string, string> = {}) =>
      (await ann.clicks(link, query)).data.map(({ seq }) => seq);
    expect(await seqs()).toEqual([1, 2, 3, 4, 7, 8, 9, 10]);
    expect(await seqs({ after: "4", limit: "1" })).toEqual([7]);
    expect(await seqs({ after: "5" })).toEqual([7, 8, 9, 10]);
    expect(await seqs({ after: "8", imported: "true" })).toEqual([]);
    expect((await undo(third)).status).toBe(200);
    expect(await seqs()).toEqual([1, 2, 3, 4, 9, 10]);
    expect(await totals(link)).toBe(6);
    await undo(one);
    expect(await seqs()).toEqual([9, 10]);
    const { total, from } = await ann.stats(link, { group_by: "destination" });
    expect([total, from]).toEqual([2, link.created_at]);
    await visit(link.short_url);
    await ann.waitForClicks(11, link);
    expect(await seqs({ after: "9" })).toEqual([10, 11]);
  });

  test("7 an import does not continue with the numbers of a later one that was undone", async () => {
    const [link, one, other] = [await ann.createLink(), newImport(), newImport()];
    await imported(one, link, clicksFrom(OLD, 4));
    await imported(other, link, clicksFrom(OLD + 4 * HOUR_MS, 2));
    await undo(other);
    const more = { offset: 4, clicks: clicksFrom(OLD + 4 * HOUR_MS, 2) };
    expect(refusal(await send(ann, one, link, more))).toEqual([409, "import_conflict"]);
    expect(await imported(one, link, clicksFrom(OLD, 4))).toBe(4);
    await undo(one);
    expect(await imported(one, link, clicksFrom(OLD, 6))).toBe(6);
    expect((await ann.clicks(link)).data.map(({ seq }) => seq)).toEqual([7, 8, 9, 10, 11, 12]);
  });

  test("7 statistics of the account include them, and no longer when they are undone", async () => {
    const [bea, id] = [await premiumAccount(), newImport()];
    const [link, other] = [await bea.createLink(), await bea.createLink()];
    for (const each of [link, other]) await visit((await bea.updateLink(each, { title: "x" })).short_url);
    await bea.waitForClicks(1, link);
    const fresh = await bea.createLink();
    const range = { from: iso(OLD), group_by: "link" };
    const account = async (query: Record<string, string> = {}) => {
      const reply = await bea.call("GET", `/v1/stats?${new URLSearchParams({ ...range, ...query })}`);
      const { total, progress } = reply.body as { total: number; progress?: number };
      return progress === undefined ? total : -1;
    };
    await eventually(async () => (await account()) === 2, "the account's statistics");
    await imported(id, fresh, clicksFrom(OLD, 40), 0, bea);
    expect(await account(), "between the first two passes").toBe(42);
    const later = Date.now() + 120_000;
    freezeClockAt(later);
    await eventually(async () => (await account()) === 42, "the imported clicks", 20_000);
    expect(await account({ imported: "true" })).toBe(40);
    const listed = await bea.call("GET", "/v1/clicks?imported=true&limit=1000");
    expect((listed.body as { data: { seq: number }[] }).data.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    freezeClockAt(later + 1_000);
    await visit(fresh.short_url);
    await bea.waitForClicks(41, fresh);
    expect((await undo(id, bea)).body).toMatchObject({ remaining: 0 });
    for (let i = 0; i < 3; i++) {
      freezeClockAt(later + 120_000 * (i + 1));
      await eventually(async () => (await account()) === 3, "the account's statistics without them", 20_000);
    }
    expect(await account({ imported: "true" })).toBe(0);
  });

  describe("7 finished ranges of the account", () => {
    const MINUTE_MS = 60_000;

    afterEach(() => {
      vi.restoreAllMocks();
      vi.useRealTimers();
    });

    /** Two links, of which the other one has a click, and a range that ends after it. */
    async function finishedRange() {
      const [cal, id] = [await premiumAccount(), newImport()];
      const objectOfAccount = env.ACCOUNT_CLICKS.getByName(feedName(cal.accountId, "live"));
      let now = Date.now();
      freezeClockAt(now);
      const [link, other] = [await cal.createLink(), await cal.createLink()];
      await visit(other.short_url);
      await cal.waitForClicks(1, other);
      const to = iso(now + MINUTE_MS);
      const finished = async (query: Record<string, string> = { to }) => {
        const search = new URLSearchParams({ from: iso(OLD), include_bots: "true", ...query });
        return (await cal.call("GET", `/v1/stats?${search}`)).body as Record<string, unknown>;
      };
      /** Lets the passes of the first request end. */
      const complete = async (total: number) => {
        for (let i = 0; i < 3; i++) {
          freezeClockAt((now += 2 * MINUTE_MS));
          await eventually(async () => (await finished({})).progress === undefined, "the log is complete", 20_000);
        }
        expect(await finished()).toMatchObject({ total });
      };
      return { cal, id, link, finished, complete, objectOfAccount, to };
    }

    const failDraws = () => vi.spyOn(LinkClicks.prototype, "draw").mockRejectedValue(new Error("fault: not drawn"));

    test("7 include an import at the next request, or show progress while it cannot be read", async () => {
      const { cal, id, link, finished, complete, to } = await finishedRange();
      await complete(1);
      await imported(id, link, clicksFrom(OLD, 20), 0, cal);
      expect(await finished()).toMatchObject({ total: 21, to });
      expect(await finished()).not.toHaveProperty("progress");
      await imported(id, link, clicksFrom(OLD + 20 * HOUR_MS, 20), 20, cal);
      const draws = failDraws();
      expect(await finished()).toMatchObject({ total: 21, progress: expect.any(Number) });
      expect((await cal.call("GET", `/v1/clicks?to=${to}`)).status).toBe(503);
      draws.mockRestore();
      freezeClockAt(Date.now() + MINUTE_MS);
      const after = await finished();
      expect(after).toMatchObject({ total: 41 });
      expect(after).not.toHaveProperty("progress");
    });

    test("7 include an import that is announced while its link is drawn from", async () => {
      const { cal, id, link, finished, complete } = await finishedRange();
      await complete(1);
      await imported(id, link, clicksFrom(OLD, 20), 0, cal);
      let isDrawn = false;
      const draws = vi
        .spyOn(LinkClicks.prototype, "draw")
        .mockImplementation(async function (this: LinkClicks, request) {
          const drawn = await Reflect.apply(drawOriginal, this, [request]);
          if (request.linkId === link.id && !isDrawn) {
            isDrawn = true;
            await imported(id, link, clicksFrom(OLD + 20 * HOUR_MS, 20), 20, cal);
          }
          return drawn;
        });
      expect(await finished()).toMatchObject({ total: 41 });
      draws.mockRestore();
      expect(isDrawn).toBe(true);
      expect(await finished()).toMatchObject({ total: 41 });
    });

    test("7 show progress after an undo until the link's own clicks are counted again", async () => {
      const { cal, id, link, finished, complete, objectOfAccount } = await finishedRange();
      await imported(id, link, clicksFrom(OLD, 40), 0, cal);
      await visit(link.short_url);
      await cal.waitForClicks(41, link);
      await complete(42);
      const draws = failDraws();
      expect((await undo(id, cal)).body).toMatchObject({ remaining: 0 });
      for (let i = 0; i < 3; i++) {
        await runDurableObjectAlarm(objectOfAccount);
        expect(await finished()).toMatchObject({ total: 1, progress: expect.any(Number) });
      }
      draws.mockRestore();
      freezeClockAt(Date.now() + MINUTE_MS);
      await eventually(async () => (await finished()).progress === undefined, "the link is drawn again", 20_000);
      expect(await finished()).toMatchObject({ total: 2 });
    });
  });

  test("7 are stored once the account can be notified again", async () => {
    const [bea, id] = [await premiumAccount(), newImport()];
    const link = await bea.createLink();
    const range = `from=${iso(OLD)}&group_by=link`;
    await eventually(async () => (await bea.call("GET", `/v1/stats?${range}`)).status === 200, "the statistics");
    const record = await readLink(env, { ...caller, accountId: bea.accountId }, link.id);
    const clicks = clicksFrom(OLD, 2).map(importedClick);
    const question = { linkId: link.id, importId: id, offset: 0, clicks, snapshot: snapshotOfRecord(record) };
    const lost = () => Promise.reject(new Error("Network connection lost."));
    const answers = await runInDurableObject(objectOf(link), async (_, ctx) => {
      const faulty = { ...env, ACCOUNT_CLICKS: { getByName: () => ({ announce: lost }) } } as unknown as Env;
      const news = vi.spyOn(statsNews, "addStatsNews").mockImplementation(lost);
      const object = new LinkClicks(ctx, faulty);
      const first = await object.importClicks(question);
      news.mockRestore();
      return [first, await object.importClicks(question)];
    });
    expect(answers).toEqual([{ kind: "unavailable" }, { kind: "imported", clicks: 2 }]);
  });

  test("7 clicks_before is shown, is no part of statistics, survives a restored revision, and goes with its import", async () => {
    const [link, id] = [await ann.createLink(), newImport()];
    const clicks_before = { clicks: 1_234, until: "2025-01-01T00:00:00.000Z", source: "bitly" };
    const sent = { clicks_before: { ...clicks_before, until: "2025-01-01T01:00:00+01:00" } };
    expect((await send(ann, id, link, sent)).body).toMatchObject({ clicks: 0 });
    expect((await send(ann, id, link, sent)).status).toBe(200);
    const shown = async () => (await ann.call("GET", `/v1/links/${link.id}`)).body as Link;
    expect((await shown()).clicks_before).toEqual(clicks_before);
    expect(await totals(link)).toBe(0);
    expect(refusal(await send(ann, newImport(), link, sent))).toEqual([409, "import_conflict"]);
    expect(refusal(await ann.call("PATCH", `/v1/links/${link.id}`, { clicks_before }))).toEqual([
      422,
      "validation_failed",
    ]);
    await ann.updateLink(link, { url: "https://example.com/changed" });
    const restored = await ann.call("POST", `/v1/links/${link.id}/revisions/1/restore`, {});
    expect(restored.body).toMatchObject({ url: link.url, clicks_before });
    expect((await undo(id)).body).toMatchObject({ remaining: 0 });
    expect((await shown()).clicks_before).toBeUndefined();
  });

  const noContext = { waitUntil: () => {} };

  /** Undoes an import while a request of it arrives, which is served after the link's object has removed the clicks. */
  async function undoDuring(id: string, request: () => Promise<unknown>): Promise<void> {
    const getByName = (name: string) => ({
      undoImport: async (question: LinkQuestion<"undoImport">) => {
        const outcome = await env.LINK_CLICKS.getByName(name).undoImport(question);
        await request();
        return outcome;
      },
      learn: (link: LinkSnapshot) => env.LINK_CLICKS.getByName(name).learn(link),
    });
    await undoSomeLinks({ ...env, LINK_CLICKS: { getByName } } as unknown as Env, noContext, caller, id);
  }

  const reached = async (id: string) => ((await ann.call("GET", `/v1/imports/${id}`)).body as { data?: object[] }).data;

  test("7 an import that is sent while it is undone can be undone again, also one with a sum", async () => {
    const [link, id] = [await ann.createLink(), newImport()];
    await imported(id, link, clicksFrom(OLD, 3));
    await undoDuring(id, () => imported(id, link, clicksFrom(OLD, 2)));
    expect(await totals(link)).toBe(2);
    expect(await reached(id)).toEqual([{ link: link.id, clicks: 2 }]);
    expect((await undo(id)).body).toMatchObject({ remaining: 0 });
    expect(await totals(link)).toBe(0);

    const [other, sum] = [await ann.createLink(), { clicks: 9, until: iso(OLD), source: "bitly" }];
    const record = await readLink(env, caller, other.id);
    await beginLinkImport(env, caller, id, record, 1);
    await undoDuring(id, () => setClicksBefore(env, noContext, caller, id, record, sum));
    expect(await reached(id)).toEqual([{ link: other.id, clicks: 0 }]);
    expect((await undo(id)).body).toMatchObject({ remaining: 0 });
    expect((await ann.call("GET", `/v1/links/${other.id}`)).body).not.toHaveProperty("clicks_before");
  });

  test("7 links with a later import do not keep an import from being undone on others", async () => {
    const [one, later, last] = [newImport(), newImport(), newImport()];
    const links = (await Promise.all(Array.from({ length: 18 }, () => ann.createLink()))).toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    );
    const add = (id: string, some: Link[], at: number) =>
      Promise.all(some.map((link) => imported(id, link, clicksFrom(at, 2))));
    /** Undoes an import until a response ends it. */
    const undoAll = async (id: string) => {
      let reply = await undo(id);
      for (let i = 0; i < 9 && reply.status === 200 && (reply.body as { remaining: number }).remaining > 0; i++) {
        reply = await undo(id);
      }
      return reply;
    };
    const withClicks = async (id: string) => (await reached(id))?.map((each) => (each as { link: string }).link);
    const ids = links.map(({ id }) => id);
    await add(one, links, OLD);
    await add(later, links.slice(0, 8), OLD + 2 * HOUR_MS);
    await add(last, links.slice(8, 16), OLD + 2 * HOUR_MS);
    expect(refusal(await undoAll(one))).toEqual([409, "import_conflict"]);
    expect(await reached(one)).toEqual(ids.slice(0, 16).map((link) => ({ link, clicks: 2 })));
    expect(await Promise.all(links.slice(15).map((link) => totals(link)))).toEqual([4, 0, 0]);
    expect((await undoAll(last)).body).toMatchObject({ remaining: 0 });
    expect(refusal(await undoAll(one))).toEqual([409, "import_conflict"]);
    expect(await withClicks(one)).toEqual(ids.slice(0, 8));
    await undoAll(later);
    expect((await undoAll(one)).body).toMatchObject({ remaining: 0 });
    expect(await totals(links[0] as Link)).toBe(0);
  });

  test("7 links of other accounts and invalid clicks are refused, and a deleted link's import can be undone", async () => {
    const [bob, link, id] = [await premiumAccount(), await ann.createLink(), newImport()];
    expect(refusal(await send(bob, id, link, { clicks: [] }))).toEqual([404, "link_not_found"]);
    await imported(id, link, clicksFrom(OLD, 2));
    expect(refusal(await undo(id, bob))).toEqual([404, "import_not_found"]);
    expect(refusal(await bob.call("GET", `/v1/imports/${id}`))).toEqual([404, "import_not_found"]);
    const at = iso(OLD);
    const bodies: object[] = [
      {},
      { clicks: [], clicks_before: { clicks: 1, until: at, source: "x" } },
      { clicks: [{}] },
      { clicks: [{ at: "1999-12-31T23:59:59Z" }] },
      { clicks: [{ at: iso(Date.now() + 60_000) }] },
      { clicks: [{ at: iso(OLD + 1) }, { at }] },
      { clicks: [{ at, ip: "192.0.2.1" }] },
      { clicks: [{ at, city: "a\nb" }] },
      { clicks: [{ at, device: "watch" }] },
      { offset: -1, clicks: [] },
      { clicks: clicksFrom(OLD, 1_001) },
    ];
    for (const body of bodies) expect(refusal(await send(ann, id, link, body))).toEqual([422, "validation_failed"]);
    expect(refusal(await send(ann, "imp_x", link, { clicks: [] }))).toEqual([422, "validation_failed"]);
    const odd = {
      at,
      country: "(*",
      region: "(*-1",
      user_agent: "\u{1F600}\n",
      referrer: "app:\u0000",
      language: "\ud800",
    };
    expect((await send(ann, newImport(), await ann.createLink(), { clicks: [odd] })).status).toBe(200);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect(refusal(await send(ann, id, link, { clicks: [] }))).toEqual([404, "link_not_found"]);
    expect((await undo(id)).body).toMatchObject({ remaining: 0 });
  });
});

const drawOriginal = Reflect.get(LinkClicks.prototype, "draw");
