/**
 * The object of an account's clicks with real objects of links: what it answers is compared with the sum of what the
 * links answer. Chance is seeded, so a failure comes again.
 */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { AccountClicks } from "../../src/clicks/account-clicks.ts";
import { LinkClicks } from "../../src/clicks/link-clicks.ts";
import type { AccountStatsAnswer } from "../../src/core/clicks/account-object-rpc.ts";
import type { AccountStatsRequest } from "../../src/core/clicks/account-stats.ts";
import { GROUPINGS, INTERVALS } from "../../src/core/clicks/groupings.ts";
import type { Click } from "../support/pack-clicks.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { type LinkSnapshot, addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import { eraseFromAccountClicks } from "../../src/store/account-object-client.ts";
import { eraseLinkObject, readStats, recordBatch } from "../../src/store/link-object-client.ts";
import { type FoundLink, findLinksByAddress } from "../../src/store/links/links-by-address.ts";
import { ClickMix } from "../bench/click-mix.ts";
import { freezeClockAt } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import { packClicks } from "../support/pack-clicks.ts";
import { randomElement, randomInteger, seededRandom } from "../support/seeded-random.ts";
import { rowsOfObject } from "../support/stored-rows.ts";
import { premiumAccount, type TestAccount } from "../support/test-accounts.ts";

vi.setConfig({ testTimeout: 120_000 });

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 1_440 * MINUTE_MS;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const QUESTION: AccountStatsRequest = {
  groupBy: "link",
  from: 0,
  to: null,
  interval: null,
  timezone: "UTC",
  includeBots: true,
};

const objectOf = ({ accountId }: TestAccount) => env.ACCOUNT_CLICKS.getByName(feedName(accountId, "live"));
const objectOfLink = ({ domain, slug }: LinkSnapshot) => env.LINK_CLICKS.getByName(addressObjectName(domain, slug));

async function ask(account: TestAccount, request: Partial<AccountStatsRequest> = {}) {
  const { accountId } = account;
  const question = { accountId, mode: "live" as const, tagChanges: null, request: { ...QUESTION, ...request } };
  const answer: AccountStatsAnswer = await objectOf(account).stats(question);
  if (answer.kind !== "stats") throw new Error(`answered ${answer.kind}`);
  return answer;
}

/** Loses what an object has in memory, when it runs. */
async function evict(object: DurableObjectStub): Promise<void> {
  await evictDurableObject(object).catch((error: unknown) => {
    if (!String(error).includes("not currently running")) throw error;
  });
}

const clicksOf = ({ buckets }: { buckets: { key: string; clicks: number }[] }) =>
  Object.fromEntries(buckets.map(({ key, clicks }) => [key, clicks]));

async function findLink({ domain, slug }: Pick<Link, "domain" | "slug">): Promise<FoundLink> {
  const key = { name: addressObjectName(domain, slug), domain, slug };
  const found = (await findLinksByAddress(env, [key], "first-primary")).get(key.name);
  if (!found) throw new Error("no link");
  return found;
}

let batches = 0;

/** Clicks as an isolate sends them that has read the link before. */
async function send({ link, statsSince }: FoundLink, clicks: readonly Click[]): Promise<void> {
  const batch = { id: ++batches, revision: link.revision, clicks: packClicks(clicks), snapshot: link };
  const { kind } = await recordBatch(env, link, statsSince === 0 ? batch : { ...batch, statsSince });
  expect(kind).toBe("recorded");
}

const mix = new ClickMix();

function clicksAt(at: number, count: number): Click[] {
  return mix.batch(at, count).map((click) => ({ ...click, at: Math.min(click.at, Date.now()), rule: "" }));
}

/** Links of an account, what isolates know of them, and the clock. */
class Account {
  readonly owner: TestAccount;
  readonly links: LinkSnapshot[] = [];
  /** As an isolate has cached it, and when, epoch ms. */
  readonly #cached = new Map<string, { found: FoundLink; readAt: number }>();

  static async open(): Promise<Account> {
    return new Account(await premiumAccount());
  }

  private constructor(owner: TestAccount) {
    this.owner = owner;
  }

  async addLink(): Promise<LinkSnapshot> {
    const { link } = await findLink(await this.owner.createLink());
    this.links.push(link);
    return link;
  }

  /** Isolates read a link at most every ten seconds, and send clicks some seconds later. */
  async click(link: LinkSnapshot, count: number, secondsLate = 0): Promise<void> {
    const now = Date.now();
    const cached = this.#cached.get(link.id);
    const entry =
      cached && now - cached.readAt < 10 * SECOND_MS ? cached : { found: await findLink(link), readAt: now };
    this.#cached.set(link.id, entry);
    await send(entry.found, clicksAt(now - secondsLate * SECOND_MS, count));
  }

