/** 4.6, 6 The live stream: the events that a client receives, those it never receives, and the state that remains. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { eventStream } from "../../../src/api/streams/event-stream.ts";
import { Announcer } from "../../../src/clicks/announcer.ts";
import { StoredTimes } from "../../../src/clicks/link-state.ts";
import { FeedLog } from "../../../src/clicks/feed-log.ts";
import { type EventLog, Subscribers } from "../../../src/clicks/subscribers.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { EVENTS_FORMAT, feedName, type LoggedEvent, packEvents } from "../../../src/core/streams/event-log.ts";
import { type AnnouncementResult, CLOSE_CODE_RESUME, MORE_MESSAGE } from "../../../src/core/streams/stream-protocol.ts";
import { parseApiKey, BASE32_ALPHABET } from "../../../src/core/identifiers.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { streamLimits } from "../../../src/core/deployment/settings.ts";
import { revokeKey } from "../../../src/store/accounts/api-keys.ts";
import { changeLinks } from "../../support/link-databases.ts";
import { type TestAccount, BASE_URL, freeAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { GOOGLEBOT, IPHONE_SAFARI, WINDOWS_CHROME } from "../../support/sample-user-agents.ts";
import { packClicks } from "../../support/pack-clicks.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import {
  validationFailed,
  LINK_NOT_FOUND,
  LINK_NOT_API_CREATED,
  TOO_MANY_STREAMS,
} from "../../support/expected-errors.ts";
import { errorOf } from "../../support/api-response.ts";
import { openListener, StreamListener } from "../../support/stream-listener.ts";

// Thousands of clicks on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 40_000 });

const DAY_MS = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

const objectOf = (link: Link) => env.LINK_CLICKS.getByName(addressObjectName(link.domain, link.slug));
const feedOf = ({ accountId }: TestAccount, mode: "live" | "test" = "live") =>
  env.ACCOUNT_FEED.getByName(feedName(accountId, mode));

/** Open sockets of an object. */
async function socketsOf(object: DurableObjectStub): Promise<number> {
  return runInDurableObject(object, (_, state) => state.getWebSockets().length);
}

/** Clicks that reach the link's object as one batch, as if an isolate had collected them. */
async function batchOf(link: Link, count: number): Promise<void> {
  const click = {
    continent: "",
    region: "",
    os: "other",
    browser: "other",
    language: "",
    referrer: "",
    qr: "",
    rule: "",
  };
  const at = Date.now();
  const clicks = Array.from({ length: count }, (_, i) => ({
    ...click,
    at,
    class: "human" as const,
    country: "XX",
    device: "other",
    city: `city ${i}`,
  }));
  const answer = await objectOf(link).record({
    id: Math.floor(Math.random() * 2 ** 48),
    revision: 1,
    clicks: packClicks(clicks),
  });
  expect(answer.kind).toBe("recorded");
}

/** Start of the feed's current period, as the feed stores it. */
async function sinceOf(feed: DurableObjectStub): Promise<number> {
  return runInDurableObject(
    feed,
    (_, { storage: { sql } }) => sql.exec<{ since: number }>("SELECT since FROM period").one().since,
  );
}

/** A log that grows when its end is moved. */
function plainLog(page: (from: number) => LoggedEvent[]): EventLog & { end: { position: number } } {
  return { name: "tried", first: { position: 0, at: 0 }, end: { position: 0, at: 0 }, page };
}

/** The last eight characters of an event's id, Crockford's base 32. */
function seqOf({ id }: { id: string }): number {
  return Array.from(id.slice(-8)).reduce((seq, char) => seq * 32 + BASE32_ALPHABET.indexOf(char), 0);
}

describe("4.6 the response", () => {
  test("4.6 starts immediately, without any click, and is neither compressed nor cached", async () => {
    const ann = await premiumAccount();
    const stream = await openListener(ann, {}, { "Accept-Encoding": "gzip, br" });
    await stream.waitUntil(({ events }) => events.length > 0, "the first event");
    expect(stream.text).toMatch(/^retry: 2000\n: welcome\n\nid: \S+\nevent: ready\ndata: {}\n\n$/);
    expect(stream.retry).toBe(2_000);
    expect(stream.events).toEqual([{ id: expect.stringContaining(ann.accountId), event: "ready", data: "{}" }]);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "content-encoding": "identity",
      "x-accel-buffering": "no",
      "access-control-allow-origin": "*",
      "x-request-id": expect.stringMatching(/^req_/),
    });
    await stream.close();
  });

  test("4.6 a resumed stream starts at the position it resumes from", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    for (const query of [{}, { link_id: link.id }]) {
      const first = await openListener(ann, query);
      await first.waitUntil(({ events }) => events.length > 0, "the first event");
      await visit(link.short_url);
      await first.waitForClicks(1);
      for (const since of first.events.map(({ id }) => id ?? "")) {
        const second = await openListener(ann, { ...query, since });
        await second.waitUntil(({ events }) => events.length > 0, "the first event");
        expect(second.events[0]).toEqual({ id: since, event: "ready", data: "{}" });
        await second.close();
      }
      await first.close();
    }
  });

  test("4.6 HEAD returns the same headers and opens no stream", async () => {
    const ann = await premiumAccount();
    const response = await exports.default.fetch(`${BASE_URL}/v1/events/stream`, {
      method: "HEAD",
      headers: { Authorization: `Bearer ${ann.key}` },
    });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(await socketsOf(feedOf(ann))).toBe(0);
  });
});

