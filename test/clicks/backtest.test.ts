/** Rules tried on a link's clicks, inside its object: while it records, is erased, or is overloaded. */
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";

import { LinkClicks } from "../../src/clicks/link-clicks.ts";
import type { PackedClicks } from "../../src/core/clicks/encoding/click-batch.ts";
import type { BacktestRequest, BacktestResult } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import { type LinkSnapshot, tombstoneOf } from "../../src/core/links/link-snapshot.ts";
import type { RoutingRule } from "../../src/core/links/routing.ts";
import { ClickMix } from "../bench/click-mix.ts";
import { packClicks } from "../support/pack-clicks.ts";

// Hundreds of thousands of clicks on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

const START = Date.UTC(2026, 4, 1, 20);
const RULES: RoutingRule[] = [{ if: { device: "mobile" }, to: "https://example.com/mobile" }];
const LINK: LinkSnapshot = {
  id: "lnk_tried",
  accountId: "acc_tried",
  mode: "live",
  origin: "api",
  domain: "tried.example",
  slug: "tried",
  url: "https://example.com/",
  routing: Array.from({ length: 5 }, (_, rule) => ({ if: { city: `${rule}` }, to: `https://example.com/${rule}` })),
  expiresAt: null,
  revision: 1,
  state: "active",
  qrKey: "00112233445566778899aabbccddeeff",
};
const REQUEST: BacktestRequest = {
  linkId: LINK.id,
  url: LINK.url,
  routing: RULES,
  from: START,
  to: START + 86_400_000,
  includeBots: true,
};

type LinkObject = ReturnType<Env["LINK_CLICKS"]["getByName"]>;

let objects = 0;

const mix = new ClickMix();
/** The same for every object: it takes longer to make them up than to record them. */
const mixed: PackedClicks[] = [];

async function objectWith(batches: number): Promise<LinkObject> {
  const object = env.LINK_CLICKS.getByName(`tried.example/object-${++objects}`);
  for (let id = 1; id <= batches; id++) {
    const clicks = (mixed[id] ??= packClicks(mix.batch(START + id * 60_000, 4_096)));
    await object.record({ id, linkId: LINK.id, revision: 1, snapshot: LINK, clicks });
  }
  return object;
}

type Backtested = Extract<BacktestResult, { kind: "backtested" }>;

async function answer(object: LinkClicks, request: Partial<BacktestRequest> = {}): Promise<Backtested> {
  const result = await object.backtest({ ...REQUEST, ...request });
  if (result.kind !== "backtested") throw new Error(result.kind);
  return result;
}

