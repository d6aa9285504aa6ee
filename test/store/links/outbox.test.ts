/** A link's object that missed a change is notified later, whatever failed in between. */
import { createScheduledController, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { LinkClicks } from "../../../src/clicks/link-clicks.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { MaintenanceRuns, wakeIfDue } from "../../../src/maintenance/run-maintenance.ts";
import { setLinkDisabled } from "../../../src/store/links/operator-links.ts";
import { linkDatabases, onlyDatabase } from "../../../src/store/directory/databases.ts";
import { deliverDue, nextDeliveryAt } from "../../../src/store/links/outbox.ts";
import worker from "../../../src/worker.ts";
import { withInterruptions } from "../../support/interrupted-databases.ts";
import { changeLinks, databaseOfLink, fourDatabases, queryLinks, withDatabases } from "../../support/link-databases.ts";
import { callerOf, linksInEach } from "../../support/spread-links.ts";
import { type TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { maintainUntilIdle } from "../../support/maintenance-runs.ts";
import { withRowCount } from "../../support/rows-read.ts";

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  // Each test runs pieces itself: none of the previous test may still be waiting.
  await runInDurableObject(maintenance(), (_, { storage }) => storage.deleteAlarm());
  await changeLinks(env, "DELETE FROM link_outbox");
});

const waiting = (ann: TestAccount) =>
  queryLinks<{ link_id: string; revision: number; due_at: number; tries: number }>(
    env,
    "SELECT link_id, revision, due_at, tries FROM link_outbox WHERE account_id = ?1",
    ann.accountId,
  );

const objectOf = (link: Link) => env.LINK_CLICKS.getByName(addressObjectName(link.domain, link.slug));
const maintenance = () => env.MAINTENANCE.getByName("maintenance");

/** A link whose object stores a snapshot, as for every visited link. */
async function visitedLink(ann: TestAccount): Promise<Link> {
  const link = await ann.createLink();
  await visit(link.short_url);
  await ann.waitForClicks(1, link);
  return link;
}

/** Runs the minute's cron job. Tests wait for the pieces of work that it begins by their effects. */
const aMinute = () => worker.scheduled(createScheduledController({ cron: "* * * * *" }), env);

/** Same at a later time, epoch ms. Alarms use the real clock, so runs are started by hand until nothing is due. */
async function aMinuteAt(at: number): Promise<void> {
  freezeClockAt(at);
  await aMinute();
  const alarm = () => runInDurableObject(maintenance(), (_, { storage }) => storage.getAlarm());
  do expect(await runDurableObjectAlarm(maintenance())).toBe(true);
  while (((await alarm()) ?? Infinity) <= at);
}

function objectsFail(): void {
  vi.spyOn(LinkClicks.prototype, "learn").mockImplementation(() => {
    throw new Error("fault: not told");
  });
}

test("a delivered change leaves no row in the outbox", async () => {
  const ann = await freeAccount();
  const link = await visitedLink(ann);
  await ann.updateLink(link, { url: "https://example.com/2" });
  await expect.poll(() => waiting(ann)).toEqual([]);
  expect((await objectOf(link).snapshot())?.revision).toBe(2);
});

describe("a change whose object cannot be reached", () => {
  test.each<[string, (ann: TestAccount, link: Link) => Promise<unknown>, string]>([
    ["PATCH", (ann, link) => ann.updateLink(link, { url: "https://example.com/2" }), "active"],
    ["DELETE", (ann, link) => ann.call("DELETE", `/v1/links/${link.id}`), "deleted"],
  ])("%s is answered, stays in the outbox, and is delivered when the object is back", async (_, change, state) => {
    const ann = await freeAccount();
    const link = await visitedLink(ann);
    objectsFail();
    await change(ann, link);
    expect(await waiting(ann)).toMatchObject([{ link_id: link.id, revision: 2 }]);
    vi.restoreAllMocks();
    await aMinuteAt(Date.now() + 600_000);
    await expect.poll(() => waiting(ann)).toEqual([]);
    expect(await objectOf(link).snapshot()).toMatchObject({ revision: 2, state });
  });

  test("is retried less and less often, but at least every ten minutes", async () => {
    const ann = await freeAccount();
    const link = await visitedLink(ann);
    await setLinkDisabled(env, link.domain, link.slug, true);
    objectsFail();
    let now = Date.now() + 60_000;
    const waits: number[] = [];
    for (let tries = 1; tries <= 13; tries++) {
      await aMinuteAt(now);
      const [row] = await waiting(ann);
      expect(row?.tries).toBe(tries);
      waits.push((row?.due_at ?? 0) - now);
      now = row?.due_at ?? 0;
    }
    for (const [i, wait] of waits.entries()) {
      const longest = Math.min(1_000 * 2 ** i, 600_000);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
    }
  });
});

