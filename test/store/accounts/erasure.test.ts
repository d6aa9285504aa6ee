/** Erasure of links deleted with `erase=true` and of closed accounts: its data and time, and that nothing undoes it. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { AccountFeed } from "../../../src/clicks/account-feed.ts";
import { FeedLog } from "../../../src/clicks/feed-log.ts";
import { LinkClicks } from "../../../src/clicks/link-clicks.ts";
import { Link } from "../../../src/core/contract/links.ts";
import type { CreatedKey } from "../../../src/core/contract/dashboard.ts";
import { EVENTS_FORMAT, feedName, packEvents } from "../../../src/core/streams/event-log.ts";
import { LINK_MEMBER_NAMES } from "../../../src/core/links/link-members.ts";
import { addressObjectName, type LinkSnapshot } from "../../../src/core/links/link-snapshot.ts";
import { MaintenanceRuns } from "../../../src/maintenance/run-maintenance.ts";
import { closeAccount, ERASED_TABLES } from "../../../src/store/accounts/closed-accounts.ts";
import { findLinksByAddress } from "../../../src/store/links/link-rows.ts";
import { changeLinks, queryLinks, sumOfLinks, withDatabases } from "../../support/link-databases.ts";
import { TestAccount, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { SIGN_IN_LOAD_TIMEOUT_MS, preloadSignIn, PASSWORD, signedUp } from "../../support/browser-session.ts";
import { packClicks } from "../../support/pack-clicks.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { maintainUntilIdle } from "../../support/maintenance-runs.ts";
import { errorOf } from "../../support/api-response.ts";
import { LINK_NOT_FOUND } from "../../support/expected-errors.ts";
import { RED_PNG } from "../../support/sample-images.ts";
import { allStoredRows, rowsOfDatabase, rowsOfObject } from "../../support/stored-rows.ts";
import { openListener } from "../../support/stream-listener.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await runInDurableObject(maintenance(), (_, { storage }) => storage.deleteAlarm());
});

const MINUTE_MS = 60_000;

const maintenance = () => env.MAINTENANCE.getByName("maintenance");
const objectOf = (link: Pick<Link, "domain" | "slug">) =>
  env.LINK_CLICKS.getByName(addressObjectName(link.domain, link.slug));

async function clickedLink(ann: TestAccount, fields: Record<string, unknown> = {}): Promise<Link> {
  const link = await ann.createLink(fields);
  await visit(link.short_url, { country: "DE" });
  await ann.waitForClicks(1, link);
  return link;
}

/** @returns the name of the image */
async function uploadPreview(key: string, { id }: Link): Promise<string> {
  const headers = { Authorization: `Bearer ${key}` };
  const init = { method: "PUT", headers, body: RED_PNG };
  const reply = await exports.default.fetch(`http://localhost:8787/v1/links/${id}/social/image`, init);
  const { social } = Link.parse(await reply.json());
  return social?.image?.split("/").at(-1) ?? "";
}

const erase = (ann: TestAccount, { id }: Pick<Link, "id">) => ann.call("DELETE", `/v1/links/${id}?erase=true`);

/** Runs pieces of work as the maintenance object does, until nothing is due at `at` (epoch ms). */
async function maintainedAt(at: number): Promise<void> {
  freezeClockAt(at);
  await maintainUntilIdle(env);
}

const inAMinute = () => maintainedAt(Date.now() + MINUTE_MS);

/** A batch from an isolate that has cached the link since before it was erased. */
function batchAt(at: number, snapshot: LinkSnapshot, id = 77) {
  const click = {
    continent: "",
    region: "",
    city: "",
    os: "",
    browser: "",
    language: "",
    referrer: "",
    qr: "",
    rule: "",
  };
  const clicks = packClicks([{ ...click, at, class: "human", country: "DE", device: "mobile" }]);
  return { id, revision: snapshot.revision, clicks, snapshot };
}

async function snapshotOf({ domain, slug }: Link): Promise<LinkSnapshot> {
  const name = addressObjectName(domain, slug);
  const found = (await findLinksByAddress(env, [{ name, domain, slug }], "first-primary")).get(name);
  if (!found) throw new Error("no such link");
  return found.link;
}

