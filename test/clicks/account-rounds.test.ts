/** How the account's object reads past clicks, in steps between which it may be killed, and what it erases. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { MERGED_PIECE_CLICKS } from "../../src/clicks/account/account-log.ts";
import { AccountObject } from "../../src/clicks/account/account-object.ts";
import { ClickMerge } from "../../src/clicks/account/click-merge.ts";
import { AccountClicks } from "../../src/clicks/account-clicks.ts";
import { LinkClicks } from "../../src/clicks/link-clicks.ts";
import { DrawState } from "../../src/clicks/account/account-state.ts";
import { DRAW_CLICKS_MAX } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import type { AccountStatsQuestion, ClicksByLinkAnswer } from "../../src/core/clicks/protocol/account-object-rpc.ts";
import { deleteNews, readNews } from "../../src/store/links/account-statistics.ts";
import { addStatsNews } from "../../src/store/links/stats-news.ts";
import { OBJECT_CALLS_MAX } from "../../src/core/deployment/settings.ts";
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
  send,
} from "../support/account-of-links.ts";
import { eventually } from "../support/eventually.ts";
import { freezeClockAt } from "../support/clock.ts";
import { withDatabases } from "../support/link-databases.ts";
import { rowsOfObject } from "../support/stored-rows.ts";
import type { TestAccount } from "../support/test-accounts.ts";
import { watchDatabase } from "../support/watched-database.ts";

vi.setConfig({ testTimeout: 120_000 });

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function questionOf({ accountId }: TestAccount): AccountStatsQuestion {
  const request = { groupBy: "link" as const, from: 0, to: null, interval: null, timezone: "UTC", includeBots: true };
  return { accountId, mode: "live", tagChanges: null, request };
}

/** Uses the account's object as on Workers' Free plan, where an invocation may make few calls. */
function inFreeObject<T>(
  account: Account,
  work: (newObject: () => AccountObject, sql: SqlStorage) => Promise<T>,
): Promise<T> {
  const freeEnv: Env = { ...env, WORKERS_PLAN: "free" };
  return runInDurableObject(objectOf(account.owner), async (_, ctx) =>
    work(() => new AccountObject(ctx, freeEnv), ctx.storage.sql),
  );
}

/** Two links with clicks, after a first query. */
async function twoLinks() {
  const account = await Account.open();
  freezeClockAt(Date.now());
  await account.addLinks(2);
  const [link, other] = account.links;
  if (!link || !other) throw new Error("no links");
  await account.click(link, 4);
  await account.click(other, 1);
  await ask(account.owner);
  return { account, link, other };
}

