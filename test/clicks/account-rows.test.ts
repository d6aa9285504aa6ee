/** Billed rows of participation in account statistics, besides the requests of one announcement and one draw. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { AccountObject } from "../../src/clicks/account/account-object.ts";
import { drawClicks } from "../../src/clicks/click-draw.ts";
import { LinkHistory } from "../../src/clicks/link-history.ts";
import { Account, clicksAt, MINUTE_MS, objectOf, objectOfLink } from "../support/account-of-links.ts";
import { freezeClockAt } from "../support/clock.ts";
import { packClicks } from "../support/pack-clicks.ts";

/** Numbers of links, and of clicks for each. */
const ROUNDS = [
  [1, 1],
  [1, 50],
  [10, 1],
  [10, 50],
] as const;

afterEach(() => {
  vi.useRealTimers();
});

/** The state of an object whose SQLite counts the rows that it writes. */
function metered(ctx: DurableObjectState) {
  const cursors: { rowsWritten: number }[] = [];
  const { storage } = ctx;
  const exec: SqlStorage["exec"] = (query, ...bindings) => {
    const cursor = storage.sql.exec(query, ...bindings);
    cursors.push(cursor);
    return cursor as never;
  };
  const counted = Object.create(storage, {
    sql: { value: { exec } },
    transactionSync: { value: (work: () => unknown) => storage.transactionSync(work) },
    getAlarm: { value: () => storage.getAlarm() },
    setAlarm: { value: (at: number) => storage.setAlarm(at) },
  }) as DurableObjectStorage;
  const state = Object.create(ctx, {
    storage: { value: counted },
    waitUntil: { value: (work: Promise<unknown>) => ctx.waitUntil(work) },
    getWebSockets: { value: () => [] },
  }) as DurableObjectState;
  return { state, rows: () => cursors.splice(0).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0) };
}

test("14 participation writes two rows in a link's object for each draw, and none without one", async () => {
  const account = await Account.open();
  const link = await account.addLink();
  await runInDurableObject(objectOfLink(link), async (_, ctx) => {
    const { state, rows } = metered(ctx);
    const history = new LinkHistory(state, env);
    let id = 0;
    const record = async (count: number, statsSince?: number) => {
      const clicks = packClicks(clicksAt(Date.now(), count));
      const batch = { id: ++id, revision: link.revision, clicks, snapshot: link };
      const sent = statsSince === undefined ? batch : { ...batch, statsSince };
      await history.notifyAccount(sent);
      rows();
      history.record(sent);
      return rows();
    };
    const draw = (before: number) => {
      rows();
      history.draw({ from: 0, before, maxBytes: 1_000_000 }, drawClicks);
      return rows();
    };
    await record(1);
    const since = Date.now();
    const alone = { quiet: await record(1), first: await record(1, since), later: await record(1, since) };
    draw(Date.now() + 1);
    const drawn = draw(Date.now() + 10);
    const batch = { first: await record(50, since), later: await record(50, since) };
    // The first row of its times creates their table.
    expect(alone).toEqual({ quiet: 1, first: 4, later: 1 });
    expect(drawn).toBe(1);
    expect(batch).toEqual({ first: 2, later: 1 });
  });
});

test("14 a round writes two rows in the account's object for each link with clicks, and six more", async () => {
  const account = await Account.open();
  await account.addLinks(10);
  let now = Date.now();
  freezeClockAt(now);
  for (const link of account.links) await account.click(link, 50);
  const request = {
    groupBy: "country" as const,
    from: 0,
    to: null,
    interval: null,
    timezone: "UTC",
    includeBots: true,
  };
  const question = { accountId: account.owner.accountId, mode: "live" as const, tagChanges: null, request };
  await objectOf(account.owner).stats(question);
  freezeClockAt((now += MINUTE_MS + 2));
  await objectOf(account.owner).stats(question);
  for (const [links, clicks] of ROUNDS) {
    await runInDurableObject(objectOf(account.owner), async (_, ctx) => {
      const { state, rows } = metered(ctx);
      freezeClockAt((now += MINUTE_MS + 2));
      const object = new AccountObject(state, env);
      rows();
      for (const { id, domain, slug } of account.links.slice(0, links)) {
        object.announce({ accountId: account.owner.accountId, mode: "live", link: { id, domain, slug } });
      }
      expect(rows()).toBe(links);
      for (const link of account.links.slice(0, links)) await account.click(link, clicks);
      freezeClockAt((now += MINUTE_MS + 2));
      await object.stats(question);
      expect(rows()).toBe(2 * links + 6);
      await object.stats(question);
      expect(rows()).toBe(0);
    });
  }
});