describe("a deleted link", () => {
  test("is a tombstone in the database; its object keeps the clicks, their rules and destinations", async () => {
    const ann = await premiumAccount();
    const routing = [{ if: { country: "DE" }, to: "https://example.com/kept-rule" }];
    const link = await clickedLink(ann, {
      url: "https://example.com/gone",
      routing,
      expires_at: "2099-01-01T00:00:00Z",
      title: "Gone",
      tags: ["gone"],
    });
    await ann.call("DELETE", `/v1/links/${link.id}`);
    const [row] = await queryLinks(env, "SELECT * FROM links WHERE id = ?1", link.id);
    expect(row).toEqual({
      account_id: ann.accountId,
      mode: "live",
      id: link.id,
      origin: "api",
      tenure: 0,
      object_name: null,
      domain: link.domain,
      on_custom_domain: 0,
      slug: link.slug,
      typed_slug: null,
      clicks_before: null,
      ...Object.fromEntries(LINK_MEMBER_NAMES.map((name) => [name, null])),
      url: "",
      routing: "[]",
      disabled_at: null,
      changed_at: null,
      changed_by: null,
      retired_aliases: null,
      qr_key: "",
      erase_at: null,
      created_at: Date.parse(link.created_at),
      updated_at: row?.deleted_at,
      deleted_at: expect.any(Number),
      revision: 2,
    });
    await inAMinute();
    expect((await rowsOfObject(objectOf(link))).join()).toContain("kept-rule");
    expect(await ann.call("GET", `/v1/links/${link.id}/stats`)).toMatchObject({ status: 404 });
    expect((await visit(link.short_url)).status).toBe(410);
  });

  test("with erase=true: after a minute its object stores nothing at all", async () => {
    const ann = await freeAccount();
    const link = await clickedLink(ann);
    expect((await erase(ann, link)).status).toBe(204);
    expect(errorOf(await ann.call("GET", `/v1/links/${link.id}`))).toEqual(LINK_NOT_FOUND);
    await inAMinute();
    expect(await rowsOfObject(objectOf(link))).toEqual([]);
    expect(await rowsOfDatabase()).not.toContainEqual(expect.stringMatching(`^link_outbox .*${link.id}`));
    expect((await visit(link.short_url)).status).toBe(410);
    expect(await objectOf(link).snapshot()).toMatchObject({ state: "deleted", url: "" });
  });

  test("with erase=true its codes show no scans from then on, though its object still has them", async () => {
    const ann = await freeAccount();
    const link = await clickedLink(ann);
    const code = await ann.createQrCode(link);
    await visit(link.short_url, { search: `?qr=${code.id.slice(3)}` });
    await ann.waitForClicks(2, link);
    expect((await ann.qrCode(code)).scans).toBe(1);
    expect((await erase(ann, link)).status).toBe(204);
    expect((await ann.qrCode(code)).scans).toBe(0);
    expect((await ann.call("GET", "/v1/qr")).body).toMatchObject({ data: [{ id: code.id, scans: 0 }] });
  });

  test("with erase=true answers 204 even if it was deleted before, and when repeated", async () => {
    const ann = await freeAccount();
    const link = await clickedLink(ann);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect((await erase(ann, link)).status).toBe(204);
    expect((await erase(ann, link)).status).toBe(204);
    await inAMinute();
    expect(await rowsOfObject(objectOf(link))).toEqual([]);
    expect((await erase(ann, link)).status).toBe(204);
    expect(errorOf(await ann.call("DELETE", `/v1/links/${link.id}`))).toEqual(LINK_NOT_FOUND);
  });

  test("with erase=true is refused to other accounts, without the scope, at another revision, and for other values", async () => {
    const [ann, ben] = [await freeAccount(), await freeAccount()];
    const link = await ann.createLink();
    expect(errorOf(await erase(ben, link))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await erase(await ann.withKey("test"), link))).toEqual(LINK_NOT_FOUND);
    expect(errorOf(await erase(await ann.withKey("live", ["links:read"]), link))).toMatchObject({
      code: "insufficient_scope",
      param: "links:write",
    });
    const outdated = await ann.call("DELETE", `/v1/links/${link.id}?erase=true`, undefined, { "If-Match": '"7"' });
    expect(errorOf(outdated)).toMatchObject({ code: "precondition_failed" });
    expect((await ann.call("DELETE", `/v1/links/${link.id}?erase=maybe`)).status).toBe(422);
    expect((await ann.call("DELETE", `/v1/links/${link.id}?purge=true`)).status).toBe(422);
    expect((await ann.call("GET", `/v1/links/${link.id}`)).status).toBe(200);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect(errorOf(await erase(ben, link))).toEqual(LINK_NOT_FOUND);
  });

  test("with erase=true deletes the response that was stored for its creation", async () => {
    const ann = await freeAccount();
    const made = await ann.call(
      "POST",
      "/v1/links",
      { url: "https://example.com/marker-kept-answer" },
      { "Idempotency-Key": "a" },
    );
    await erase(ann, made.body as Link);
    expect((await rowsOfDatabase()).filter((row) => row.includes("marker-kept-answer"))).toEqual([]);
  });

  test("with erase=true is erased from the account's feed as well: streams continue without it, and without a gap", async () => {
    const ann = await premiumAccount();
    const marker = `marker${crypto.randomUUID().replaceAll("-", "")}`;
    const routing = [{ if: { country: "DE" }, to: `https://example.com/rule-${marker}` }];
    const [gone, kept] = [
      await ann.createLink({ url: `https://example.com/${marker}`, routing }),
      await ann.createLink(),
    ];
    const listener = await openListener(ann, { include_bots: "true" });
    await listener.waitUntil(({ lastId }) => lastId !== undefined, "a cursor");
    const { lastId: start = "" } = listener;
    for (const [i, link] of [gone, kept, gone, gone, kept].entries()) {
      await visit(link.short_url, { country: "DE" });
      await listener.waitForClicks(i + 1);
    }
    const between = listener.events[2]?.id ?? "";
    const feed = env.ACCOUNT_FEED.getByName(feedName(ann.accountId, "live"));
    const traces = async () =>
      (await rowsOfObject(feed)).filter((row) => row.includes(marker) || row.includes(gone.id));
    expect(await traces()).toHaveLength(4);
    const ids = listener.events.filter(({ event }) => event === "click").map(({ id }) => id);

    await erase(ann, gone);
    await inAMinute();

    expect(await traces()).toEqual([]);
    expect(await rowsOfDatabase()).not.toContainEqual(expect.stringMatching(`^link_outbox .*${gone.id}`));
    await evictDurableObject(feed);
    await visit(kept.short_url, { country: "DE" });
    await listener.waitForClicks(6);
    const news = listener.events.at(-1)?.id;
    for (const [cursor, expected] of [
      [start, [ids[1], ids[4], news]],
      [between, [ids[4], news]],
    ] as const) {
      const back = await openListener(ann, { since: cursor, include_bots: "true" });
      const clicks = await back.waitForClicks(expected.length);
      expect(back.events.map(({ event, id }) => [event, id])).toEqual([
        ["ready", cursor],
        ...expected.map((id) => ["click", id]),
      ]);
      expect(new Set(clicks.map(({ link_id }) => link_id))).toEqual(new Set([kept.id]));
      await back.close();
    }
    await listener.close();
  });

  test("is erased from a feed with many of its events in pieces, and again; a feed without any stores nothing", async () => {
    const ann = await premiumAccount();
    const feed = env.ACCOUNT_FEED.getByName(feedName(ann.accountId, "live"));
    expect(await feed.eraseLink({ linkId: "lnk_a" })).toEqual({ kind: "erased" });
    expect(await rowsOfObject(feed)).toEqual([]);
    await runInDurableObject(feed, (_, { storage: { sql } }) => {
      const log = new FeedLog(sql, "tried");
      log.beginPeriod(1_000);
      const from = log.end.position;
      const event = (link: string) => ({ at: 2_000, human: true, data: JSON.stringify({ link }) });
      for (let i = 0; i < 1_000; i++) {
        const link = i % 2 === 0 ? "lnk_a" : "lnk_b";
        log.append([event(link), event(link)], link, i, 3_000);
      }
      const { end } = log;
      let calls = 0;
      for (let next: number | null = 0; next !== null; calls++) next = log.eraseSomeRows("lnk_a", next);
      expect(calls).toBeGreaterThan(1);
      expect(log.eraseSomeRows("lnk_a", 0)).toBeNull();
      expect(log.end).toEqual(end);
      expect(new FeedLog(sql, "tried")).toMatchObject({ first: { position: from }, end });
      const data = log.page(from + 1).map((kept) => kept.data);
      expect(data.slice(0, 4)).toEqual(["", event("lnk_b").data, event("lnk_b").data, ""]);
    });
    expect((await rowsOfObject(feed)).filter((row) => row.includes("lnk_a"))).toEqual([]);
  });

  test("is not put back into the feed by announcements that its object still sends", async () => {
    const ann = await premiumAccount();
    const listener = await openListener(ann);
    const link = await clickedLink(ann);
    await listener.waitForClicks(1);
    const feed = env.ACCOUNT_FEED.getByName(feedName(ann.accountId, "live"));
    const since = await runInDurableObject(feed, (_, { storage: { sql } }) =>
      Number(sql.exec("SELECT since FROM period").one().since),
    );
    expect(await feed.eraseLink({ linkId: link.id })).toEqual({ kind: "erased" });
    const events = packEvents([{ at: since, human: true, data: JSON.stringify({ link_id: link.id }) }]);
    expect(await feed.announce({ linkId: link.id, from: 0, format: EVENTS_FORMAT, events, since })).toEqual({
      kind: "nobody",
    });
    expect((await rowsOfObject(feed)).filter((row) => row.includes(link.id))).toEqual([]);
    await listener.close();
  });

  test("stays in the outbox until the feed has erased it", async () => {
    const ann = await freeAccount();
    const link = await clickedLink(ann);
    vi.spyOn(AccountFeed.prototype, "eraseLink").mockResolvedValue({ kind: "unavailable" });
    await erase(ann, link);
    await inAMinute();
    const waits = async () =>
      (await rowsOfDatabase()).some((row) => row.startsWith("link_outbox") && row.includes(link.id));
    expect(await waits()).toBe(true);
    vi.restoreAllMocks();
    await maintainedAt(Date.now() + 10 * MINUTE_MS);
    expect(await waits()).toBe(false);
  });

  test("is erased from the clicks of its account, and stays in the outbox until it is", async () => {
    const ann = await freeAccount();
    const [link, other] = [await clickedLink(ann), await clickedLink(ann)];
    const clicks = env.ACCOUNT_CLICKS.getByName(feedName(ann.accountId, "live"));
    const request = { groupBy: "link", from: 0, to: null, interval: null, timezone: "UTC", includeBots: true } as const;
    const ask = () => clicks.stats({ accountId: ann.accountId, mode: "live", tagChanges: null, request });
    expect((await ask()).kind).toBe("stats");
    expect((await rowsOfObject(clicks)).join()).toContain(link.id);
    await erase(ann, link);
    await inAMinute();
    for (
      let tries = 0;
      (await rowsOfDatabase()).some((row) => row.startsWith("link_outbox") && row.includes(link.id));
    ) {
      expect(++tries).toBeLessThan(5);
      await runDurableObjectAlarm(clicks);
      await maintainedAt(Date.now() + 10 * MINUTE_MS);
    }
    expect((await rowsOfObject(clicks)).join()).not.toContain(link.id);
    expect(await ask()).toMatchObject({ kind: "stats", buckets: [{ key: other.id }] });
  });

  test("without any click: its object is not written to when the link is changed, deleted or erased", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    await ann.updateLink(link, { url: "https://example.com/2" });
    await erase(ann, link);
    await inAMinute();
    expect(await rowsOfObject(objectOf(link))).toEqual([]);
    const size = await runInDurableObject(objectOf(link), (_, { storage }) => storage.sql.databaseSize);
    expect(size).toBeLessThanOrEqual(4_096);
  });
});