describe("6.3 an event", () => {
  test("6.3 has every field of the click, on the link's and the account's stream, with the values of the statistics", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({
      slug: `Typed-${ann.accountId.slice(-8)}`,
      routing: [{ if: { device: "mobile", country: ["DE", "AT"] }, to: "https://example.com/rule" }],
      aliases: [{ slug: `Alias-${ann.accountId.slice(-8)}` }],
    });
    const [alias = link] = link.aliases ?? [];
    const code = await ann.createQrCode(link);
    const streams = [await openListener(ann), await openListener(ann, { link_id: link.id })];
    const headers = { "User-Agent": IPHONE_SAFARI, Referer: "https://WWW.News.example.org/private" };
    await visit(link.short_url, { country: "DE", search: `?qr=${code.id.slice(3)}`, headers });
    await ann.waitForClicks(1, link);
    await visit(alias.short_url);
    await ann.waitForClicks(2, link);
    // The values are those at the time of the click, even when it is read again after a change.
    await ann.updateLink(link, { routing: [], url: "https://example.com/new" });
    await streams[1]?.waitForClicks(1);
    const beginning = /^id: (.*)$/m.exec(streams[1]?.text ?? "")?.[1] ?? "";
    streams.push(await openListener(ann, { link_id: link.id, since: beginning }));
    const logged = (await ann.clicks(link)).data;
    const shared = { type: "click", link_id: link.id, slug: link.slug, domain: link.domain, short_url: link.short_url };
    const expected = [
      {
        ...shared,
        id: `evt_${link.id.slice(4)}00000001`,
        occurred_at: logged[0]?.occurred_at,
        destination: "https://example.com/rule",
        rule: "country=AT,DE&device=mobile",
        country: "DE",
        device: "mobile",
        referrer: "news.example.org",
        source: "qr",
        qr_id: code.id,
      },
      {
        ...shared,
        id: `evt_${link.id.slice(4)}00000002`,
        occurred_at: logged[1]?.occurred_at,
        destination: "https://example.com/",
        rule: "default",
        country: "XX",
        device: "other",
        referrer: "direct",
        source: "link",
        qr_id: null,
        address: alias.short_url.slice("http://".length),
      },
    ];
    for (const stream of streams) {
      expect(await stream.waitForClicks(2)).toEqual(expected);
      expect(stream.events.every(({ data }) => !data.includes("\n"))).toBe(true);
      await stream.close();
    }
  });

  test("6 bots and prefetches are sent only on request", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const people = await openListener(ann);
    const all = await openListener(ann, { include_bots: "true" });
    const own = await openListener(ann, { link_id: link.id, include_bots: "true" });
    await all.waitUntil(({ lastId }) => lastId !== undefined, "a cursor");
    const beginning = all.lastId ?? "";
    await visit(link.short_url, { country: "AA", headers: { "User-Agent": GOOGLEBOT } });
    await visit(link.short_url, {
      country: "BB",
      headers: { "User-Agent": WINDOWS_CHROME, "Sec-Purpose": "prefetch" },
    });
    await visit(link.short_url, { country: "CC", headers: { "User-Agent": WINDOWS_CHROME } });
    expect((await people.waitForClicks(1)).map(({ country }) => country)).toEqual(["CC"]);
    expect((await all.waitForClicks(3)).map(({ country }) => country)).toEqual(["AA", "BB", "CC"]);
    expect((await own.waitForClicks(3)).map(({ country }) => country)).toEqual(["AA", "BB", "CC"]);
    const again = await openListener(ann, { since: beginning });
    expect((await again.waitForClicks(1)).map(({ country }) => country)).toEqual(["CC"]);
    for (const stream of [people, all, own, again]) await stream.close();
  });
});