test("a Worker that dies after the commit leaves the change in the outbox: the row is part of the transaction", async () => {
  const ann = await freeAccount();
  const link = await visitedLink(ann);
  // What a PATCH commits, and then nothing more.
  await changeLinks(
    env,
    "UPDATE links SET url = 'https://example.com/2', revision = revision + 1 WHERE id = ?1",
    link.id,
  );
  expect(await waiting(ann)).toMatchObject([{ link_id: link.id, revision: 2 }]);
  await aMinute();
  await expect.poll(() => waiting(ann)).toEqual([]);
  expect(await objectOf(link).snapshot()).toMatchObject({ revision: 2, url: "https://example.com/2" });
});

test("the notes and shared pages of a link end with it: deleted, erased, or by a Worker that dies after the commit", async () => {
  const ann = await freeAccount();
  const kept = await ann.createLink();
  const addRows = async ({ id }: Link) => {
    const note = "INSERT INTO link_notes VALUES (?1, 'live', ?2, 'note_' || ?2, 0, 'x')";
    const page = `INSERT INTO shares (account_id, mode, id, token_hash, subject, settings, created_at)
      VALUES (?1, 'live', 'shr_' || ?2, ?2, ?2, '{}', 1)`;
    await env.DB.batch([note, page].map((sql) => env.DB.prepare(sql).bind(ann.accountId, id)));
  };
  const rows = async () => {
    const sql = `SELECT link_id AS id FROM link_notes WHERE account_id = ?1
      UNION ALL SELECT subject FROM shares WHERE account_id = ?1`;
    return (await env.DB.prepare(sql).bind(ann.accountId).all<{ id: string }>()).results.map(({ id }) => id);
  };
  await addRows(kept);
  let now = Date.now();
  const committed = "UPDATE links SET url = '', deleted_at = 1, revision = revision + 1 WHERE id = ?1";
  for (const end of [
    (id: string) => ann.call("DELETE", `/v1/links/${id}`),
    (id: string) => ann.call("POST", "/v1/links/bulk-delete", { links: [{ id }] }),
    (id: string) => ann.call("DELETE", `/v1/links/${id}?erase=true`),
    (id: string) => changeLinks(env, committed, id),
  ]) {
    const link = await ann.createLink();
    await addRows(link);
    await end(link.id);
    freezeClockAt((now += 600_000));
    await maintainUntilIdle(env);
    expect(await rows()).toEqual([kept.id, kept.id]);
  }
});

test("an operator's link disable and enable reach the link's object", async () => {
  const ann = await freeAccount();
  const link = await visitedLink(ann);
  await setLinkDisabled(env, link.domain, link.slug, true);
  await aMinute();
  await expect.poll(() => objectOf(link).snapshot()).toMatchObject({ revision: 2, state: "disabled" });
  await setLinkDisabled(env, link.domain, link.slug, false);
  await aMinute();
  await expect.poll(() => objectOf(link).snapshot()).toMatchObject({ revision: 3, state: "active" });
});

test("a change that is made while an older one is delivered is delivered as well", async () => {
  const ann = await freeAccount();
  const link = await visitedLink(ann);
  await setLinkDisabled(env, link.domain, link.slug, true);
  const learn = vi.spyOn(LinkClicks.prototype, "learn").mockImplementationOnce((async () => {
    await setLinkDisabled(env, link.domain, link.slug, false);
    return { kind: "learned" };
  }) as never);
  await new MaintenanceRuns().run(env);
  expect(learn).toHaveBeenCalledTimes(1);
  expect(await waiting(ann)).toMatchObject([{ revision: 3, due_at: 0 }]);
  await new MaintenanceRuns().run(env);
  expect(await waiting(ann)).toEqual([]);
  expect(await objectOf(link).snapshot()).toMatchObject({ revision: 3, state: "active" });
});

test("accounts take turns: one change is not held up by another account's hundred", async () => {
  const [busy, other] = [await premiumAccount(), await freeAccount()];
  const links = Array.from({ length: 100 }, (_, i) => ({ url: `https://example.com/${i}` }));
  await busy.call("POST", "/v1/links/bulk", { links });
  await other.createLink();
  for (const { accountId } of [busy, other]) {
    await changeLinks(env, "UPDATE links SET revision = revision + 1 WHERE account_id = ?1", accountId);
  }
  const nextRunAt = await new MaintenanceRuns().run({ ...env, MAINTENANCE_CALLS: "30" });
  expect(await waiting(other)).toEqual([]);
  expect((await waiting(busy)).length).toBeGreaterThan(0);
  expect(nextRunAt).toBeLessThanOrEqual(Date.now());
});