describe("5 while an object tries rules", () => {
  test("5 clicks are recorded, and are not in the answer for a range that was fixed before", async () => {
    const object = await objectWith(50);
    await runInDurableObject(object, async (instance: LinkClicks) => {
      let answered = false;
      const asked = answer(instance, { to: null }).finally(() => (answered = true));
      const clicks = packClicks([{ at: Date.now(), class: "human", device: "mobile", qr: "", rule: "" }]);
      await new Promise((done) => setTimeout(done, 0));
      expect(answered).toBe(false);
      expect(await instance.record({ id: 99, linkId: LINK.id, revision: 1, clicks })).toMatchObject({
        kind: "recorded",
      });
      const first = await asked;
      expect(first.clicks).toBe(50 * 4_096);
      expect((await answer(instance, { to: null })).clicks).toBe(first.clicks + 1);
    });
  });

  test("5 the counts equal those of statistics under a filter, before and after the blocks are packed", async () => {
    const object = await objectWith(3);
    const filters = [{ grouping: "device" as const, values: ["mobile"] }];
    const question = { groupBy: "rule" as const, interval: null, timezone: "UTC", includeBots: true };
    for (let round = 0; round < 2; round++) {
      await runInDurableObject(object, async (instance: LinkClicks) => {
        const range = { from: START + 61_000, to: START + 181_000 };
        const { clicks, rules, undecided } = await answer(instance, range);
        const mobile = await instance.stats({ ...question, ...range, filters });
        const all = await instance.stats({ ...question, ...range });
        if (mobile.kind !== "stats" || all.kind !== "stats") throw new Error(mobile.kind);
        expect({ clicks, undecided }).toEqual({ clicks: all.total, undecided: 0 });
        expect(rules[0]).toEqual({ rule: "device=mobile", before: 0, after: mobile.total });
        const before = Object.fromEntries(rules.map((rule) => [rule.rule, rule.before]));
        for (const { key, clicks: counted } of all.buckets) expect(before[key], key).toBe(counted);
      });
      await evictDurableObject(object);
    }
  });

  test("5 many clicks are read over several calls of the object to itself, with one answer", async () => {
    const object = await objectWith(50);
    const readPart = vi.spyOn(LinkClicks.prototype, "readPart");
    const first = await object.backtest(REQUEST);
    expect(first).toMatchObject({ kind: "backtested", clicks: 50 * 4_096 });
    expect(readPart).toHaveBeenCalledTimes(1);
    // From packed blocks.
    expect(await object.backtest(REQUEST)).toEqual(first);
    expect(readPart).toHaveBeenCalledTimes(2);
  });

  test("5 an erased link is answered like one without clicks", async () => {
    const object = await objectWith(50);
    await runInDurableObject(object, async (instance: LinkClicks) => {
      const asked = [1, 2].map(() => answer(instance));
      await instance.erase({ ...tombstoneOf(LINK), revision: 2 });
      for (const { clicks, moved, samples } of await Promise.all(asked)) {
        expect({ clicks, moved, samples }).toEqual({ clicks: 0, moved: 0, samples: [] });
      }
    });
  });

  test("5 many queries wait, more are rejected, and later ones are answered", async () => {
    const object = await objectWith(2);
    await runInDurableObject(object, async (instance: LinkClicks) => {
      const results = await Promise.all(Array.from({ length: 70 }, () => instance.backtest(REQUEST)));
      const answered = results.findIndex(({ kind }) => kind === "busy");
      expect(answered).toBeGreaterThan(0);
      expect(results.map(({ kind }) => kind)).toEqual(results.map((_, i) => (i < answered ? "backtested" : "busy")));
      expect(await instance.backtest(REQUEST)).toEqual(results[0]);
    });
  });

  test.for([
    ["that are not packed yet", 10],
    ["of packed blocks", 1_100],
  ] as const)("5 clicks %s whose time was raised are decided by the time of the visit", async ([, count]) => {
    const object = env.LINK_CLICKS.getByName(`tried.example/object-${++objects}`);
    const routing = [{ if: { after: new Date(START + 50_000).toISOString() }, to: "https://example.com/after" }];
    const link = { ...LINK, routing };
    // A click that another isolate sent earlier was visited later.
    for (const [id, at, rule] of [
      [1, START + 100_000, "0"],
      [2, START, ""],
    ] as const) {
      const clicks = packClicks(Array.from({ length: count }, () => ({ at, class: "human" as const, qr: "", rule })));
      await object.record({ id, linkId: link.id, revision: 1, snapshot: link, clicks });
    }
    for (let round = 0; round < 2; round++) {
      expect(await object.backtest({ ...REQUEST, routing })).toMatchObject({
        clicks: 2 * count,
        moved: 0,
        rules: [
          { before: count, after: count },
          { before: count, after: count },
        ],
      });
    }
  });

  test("5 a condition from a later release is not ignored", async () => {
    const object = await objectWith(1);
    const later = [{ if: { planet: "Mars" } as RoutingRule["if"], to: "https://example.com/" }];
    expect(await object.backtest({ ...REQUEST, routing: later })).toEqual({ kind: "unavailable" });
    const inNot = [{ if: { not: { planet: "Mars" } } as RoutingRule["if"], to: "https://example.com/" }];
    expect(await object.backtest({ ...REQUEST, routing: inNot })).toEqual({ kind: "unavailable" });
  });

  test("5 clicks of another link are not returned", async () => {
    const object = await objectWith(1);
    expect(await object.backtest({ ...REQUEST, linkId: "lnk_other" })).toEqual({ kind: "other_link" });
  });
});