describe("decision 9: resuming", () => {
  test("every event since the last id is sent once, in order, on link and account streams", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    for (const query of [{}, { link_id: link.id }]) {
      const first = await openListener(ann, query);
      await first.waitUntil(({ lastId }) => lastId !== undefined, "a cursor before any event");
      await visit(link.short_url, { country: "AA" });
      await first.waitForClicks(1);
      await first.close();
      await visit(link.short_url, { country: "BB" });
      await visit(link.short_url, { country: "CC" });
      for (const how of ["since", "Last-Event-ID"]) {
        const id = first.lastId ?? "";
        const second =
          how === "since"
            ? await openListener(ann, { ...query, since: id })
            : await openListener(ann, { ...query, since: "nonsense" }, { "Last-Event-ID": id });
        expect((await second.waitForClicks(2)).map(({ country }) => country)).toEqual(["BB", "CC"]);
        await second.close();
      }
    }
  });

  test("a client disconnected before its first event misses nothing", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const first = await openListener(ann);
    await first.waitUntil(({ lastId }) => lastId !== undefined, "a cursor");
    await first.close();
    await visit(link.short_url);
    const second = await openListener(ann, {}, { "Last-Event-ID": first.lastId ?? "" });
    expect(await second.waitForClicks(1)).toHaveLength(1);
    await second.close();
  });

  test("a long history is read in pages, followed without a gap by the clicks received in the meantime", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const beginning = await openListener(ann, { link_id: link.id });
    await beginning.waitUntil(({ lastId }) => lastId !== undefined, "a cursor");
    await beginning.close();
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    for (let i = 0; i < 10; i++) await batchOf(link, 400);
    const stream = await openListener(ann, { link_id: link.id, since: beginning.lastId ?? "" });
    await batchOf(link, 1_000);
    await visit(link.short_url);
    const clicks = await stream.waitForClicks(5_002);
    expect(clicks.map(seqOf)).toEqual(Array.from({ length: 5_002 }, (_, i) => i + 1));
    await stream.close();
  });

  test("a cursor of another link, account or mode, or a meaningless one, answers 422", async () => {
    const ann = await premiumAccount();
    const [link, other] = [await ann.createLink(), await ann.createLink()];
    const bob = await premiumAccount();
    const cursorOf = async (actor: TestAccount, query: Record<string, string> = {}) => {
      const stream = await openListener(actor, query);
      await stream.waitUntil(({ lastId }) => lastId !== undefined, "a cursor");
      await stream.close();
      return stream.lastId ?? "";
    };
    const own = await cursorOf(ann, { link_id: link.id });
    const account = await cursorOf(ann);
    const cases: [query: Record<string, string>, cursor: string][] = [
      [{ link_id: link.id }, await cursorOf(ann, { link_id: other.id })],
      [{ link_id: link.id }, account],
      [{}, own],
      [{}, await cursorOf(bob)],
      [{}, await cursorOf(await ann.withKey("test"))],
      [{}, account.replace(/-\w+-(\w+)$/, "-zzz-$1")],
      [{ link_id: link.id }, own.replace(/-\w+-(\w+)$/, "-1-$1")],
      [{}, account.replace(/-(\w+)-(\w+)$/, "-0$1-$2")],
      [{}, "x"],
      [{}, `${account}-1`],
    ];
    for (const [query, cursor] of cases) {
      const path = (extra: Record<string, string>) =>
        `/v1/events/stream?${new URLSearchParams({ ...query, ...extra })}`;
      const words = "must be the id of an event of this stream";
      expect(errorOf(await ann.call("GET", path({ since: cursor }))), cursor).toEqual(
        validationFailed(["since", "invalid_value", words]),
      );
      const header = await ann.call("GET", path({}), undefined, { "Last-Event-ID": cursor });
      expect(errorOf(header), cursor).toEqual(validationFailed(["Last-Event-ID", "invalid_value", words]));
    }
    expect(await socketsOf(feedOf(ann))).toBe(0);
  });

  test("a cursor older than the stored events gets a gap with its times, then the stored events, then new ones", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const first = await openListener(ann);
    await visit(link.short_url, { country: "AA" });
    const [known] = await first.waitForClicks(1);
    await first.close();
    await visit(link.short_url, { country: "BB" });
    await ann.waitForClicks(2, link);
    const feed = feedOf(ann);
    await eventually(
      async () =>
        runInDurableObject(feed, (_, { storage: { sql } }) => {
          return sql.exec("SELECT 1 FROM events").toArray().length === 2;
        }),
      "both events in the feed",
    );
    await runInDurableObject(feed, (_, { storage }) => void storage.sql.exec("UPDATE events SET stored_at = 1"));
    await runDurableObjectAlarm(feed);
    await visit(link.short_url, { country: "CC" });
    await ann.waitForClicks(3, link);
    const kept = (await ann.clicks(link)).data[2];
    const second = await openListener(ann, { since: first.lastId ?? "" });
    expect((await second.waitForClicks(1)).map(({ country }) => country)).toEqual(["CC"]);
    await visit(link.short_url, { country: "DD" });
    expect((await second.waitForClicks(2)).map(({ country }) => country)).toEqual(["CC", "DD"]);
    expect(second.events.map(({ event }) => event)).toEqual(["gap", "ready", "click", "click"]);
    expect(second.events[1]?.id).toBe(second.events[0]?.id);
    expect(JSON.parse(second.events[0]?.data ?? "")).toEqual({ from: known?.occurred_at, to: kept?.occurred_at });
    // The gap has its own cursor, so it is sent once.
    const third = await openListener(ann, { since: second.events[0]?.id ?? "" });
    await third.waitForClicks(2);
    expect(third.events.map(({ event }) => event)).toEqual(["ready", "click", "click"]);
    for (const stream of [second, third]) await stream.close();
  });

  test("an account keeps 100,000 events", async () => {
    const ann = await premiumAccount();
    await runInDurableObject(feedOf(ann), (_, { storage: { sql } }) => {
      const log = new FeedLog(sql, "tried");
      log.beginPeriod(1_000);
      const start = log.end.position;
      const events = Array.from({ length: 250 }, (_, i) => ({ at: 2_000 + i, human: true, data: `{"i":${i}}` }));
      for (let i = 0; i < 500; i++) log.append(events, "lnk", i, 3_000);
      expect(log.end.position - log.first.position).toBeGreaterThanOrEqual(100_000);
      expect(log.end.position - log.first.position).toBeLessThan(101_250);
      expect(log.first).toEqual({ position: expect.any(Number), at: 2_000 });
      expect(
        log
          .page(log.first.position + 249)
          .map(({ data }) => data)
          .slice(0, 2),
      ).toEqual(['{"i":249}', '{"i":0}']);
      expect(new FeedLog(sql, "tried")).toMatchObject({ first: log.first, end: log.end, listenedSince: 1_000 });
      expect(log.end.position).toBe(start + 125_000);
    });
  });

  test("fewer events are kept if they are very long: their total size is bounded", async () => {
    await runInDurableObject(feedOf(await premiumAccount()), (_, { storage: { sql } }) => {
      const exec: SqlStorage["exec"] = (query, ...bindings) => sql.exec(query, ...bindings);
      const long = { exec, databaseSize: 2 * 1024 ** 3 } as SqlStorage;
      const log = new FeedLog(long, "tried");
      log.beginPeriod(1_000);
      for (let i = 0; i < 1_000; i++) log.append([{ at: i, human: true, data: "{}" }], "lnk", i, 2_000);
      expect(log.end.position - log.first.position).toBe(500);
      expect(log.page(log.first.position)[0]?.at).toBe(500);
    });
  });

  test("trimming does not read the events that it keeps", async () => {
    await runInDurableObject(feedOf(await premiumAccount()), (_, { storage: { sql } }) => {
      let rowsRead = 0;
      const exec: SqlStorage["exec"] = (query, ...bindings) => {
        const cursor = sql.exec(query, ...bindings);
        const rows = cursor.toArray();
        rowsRead += cursor.rowsRead;
        return {
          toArray: () => rows,
          one: () => rows[0],
          [Symbol.iterator]: () => rows.values(),
          rowsWritten: cursor.rowsWritten,
        } as never;
      };
      const log = new FeedLog({ exec } as SqlStorage, "tried");
      log.beginPeriod(1_000);
      for (let i = 0; i < 5_000; i++) log.append([{ at: i, human: true, data: "{}" }], "lnk", i, 2_000 + i);
      rowsRead = 0;
      log.trim(2_000 + DAY_MS + 100);
      expect(log.end.position - log.first.position).toBe(4_900);
      expect(rowsRead).toBeLessThan(300);
    });
  });

  test("no position is used twice after all events have expired and the object has slept", async () => {
    await runInDurableObject(feedOf(await premiumAccount()), (_, { storage: { sql } }) => {
      const log = new FeedLog(sql, "tried");
      log.beginPeriod(1_000);
      log.append([{ at: 2_000, human: true, data: "{}" }], "lnk", 1, 2_000);
      log.trim(2_001 + DAY_MS);
      const { position } = log.end;
      expect(log.first.position).toBe(position);
      expect(new FeedLog(sql, "tried").end.position).toBe(position);
      expect(new FeedLog(sql, "tried").first.position).toBe(position);
    });
  });

  test("a feed that is started by an alarm reads its name from storage", async () => {
    await runInDurableObject(feedOf(await premiumAccount()), (_, { storage: { sql } }) => {
      new FeedLog(sql, "tried").beginPeriod(1_000);
      expect(new FeedLog(sql, undefined).name).toBe("tried");
    });
  });
});