test("accounts whose changes are not due yet keep no run active", async () => {
  const later = Date.now() + 3_600_000;
  await env.DB.prepare(
    `INSERT INTO link_outbox (account_id, mode, link_id, revision, due_at)
     SELECT 'acc_' || value, 'live', 'lnk_' || value, 2, ?2 FROM json_each(?1)`,
  )
    .bind(JSON.stringify(Array.from({ length: 50 }, (_, i) => i)), later)
    .run();
  // One round over the accounts, however many a run looks at.
  const next = await maintainUntilIdle(env);
  // With several databases, their copies are compared in the meantime.
  if (onlyDatabase(env)) expect(next).toBe(later);
  else expect(next).toBeGreaterThan(Date.now() + 30_000);
});

describe("a long outbox, as a restored database leaves it", () => {
  const fill = async (dueAt: number) => {
    await env.DB.prepare(
      `INSERT INTO link_outbox (account_id, mode, link_id, revision, due_at)
       WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 20000)
       SELECT 'acc_' || (i % 3), 'live', 'lnk_' || i, 2, ?1 FROM n`,
    )
      .bind(dueAt)
      .run();
  };

  test.each([
    ["due", 0],
    ["not due yet", Date.now() + 3_600_000],
  ])("that is %s is not scanned every minute", async (_, dueAt) => {
    await fill(dueAt);
    const watched = withRowCount(env);
    expect(await nextDeliveryAt(watched.env)).not.toBeNull();
    expect(watched.counted.rows).toBeLessThan(1_000);
  });

  test("with its first rows not due is read again within a minute, since later rows may be due; a due one, immediately", async () => {
    await fill(Date.now() + 3_600_000);
    const [asked, at] = [Date.now(), await nextDeliveryAt(env)];
    expect(at).toBeGreaterThanOrEqual(asked + 60_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 60_000);
    await changeLinks(env, "UPDATE link_outbox SET due_at = 5 WHERE link_id = 'lnk_0'");
    expect(await nextDeliveryAt(env)).toBe(5);
  });
});

test("the maintenance object stores nothing about its deliveries but its alarm", async () => {
  await maintenance().wake(Date.now());
  const tables = await runInDurableObject(maintenance(), (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );
  // The metrics table exists once an isolate has reported, days of salts after a cron job.
  expect(tables.filter(({ name }) => name !== "metrics" && name !== "salt_days")).toEqual([]);
});

test("a database of links that fails holds up no delivery of the others", async () => {
  const four = await fourDatabases();
  const holder = callerOf(await freeAccount());
  for (const link of await linksInEach(four, holder)) {
    const waits = "INSERT INTO link_outbox (account_id, mode, link_id, revision, due_at) VALUES (?1, 'live', ?2, 1, 0)";
    await databaseOfLink(four, link).prepare(waits).bind(holder.accountId, link.id).run();
  }
  vi.spyOn(console, "error").mockImplementation(() => {});
  const one = withInterruptions(four, (name) =>
    name === "LINKS_3" ? Promise.reject(new Error("fault: down")) : Promise.resolve(),
  );
  expect(await nextDeliveryAt(one)).toBe(0);
  expect((await deliverDue(one, "", 60)).deliveries).toBe(3);
  const all = withInterruptions(four, () => Promise.reject(new Error("fault: down")));
  await expect(nextDeliveryAt(all)).rejects.toThrow("down");
  await changeLinks(four, "DELETE FROM link_outbox");
});

test("a minute's cron job with nothing to do reads five rows at most, writes none and wakes no object", async () => {
  // With several databases, rows from earlier tests may still have to be compared and copied.
  await maintainUntilIdle(env);
  await runInDurableObject(maintenance(), (_, { storage }) => storage.deleteAlarm());
  const counted = { queries: 0, rows: 0, written: 0 };
  const counting = (statement: D1PreparedStatement) => ({
    bind: (...values: unknown[]) => counting(statement.bind(...values)),
    first: async (column?: string) => {
      const { results, meta } = await statement.all<Record<string, unknown>>();
      counted.queries++;
      counted.rows += meta.rows_read;
      counted.written += meta.rows_written;
      return (column === undefined ? results[0] : results[0]?.[column]) ?? null;
    },
  });
  const watched = withDatabases(
    env,
    (database) => ({ prepare: (sql: string) => counting(database.prepare(sql)) }) as unknown as D1Database,
  );
  await wakeIfDue({ ...watched, CF_ZONE_ID: "zone", CF_API_TOKEN: "token" });
  // The outbox, the ended links and the released images of each database and, with several databases, the rows to be copied.
  const queries = onlyDatabase(env) ? 5 : 2 + 3 * linkDatabases(env).length + 2;
  expect(counted).toEqual({ queries, rows: expect.any(Number), written: 0 });
  expect(counted.rows).toBeLessThanOrEqual(queries);
  const planned = await runInDurableObject(maintenance(), (_, { storage }) => storage.getAlarm());
  expect(planned).toBeNull();
});