describe("14 the first query", () => {
  test("14 reads past clicks in steps, and resumes where an object was killed", async () => {
    const account = await Account.open();
    const now = Date.now();
    freezeClockAt(now);
    await account.addLinks(100);
    for (const [i, link] of account.links.entries()) if (i % 3 === 0) await account.click(link, 1 + (i % 5));
    const draw = vi.spyOn(LinkClicks.prototype, "draw");
    await inFreeObject(account, async (newObject, sql) => {
      let object = newObject();
      const asked = object.stats(questionOf(account.owner));
      await eventually(() => DrawState.open(sql)?.members.pass === "fill", "the account takes part");
      for (let step = 1; ; step++) {
        const before = draw.mock.calls.length;
        await object.alarm();
        expect(draw.mock.calls.length - before).toBeLessThanOrEqual(OBJECT_CALLS_MAX.free);
        if (DrawState.open(sql)?.members.pass === "wait") break;
        expect(step).toBeLessThan(20);
        if (step !== 2) continue;
        object.close();
        object = newObject();
      }
      await asked;
    });
    expect(draw.mock.calls.length).toBeGreaterThan(100);
    await evict(objectOf(account.owner));
    expect(await account.expectAsLinks()).toBe(now + 1);
  });

  test("14 draws and merges a bounded number of clicks in each step, however many wait", async () => {
    const account = await Account.open();
    const now = Date.now();
    freezeClockAt(now);
    const found = await findLink(await account.addLink());
    const clicks = 32 * DRAW_CLICKS_MAX;
    for (let from = 0; from < clicks; from += DRAW_CLICKS_MAX) {
      // Few per instant: clicks of one instant are never split between two pieces.
      const at = (i: number) => now - 20_000 + Math.floor((from + i) / 32);
      const batch = (_: unknown, i: number) => ({ at: at(i), class: "human" as const, qr: "", rule: "" });
      await send(found, Array.from({ length: DRAW_CLICKS_MAX }, batch));
    }
    const draw = vi.spyOn(LinkClicks.prototype, "draw");
    const merge = vi.spyOn(ClickMerge.prototype, "step");
    const pieces = () => (draw.mock.calls.length * DRAW_CLICKS_MAX) / MERGED_PIECE_CLICKS + merge.mock.calls.length;
    const steps: number[] = [];
    await runInDurableObject(objectOf(account.owner), async (_, ctx) => {
      const object = new AccountObject(ctx, env);
      const asked = object.stats(questionOf(account.owner));
      await eventually(() => DrawState.open(ctx.storage.sql)?.members.pass === "fill", "the account takes part");
      for (let before = -1; before < pieces();) {
        before = pieces();
        await object.alarm();
        steps.push(pieces() - before);
      }
      await asked;
    });
    expect(Math.max(...steps)).toBeLessThanOrEqual(6);
    expect(steps.length).toBeGreaterThan(2);
    await evict(objectOf(account.owner));
    expect(clicksOf(await ask(account.owner))).toEqual({ [found.link.id]: clicks });
    const readPart = vi.spyOn(AccountClicks.prototype, "readPart");
    const filters = [{ grouping: "link" as const, values: [found.link.id] }];
    expect((await ask(account.owner, { filters })).total).toBe(clicks);
    expect(readPart).toHaveBeenCalledTimes(1);
  });

  test("14 reports its progress while past clicks cannot be read, and is right once they can", async () => {
    const account = await Account.open();
    const now = Date.now();
    freezeClockAt(now);
    await account.addLinks(4);
    for (const link of account.links) await account.click(link, 3);
    const [down] = account.links;
    vi.spyOn(LinkClicks.prototype, "draw").mockImplementation(async function (this: LinkClicks, request) {
      if (request.linkId === down?.id) throw new Error("fault: not drawn");
      return Reflect.apply(drawOriginal, this, [request]);
    });
    expect(await ask(account.owner)).toMatchObject({ asOf: 0, total: 0, progress: expect.closeTo(0.9) });
    vi.restoreAllMocks();
    freezeClockAt(now + 2 * MINUTE_MS);
    await runDurableObjectAlarm(objectOf(account.owner));
    expect(await account.expectAsLinks()).toBe(now + 2 * MINUTE_MS + 1);
  });

  test.for(["fill", "sweep"])(
    "14 links could not be drawn from for long in the pass %s: the answer is then as of now, not of the start",
    async (pass) => {
      const account = await Account.open();
      let now = Date.now();
      freezeClockAt(now);
      await account.addLinks(2);
      for (const link of account.links.slice(1)) await account.click(link, 3);
      if (pass === "sweep") await ask(account.owner);
      freezeClockAt((now += 2 * MINUTE_MS));
      vi.spyOn(LinkClicks.prototype, "draw").mockRejectedValue(new Error("fault: not drawn"));
      await ask(account.owner);
      vi.restoreAllMocks();
      await inFreeObject(account, async (_, sql) => expect(DrawState.open(sql)?.members.pass).toBe(pass));
      freezeClockAt((now += 10 * MINUTE_MS));
      expect(await account.expectAsLinks()).toBe(now + 1);
    },
  );

  test("14 misses no click of an isolate that has not learned of the participation yet", async () => {
    const account = await Account.open();
    const now = Date.now();
    freezeClockAt(now);
    await account.addLinks(3);
    const [early, late] = account.links;
    if (!early || !late) throw new Error("no links");
    const [foundEarly, foundLate] = [await findLink(early), await findLink(late)];
    await ask(account.owner);
    freezeClockAt(now + 9_000);
    await send(foundEarly, clicksAt(now + 8_000, 2));
    await evict(objectOfLink(early));
    freezeClockAt(now + MINUTE_MS);
    await ask(account.owner);
    // Resent for a minute.
    freezeClockAt(now + MINUTE_MS + 15_000);
    await send(foundLate, clicksAt(now + 9_000, 1));
    freezeClockAt(now + 3 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toEqual({ [early.id]: 2, [late.id]: 1 });
    await account.expectAsLinks();
  });
});

test("14 a round that began before participation ended does not end the first one after it", async () => {
  const { account, link, other } = await twoLinks();
  const now = Date.now();
  freezeClockAt(now + 2 * MINUTE_MS);
  await ask(account.owner);
  await account.click(link, 3);
  freezeClockAt(now + 4 * MINUTE_MS);
  const held = Promise.withResolvers<void>();
  const draw = vi.spyOn(LinkClicks.prototype, "draw").mockImplementation(async function (this: LinkClicks, request) {
    const drawn = await Reflect.apply(drawOriginal, this, [request]);
    await held.promise;
    return drawn;
  });
  const asked = ask(account.owner);
  await eventually(() => draw.mock.calls.length > 0, "a link is drawn from");
  const later = now + 32 * DAY_MS;
  freezeClockAt(later);
  await account.click(other, 2);
  const again = ask(account.owner);
  await runInDurableObject(objectOf(account.owner), (_, { storage }) =>
    eventually(() => DrawState.open(storage.sql)?.members.pass === "fill", "the account takes part again"),
  );
  held.resolve();
  await asked;
  expect(await again).toMatchObject({ asOf: later + 1 });
  expect(clicksOf(await ask(account.owner))).toEqual({ [link.id]: 7, [other.id]: 3 });
});

describe("14 an erased link", () => {
  test("14 leaves nothing in the account's object, even if it was announced and drawn in the meantime", async () => {
    const account = await Account.open();
    const now = Date.now();
    freezeClockAt(now);
    await account.addLinks(3);
    for (const link of account.links) await account.click(link, 40);
    await ask(account.owner);
    freezeClockAt(now + MINUTE_MS);
    const [link] = account.links;
    if (!link) throw new Error("no link");
    await account.click(link, 5);
    await account.erase(link);
    const stored = (await rowsOfObject(objectOf(account.owner))).join();
    expect(stored).not.toContain(link.id);
    expect(stored).toContain(account.links[0]?.id);
    await account.expectAsLinks();
    freezeClockAt(now + 3 * MINUTE_MS);
    expect(await account.expectAsLinks()).toBe(now + 3 * MINUTE_MS + 1);
  });

  const erase = async ({ owner }: Account, { id }: { id: string }) =>
    expect((await owner.call("DELETE", `/v1/links/${id}?erase=true`)).status).toBe(204);

  test("14 is not drawn from once its DELETE has answered, though its object has clicks for another minute", async () => {
    const { account, link, other } = await twoLinks();
    const now = Date.now();
    await erase(account, link);
    expect(clicksOf(await ask(account.owner))).toEqual({ [other.id]: 1 });
    await account.click(link, 3);
    await account.click(other, 2);
    await evict(objectOf(account.owner));
    const draw = vi.spyOn(LinkClicks.prototype, "draw");
    for (const minutes of [2, 4]) {
      freezeClockAt(now + minutes * MINUTE_MS);
      const answer = await ask(account.owner);
      expect([answer.asOf, clicksOf(answer)]).toEqual([now + minutes * MINUTE_MS + 1, { [other.id]: 3 }]);
    }
    expect(draw.mock.calls.map(([{ linkId }]) => linkId)).toContain(other.id);
    expect(draw.mock.calls.map(([{ linkId }]) => linkId)).not.toContain(link.id);
    expect((await rowsOfObject(objectOf(account.owner))).join()).not.toContain(link.id);
  });

  test("14 whose DELETE answers while its clicks are drawn is in no answer to a later query", async () => {
    const { account, link, other } = await twoLinks();
    await account.click(link, 3);
    freezeClockAt(Date.now() + 2 * MINUTE_MS);
    const deleted = Promise.withResolvers<void>();
    const draw = vi.spyOn(LinkClicks.prototype, "draw").mockImplementation(async function (this: LinkClicks, request) {
      const drawn = await Reflect.apply(drawOriginal, this, [request]);
      if (request.linkId === link.id) await deleted.promise;
      return drawn;
    });
    const asked = ask(account.owner);
    await eventually(() => draw.mock.calls.some(([{ linkId }]) => linkId === link.id), "the link is drawn from");
    await erase(account, link);
    const later = ask(account.owner);
    deleted.resolve();
    expect(clicksOf(await later)).toEqual({ [other.id]: 1 });
    await asked;
    expect(clicksOf(await ask(account.owner))).toEqual({ [other.id]: 1 });
  });

  test("14 that is announced to the account's object at the same time is left out by the next query", async () => {
    const { account, link, other } = await twoLinks();
    const reference = { accountId: account.owner.accountId, mode: "live" } as const;
    await addStatsNews(env, link);
    const news = await readNews(env, reference);
    expect([news.links.map(({ id }) => id), news.erased]).toEqual([[link.id], []]);
    await erase(account, link);
    await deleteNews(env, reference, news);
    expect((await readNews(env, reference)).erased).toEqual([link.id]);
    expect(clicksOf(await ask(account.owner))).toEqual({ [other.id]: 1 });
    expect(await readNews(env, reference)).toMatchObject({ links: [], erased: [] });
  });

  test("14 of an account without requested statistics writes nothing in the database but the erasure", async () => {
    const account = await Account.open();
    const link = await account.addLink();
    await erase(account, link);
    const { accountId } = account.owner;
    expect(await readNews(env, { accountId, mode: "live" })).toMatchObject({ links: [], erased: [] });
  });

  test("14 of an account without requested statistics writes nothing in the account's object", async () => {
    const account = await Account.open();
    const link = await account.addLink();
    await account.click(link, 1);
    await account.erase(link);
    expect(await rowsOfObject(objectOf(account.owner))).toEqual([]);
  });
});

describe("14 a link that could announce its clicks only to the database", () => {
  const isNewsGone = async ({ owner: { accountId } }: Account) =>
    (await readNews(env, { accountId, mode: "live" })).links.length === 0;
  const refuseAnnouncements = () =>
    vi.spyOn(AccountClicks.prototype, "announce").mockRejectedValue(new Error("fault: not noted"));

  test("14 after it was drawn is drawn by the next round, even if the news was read before that draw was stored", async () => {
    const { account, link, other } = await twoLinks();
    const now = Date.now();
    freezeClockAt(now + 2 * MINUTE_MS);
    await ask(account.owner);
    for (const each of account.links) await account.click(each, 3);
    freezeClockAt(now + 4 * MINUTE_MS);
    const held = Promise.withResolvers<void>();
    let isDrawn = false;
    vi.spyOn(LinkClicks.prototype, "draw").mockImplementation(async function (this: LinkClicks, request) {
      const drawn = await Reflect.apply(drawOriginal, this, [request]);
      isDrawn ||= request.linkId === link.id;
      if (request.linkId === other.id) await held.promise;
      return drawn;
    });
    const asked = ask(account.owner);
    await eventually(() => isDrawn, "the link is drawn from");
    const announce = refuseAnnouncements();
    await account.click(link, 5);
    announce.mockRestore();
    const later = ask(account.owner);
    await eventually(() => isNewsGone(account), "the news are read");
    held.resolve();
    await Promise.all([asked, later]);
    freezeClockAt(now + 6 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toEqual({ [link.id]: 12, [other.id]: 4 });
  });

  test("14 while news that was read before is deleted is still drawn", async () => {
    const { account, link, other } = await twoLinks();
    const now = Date.now();
    freezeClockAt(now + 2 * MINUTE_MS);
    await ask(account.owner);
    refuseAnnouncements();
    await account.click(link, 3);
    freezeClockAt(now + 4 * MINUTE_MS);
    await runInDurableObject(objectOf(account.owner), async (_, ctx) => {
      let deletions = 0;
      const watched = withDatabases(env, (database) =>
        watchDatabase(database, async ([statement], execute) => {
          if (!statement?.sql.startsWith("DELETE FROM stats_news") || deletions++ > 0) return execute();
          await object.alarm();
          await account.click(link, 5);
          return execute();
        }),
      );
      const object = new AccountObject(ctx, watched);
      await object.stats(questionOf(account.owner));
      expect(deletions).toBeGreaterThan(1);
    });
    vi.restoreAllMocks();
    await evict(objectOf(account.owner));
    freezeClockAt(now + 6 * MINUTE_MS);
    expect(clicksOf(await ask(account.owner))).toEqual({ [link.id]: 12, [other.id]: 1 });
  });
});

describe("14 links in the order of their clicks", () => {
  test("14 come in pages, the newest first among equal counts, counting only human clicks", async () => {
    const account = await Account.open();
    freezeClockAt(Date.now());
    await account.addLinks(7);
    for (const [i, link] of account.links.entries()) {
      for (let n = 0; n < 1 + (i % 3); n++) await account.click(link, 10);
    }
    const { buckets } = await ask(account.owner, { includeBots: false });
    const expected = buckets
      .map(({ key: id, clicks }) => ({ id, clicks }))
      .sort((one, other) => other.clicks - one.clicks || (one.id < other.id ? 1 : -1));
    const { accountId } = account.owner;
    const listed = [];
    for (let after = null, hasMore = true; hasMore;) {
      const page: ClicksByLinkAnswer = await objectOf(account.owner).clicksByLink({
        accountId,
        mode: "live",
        after,
        limit: 2,
      });
      if (page.kind !== "links") throw new Error(page.kind);
      listed.push(...page.links);
      hasMore = page.hasMore;
      after = page.links.at(-1) ?? null;
    }
    expect(listed).toEqual(expected);
  });
});

test("14 tags are the current ones: read again once their counter has grown", async () => {
  const account = await Account.open();
  freezeClockAt(Date.now());
  const link = await account.addLink();
  const other = await account.addLink();
  await account.click(link, 2);
  await account.click(other, 3);
  const byTag = async (tagChanges: number) => {
    const { request, ...question } = questionOf(account.owner);
    const answer = await objectOf(account.owner).stats({
      ...question,
      tagChanges,
      request: { ...request, groupBy: "tag" },
    });
    return answer.kind === "stats" ? clicksOf(answer) : answer.kind;
  };
  expect(await byTag(0)).toEqual({ none: 5 });
  await account.owner.call("PATCH", `/v1/links/${link.id}`, { tags: ["Spring", "print"] });
  expect(await byTag(1)).toEqual({ spring: 2, print: 2, none: 3 });
  await account.owner.call("PATCH", `/v1/links/${other.id}`, { tags: ["Spring"] });
  expect(await byTag(2)).toEqual({ spring: 5, print: 2 });
});

const drawOriginal = Reflect.get(LinkClicks.prototype, "draw");
