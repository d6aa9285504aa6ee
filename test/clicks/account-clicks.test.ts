/**
 * The object of an account's clicks with real link objects: its answers are compared with the sum of the links'
 * answers. Randomness is seeded, so failures are reproducible.
 */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { AccountClicks } from "../../src/clicks/account-clicks.ts";
import { TagCache } from "../../src/clicks/account/account-state.ts";
import { LinkClicks } from "../../src/clicks/link-clicks.ts";
import { ScanQueue } from "../../src/clicks/scan-queue.ts";
import type { AccountStatsRequest } from "../../src/core/clicks/counting/stats.ts";
import { GROUPINGS, INTERVALS } from "../../src/core/clicks/counting/groupings.ts";
import { changeLinks, queryLinks } from "../support/link-databases.ts";
import {
  Account,
  ask,
  clicksAt,
  clicksOf,
  DAY_MS,
  evict,
  findLink,
  MINUTE_MS,
  objectOf,
  objectOfLink,
  SECOND_MS,
  send,
} from "../support/account-of-links.ts";
import { freezeClockAt } from "../support/clock.ts";
import { randomElement, randomInteger, seededRandom } from "../support/seeded-random.ts";
import { rowsOfObject } from "../support/stored-rows.ts";

vi.setConfig({ testTimeout: 120_000 });

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function anyRequest(chance: () => number, asOf: number): Partial<AccountStatsRequest> {
  const anyTime = () => asOf - randomInteger(chance, 10 * MINUTE_MS) + randomInteger(chance, MINUTE_MS);
  const [from = 0, to = 0] = [anyTime(), anyTime()].sort((one, other) => one - other);
  return {
    groupBy: chance() < 0.5 ? "link" : randomElement(chance, GROUPINGS),
    from: chance() < 0.3 ? 0 : from,
    to: chance() < 0.3 ? null : to,
    includeBots: chance() < 0.5,
    ...(chance() < 0.5 && from > 0 ? { from, interval: randomElement(chance, INTERVALS) } : {}),
  };
}

describe("14 an account's clicks", () => {
  test.for([1, 2, 3, 4, 5, 6])(
    "14 equal those of its links, whatever happens to links and objects in the meantime, chance %i",
    async (seed) => {
      const chance = seededRandom(seed);
      const account = await Account.open();
      let now = Date.now();
      for (let i = 0; i < 6; i++) await account.addLink();
      let asOf = 0;
      for (let step = 0; step < 60; step++) {
        now += randomInteger(chance, 25 * SECOND_MS);
        freezeClockAt(now);
        const link = randomElement(chance, account.links);
        const what = chance();
        if (what < 0.55) await account.click(link, 1 + randomInteger(chance, 60), randomInteger(chance, 25));
        else if (what < 0.6) await account.addLink();
        else if (what < 0.63 && account.links.length > 3) await account.erase(link);
        else if (what < 0.75) await evict(objectOfLink(link));
        else if (what < 0.8) await evict(objectOf(account.owner));
        else {
          const asked = anyRequest(chance, now);
          const next = await account.expectAsLinks(asked);
          expect(next).toBeGreaterThanOrEqual(asOf);
          if (asked.to === null || asked.to === undefined) expect(now - next).toBeLessThanOrEqual(MINUTE_MS);
          asOf = next;
        }
      }
      freezeClockAt((now += 2 * MINUTE_MS));
      expect(await account.expectAsLinks()).toBe(now + 1);
      for (const groupBy of GROUPINGS) await account.expectAsLinks({ groupBy });
    },
  );
});