describe("streams that cannot continue", () => {
  test("a client that reads page by page is cut off if its next events have been removed", async () => {
    const ann = await premiumAccount();
    const first = await openListener(ann);
    await first.waitUntil(({ lastId }) => lastId !== undefined, "a cursor");
    const feed = feedOf(ann);
    const since = await sinceOf(feed);
    const events = Array.from({ length: 200 }, (_, i) => ({ at: since + i, human: true, data: `{"i":${i}}` }));
    for (let i = 0; i < 3; i++) {
      await feed.announce({ linkId: "lnk_1", format: EVENTS_FORMAT, from: 200 * i, events: packEvents(events), since });
    }
    await first.waitUntil(({ events }) => events.length === 1 + 600, "600 events after the first");
    const [, position = "", at = ""] = /-(\w+)-(\w+)$/.exec(/^id: (.*)$/m.exec(first.text)?.[1] ?? "") ?? [];
    const query = new URLSearchParams({
      key: "another key",
      limit: "1",
      position: String(Number.parseInt(position, 36)),
      at: String(Number.parseInt(at, 36)),
    });
    const { webSocket } = await feed.fetch(`https://feed/?${query}`, { headers: { Upgrade: "websocket" } });
    const told: unknown[] = [];
    const closed = new Promise((done) => webSocket?.addEventListener("close", done));
    const asked = new Promise((done) => {
      webSocket?.addEventListener("message", ({ data }) => {
        // Events are binary: the first is the position at which the stream starts.
        if (typeof data === "string") told.push(data);
        // Requests as often as the feed allows, but a bounded number of times.
        if (told.length > 0 && told.length < 10) done(data);
      });
    });
    webSocket?.accept();
    expect(await asked).toBe(MORE_MESSAGE);
    await runInDurableObject(feed, (_, { storage }) => void storage.sql.exec("UPDATE events SET stored_at = 1"));
    await runDurableObjectAlarm(feed);
    webSocket?.send(MORE_MESSAGE);
    await closed;
    webSocket?.close();
    expect(told).toEqual([MORE_MESSAGE]);
    // The other stream, which has received every event, continues.
    await feed.announce({ linkId: "lnk_1", format: EVENTS_FORMAT, from: 600, events: packEvents(events.slice(0, 1)) });
    await first.waitUntil(({ events }) => events.length === 1 + 601, "another event");
    await first.close();
  });

  test("a stream that fails does not end the round for the streams after it", async () => {
    const ann = await premiumAccount();
    await runInDurableObject(feedOf(ann), async (_, state) => {
      const log = plainLog((from) => {
        if (from === 0) throw new Error("an event that cannot be read");
        return [{ at: 1, human: true, data: "{}" }];
      });
      const subscribers = new Subscribers(state, log);
      const closes: number[] = [];
      const open = () => {
        const { webSocket } = subscribers.accept(new URL("https://feed/"));
        if (!webSocket) throw new Error("no socket");
        webSocket.binaryType = "arraybuffer";
        webSocket.accept();
        webSocket.addEventListener("close", ({ code }) => void closes.push(code));
        return new Promise<unknown>((done) => {
          let messages = 0;
          // The first message is its position.
          webSocket.addEventListener("message", ({ data }) => void (++messages === 2 && done(data)));
        });
      };
      void open();
      log.end.position = 1;
      const sound = open();
      log.end.position = 2;
      subscribers.publish();
      expect(new TextDecoder().decode((await sound) as ArrayBuffer)).toMatch(/^event: click$/m);
      expect(subscribers.count).toBe(1);
      await eventually(async () => closes.length > 0, "the other is closed");
    });
  });

  test("a stream that is closing is removed", async () => {
    const ann = await premiumAccount();
    await runInDurableObject(feedOf(ann), (_, state) => {
      const log = plainLog(() => [{ at: 1, human: true, data: "{}" }]);
      const subscribers = new Subscribers(state, log);
      subscribers.accept(new URL("https://feed/")).webSocket?.accept();
      for (const socket of state.getWebSockets()) socket.close();
      log.end.position = 1;
      subscribers.publish();
      expect(subscribers.count).toBe(0);
    });
  });

  test("a log with fewer events than it claims ends its streams, but not the object", async () => {
    await runInDurableObject(feedOf(await premiumAccount()), async (_, state) => {
      let pages = 0;
      const log = plainLog(() => (++pages > 100 ? [{ at: 1, human: true, data: "{}" }] : []));
      const subscribers = new Subscribers(state, log);
      const { webSocket } = subscribers.accept(new URL("https://feed/"));
      const closed = new Promise<number>((done) => webSocket?.addEventListener("close", ({ code }) => done(code)));
      webSocket?.accept();
      log.end.position = 1;
      subscribers.publish();
      expect(await closed).toBe(CLOSE_CODE_RESUME);
      webSocket?.close();
      expect([pages, subscribers.count]).toEqual([1, 0]);
    });
  });
});

