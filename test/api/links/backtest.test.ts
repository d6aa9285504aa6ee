/**
 * 5 POST /v1/links/{id}/backtest: where other rules would have sent past clicks. Visits are real ones, through the
 * Worker; a backtest changes nothing.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { ClickLog } from "../../../src/clicks/click-log.ts";
import { Revisions } from "../../../src/clicks/link-state.ts";
import { RuleReplay } from "../../../src/core/backtest/rule-replay.ts";
import { valueAt } from "../../../src/core/clicks/encoding/click-batch.ts";
import { allClicks } from "../../../src/core/clicks/counting/scanned-clicks.ts";
import { Backtest } from "../../../src/core/contract/backtests.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { errorOf } from "../../support/api-response.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { randomRouting, randomVisit } from "../../support/random-rules.ts";
import { randomInteger, seededRandom } from "../../support/seeded-random.ts";
import { freeAccount, premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

// Hundreds of visits on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

const HOME = "https://example.com/";
const DE = { if: { country: "DE" }, to: "https://example.com/de" };
const MOBILE = { if: { device: "mobile" }, to: "https://example.com/mobile" };
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
const DESKTOP = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0";

const ann = await premiumAccount();

afterEach(() => {
  vi.useRealTimers();
});

async function backtest(actor: TestAccount, link: Link, body: Record<string, unknown>): Promise<Backtest> {
  const reply = await actor.call("POST", `/v1/links/${link.id}/backtest`, body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return Backtest.parse(reply.body);
}

interface Visited {
  country?: string;
  search?: string;
  userAgent?: string;
  address?: string;
}

async function visitTimes(link: Link, times: number, sent: Visited = {}): Promise<void> {
  const { country, search, userAgent = DESKTOP, address = "192.0.2.1" } = sent;
  for (let i = 0; i < times; i++) {
    await visit(link.short_url, {
      ...(country === undefined ? {} : { country }),
      ...(search === undefined ? {} : { search }),
      headers: { "user-agent": userAgent, "cf-connecting-ip": address },
    });
  }
}

describe("5 the response", () => {
  test("5 counts the clicks of each rule before and after, with samples of clicks that would have gone elsewhere", async () => {
    const link = await ann.createLink({ routing: [MOBILE] });
    await visitTimes(link, 3, { country: "DE" });
    await visitTimes(link, 2, { country: "DE", userAgent: IPHONE });
    await visitTimes(link, 1, { country: "FR" });
    await ann.waitForClicks(6, link);
    const routing = [DE, { ...MOBILE, to: HOME }];
    const { from, to, samples, ...counted } = await backtest(ann, link, { routing });
    expect(counted).toEqual({
      clicks: 6,
      moved: 5,
      undecided: 0,
      rules: [
        { rule: "country=DE", before: 0, after: 5 },
        { rule: "device=mobile", before: 2, after: 0 },
        { rule: "default", before: 4, after: 1 },
      ],
    });
    expect(samples).toEqual([
      ...[1, 2, 3].map((seq) => ({ seq, before: HOME, after: DE.to })),
      ...[4, 5].map((seq) => ({ seq, before: MOBILE.to, after: DE.to })),
    ]);
    expect(Date.parse(to) - Date.parse(from)).toBeGreaterThanOrEqual(30 * 86_400_000);
    expect(Math.abs(Date.parse(to) - Date.now())).toBeLessThan(60_000);
  });

  test("5 lists removed rules last if the request has no rules and another url", async () => {
    const link = await ann.createLink({ routing: [MOBILE, DE] });
    await visitTimes(link, 2, { country: "DE" });
    await visitTimes(link, 1, { userAgent: IPHONE });
    await visitTimes(link, 1);
    await ann.waitForClicks(4, link);
    expect(await backtest(ann, link, { routing: [], url: "https://example.org/new" })).toMatchObject({
      clicks: 4,
      moved: 4,
      rules: [
        { rule: "default", before: 1, after: 4 },
        { rule: "country=DE", before: 2, after: 0 },
        { rule: "device=mobile", before: 1, after: 0 },
      ],
    });
    expect(await backtest(ann, link, { routing: [] })).toMatchObject({ moved: 3 });
  });

  test("5 counts human clicks, or all with include_bots, of a range: by default the last 30 days", async () => {
    const link = await ann.createLink();
    await visitTimes(link, 1, { country: "DE" });
    await ann.waitForClicks(1, link);
    freezeClockAt(Date.now() + 31 * 86_400_000);
    await visitTimes(link, 1, { country: "DE", userAgent: "Googlebot/2.1 (+http://www.google.com/bot.html)" });
    await visitTimes(link, 1);
    await ann.waitForClicks(3, link);
    const routing = [DE];
    expect(await backtest(ann, link, { routing })).toMatchObject({ clicks: 1, moved: 0 });
    expect(await backtest(ann, link, { routing, include_bots: true })).toMatchObject({ clicks: 2, moved: 1 });
    const from = "2020-01-01T00:00:00Z";
    expect(await backtest(ann, link, { routing, from })).toMatchObject({ clicks: 2, moved: 1 });
    const to = new Date(Date.now() - 86_400_000).toISOString();
    expect(await backtest(ann, link, { routing, from, to })).toMatchObject({ clicks: 1, moved: 1, to });
    expect(await backtest(ann, link, { routing, to })).toMatchObject({
      clicks: 0,
      from: new Date(Date.parse(to) - 30 * 86_400_000).toISOString(),
    });
  });

  test("5 a query parameter that no rule used leaves clicks undecided, but only those that depend on it", async () => {
    const sale = { if: { query: { sale: true as const } }, to: "https://example.com/sale" };
    const link = await ann.createLink({ routing: [sale] });
    await visitTimes(link, 2, { search: "?sale" });
    await visitTimes(link, 1, { search: "?ref=x", country: "DE" });
    await visitTimes(link, 1);
    await ann.waitForClicks(4, link);
    const ref = { if: { query: { ref: "x" } }, to: "https://example.com/ref" };
    expect(await backtest(ann, link, { routing: [DE, sale, ref] })).toMatchObject({
      clicks: 4,
      moved: 1,
      undecided: 1,
      rules: [
        { rule: "country=DE", before: 0, after: 1 },
        { rule: "query(sale)", before: 2, after: 2 },
        { rule: "query(ref=x)", before: 0, after: 0 },
        { rule: "default", before: 2, after: 0 },
      ],
    });
  });

  test("5 percent: visitors keep their places, and those without an address are undecided", async () => {
    const link = await ann.createLink();
    for (let n = 0; n < 40; n++) await visitTimes(link, 1, { address: `198.51.100.${n}` });
    await visit(link.short_url, { headers: { "user-agent": DESKTOP } });
    await ann.waitForClicks(41, link);
    const split = [{ if: { percent: 50 }, to: "https://example.com/a" }];
    const before = await backtest(ann, link, { routing: split });
    expect(before).toMatchObject({ clicks: 41, undecided: 1 });
    await ann.updateLink(link, { routing: split });
    for (let n = 0; n < 40; n++) await visitTimes(link, 1, { address: `198.51.100.${n}` });
    await ann.waitForClicks(81, link);
    const led = await ann.stats(link, { group_by: "rule", rule: "percent=50" });
    expect(led.total).toBe(before.moved);
  });

  test("5 a link without clicks", async () => {
    const link = await ann.createLink();
    expect(await backtest(ann, link, { routing: [DE] })).toMatchObject({
      clicks: 0,
      moved: 0,
      undecided: 0,
      rules: [
        { rule: "country=DE", before: 0, after: 0 },
        { rule: "default", before: 0, after: 0 },
      ],
      samples: [],
    });
  });

  test("5 has at most twenty samples of moved clicks, from the whole range", async () => {
    const link = await ann.createLink();
    await visitTimes(link, 90);
    await ann.waitForClicks(90, link);
    const { samples, moved } = await backtest(ann, link, { routing: [], url: "https://example.com/new" });
    expect(moved).toBe(90);
    expect(samples.map(({ seq }) => seq)).toEqual(Array.from({ length: 12 }, (_, i) => 1 + 8 * i));
  });

  test("5 changes neither the link, nor its history, nor its statistics; a repeated backtest is the same", async () => {
    const link = await ann.createLink({ routing: [MOBILE] });
    await visitTimes(link, 2);
    await ann.waitForClicks(2, link);
    const body = { routing: [DE], to: new Date(Date.now() + 1_000).toISOString() };
    const first = await backtest(ann, link, body);
    expect(await backtest(ann, link, body)).toEqual(first);
    expect((await ann.call("GET", `/v1/links/${link.id}`)).body).toEqual(link);
    expect((await ann.call("GET", `/v1/links/${link.id}/revisions`)).body).toMatchObject({ data: [{ revision: 1 }] });
    expect((await ann.stats(link)).total).toBe(2);
    const again = () => ann.call("POST", `/v1/links/${link.id}/backtest`, body, { "Idempotency-Key": link.id });
    const kept = await again();
    await visitTimes(link, 1, { country: "DE" });
    await ann.waitForClicks(3, link);
    const replayed = await again();
    expect(replayed.body).toEqual(kept.body);
    expect(replayed.headers.get("Idempotent-Replayed")).toBe("true");
  });

  test("5 an erased link's clicks are never returned", async () => {
    const link = await ann.createLink();
    await visitTimes(link, 1);
    await ann.waitForClicks(1, link);
    expect((await ann.call("DELETE", `/v1/links/${link.id}?erase=true`)).status).toBe(204);
    const reply = await ann.call("POST", `/v1/links/${link.id}/backtest`, { routing: [] });
    expect(reply.status).toBe(404);
  });
});

describe("5 refusals", () => {
  test("5 rules are checked as in an update of the link: the same problems at the same paths", async () => {
    const link = await ann.createLink();
    const routing = [DE, { if: { country: ["de"] }, to: "ftp://x" }, { if: { planet: "Mars" }, to: link.short_url }];
    const sent = { routing, url: "nothing" };
    const [changed, tried] = [
      await ann.call("PATCH", `/v1/links/${link.id}`, sent),
      await ann.call("POST", `/v1/links/${link.id}/backtest`, sent),
    ];
    expect(tried.status).toBe(422);
    expect({ ...errorOf(tried), request_id: "" }).toEqual({ ...errorOf(changed), request_id: "" });
  });

  test.for([
    [{}, "routing"],
    [{ routing: [], from: "yesterday" }, "from"],
    [{ routing: [], to: 5 }, "to"],
    [{ routing: [], include_bots: "true" }, "include_bots"],
    [{ routing: [], country: "DE" }, "country"],
    [{ routing: [], from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }, "from"],
    [{ routing: [], from: "9000-01-01T00:00:00Z" }, "from"],
  ] as const)("5 %j names %s", async ([body, path]) => {
    const link = await ann.createLink();
    const reply = await ann.call("POST", `/v1/links/${link.id}/backtest`, body);
    expect(reply).toMatchObject({ status: 422, body: { error: { code: "validation_failed", param: path } } });
  });

  test("5 over ten million clicks: the error has the earliest possible from", async () => {
    const link = await ann.createLink();
    await visitTimes(link, 1);
    await ann.waitForClicks(1, link);
    const object = env.LINK_CLICKS.getByName(`${link.domain}/${link.slug}`);
    // Ten million clicks would take minutes; the check uses only their positions.
    const at = await runInDurableObject(object, (_, { storage: { sql } }) => {
      for (const position of [1, 10_000_000]) {
        const copied = "SELECT ?1, at + ?1, ?1, 1, columns FROM batches WHERE position = 0";
        sql.exec(`INSERT INTO batches (position, at, batch, revision, columns) ${copied}`, position);
      }
      return sql.exec<{ at: number }>("SELECT at FROM batches WHERE position = 1").one().at;
    });
    await evictDurableObject(object);
    const body = { routing: [], to: "2100-01-01T00:00:00Z", from: link.created_at };
    const least = `from must be ${new Date(at).toISOString()} or later`;
    expect(errorOf(await ann.call("POST", `/v1/links/${link.id}/backtest`, body))).toMatchObject({
      status: 422,
      code: "range_too_large",
      message: `The range has more than 10,000,000 clicks, which is too many to test rules on: ${least}`,
      param: "from",
      errors: [{ path: "from", code: "too_small", message: least }],
    });
  });

  test("5 the Free plan can backtest rules, and the link is not changed", async () => {
    const bob = await freeAccount();
    const link = await bob.createLink();
    await visitTimes(link, 1, { country: "DE" });
    await bob.waitForClicks(1, link);
    expect(await backtest(bob, link, { routing: [DE] })).toMatchObject({ clicks: 1, moved: 1 });
  });
});

describe("5 decisions from the log equal those of the visits", () => {
  // Different seeds for one database and for four.
  test.for(env.LINK_DATABASES === undefined ? [1] : [2, 3])(
    "property: own rules of every revision, real redirects, chance %i",
    async (seed) => {
      const chance = seededRandom(seed);
      const start = Date.now() - 86_400_000;
      const times = [start + 20_000_000, start + 40_000_000];
      let link = await ann.createLink({ routing: randomRouting(chance, 20, times) });
      let count = 0;
      for (let revision = 1; revision <= 4; revision++) {
        for (let n = 0; n < 40; n++, count++) {
          freezeClockAt(start + count * 500_000 + randomInteger(chance, 400_000));
          const sent = randomVisit(chance);
          const { country, continent, regionCode: region, city } = sent;
          await visit(link.short_url, {
            ...Object.fromEntries(Object.entries({ country, continent, region, city }).filter(([, fact]) => fact)),
            search: sent.search && `?${sent.search}`,
            headers: {
              "user-agent": sent.userAgent,
              ...(sent.language ? { "accept-language": sent.language } : {}),
              ...(sent.referer ? { referer: sent.referer } : {}),
              ...(sent.address ? { "cf-connecting-ip": sent.address } : {}),
            },
          });
        }
        await ann.waitForClicks(count, link);
        if (revision < 4) link = await ann.updateLink(link, { routing: randomRouting(chance, 20, times) });
      }
      const { slug, domain } = link;
      const object = env.LINK_CLICKS.getByName(`${domain}/${slug}`);
      const replayed = await runInDurableObject(object, (_instance, { storage }) => replayOwnRules(storage.sql));
      expect(replayed.revisions).toBe(4);
      expect(replayed.decided).toEqual(replayed.logged);
      expect(replayed.logged.length).toBe(count);
    },
  );
});

/** The rule of each click as logged, and as the click's own revision decides it again. */
async function replayOwnRules(sql: SqlStorage) {
  const [log, revisions] = [new ClickLog(sql), new Revisions(sql)];
  const [logged, decided]: string[][] = [[], []];
  const replays = new Map<number, RuleReplay>();
  for (const clicks of (await log.scanner()).scan(0, log.count)) {
    const routes = clicks.column("route");
    for (const n of Array.from(allClicks(clicks))) {
      const route = valueAt(routes, n);
      const revision = Number.parseInt(route, 10);
      const routing = revisions.get(revision)?.routing ?? [];
      const replay = replays.get(revision) ?? new RuleReplay(routing, (number) => revisions.get(number));
      replays.set(revision, replay);
      const [rule = NaN] = replay.decide(clicks, Uint16Array.of(n));
      logged?.push(route);
      decided?.push(`${revision}.${rule === routing.length ? "" : rule}`);
    }
  }
  return { logged: logged ?? [], decided: decided ?? [], revisions: replays.size };
}