describe("14 participation in account statistics", () => {
  test("14 costs a link nothing if the account's statistics are not requested: no call, no row", async () => {
    const announce = vi.spyOn(AccountClicks.prototype, "announce");
    const account = await Account.open();
    const link = await account.addLink();
    await account.click(link, 1);
    await account.click(link, 50);
    expect(announce).not.toHaveBeenCalled();
    expect((await rowsOfObject(objectOfLink(link))).filter((row) => row.startsWith("table"))).toEqual([
      "table batches",
    ]);
    expect(await rowsOfObject(objectOf(account.owner))).toEqual([]);
    expect((await findLink(link)).statsSince).toBe(0);
  });

  test("14 costs a link one call per draw, however many clicks follow", async () => {
    const announce = vi.spyOn(AccountClicks.prototype, "announce");
    const draw = vi.spyOn(LinkClicks.prototype, "draw");
    const account = await Account.open();
    const [link, other] = [await account.addLink(), await account.addLink()];
    let now = Date.now();
    freezeClockAt(now);
    await account.click(link, 3);
    await ask(account.owner);
    freezeClockAt((now += MINUTE_MS + 1));
    await ask(account.owner);
    announce.mockClear();
    draw.mockClear();
    for (let i = 0; i < 5; i++) await account.click(link, 1);
    await Promise.all(Array.from({ length: 5 }, () => account.click(link, 50)));
    expect(announce).toHaveBeenCalledTimes(1);
    freezeClockAt((now += MINUTE_MS + 1));
    expect(clicksOf(await ask(account.owner))).toEqual({ [link.id]: 258 });
    expect(draw).toHaveBeenCalledTimes(1);
    await account.click(other, 1);
    await account.click(other, 1);
    expect(announce).toHaveBeenCalledTimes(2);
  });

  test("14 counts the clicks once for the same questions at the same time, and again for others", async () => {
    const account = await Account.open();
    const [link, other] = [await account.addLink(), await account.addLink()];
    let now = Date.now();
    freezeClockAt(now);
    await account.click(link, 3);
    await account.click(other, 4);
    await ask(account.owner);
    freezeClockAt((now += MINUTE_MS + 1));
    await ask(account.owner);
    const gate = Promise.withResolvers<void>();
    const asked = vi.spyOn(TagCache.prototype, "tagsOf");
    const run = ScanQueue.prototype.run;
    const runs = vi.spyOn(ScanQueue.prototype, "run").mockImplementation(async function (this: ScanQueue, scan) {
      await gate.promise;
      return Reflect.apply(run, this, [scan]) as never;
    });
    const filtered = (id: string) => ({ filters: [{ grouping: "link" as const, values: [id] }] });
    const answers = [link.id, link.id, other.id, link.id].map((id) => ask(account.owner, filtered(id)));
    await vi.waitUntil(() => asked.mock.calls.length === 4, { timeout: 60_000 });
    gate.resolve();
    expect((await Promise.all(answers)).map(clicksOf)).toEqual(
      [link.id, link.id, other.id, link.id].map((id) => ({ [id]: id === link.id ? 3 : 4 })),
    );
    expect(runs).toHaveBeenCalledTimes(2);
    // An answer is not kept: the clicks may have changed.
    await account.erase(link);
    expect(clicksOf(await ask(account.owner, filtered(link.id)))).toEqual({});
  });

  test("14 ends thirty days after the last query, after which links announce no clicks", async () => {
    const account = await Account.open();
    const link = await account.addLink();
    let now = Date.now();
    freezeClockAt(now);
    await account.click(link, 1);
    await ask(account.owner);
    freezeClockAt((now += MINUTE_MS + 1));
    await ask(account.owner);
    freezeClockAt((now += 30 * DAY_MS + MINUTE_MS));
    await runDurableObjectAlarm(objectOf(account.owner));
    const announce = vi.spyOn(AccountClicks.prototype, "announce");
    const draw = vi.spyOn(LinkClicks.prototype, "draw");
    for (let i = 0; i < 3; i++) await account.click(link, 1);
    await evict(objectOfLink(link));
    await account.click(link, 1);
    expect(announce).toHaveBeenCalledTimes(1);
    freezeClockAt((now += DAY_MS));
    expect((await findLink(link)).statsSince).toBe(0);
    expect(draw).not.toHaveBeenCalled();
    expect(clicksOf(await ask(account.owner))).toEqual({ [link.id]: 5 });
  });
});

