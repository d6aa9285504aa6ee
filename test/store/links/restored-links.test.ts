/** 6, 7 A database that is set back to an earlier time (D1 Time Travel), simulated by its rows. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { AccountClicks } from "../../../src/clicks/account-clicks.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { addressObjectName, ownObjectName } from "../../../src/core/links/link-snapshot.ts";
import { findLastKnownLink } from "../../../src/store/link-object-client.ts";
import { raiseRevisions } from "../../../src/store/links/restored-links.ts";
import { withInterruptions } from "../../support/interrupted-databases.ts";
import { changeLinks, databaseOfLink, fourDatabases, queryLinks } from "../../support/link-databases.ts";
import { type TestAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { visitWithoutDatabase } from "../../support/database-down.ts";
import { rowsOfObject } from "../../support/stored-rows.ts";
import { openListener } from "../../support/stream-listener.ts";

const MISTAKE = "https://example.com/mistake";
const RIGHT = "https://example.com/right";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Row = Record<string, string | number | null>;

async function rowOf(link: Link): Promise<Row> {
  const [row] = await queryLinks<Row>(env, "SELECT * FROM links WHERE id = ?1", link.id);
  if (!row) throw new Error("no row");
  return row;
}

async function lose(link: Link): Promise<void> {
  await changeLinks(env, "DELETE FROM links WHERE id = ?1", link.id);
}

/** Replaces the present row with an earlier one. */
async function setBack(row: Row): Promise<void> {
  const columns = Object.keys(row);
  const values = columns.map((_, i) => `?${i + 1}`);
  await databaseOfLink(env, { id: String(row["id"]) })
    .prepare(`INSERT OR REPLACE INTO links (${columns.join()}) VALUES (${values.join()})`)
    .bind(...Object.values(row))
    .run();
}

async function destination({ short_url }: Link): Promise<string | null> {
  return (await visit(short_url)).headers.get("Location");
}

async function withoutDatabase({ short_url }: Link): Promise<string | null> {
  vi.spyOn(console, "error").mockImplementation(() => {});
  return (await visitWithoutDatabase(short_url)).headers.get("Location");
}

/** The object of a link's address, and the link's own object. */
function objectsOf({ domain, slug, id }: Link): [DurableObjectStub, DurableObjectStub] {
  const name = addressObjectName(domain, slug);
  return [env.LINK_CLICKS.getByName(name), env.LINK_CLICKS.getByName(ownObjectName({ domain, slug, id }))];
}

async function total(actor: TestAccount, link: Link): Promise<number> {
  return (await actor.stats(link)).total;
}

test("14 clicks announced only to the database, before it was set back, are in the account's statistics", async () => {
  const start = Date.now();
  freezeClockAt(start);
  const ann = await premiumAccount();
  const link = await ann.createLink({ url: RIGHT });
  const totalOfAll = async () => ((await ann.call("GET", "/v1/stats")).body as { total: number }).total;
  expect(await totalOfAll()).toBe(0);
  // The sweep after the first query.
  freezeClockAt(start + 60_000);
  expect(await totalOfAll()).toBe(0);
  const object = vi.spyOn(AccountClicks.prototype, "announce").mockRejectedValue(new Error("fault: not announced"));
  await visit(link.short_url);
  await ann.waitForClicks(1, link);
  object.mockRestore();
  await changeLinks(env, "DELETE FROM stats_news");
  freezeClockAt(start + 180_000);
  expect(await totalOfAll()).toBe(0);
  await raiseRevisions(env);
  freezeClockAt(start + 300_000);
  expect(await totalOfAll()).toBe(1);
});

describe("a row that is set back", () => {
  test("is accepted once its revision was raised: by isolates, by its object, and without the database", async () => {
    const start = Date.now();
    freezeClockAt(start);
    const ann = await premiumAccount();
    const link = await ann.createLink({ url: RIGHT });
    const row = await rowOf(link);
    for (let i = 0; i < 3; i++) await ann.updateLink(link, { url: `${MISTAKE}?${i}` });
    expect(await destination(link)).toBe(`${MISTAKE}?2`);
    await ann.waitForClicks(1, link);
    await setBack(row);

    expect(await raiseRevisions(env)).toBeGreaterThan(0);
    freezeClockAt(start + 10_000);
    expect(await destination(link)).toBe(RIGHT);
    await ann.waitForClicks(2, link);
    expect(await destination(link)).toBe(RIGHT);
    expect((await findLastKnownLink(env, link, null))?.url).toBe(RIGHT);
    freezeClockAt(start + 25_000);
    expect(await withoutDatabase(link)).toBe(RIGHT);
    // Later changes continue from there.
    vi.useRealTimers();
    await ann.updateLink(link, { url: "https://example.com/next" });
    expect((await findLastKnownLink(env, link, null))?.url).toBe("https://example.com/next");
  });

  test("every link is raised, in pieces, above any revision it ever had; repeated, above that", async () => {
    const ann = await premiumAccount();
    const slugs = Array.from({ length: 2_100 }, (_, i) => `piece-${crypto.randomUUID()}-${i}`);
    const link = await ann.createLink();
    const row = await rowOf(link);
    const columns = Object.keys(row).map((name) => {
      if (name === "slug") return "value";
      return name === "id" ? "'lnk_' || value" : name;
    });
    const database = databaseOfLink(env, link);
    await database
      .prepare(
        `INSERT INTO links (${Object.keys(row).join()}) SELECT ${columns.join()} FROM links, json_each(?1) wanted WHERE links.id = ?2`,
      )
      .bind(JSON.stringify(slugs), link.id)
      .run();
    const revisions = async () => {
      const all = await queryLinks<{ revision: number }>(env, "SELECT revision FROM links");
      return { least: Math.min(...all.map(({ revision }) => revision)), links: all.length };
    };
    const before = Date.now();
    const raised = await raiseRevisions(env);
    const once = await revisions();
    expect(once.links).toBe(raised);
    expect(once.least).toBeGreaterThanOrEqual(before);
    await raiseRevisions(env);
    expect((await revisions()).least).toBeGreaterThan(once.least);
  });
});