describe("clicks in flight", () => {
  test("in the minute before the erasure are history, and are erased with it", async () => {
    const ann = await freeAccount();
    const link = await clickedLink(ann);
    const before = await snapshotOf(link);
    await erase(ann, link);
    const recorded = await objectOf(link).record(batchAt(Date.now(), before));
    expect(recorded).toMatchObject({ kind: "recorded", newer: { state: "deleted" } });
    await inAMinute();
    expect(await rowsOfObject(objectOf(link))).toEqual([]);
  });

  test("after the erasure are accepted and dropped: the sender learns that the link is gone", async () => {
    const ann = await freeAccount();
    const link = await clickedLink(ann);
    const before = await snapshotOf(link);
    const clickedAt = Date.now();
    await erase(ann, link);
    await inAMinute();
    const { snapshot: _, ...known } = batchAt(clickedAt, before);
    expect(await objectOf(link).record(known)).toEqual({ kind: "snapshot_missing" });
    const recorded = await objectOf(link).record(batchAt(clickedAt, before));
    expect(recorded).toMatchObject({ kind: "recorded", newer: { id: link.id, state: "deleted", url: "" } });
    expect(await rowsOfObject(objectOf(link))).toEqual([]);
  });

  test.each(["erased", "closed"])(
    "are also dropped by a restarted object, which reads from the database that its link was %s",
    async (end) => {
      const ann = await freeAccount();
      const link = await clickedLink(ann);
      const before = await snapshotOf(link);
      const clickedAt = Date.now();
      if (end === "erased") await erase(ann, link);
      else await closeAccount(env, ann.accountId);
      await inAMinute();
      await evictDurableObject(objectOf(link));
      const recorded = await objectOf(link).record(batchAt(clickedAt, before));
      expect(recorded).toMatchObject({ kind: "recorded", newer: { state: "deleted", url: "" } });
      expect(await rowsOfObject(objectOf(link))).toEqual([]);
    },
  );

  test("notices of changes and subscribers restore nothing either", async () => {
    const ann = await freeAccount();
    const link = await clickedLink(ann);
    const before = await snapshotOf(link);
    await erase(ann, link);
    await inAMinute();
    await objectOf(link).learn(before);
    await objectOf(link).listen({ since: Date.now() });
    await objectOf(link).stats({
      groupBy: "country",
      from: 0,
      to: null,
      interval: null,
      timezone: "UTC",
      includeBots: false,
    });
    expect(await rowsOfObject(objectOf(link))).toEqual([]);
    expect(await objectOf(link).snapshot()).toMatchObject({ state: "deleted", url: "" });
  });

  test("of a link that a restored database has again count once its revision was raised", async () => {
    const ann = await freeAccount();
    const link = await clickedLink(ann);
    const before = await snapshotOf(link);
    await erase(ann, link);
    await inAMinute();
    const sql = "UPDATE links SET deleted_at = NULL, erase_at = NULL, revision = ?2, url = ?3 WHERE id = ?1";
    await changeLinks(env, sql, link.id, Date.now(), before.url);
    const restored = await snapshotOf(link);
    await objectOf(link).learn(restored);
    const { snapshot: _, ...known } = batchAt(Date.now(), restored);
    expect(await objectOf(link).record({ ...known, linkId: link.id })).toEqual({ kind: "snapshot_missing" });
    expect(await objectOf(link).record(batchAt(Date.now(), restored))).toMatchObject({ kind: "recorded", newer: null });
    expect((await ann.clicks(link)).data).toHaveLength(1);
  });

  test("late ones for two links that have had one address: the object accepts those of one", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    const one = await snapshotOf(link);
    const other = { ...one, id: "lnk_00000000000000000000000000" };
    freezeClockAt(Date.now() + 10 * MINUTE_MS);
    const late = Date.now() - 5 * MINUTE_MS;
    const outcomes = await Promise.all([
      objectOf(link).record(batchAt(late, one, 1)),
      objectOf(link).record(batchAt(late, other, 2)),
    ]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["other_link", "recorded"]);
  });

  test("late ones for an existing link count, though its object was empty", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    freezeClockAt(Date.now() + 10 * MINUTE_MS);
    const recorded = await objectOf(link).record(batchAt(Date.now() - 5 * MINUTE_MS, await snapshotOf(link)));
    expect(recorded).toMatchObject({ kind: "recorded", newer: null });
    expect((await ann.clicks(link)).data).toHaveLength(1);
  });
});