describe("14 while a component does not answer", () => {
  /** An account whose clicks are drawn and whose links have nothing to announce. */
  async function knownAccount() {
    const account = await Account.open();
    const [link, other] = [await account.addLink(), await account.addLink()];
    let now = Date.now();
    freezeClockAt(now);
    await account.click(link, 2);
    await account.click(other, 1);
    await ask(account.owner);
    freezeClockAt((now += MINUTE_MS + 1));
    await ask(account.owner);
    return { account, link, other, now };
  }

  test("14 a link's object holds back as_of, which the answer shows; afterwards everything is right", async () => {
    const { account, link, other, now } = await knownAccount();
    await account.click(link, 10);
    await account.click(other, 10);
    vi.spyOn(LinkClicks.prototype, "draw").mockImplementation(async function (this: LinkClicks, request) {
      if (request.linkId === link.id) throw new Error("fault: not drawn");
      return Reflect.apply(drawOriginal, this, [request]);
    });
    freezeClockAt(now + 2 * MINUTE_MS);
    const during = await ask(account.owner);
    expect(during).toMatchObject({ asOf: now + 1, total: 3 });
    expect(during).not.toHaveProperty("progress");
    vi.restoreAllMocks();
    freezeClockAt(now + 3 * MINUTE_MS);
    expect(await account.expectAsLinks()).toBe(now + 3 * MINUTE_MS + 1);
  });

  test("14 an announcement that the account's object does not accept is made through the database", async () => {
    const { account, link, now } = await knownAccount();
    vi.spyOn(AccountClicks.prototype, "announce").mockRejectedValue(new Error("fault: not noted"));
    await account.click(link, 10);
    vi.restoreAllMocks();
    freezeClockAt(now + 2 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toMatchObject({ [link.id]: 12 });
    expect(await queryLinks(env, "SELECT * FROM stats_news WHERE link_id = ?1", link.id)).toEqual([]);
    freezeClockAt(now + 4 * MINUTE_MS);
    await account.expectAsLinks();
  });

  test("14 the database hides from a sender that the account participates: a link that was drawn still announces its clicks", async () => {
    const { account, link, now } = await knownAccount();
    const unclicked = await account.addLink();
    await send({ ...(await findLink(link)), statsSince: null }, clicksAt(now, 4));
    await send({ ...(await findLink(unclicked)), statsSince: null }, clicksAt(now, 2));
    freezeClockAt(now + 2 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toMatchObject({ [link.id]: 6, [unclicked.id]: 2 });
  });

  test("14 clicks announced through the database are dated after any answer in their millisecond", async () => {
    const { account, link, other, now } = await knownAccount();
    const { asOf } = await ask(account.owner);
    vi.spyOn(AccountClicks.prototype, "announce").mockRejectedValue(new Error("fault: not noted"));
    await account.click(link, 3);
    vi.restoreAllMocks();
    freezeClockAt(now + 2 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toEqual({ [link.id]: 5, [other.id]: 1 });
    expect(clicksOf(await ask(account.owner, { to: asOf }))).toEqual({ [link.id]: 2, [other.id]: 1 });
  });

  test("14 clicks that could be announced nowhere are still stored, and found once the alarm has announced them", async () => {
    const { account, link, now } = await knownAccount();
    vi.spyOn(AccountClicks.prototype, "announce").mockRejectedValue(new Error("fault: not noted"));
    await changeLinks(env, "ALTER TABLE stats_news RENAME TO stats_news_away");
    await account.click(link, 10);
    await account.click(link, 5);
    await changeLinks(env, "ALTER TABLE stats_news_away RENAME TO stats_news");
    vi.restoreAllMocks();
    await evict(objectOfLink(link));
    expect(await runDurableObjectAlarm(objectOfLink(link))).toBe(true);
    freezeClockAt(now + 2 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toMatchObject({ [link.id]: 17 });
  });
});

const drawOriginal = Reflect.get(LinkClicks.prototype, "draw");