describe("events of very long links", () => {
  // Longer than real events get.
  const data = JSON.stringify({ destination: "語".repeat(8_192) });

  test("are transferred in pages that fit in a row", async () => {
    const ann = await premiumAccount();
    const stream = await openListener(ann);
    const feed = feedOf(ann);
    const since = await sinceOf(feed);
    const event = { at: since, human: true, data };
    const events = packEvents(Array.from({ length: 100 }, () => event));
    const answer = await feed.announce({ linkId: "lnk_1", format: EVENTS_FORMAT, from: 0, events, since });
    // The feed requests the rest.
    expect(answer).toMatchObject({ kind: "next", next: 19 });
    await runInDurableObject(feed, (_, { storage: { sql } }) => {
      const log = new FeedLog(sql, "tried");
      const from = log.first.position;
      for (let i = 0; i < 5; i++) log.append([event], "lnk_1", 20 + i, since);
      expect(log.page(from)).toHaveLength(19);
      expect(log.page(from + 19)).toHaveLength(5);
    });
    await stream.waitUntil(({ events: { length } }) => length === 1 + 19, "19 events after the first");
    await stream.close();
  });

  test("come from a link's log in pages of this size as well, without loss", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink({ url: `https://example.com/${"x".repeat(7_800)}` });
    const all = await openListener(ann);
    const own = await openListener(ann, { link_id: link.id });
    await visit(link.short_url);
    await own.waitForClicks(1);
    // Three pages, which fit into a stream's buffer: the client cannot read while its isolate sends.
    await batchOf(link, 50);
    for (const stream of [all, own]) {
      expect((await stream.waitForClicks(51)).map(seqOf)).toEqual(Array.from({ length: 51 }, (_, i) => i + 1));
      await stream.close();
    }
    await runInDurableObject(feedOf(ann), (_, { storage: { sql } }) => {
      const { most } = sql.exec<{ most: number }>("SELECT max(length(events)) AS most FROM events").one();
      expect(most).toBeLessThan(180_000);
    });
  });
});

describe("decision 9: events without subscribers", () => {
  test("cost nothing: links announce none, and no feed stores any", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    const own = await openListener(ann, { link_id: link.id });
    await visit(link.short_url);
    await own.waitForClicks(1);
    await own.close();
    const tables = (_: unknown, { storage: { sql } }: DurableObjectState) =>
      sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray();
    expect(await runInDurableObject(feedOf(ann), tables)).toEqual([]);
    expect(await runInDurableObject(objectOf(link), (_, state) => state.storage.getAlarm())).toBeNull();
  });

  test("are forgotten after a day: links stop announcing them, and a client that returns with an old cursor receives a gap", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const first = await openListener(ann);
    await visit(link.short_url, { country: "AA" });
    await first.waitForClicks(1);
    await first.close();
    await eventually(async () => (await socketsOf(feedOf(ann))) === 0, "the stream is closed");
    const now = Date.now();
    freezeClockAt(now + DAY_MS - 60_000);
    await runDurableObjectAlarm(feedOf(ann));
    const early = await openListener(ann, { since: first.lastId ?? "" });
    await early.close();
    await eventually(async () => (await socketsOf(feedOf(ann))) === 0, "the stream is closed");
    expect(early.text).not.toContain("event: gap");
    // The close of a socket may reach the object after the socket has left its list. It renews the period at that time.
    let end = now;
    await eventually(async () => {
      end += 2 * DAY_MS + 7_200_000;
      freezeClockAt(end);
      await runDurableObjectAlarm(feedOf(ann));
      return runInDurableObject(
        feedOf(ann),
        (_, { storage: { sql } }) => sql.exec<{ since: number }>("SELECT since FROM period").one().since === 0,
      );
    }, "the period is over");
    await runInDurableObject(feedOf(ann), (_, { storage: { sql } }) =>
      expect(sql.exec("SELECT * FROM events").toArray()).toEqual([]),
    );
    await visit(link.short_url, { country: "BB" });
    await ann.waitForClicks(2, link);
    await eventually(
      async () =>
        runInDurableObject(objectOf(link), (_, { storage: { sql } }) => new StoredTimes(sql).get("listened") === 0),
      "the link has ended its announcements",
    );
    freezeClockAt(end + 1);
    const second = await openListener(ann, { since: first.lastId ?? "" });
    await second.waitUntil(({ events }) => events.length > 0, "a gap");
    await visit(link.short_url, { country: "CC" });
    expect((await second.waitForClicks(1)).map(({ country }) => country)).toEqual(["CC"]);
    expect(second.events.map(({ event }) => event)).toEqual(["gap", "ready", "click"]);
    await second.close();
  });
});