/** Tables whose rows stay or are deleted in another way, with the reason. */
const RETAINED_TABLES: Readonly<Record<string, string>> = {
  account_copies: "of which version the copies are: an older one that comes late is not taken",
  domain_holders: "who held a name last: the links of former holders stay ended",
  account_states: "that the account is closed: its links answer 410",
  link_outbox: "removed when the link's object has erased what it has",
  links: "tombstones: a slug is never issued again",
  link_aliases: "addresses of tombstones",
};

/** Tables without a column `account_id`, and what happens to an account's rows in them. */
const OTHER_TABLES: Readonly<Record<string, string>> = {
  accounts: "the row is deleted in the transaction that closes the account",
  attempts: "counts by IP address or network, deleted in the night after",
  challenges: "of one sign-in, deleted when they expire",
  copy_checks: "of the deployment, without any account's data",
  closed_accounts: "the queue of accounts that are being erased; the row is deleted last",
  health_checks: "what the deployment's health check writes",
  hostname_releases: "custom hostnames, deleted when Cloudflare has deleted them",
  moved_buckets: "of the deployment, without any account's data",
  restores: "how far a restored backup has come",
};

test("every table with an account's rows is erased with the account, or kept for a reason", () => {
  const tables = [...env.TEST_SCHEMA.matchAll(/CREATE TABLE (\w+) \(([^]*?)\n\)/g)];
  const owned = tables.filter(([, , columns]) => /^ {2}account_id /m.test(columns ?? "")).map(([, name]) => name);
  expect(owned.length).toBeGreaterThan(5);
  expect([...Object.keys(ERASED_TABLES), ...Object.keys(RETAINED_TABLES)].sort()).toEqual(owned.sort());
  const others = tables.map(([, name]) => name).filter((name) => !owned.includes(name));
  expect(Object.keys(OTHER_TABLES).sort()).toEqual(others.sort());
  for (const [, name = "", columns = ""] of tables) {
    const key = ERASED_TABLES[name];
    if (!key) continue;
    const inSchema = /PRIMARY KEY \(([^)]*)\)/.exec(columns)?.[1]?.split(", ") ?? [
      /(\w+) TEXT PRIMARY KEY/.exec(columns)?.[1],
    ];
    expect(key, name).toEqual(inSchema);
  }
});