test("databases are repaired one after the other", async () => {
  const four = await fourDatabases();
  const names: string[] = [];
  await raiseRevisions(withInterruptions(four, async (name) => void names.push(name)));
  expect(new Set(names).size).toBe(4);
  expect(names).toEqual(names.toSorted());
});

describe("a row that is lost, and a slug that is created again", () => {
  test("leads to the new link immediately; clicks, statistics and streams of the two never mix", async () => {
    const start = Date.now();
    freezeClockAt(start);
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const slug = `again-${crypto.randomUUID()}`;
    const old = await ann.createLink({ url: MISTAKE, slug });
    const annsStream = await openListener(ann);
    for (let i = 0; i < 3; i++) await destination(old);
    await ann.waitForClicks(3, old);
    await annsStream.waitForClicks(3);
    const oldRow = await rowOf(old);
    const [shared] = objectsOf(old);
    const oldClicks = await rowsOfObject(shared);

    await lose(old);
    const link = await ben.createLink({ url: RIGHT, slug });
    const [, own] = objectsOf(link);
    freezeClockAt(start + 10_000);
    const bensStream = await openListener(ben);
    const bensLinkStream = await openListener(ben, { link_id: link.id });
    expect(await total(ben, link)).toBe(0);
    for (let i = 0; i < 2; i++) expect(await destination(link)).toBe(RIGHT);
    expect(await ben.statsAfter(2, link)).toMatchObject({ total: 2 });
    for (const stream of [bensStream, bensLinkStream]) {
      const events = await stream.waitForClicks(2);
      expect(events.map(({ link_id, destination }) => [link_id, destination])).toEqual(Array(2).fill([link.id, RIGHT]));
    }
    expect(annsStream.clicks).toHaveLength(3);
    expect((await rowsOfObject(own)).join()).not.toContain(old.id);
    expect(await rowsOfObject(shared)).toEqual(oldClicks);

    // Changes reach the new link. Without the database it works where it was read; no visitor follows the old one.
    await ben.updateLink(link, { url: `${RIGHT}er` });
    expect(await findLastKnownLink(env, link, null)).toBeNull();
    freezeClockAt(start + 25_000);
    expect(await withoutDatabase(link)).toBe(`${RIGHT}er`);

    // The database is set forward again: the old link has all its clicks, and new ones.
    await lose(link);
    await setBack(oldRow);
    freezeClockAt(start + 40_000);
    await vi.waitFor(async () => expect(await destination(old)).toBe(MISTAKE), { timeout: 10_000 });
    expect((await ann.statsAfter(4, old)).total).toBe(4);
    expect((await findLastKnownLink(env, old, null))?.id).toBe(old.id);
    for (const stream of [annsStream, bensStream, bensLinkStream]) await stream.close();
  });

  test("that was never clicked leaves its object to the new link", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const slug = `unclicked-${crypto.randomUUID()}`;
    const old = await ann.createLink({ url: MISTAKE, slug });
    await ann.updateLink(old, { url: `${MISTAKE}2` });
    await lose(old);
    const link = await ben.createLink({ url: RIGHT, slug });
    expect(await destination(link)).toBe(RIGHT);
    expect((await ben.statsAfter(1, link)).total).toBe(1);
    const [shared, own] = objectsOf(link);
    expect((await rowsOfObject(shared)).join()).toContain(link.id);
    expect(await rowsOfObject(own)).toEqual([]);
  });

  test("that is not created again is a 404 within ten seconds", async () => {
    const start = Date.now();
    freezeClockAt(start);
    const ann = await premiumAccount();
    const link = await ann.createLink({ url: MISTAKE });
    expect(await destination(link)).toBe(MISTAKE);
    await lose(link);
    freezeClockAt(start + 10_000);
    expect((await visit(link.short_url)).status).toBe(404);
  });
});