describe("1, 6.1 the clicks of a stream", () => {
  test("5.4, 6.1 never include those of test mode or of another account, and of dashboard links only with origin=all", async () => {
    const ann = await premiumAccount();
    const tested = await ann.withKey("test");
    const bob = await premiumAccount();
    const made = await ann.createLink();
    const dashboard = await ann.createLink();
    await changeLinks(env, "UPDATE links SET origin = 'dashboard', revision = 2 WHERE id = ?1", dashboard.id);
    const links = [made, await ann.createLink(), dashboard, await tested.createLink(), await bob.createLink()];
    const [live, test, other] = [await openListener(ann), await openListener(tested), await openListener(bob)];
    const one = await openListener(ann, { link_id: made.id });
    const all = await openListener(ann, { origin: "all" });
    const ROUNDS = 60;
    for (const link of links) await visit(link.short_url, { method: "HEAD" });
    await Promise.all(
      Array.from({ length: ROUNDS }, (_, i) => links.map((link) => visit(link.short_url, { city: `${i}` }))).flat(),
    );
    const countOf = (clicks: readonly { link_id: string }[]) =>
      Object.fromEntries([...Map.groupBy(clicks, ({ link_id }) => link_id)].map(([id, own]) => [id, own.length]));
    const ids = links.map(({ id }) => id);
    await ann.waitForClicks(ROUNDS, dashboard);
    expect(countOf(await live.waitForClicks(2 * ROUNDS))).toEqual({ [ids[0] ?? ""]: ROUNDS, [ids[1] ?? ""]: ROUNDS });
    expect(countOf(await one.waitForClicks(ROUNDS))).toEqual({ [ids[0] ?? ""]: ROUNDS });
    expect(countOf(await test.waitForClicks(ROUNDS))).toEqual({ [ids[3] ?? ""]: ROUNDS });
    expect(countOf(await other.waitForClicks(ROUNDS))).toEqual({ [ids[4] ?? ""]: ROUNDS });
    const ownIds = ids.slice(0, 3);
    expect(countOf(await all.waitForClicks(3 * ROUNDS))).toEqual(Object.fromEntries(ownIds.map((id) => [id, ROUNDS])));
    for (const stream of [live, test, other, one, all]) await stream.close();
    // Each stream resumes at each other's cursors, and misses or repeats nothing.
    const everything = all.clicks.map(({ id, link_id }) => ({ id, isApi: link_id !== dashboard.id }));
    const placeOf = new Map(everything.map(({ id }, place) => [id, place]));
    for (const [from, at] of [all, live].flatMap((stream) => [7, ROUNDS].map((index) => [stream, index] as const))) {
      const { data, id: cursor } = from.events.filter(({ event }) => event === "click")[at] ?? { data: "{}", id: "" };
      const rest = everything.slice((placeOf.get((JSON.parse(data) as { id: string }).id) ?? 0) + 1);
      for (const [query, wanted] of [
        [{ origin: "all" }, rest],
        [{}, rest.filter(({ isApi }) => isApi)],
      ] as const) {
        const resumed = await openListener(ann, query, { "Last-Event-ID": cursor ?? "" });
        const got = await resumed.waitForClicks(wanted.length);
        expect(got.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
        await resumed.close();
      }
    }
  });

  test("link_id: a link of another account or mode is not found, a dashboard-made one is refused", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const path = `/v1/events/stream?link_id=${link.id}`;
    for (const stranger of [await premiumAccount(), await ann.withKey("test")]) {
      expect(errorOf(await stranger.call("GET", path))).toEqual(LINK_NOT_FOUND);
    }
    await changeLinks(env, "UPDATE links SET origin = 'dashboard' WHERE id = ?1", link.id);
    expect(errorOf(await ann.call("GET", path))).toEqual({
      ...LINK_NOT_API_CREATED,
      message: "This link was created in the dashboard. To stream its clicks, use `origin=all`.",
    });
    const stream = await openListener(ann, { link_id: link.id, origin: "all" });
    await stream.waitUntil(({ events }) => events.length > 0, "the stream is open");
    await visit(link.short_url, { country: "DE" });
    expect((await stream.waitForClicks(1)).map(({ link_id }) => link_id)).toEqual([link.id]);
    await stream.close();
  });

  test.each([
    [{ include_bots: "yes" }, "include_bots"],
    [{ since: "" }, "since"],
    [{ origin: "dashboard" }, "origin"],
    [{ group_by: "country" }, "group_by"],
  ])("%o answers 422 and names the parameter", async (query, param) => {
    const reply = await (await premiumAccount()).call("GET", `/v1/events/stream?${new URLSearchParams(query)}`);
    expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed", param });
  });
});

describe("decision 3: open streams", () => {
  test.each([
    ["Free", freeAccount, 5],
    ["Premium", premiumAccount, 20],
  ])(
    "a %s key has %s and no more, of links and account together; closing one frees its place",
    async (_, account, most) => {
      const ann = await account();
      const link = await ann.createLink();
      const streams = await Promise.all(
        Array.from({ length: most }, (_, i) => openListener(ann, i % 2 === 0 ? {} : { link_id: link.id })),
      );
      for (const query of ["", `?link_id=${link.id}`]) {
        const reply = await ann.call("GET", `/v1/events/stream${query}`);
        expect(errorOf(reply)).toEqual(TOO_MANY_STREAMS);
        expect(reply.headers.get("Retry-After")).toBe("2");
      }
      const sister = await openListener(await ann.withKey("live"));
      await sister.close();
      await streams[1]?.close();
      await eventually(async () => (await socketsOf(feedOf(ann))) === most - 1, "a place is free");
      await eventually(
        async () => (await socketsOf(objectOf(link))) === Math.floor(most / 2) - 1,
        "the link's object has let go as well",
      );
      await (await openListener(ann, { link_id: link.id })).close();
      for (const stream of streams) if (stream !== streams[1]) await stream.close();
      await eventually(
        async () => (await socketsOf(feedOf(ann))) + (await socketsOf(objectOf(link))) === 0,
        "all are gone",
      );
    },
  );

  test("while no slot is free, many requests cost each stream four comments, and none gets a slot", async () => {
    const ann = await freeAccount();
    const streams = await Promise.all(Array.from({ length: 5 }, () => openListener(ann)));
    const replies = await Promise.all(Array.from({ length: 40 }, () => ann.call("GET", "/v1/events/stream")));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([429]));
    for (const stream of streams) {
      const asked = stream.comments.filter((comment) => comment === "heartbeat").length;
      // The last requests have their own round; a heartbeat may be among the comments.
      expect(asked).toBeGreaterThanOrEqual(4);
      expect(asked).toBeLessThanOrEqual(10);
      expect(stream.isClosed).toBe(false);
      await stream.close();
    }
  });

  test("one of many requests that wait for a slot gets it", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    const streams = await Promise.all(Array.from({ length: 5 }, () => openListener(ann)));
    const open = (query: string) =>
      exports.default.fetch(`${BASE_URL}/v1/events/stream${query}`, {
        headers: { Authorization: `Bearer ${ann.key}` },
      });
    const waiting = Array.from({ length: 10 }, (_, i) => open(i % 2 === 0 ? "" : `?link_id=${link.id}`));
    // The first round of comments: all requests wait.
    await streams[4]?.waitUntil(({ comments }) => comments.includes("heartbeat"), "a comment");
    await streams[0]?.close();
    const replies = await Promise.all(waiting);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 429)]);
    for (const { body } of replies) await body?.cancel();
    for (const stream of streams.slice(1)) await stream.close();
  });

  test("a link deleted while its stream is opening is not found", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    const snapshot = await objectOf(link).snapshot();
    if (!snapshot) throw new Error("the object does not know its link");
    await objectOf(link).learn({ ...snapshot, revision: snapshot.revision + 1, state: "deleted" });
    expect(errorOf(await ann.call("GET", `/v1/events/stream?link_id=${link.id}`))).toEqual(LINK_NOT_FOUND);
    await eventually(async () => (await socketsOf(feedOf(ann))) === 0, "its place is free");
  });

  test("deleting a link ends its stream; a new stream is 404", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const [own, all] = [await openListener(ann, { link_id: link.id }), await openListener(ann)];
    await visit(link.short_url);
    await own.waitForClicks(1);
    expect((await ann.call("DELETE", `/v1/links/${link.id}`)).status).toBe(204);
    await own.waitUntil(({ isClosed }) => isClosed, "the end of the stream");
    expect(errorOf(await ann.call("GET", `/v1/events/stream?link_id=${link.id}`))).toEqual(LINK_NOT_FOUND);
    expect(all.isClosed).toBe(false);
    await eventually(async () => (await socketsOf(feedOf(ann))) === 1, "its place is free");
    await all.close();
  });
});