  async erase(link: LinkSnapshot): Promise<void> {
    this.links.splice(this.links.indexOf(link), 1);
    await eraseLinkObject(env, { ...link, state: "deleted" });
    await eventually(async () => {
      const [{ status }] = await Promise.allSettled([eraseFromAccountClicks(env, link)]);
      // By the clock of the test its time has come.
      if (status === "rejected") await runDurableObjectAlarm(objectOf(this.owner));
      return status === "fulfilled";
    }, "the link is erased");
  }

  /** The sum of what the links answer themselves. */
  async expectAsLinks(request: Partial<AccountStatsRequest> = {}): Promise<number> {
    const answer = await ask(this.owner, request);
    const { groupBy, ...rest } = { ...QUESTION, ...request, to: answer.to };
    const byLink = new Map<string, number>();
    const sums = new Map<string, number>();
    const series = new Map<number, number>(answer.series.map(({ start }) => [start, 0]));
    for (const link of this.links) {
      const grouping = groupBy === "link" || groupBy === "tag" || groupBy === "domain" ? "country" : groupBy;
      const { filters: _, ...question } = rest;
      const stats = await readStats(env, link, { ...question, groupBy: grouping });
      if (stats.kind !== "stats") throw new Error(stats.kind);
      if (stats.total > 0) byLink.set(link.id, stats.total);
      for (const { key, clicks } of stats.buckets) sums.set(key, (sums.get(key) ?? 0) + clicks);
      for (const { start, clicks } of stats.series) series.set(start, (series.get(start) ?? 0) + clicks);
    }
    expect(clicksOf(answer), JSON.stringify(request)).toEqual(Object.fromEntries(groupBy === "link" ? byLink : sums));
    expect(answer.series).toEqual([...series].map(([start, clicks]) => ({ start, clicks })));
    expect(answer.total).toBe([...byLink.values()].reduce((sum, n) => sum + n, 0));
    return answer.asOf;
  }
}

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
    "14 are those of its links, whatever happens to links and objects meanwhile, chance %i",
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
      expect(await account.expectAsLinks()).toBe(now);
      for (const groupBy of GROUPINGS) await account.expectAsLinks({ groupBy });
    },
  );
});

describe("14 taking part", () => {
  test("14 costs a link of an account that nobody asks about nothing: no call, no row", async () => {
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

  test("14 is one call of a link for each draw, however many clicks follow", async () => {
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

  test("14 ends thirty days after the last question, and links fall silent", async () => {
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

describe("14 while something does not answer", () => {
  /** An account whose clicks are known, and whose links are silent. */
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

  test("14 a link's object keeps as_of where it is, and the answer says so; afterwards nothing is wrong", async () => {
    const { account, link, other, now } = await knownAccount();
    await account.click(link, 10);
    await account.click(other, 10);
    vi.spyOn(LinkClicks.prototype, "draw").mockImplementation(async function (this: LinkClicks, request) {
      if (request.linkId === link.id) throw new Error("fault: not drawn");
      return Reflect.apply(drawOriginal, this, [request]);
    });
    freezeClockAt(now + 2 * MINUTE_MS);
    const during = await ask(account.owner);
    expect(during).toMatchObject({ asOf: now, total: 3 });
    vi.restoreAllMocks();
    freezeClockAt(now + 3 * MINUTE_MS);
    expect(await account.expectAsLinks()).toBe(now + 3 * MINUTE_MS);
  });

  test("14 an announcement that the account's object does not take goes through the database", async () => {
    const { account, link, now } = await knownAccount();
    vi.spyOn(AccountClicks.prototype, "announce").mockRejectedValue(new Error("fault: not noted"));
    await account.click(link, 10);
    vi.restoreAllMocks();
    freezeClockAt(now + 2 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toMatchObject({ [link.id]: 12 });
    expect((await env.DB.prepare("SELECT * FROM stats_news WHERE link_id = ?1").bind(link.id).all()).results).toEqual(
      [],
    );
    freezeClockAt(now + 4 * MINUTE_MS);
    await account.expectAsLinks();
  });

  test("14 clicks that nobody could be told of are stored all the same, and found once the alarm has told", async () => {
    const { account, link, now } = await knownAccount();
    vi.spyOn(AccountClicks.prototype, "announce").mockRejectedValue(new Error("fault: not noted"));
    await env.DB.exec("ALTER TABLE stats_news RENAME TO stats_news_away");
    await account.click(link, 10);
    await account.click(link, 5);
    await env.DB.exec("ALTER TABLE stats_news_away RENAME TO stats_news");
    vi.restoreAllMocks();
    await evict(objectOfLink(link));
    expect(await runDurableObjectAlarm(objectOfLink(link))).toBe(true);
    freezeClockAt(now + 2 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toMatchObject({ [link.id]: 17 });
  });
});

const drawOriginal = Reflect.get(LinkClicks.prototype, "draw");