describe("a closed account", () => {
  test("leaves nothing that it stored: every row of every table and object is read", async () => {
    const marker = `marker${crypto.randomUUID().replaceAll("-", "")}`;
    const browser = await signedUp(`${marker}@example.com`);
    const { id } = await browser.account();
    await env.DB.prepare("UPDATE accounts SET plan = 'premium', name = ?2 WHERE id = ?1").bind(id, marker).run();
    const { key } = (await browser.api("POST", "/keys", { name: marker, mode: "live" })).body as CreatedKey;
    const ann = new TestAccount("", id, key);
    const listener = await openListener(ann);
    const routing = [{ if: { query: { [marker]: true } }, to: `https://example.com/rule-${marker}` }];
    const fields = { url: `https://example.com/${marker}`, routing, title: marker, tags: [marker] };
    const [visited, deleted, unvisited] = [
      await clickedLink(ann, fields),
      await clickedLink(ann, fields),
      await ann.createLink(fields),
    ];
    const tested = await (await ann.withKey("test")).createLink(fields);
    const { qrKey } = await snapshotOf(visited);
    const code = await ann.createQrCode(visited);
    await visit(visited.short_url, {
      search: `?qr=${code.id.slice(3)}&${marker}=1`,
      headers: { Referer: `https://${marker}.example/` },
    });
    await ann.waitForClicks(2, visited);
    await ann.updateLink(visited, { url: `https://example.com/second-${marker}` });
    await listener.waitForClicks(3);
    await ann.call("DELETE", `/v1/links/${deleted.id}`);
    await ann.call("POST", "/v1/links", fields, { "Idempotency-Key": marker });
    await ann.createDomain(`go.${marker}.example`);
    await browser.api("POST", "/utm-templates", { name: marker, utm_source: marker });
    await browser.api("POST", `/links/${visited.id}/notes`, { at: "2026-11-05T12:00:00Z", text: marker });
    await browser.api("PUT", "/saved-views", { name: marker, query: `search=${marker}` });
    const images = [`${code.id}.png`, await uploadPreview(key, visited), await uploadPreview(key, unvisited)];
    for (const image of images) expect(await env.QR_IMAGES.head(image)).not.toBeNull();
    const found = async () => {
      const secrets = [marker, qrKey, code.id, visited.id, deleted.id, unvisited.id, tested.id];
      const rows = await allStoredRows();
      return rows.filter((row) => secrets.some((secret) => row.toLowerCase().includes(secret)));
    };
    const clicks = env.ACCOUNT_CLICKS.getByName(feedName(id, "live"));
    const request = { groupBy: "link", from: 0, to: null, interval: null, timezone: "UTC", includeBots: true } as const;
    await clicks.stats({ accountId: id, mode: "live", tagChanges: null, request });
    expect((await rowsOfObject(clicks)).join()).toContain(marker);
    expect((await found()).length).toBeGreaterThan(20);

    expect((await browser.api("DELETE", "/account", { password: PASSWORD })).status).toBe(204);
    await inAMinute();

    const left = await found();
    for (const row of left) expect(row).toMatch(/^links .*"url":"","routing":"\[\]"/);
    expect(left).toHaveLength(4);
    const rows = (await rowsOfDatabase()).filter((row) => row.includes(id));
    expect(rows.filter((row) => !/^(links|account_states|account_copies) /.test(row))).toEqual([]);
    expect(await rowsOfObject(env.ACCOUNT_FEED.getByName(feedName(id, "live")))).toEqual([]);
    expect(await rowsOfObject(clicks)).toEqual([]);
    expect(await rowsOfObject(objectOf(unvisited))).toEqual([]);
    await listener.waitUntil(({ isClosed }) => isClosed, "the end of the stream");
    for (const image of images) expect(await env.QR_IMAGES.head(image)).toBeNull();
  });

  test("is erased in pieces, with accounts taking turns", async () => {
    const accounts = [await premiumAccount(), await premiumAccount()];
    const links = Array.from({ length: 100 }, (_, i) => ({ url: `https://example.com/${i}` }));
    for (const ann of accounts) {
      await ann.call("POST", "/v1/links/bulk", { links });
      await closeAccount(env, ann.accountId);
    }
    // Later than both are due: an account that has had its turn is due again from now on.
    freezeClockAt(Date.now() + MINUTE_MS + 1);
    const full = ({ accountId }: TestAccount) =>
      sumOfLinks(env, "SELECT count(*) AS n FROM links WHERE account_id = ?1 AND url <> ''", accountId);
    const calls = vi.spyOn(LinkClicks.prototype, "erase");
    const runs = new MaintenanceRuns();
    for (let run = 0; run < 2; run++) await runs.run({ ...env, MAINTENANCE_CALLS: "30" });
    for (const ann of accounts) expect(await full(ann)).toBe(100 - 30);
    expect(calls).toHaveBeenCalledTimes(2 * 30);
    await inAMinute();
    for (const ann of accounts) expect(await full(ann)).toBe(0);
    expect(calls).toHaveBeenCalledTimes(200);
  });

  test("resumes where it was interrupted, even between the objects and the database", async () => {
    const ann = await freeAccount();
    const links = [await clickedLink(ann), await clickedLink(ann)];
    await closeAccount(env, ann.accountId);
    freezeClockAt(Date.now() + MINUTE_MS);
    let cuts = 0;
    const cut = (database: D1Database) =>
      ({
        prepare: (sql: string) => database.prepare(sql),
        batch: async () => {
          cuts++;
          throw new Error("fault: cut off");
        },
      }) as unknown as D1Database;
    await new MaintenanceRuns().run(withDatabases(env, cut));
    expect(cuts).toBeGreaterThan(0);
    const [row] = await queryLinks(env, "SELECT url FROM links WHERE id = ?1", links[0]?.id ?? "");
    expect(row).toEqual({ url: "https://example.com/" });
    await inAMinute();
    for (const link of links) expect(await rowsOfObject(objectOf(link))).toEqual([]);
    expect(
      (await rowsOfDatabase()).filter((text) => text.startsWith("closed_accounts") && text.includes(ann.accountId)),
    ).toEqual([]);
  });

  test("with an unreachable object: the others are erased, and that one as soon as it can be reached", async () => {
    const ann = await freeAccount();
    const [deaf, other] = [await clickedLink(ann), await clickedLink(ann)];
    await closeAccount(env, ann.accountId);
    const sound = LinkClicks.prototype.erase;
    vi.spyOn(LinkClicks.prototype, "erase").mockImplementation(function (this: LinkClicks, tombstone) {
      if (tombstone.id === deaf.id) throw new Error("fault: not reached");
      return sound.call(this, tombstone);
    });
    await inAMinute();
    expect(await rowsOfObject(objectOf(other))).toEqual([]);
    expect(await rowsOfObject(objectOf(deaf))).not.toEqual([]);
    vi.restoreAllMocks();
    await maintainedAt(Date.now() + 10 * MINUTE_MS);
    expect(await rowsOfObject(objectOf(deaf))).toEqual([]);
    expect((await rowsOfDatabase()).filter((row) => row.startsWith("link_outbox"))).toEqual([]);
  });

  test("announcements that links still send do not restore its feed", async () => {
    const ann = await freeAccount();
    const feed = env.ACCOUNT_FEED.getByName(feedName(ann.accountId, "live"));
    const listener = await openListener(ann);
    await clickedLink(ann);
    await listener.waitForClicks(1);
    await feed.erase();
    expect(await feed.announce({ linkId: "lnk_1", from: 0, format: 1, events: null })).toEqual({ kind: "nobody" });
    await listener.waitUntil(({ isClosed }) => isClosed, "the end of the stream");
    expect(await rowsOfObject(feed)).toEqual([]);
    expect(AccountFeed.prototype.erase).toBeDefined();
  });

  test("a link's object whose feed answers only after the erasure stores nothing", async () => {
    const ann = await freeAccount();
    const listener = await openListener(ann);
    const link = await clickedLink(ann);
    await listener.waitForClicks(1);
    let answer: (value: { kind: "nobody" }) => void = () => {};
    const asked = new Promise<void>((isAsked) => {
      vi.spyOn(AccountFeed.prototype, "announce").mockImplementation((() => {
        isAsked();
        return new Promise((done) => (answer = done));
      }) as never);
    });
    await visit(link.short_url);
    await asked;
    await objectOf(link).erase({ ...(await snapshotOf(link)), state: "deleted", url: "" });
    answer({ kind: "nobody" });
    await expect.poll(() => rowsOfObject(objectOf(link))).toEqual([]);
  });
});

test("closing an account wakes the maintenance object, whose alarms do everything", async () => {
  const browser = await signedUp();
  const { id } = await browser.account();
  await browser.createLink();
  await browser.api("DELETE", "/account", { password: PASSWORD });
  await env.DB.prepare("UPDATE closed_accounts SET due_at = 0 WHERE id = ?1").bind(id).run();
  await runDurableObjectAlarm(maintenance());
  const waits = async () =>
    (await env.DB.prepare("SELECT id FROM closed_accounts WHERE id = ?1").bind(id).all()).results.length;
  await expect.poll(waits, { timeout: 10_000 }).toBe(0);
});