/** A stream in virtual time, and the socket of its object. */
function openTimed(more: Partial<Parameters<typeof eventStream>[2]> = {}) {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  const { 0: events, 1: object } = new WebSocketPair();
  object.accept();
  const stream = { kind: "open" as const, events, slot: events };
  const paid = streamLimits({ WORKERS_PLAN: "paid" });
  const isStillAllowed = async () => true;
  const listener = { id: crypto.randomUUID(), isStillAllowed, allowedAt: Date.now(), ...paid, ...more };
  const listening = new StreamListener(new Response(eventStream(stream, new AbortController().signal, listener)));
  return { object, listening };
}

test("4.6 a comment is sent every 15 s", async () => {
  const { listening } = openTimed();
  const heard = ["welcome"];
  for (let beat = 0; beat < 3; beat++) {
    await vi.advanceTimersByTimeAsync(14_999);
    await listening.waitUntil(({ comments }) => comments.length === heard.length, "the comments so far");
    await vi.advanceTimersByTimeAsync(1);
    heard.push("heartbeat");
    await listening.waitUntil(({ comments }) => comments.length === heard.length, "a heartbeat");
  }
  expect(listening.comments).toEqual(heard);
  await listening.close();
});

describe("reasons to end a stream", () => {
  const isClosed = ({ isClosed: closed }: StreamListener) => closed;

  test("streams of one key share each check of the key, even simultaneous checks", async () => {
    let asked = 0;
    const allowed = Promise.withResolvers<boolean>();
    const isStillAllowed = () => {
      asked++;
      return allowed.promise;
    };
    const streams = Array.from({ length: 3 }, () => openTimed({ id: "tried", isStillAllowed }));
    // Each stream checks every four seconds.
    await vi.advanceTimersByTimeAsync(4_000);
    expect(asked).toBe(1);
    allowed.resolve(true);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(asked).toBe(2);
    for (const { listening } of streams) await listening.close();
  });

  test.each(["free", "paid"])("its lifetime, on the plan %s: the client resumes after a random delay", async (plan) => {
    const limits = streamLimits({ WORKERS_PLAN: plan });
    expect(limits.lifetimeMs).toBe(plan === "free" ? 60_000 : 1_200_000);
    const { listening } = openTimed(limits);
    await vi.advanceTimersByTimeAsync(limits.lifetimeMs - 1_000);
    expect(listening.isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await listening.waitUntil(isClosed, "its end");
    expect(listening.failure).toBeUndefined();
    expect(listening.text).toMatch(/^retry: 2000\n[^]*\n\nretry: \d+\n\n$/);
    expect(listening.retry).toBeGreaterThanOrEqual(1_000);
    expect(listening.retry).toBeLessThanOrEqual(3_000);
  });

  test("its maximum number of messages, which take CPU time: all of them are sent", async () => {
    const { object, listening } = openTimed({ messagesMax: 3 });
    for (let i = 1; i <= 4; i++) object.send(new TextEncoder().encode(`id: ${i}\ndata: {}\n\n`));
    await listening.waitUntil(isClosed, "its end");
    expect(listening.events.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });

  test("the first check that refuses", async () => {
    const { listening } = openTimed({ isStillAllowed: async () => false });
    await vi.advanceTimersByTimeAsync(4_000);
    await listening.waitUntil(isClosed, "its end");
  });

  test.each([
    ["fail", () => Promise.reject(new Error("D1_ERROR: internal error"))],
    ["are not answered", () => new Promise<boolean>(() => {})],
  ])("sixty seconds without a successful check, while checks %s", async (_, unavailable) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    let isUp = true;
    const isStillAllowed = () => (isUp ? Promise.resolve(true) : unavailable());
    const { listening } = openTimed({ isStillAllowed });
    await vi.advanceTimersByTimeAsync(4_000);
    isUp = false;
    await vi.advanceTimersByTimeAsync(44_000);
    isUp = true;
    await vi.advanceTimersByTimeAsync(4_000);
    isUp = false;
    await vi.advanceTimersByTimeAsync(59_000);
    expect(listening.isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await listening.waitUntil(isClosed, "its end");
  });

  test("a failed check of one stream does not count as a successful check of another", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const isStillAllowed = () => Promise.reject(new Error("D1_ERROR: internal error"));
    const streams = Array.from({ length: 3 }, () => openTimed({ id: "shared", isStillAllowed }).listening);
    await vi.advanceTimersByTimeAsync(60_000);
    for (const listening of streams) await listening.waitUntil(isClosed, "its end");
  });
});

test("streams of a revoked key end within 10 s; those of other keys continue", async () => {
  const ann = await premiumAccount();
  const revoked = await ann.withKey("live");
  const link = await ann.createLink();
  const cut = [await openListener(revoked), await openListener(revoked, { link_id: link.id })];
  const stays = await openListener(ann);
  await revokeKey(env, parseApiKey(revoked.key)?.id ?? "");
  // In real time: virtual timers would look for the key outside of the stream's request.
  for (const stream of cut) await stream.waitUntil(({ isClosed }) => isClosed, "the end of the stream", 10_000);
  expect(cut.map(({ failure }) => failure)).toEqual([undefined, undefined]);
  await visit(link.short_url);
  await stays.waitForClicks(1);
  await stays.close();
});

describe("the cost of open streams", () => {
  test("objects sleep while streams are open and idle; a click wakes them and reaches every stream", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const streams = await Promise.all(
      [{}, {}, { link_id: link.id }, { link_id: link.id }].map((query) => openListener(ann, query)),
    );
    await visit(link.short_url, { country: "AA" });
    for (const stream of streams) await stream.waitForClicks(1);
    for (const object of [feedOf(ann), objectOf(link)]) {
      const mark = (instance: object) => Object.assign(instance, { isOld: true });
      await runInDurableObject(object, mark);
      await evictDurableObject(object);
      expect(await runInDurableObject(object, (instance) => "isOld" in instance)).toBe(false);
    }
    expect(streams.map(({ isClosed }) => isClosed)).toEqual([false, false, false, false]);
    for (const country of ["BB", "CC"]) await visit(link.short_url, { country });
    for (const stream of streams) {
      expect((await stream.waitForClicks(3)).map(({ country }) => country)).toEqual(["AA", "BB", "CC"]);
      await stream.close();
    }
  });

  test("a client that does not read is cut off, and catches up when it reconnects", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    const response = await exports.default.fetch(`${BASE_URL}/v1/events/stream?link_id=${link.id}`, {
      headers: { Authorization: `Bearer ${ann.key}` },
    });
    const reader = response.body?.getReader();
    let read = "";
    while (!read.includes("id: ")) read += new TextDecoder().decode((await reader?.read())?.value);
    // Each is small enough to be sent immediately; together they are too many.
    for (let i = 0; i < 40; i++) await batchOf(link, 200);
    await eventually(async () => (await socketsOf(objectOf(link))) === 0, "it is cut off");
    const again = await openListener(ann, { link_id: link.id, since: /^id: (.*)$/m.exec(read)?.[1] ?? "" });
    expect((await again.waitForClicks(8_000)).map(seqOf)).toEqual(Array.from({ length: 8_000 }, (_, i) => i + 2));
    await again.close();
  });
});

describe("announcing", () => {
  test("clicks that a link did not announce before it died are announced by its alarm", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const stream = await openListener(ann);
    await visit(link.short_url, { country: "AA" });
    await stream.waitForClicks(1);
    // As if the object had died after storing the next click and before announcing it.
    await runInDurableObject(feedOf(ann), (_, { storage: { sql } }) => void sql.exec("UPDATE links SET next = 0"));
    await evictDurableObject(feedOf(ann));
    await evictDurableObject(objectOf(link));
    await runDurableObjectAlarm(objectOf(link));
    expect((await stream.waitForClicks(2)).map(({ id }) => id)).toEqual(
      [1, 1].map((seq) => `evt_${link.id.slice(4)}0000000${seq}`),
    );
    await stream.close();
  });

  test("clicks stored before the link learns of a subscriber are announced once it does", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const now = Date.now();
    freezeClockAt(now + 60_000);
    await visit(link.short_url);
    await ann.waitForClicks(1, link);
    freezeClockAt(now);
    const stream = await openListener(ann);
    expect(await stream.waitForClicks(1)).toHaveLength(1);
    await stream.close();
  });

  test("a feed's late reply that it has no subscribers does not affect a subscriber that has connected since", async () => {
    const ann = await premiumAccount();
    await runInDurableObject(feedOf(ann), async (_, state) => {
      const answers: ((answer: AnnouncementResult) => void)[] = [];
      const log = plainLog(() => [{ at: 3_000, human: true, data: "{}" }]);
      const clicks = { count: 1, positionAt: () => 0 };
      const times = new StoredTimes(state.storage.sql);
      const announcer = new Announcer(state, times, clicks, log, () => new Promise((done) => answers.push(done)));
      announcer.start(1_000);
      announcer.announce(0);
      announcer.start(2_000);
      answers[0]?.({ kind: "nobody" });
      await eventually(async () => answers.length === 2, "another word");
      answers[1]?.({ kind: "next", next: 1 });
      expect(new StoredTimes(state.storage.sql).get("listened")).toBe(2_000);
      await state.storage.deleteAlarm();
    });
  });

  test("lost, late or repeated announcements change nothing", async () => {
    const ann = await premiumAccount();
    const stream = await openListener(ann);
    const feed = feedOf(ann);
    const since = await sinceOf(feed);
    const event = (i: number) => ({ at: since + i, human: true, data: `{"i":${i}}` });
    const say = (from: number, to: number, more: { since?: number } = {}) =>
      feed.announce({
        linkId: "lnk_1",
        format: EVENTS_FORMAT,
        from,
        events: packEvents(Array.from({ length: to - from }, (_, i) => event(from + i))),
        ...more,
      });
    expect(await say(7, 9)).toEqual({ kind: "unknown", since });
    expect(await say(5, 7, { since })).toEqual({ kind: "next", next: 7 });
    expect(await say(5, 7, { since })).toEqual({ kind: "next", next: 7 });
    expect(await say(9, 11)).toEqual({ kind: "next", next: 7 });
    expect(await say(6, 9)).toEqual({ kind: "next", next: 9 });
    expect(await feed.announce({ linkId: "lnk_1", format: EVENTS_FORMAT, from: 9, events: null })).toEqual({
      kind: "next",
      next: 9,
    });
    expect(await say(9, 10)).toEqual({ kind: "next", next: 10 });
    await stream.waitUntil(({ events }) => events.length >= 6, "5 events after the first");
    expect(stream.events.map(({ data }) => data)).toEqual(["{}", ...[5, 6, 7, 8, 9].map((i) => `{"i":${i}}`)]);
    await stream.close();
  });
});
