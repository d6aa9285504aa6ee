/**
 * The log of an account's clicks inside an object: its answers are compared with a list of all drawn clicks, in rounds
 * between which it is killed and links are erased. Randomness is seeded, so failures are reproducible.
 */
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";

import { AccountLog } from "../../src/clicks/account/account-log.ts";
import { ACCOUNT_FIELDS } from "../../src/core/clicks/encoding/click-columns.ts";
import { ACCOUNT_GROUPINGS, type AccountGrouping, INTERVALS } from "../../src/core/clicks/counting/groupings.ts";
import type { AccountFilter } from "../../src/core/clicks/counting/filters.ts";
import type { AccountStatsRequest, StatsData } from "../../src/core/clicks/counting/stats.ts";
import { binStarts } from "../../src/core/clicks/counting/calendar.ts";
import { ClickMix } from "../bench/click-mix.ts";
import { draw, keysOfClick, type LinkClick, type SentClick, type TestLink } from "../support/drawn-links.ts";
import { randomElement, randomInteger, seededRandom } from "../support/seeded-random.ts";

vi.setConfig({ testTimeout: 120_000 });

const START = Date.UTC(2026, 4, 1, 20);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Small, so that a few thousand clicks are staged and merged in many steps. */
const SIZES = { stagedClicks: 3_000, stagedBytes: 400_000, pieceClicks: 2_500 };

function visitorsOf(clicks: readonly SentClick[]): number {
  const known = clicks.filter((click) => click.visitor && click.class === "human");
  return new Set(known.map(({ at, visitor }) => `${Math.floor(at / DAY_MS)} ${visitor}`)).size;
}

/** The expected answer. */
function naiveStats(links: readonly TestLink[], request: AccountStatsRequest, asOf: number): StatsData {
  const { filters = [], uniques = false, interval, timezone, groupBy } = request;
  const to = Math.min(request.to ?? asOf, asOf);
  const from = Math.min(request.from, to);
  const counted = links
    .flatMap((link) => link.clicks.map((click): SentClick => ({ ...click, link })))
    .filter((click) => click.at >= from && click.at < to && (request.includeBots || click.class === "human"))
    .filter((click) =>
      filters.every(({ grouping, values }) => keysOfClick(click, grouping).some((key) => values.includes(key))),
    );
  const groups = new Map<string, SentClick[]>();
  for (const click of counted) {
    for (const key of keysOfClick(click, groupBy)) groups.set(key, [...(groups.get(key) ?? []), click]);
  }
  const withUniques = (clicks: readonly SentClick[]) => ({
    clicks: clicks.length,
    ...(uniques ? { uniqueVisitors: visitorsOf(clicks) } : {}),
  });
  const starts = interval ? (binStarts(interval, timezone, from, to, 2_000) ?? []) : [];
  const byClicks = [...groups].sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1));
  const [listed, rest] = [byClicks.slice(0, 1_000), byClicks.slice(1_000).flatMap(([, clicks]) => clicks)];
  return {
    total: counted.length,
    ...(uniques ? { uniqueVisitors: visitorsOf(counted) } : {}),
    buckets: [
      ...listed.map(([key, clicks]) => ({ key, ...withUniques(clicks) })),
      ...(rest.length > 0 ? [{ key: "other", ...withUniques(rest) }] : []),
    ],
    series: starts.map((start, i) => {
      const next = starts[i + 1] ?? Infinity;
      return { start, ...withUniques(counted.filter(({ at }) => at >= start && at < next)) };
    }),
    to,
  };
}

class Killed extends Error {}

type Storage = ConstructorParameters<typeof AccountLog>[0];

/** An account with its links, whose object is killed now and then: before or in one of its next transactions. */
class TestAccount {
  readonly links: TestLink[] = [];
  readonly mix = new ClickMix();
  log: AccountLog;
  /** The time up to which every link was drawn. */
  drawnTo = START;
  readonly #storage: DurableObjectStorage;
  readonly #chance: () => number;
  #transactionsLeft = Infinity;
  #linksMade = 0;

  constructor(storage: DurableObjectStorage, chance: () => number) {
    this.#storage = storage;
    this.#chance = chance;
    this.log = this.#start();
  }

  #start(): AccountLog {
    const killable: Storage = {
      sql: this.#storage.sql,
      transactionSync: (work) => {
        if (this.#transactionsLeft-- > 0) return this.#storage.transactionSync(work);
        return this.#storage.transactionSync(() => {
          if (this.#chance() < 0.7) work();
          throw new Killed();
        });
      },
    };
    return new AccountLog(killable, SIZES);
  }

  addLinks(count: number): void {
    for (let i = 0; i < count; i++) {
      const id = `lnk_${this.#linksMade++}_${"x".repeat(randomInteger(this.#chance, 12))}`;
      const tags = ["spring", "print", "Berlin"].filter(() => this.#chance() < 0.3);
      const domain = randomElement(this.#chance, ["", "go.example", "x.example"]);
      // Two links of a domain's holder may have had the same address.
      const address = this.#chance() < 0.1 ? "go.example/again" : `go.example/${this.#linksMade}`;
      this.links.push({ id, domain, address, tags, clicks: [] });
    }
  }

  /** Adds clicks of any links from `drawnTo` to before `to`. */
  click(to: number, count: number): void {
    for (let left = count; left > 0;) {
      const link = randomElement(this.#chance, this.links);
      const size = Math.min(1 + randomInteger(this.#chance, 60), left);
      left -= size;
      const since = Math.max(this.drawnTo, link.clicks.at(-1)?.at ?? 0);
      const at = since + Math.floor(this.#chance() ** 2 * (to - since));
      const revision = Math.max(link.clicks.at(-1)?.revision ?? 1, randomInteger(this.#chance, 4));
      for (const click of this.mix.batch(at, size)) {
        const visitor = this.#chance() < 0.1 ? 0 : 1 + randomInteger(this.#chance, 200) * 2 ** 33;
        const address = this.#chance() < 0.2 ? `${link.address}-${randomInteger(this.#chance, 3)}` : "";
        link.clicks.push({ ...click, at: Math.min(click.at, to - 1), visitor, revision, address });
      }
    }
  }

  /** Draws every link up to `to` and merges, however often the object is killed in the meantime. */
  async drawTo(to: number): Promise<void> {
    for (let mayDie = true; ; mayDie = false) {
      this.#transactionsLeft = mayDie && this.#chance() < 0.7 ? randomInteger(this.#chance, 25) : Infinity;
      try {
        for (const link of this.links) this.#stage(link, to);
        await this.log.merge(to);
        break;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      this.#transactionsLeft = Infinity;
      this.log = this.#start();
      await this.expectAsSent(this.anyRequest());
      if (this.#chance() < 0.3) this.erase(1);
    }
    this.#transactionsLeft = Infinity;
    this.drawnTo = to;
  }

  #stage(link: TestLink, to: number): void {
    const end = link.clicks.findLastIndex(({ at }) => at < to) + 1;
    for (let from = this.log.positionOf(link.id); from < end;) {
      const next = Math.min(from + 1 + randomInteger(this.#chance, 700), end);
      this.log.stage(link, draw(link, from, next), next);
      from = next;
    }
  }

  erase(count: number): void {
    const erased = this.links.slice(1).filter(() => this.#chance() < count / this.links.length);
    this.log.erase(erased.map(({ id }) => id));
    for (const link of erased) this.links.splice(this.links.indexOf(link), 1);
  }

  async expectAsSent(request: AccountStatsRequest): Promise<void> {
    const tags = new Map(this.links.map((link) => [link.id, link.tags]));
    const result = await this.log.stats(request, (id) => tags.get(id) ?? ["of an erased link"]);
    const { asOf } = this.log;
    expect(result, JSON.stringify(request)).toEqual({ kind: "stats", asOf, ...naiveStats(this.links, request, asOf) });
  }

  anyRequest(groupBy: AccountGrouping = randomElement(this.#chance, ACCOUNT_GROUPINGS)): AccountStatsRequest {
    const chance = this.#chance;
    const anyTime = () => {
      const { clicks } = randomElement(chance, this.links);
      const span = this.drawnTo - START;
      return chance() < 0.5 && clicks.length > 0
        ? randomElement(chance, clicks).at + randomInteger(chance, 2)
        : START - HOUR_MS + randomInteger(chance, span + 2 * HOUR_MS);
    };
    const [from = 0, to = 0] = [anyTime(), anyTime()].sort((a, b) => a - b);
    const filters = chance() < 0.5 ? [] : Array.from({ length: 1 + randomInteger(chance, 2) }, () => this.#anyFilter());
    return {
      groupBy,
      from,
      to: chance() < 0.2 ? null : to,
      interval: randomElement(chance, [null, ...INTERVALS.filter((name) => name !== "minute")]),
      timezone: randomElement(chance, ["UTC", "America/New_York", "Asia/Kolkata"]),
      includeBots: chance() < 0.3,
      ...(filters.length > 0 ? { filters } : {}),
      ...(chance() < 0.3 ? { uniques: true } : {}),
    };
  }

  #anyFilter(): AccountFilter {
    const grouping = randomElement(this.#chance, ACCOUNT_GROUPINGS);
    const values = Array.from({ length: 1 + randomInteger(this.#chance, 4) }, () => {
      const link = randomElement(this.#chance, this.links);
      if (link.clicks.length === 0) return "nothing";
      const click = { ...randomElement(this.#chance, link.clicks), link };
      return randomElement(this.#chance, keysOfClick(click, grouping));
    });
    return { grouping, values };
  }
}

let objects = 0;

function newObject() {
  return env.LINK_CLICKS.getByName(`account-log.example/object-${++objects}`);
}

function inObject<T>(work: (storage: DurableObjectStorage) => Promise<T>): Promise<T> {
  return runInDurableObject(newObject(), (_, { storage }) => work(storage));
}

describe("14 an account's log", () => {
  test.for([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])("14 answers every query like a list of all clicks, chance %i", (seed) =>
    inObject(async (storage) => {
      const chance = seededRandom(seed);
      const account = new TestAccount(storage, chance);
      for (let round = 1; round <= 6; round++) {
        account.addLinks(1 + randomInteger(chance, 8));
        const to = account.drawnTo + 1 + randomInteger(chance, 2 * DAY_MS);
        account.click(to, round % 3 === 0 ? 12_000 : randomInteger(chance, 3_000));
        await account.drawTo(to);
        expect(account.log.asOf).toBe(to);
        for (let i = 0; i < 4; i++) await account.expectAsSent(account.anyRequest());
        if (chance() < 0.4) {
          account.erase(2);
          await account.expectAsSent(account.anyRequest());
          if (chance() < 0.5) account.erase(1);
        }
      }
      await account.drawTo(account.drawnTo + 1);
      for (const groupBy of ACCOUNT_GROUPINGS) await account.expectAsSent(account.anyRequest(groupBy));
    }),
  );
});

const QUESTION: AccountStatsRequest = {
  groupBy: "link",
  from: 0,
  to: null,
  interval: null,
  timezone: "UTC",
  includeBots: true,
};

function testLink(id: string, clicks: LinkClick[], domain = ""): TestLink {
  return { id, domain, address: `${domain}/${id}`, tags: [], clicks };
}

function plainClicks(count: number, facts: Partial<LinkClick> = {}): LinkClick[] {
  return Array.from({ length: count }, (_, i) => {
    return { at: START + i, class: "human", qr: "", rule: "", revision: 1, ...facts };
  });
}

function stageAll(log: AccountLog, link: TestLink): void {
  for (let from = 0; from < link.clicks.length; from += 5_000) {
    const next = Math.min(from + 5_000, link.clicks.length);
    log.stage(link, draw(link, from, next), next);
  }
}

const bucketsOfLinks = async (log: AccountLog, request: Partial<AccountStatsRequest> = {}) => {
  const result = await log.stats({ ...QUESTION, ...request }, () => []);
  return result.kind === "stats" ? result.buckets.map(({ key, clicks }) => [key, clicks]) : result;
};

describe("14 an account's log between rounds", () => {
  test("14 resumes where it was after its object was evicted", async () => {
    const object = newObject();
    const link = testLink("lnk_one", plainClicks(6_000));
    await runInDurableObject(object, async (_, { storage }) => {
      const log = new AccountLog(storage);
      log.stage(link, draw(link, 0, 5_000), 5_000);
      await log.merge(START + 5_000);
      log.stage(link, draw(link, 5_000, 6_000), 6_000);
      expect(log.positionOf(link.id)).toBe(6_000);
    });
    await evictDurableObject(object);
    await runInDurableObject(object, async (_, { storage }) => {
      const log = new AccountLog(storage);
      expect(log.asOf).toBe(START + 5_000);
      // Clicks that were only in memory are drawn again.
      expect(log.positionOf(link.id)).toBe(5_000);
      expect(await bucketsOfLinks(log)).toEqual([["lnk_one", 5_000]]);
      log.stage(link, draw(link, 5_000, 6_000), 6_000);
      await log.merge(START + 6_000);
      expect(await bucketsOfLinks(log)).toEqual([["lnk_one", 6_000]]);
    });
  });

  test.for([
    ["", 0],
    ["go.example/alias", 1],
  ] as const)("7 clicks by the address %j add %i rows of summaries", ([address, rows]) =>
    inObject(async (storage) => {
      const log = new AccountLog(storage, SIZES);
      stageAll(log, testLink("lnk_one", plainClicks(5_000, { address })));
      await log.merge(START + DAY_MS);
      const { count } = storage.sql.exec("SELECT count(*) AS count FROM summaries_1").one();
      expect(count).toBe(ACCOUNT_FIELDS.length - 1 + rows + 1);
    }),
  );

  test("14 clicks of a link that was not known to have any are inserted by their times", () =>
    inObject(async (storage) => {
      const [known, late] = [testLink("lnk_known", plainClicks(9_000)), testLink("lnk_late", plainClicks(70))];
      const log = new AccountLog(storage, SIZES);
      stageAll(log, known);
      await log.merge(START + DAY_MS);
      stageAll(log, late);
      await log.merge(START + DAY_MS);
      expect(log.asOf).toBe(START + DAY_MS);
      expect(await bucketsOfLinks(log, { to: START + 50 })).toEqual([
        ["lnk_known", 50],
        ["lnk_late", 50],
      ]);
      expect(await bucketsOfLinks(log)).toEqual([
        ["lnk_known", 9_000],
        ["lnk_late", 70],
      ]);
    }));

  test("14 no data of an erased link remains stored, and no answer contains its clicks in the meantime", () =>
    inObject(async (storage) => {
      const kept = testLink("lnk_kept", plainClicks(5_000, { rule: "1" }));
      const erased = testLink("lnk_erased", plainClicks(5_000, { city: "Secretville" }), "secret.example");
      const log = new AccountLog(storage, SIZES);
      stageAll(log, kept);
      stageAll(log, erased);
      await log.merge(START + 3_000);
      log.erase(["lnk_erased"]);
      expect(await bucketsOfLinks(log)).toEqual([]);
      await log.merge(START + 2_000);
      expect(await bucketsOfLinks(log)).toEqual([["lnk_kept", 2_000]]);
      await log.merge(START + 5_000);
      expect(await bucketsOfLinks(log)).toEqual([["lnk_kept", 5_000]]);
      const rows = tablesOf(storage).flatMap((name) => storage.sql.exec(`SELECT * FROM ${name}`).toArray());
      const stored = rows
        .flatMap((row) => Object.values(row))
        .map(textOf)
        .join("\n");
      expect(stored).toContain("lnk_kept");
      for (const text of ["lnk_erased", "Secretville", "secret.example"]) expect(stored).not.toContain(text);
    }));

  test("14 no data of an erased link remains stored, even if clicks are drawn that must not be merged yet", () =>
    inObject(async (storage) => {
      const log = new AccountLog(storage, SIZES);
      const [erased, other] = [testLink("lnk_erased", plainClicks(4_000)), testLink("lnk_other", plainClicks(4_000))];
      const until = START + 1_500;
      for (const link of [erased, other]) stageAll(log, link);
      await log.merge(until);
      log.erase(["lnk_erased"]);
      await log.merge(until);
      expect(log.isRewritten).toBe(false);
      const stored = tablesOf(storage).flatMap((name) => storage.sql.exec(`SELECT * FROM ${name}`).toArray());
      expect(stored.map((row) => Object.values(row).map(textOf).join()).join()).not.toContain("lnk_erased");
      expect(await bucketsOfLinks(log)).toEqual([["lnk_other", 1_500]]);
      await log.merge(START + DAY_MS);
      expect(await bucketsOfLinks(log)).toEqual([["lnk_other", 4_000]]);
    }));

  test("14 links that are erased one after the other share one rewrite of the log", () =>
    inObject(async (storage) => {
      const links = Array.from({ length: 40 }, (_, i) => testLink(`lnk_${i}`, plainClicks(10)));
      const log = new AccountLog(storage);
      for (const link of links) stageAll(log, link);
      await log.merge(START + 10);
      const tables = () => storage.sql.exec("SELECT name FROM sqlite_master").toArray().length;
      const before = tables();
      for (const { id } of links.slice(1)) log.erase([id]);
      expect(tables()).toBeLessThanOrEqual(2 * before);
      expect(await bucketsOfLinks(log)).toEqual([]);
      await log.merge(START + 10);
      expect(await bucketsOfLinks(log)).toEqual([["lnk_0", 10]]);
      log.erase(["lnk_0"]);
      await log.merge(START + 10);
      expect(await bucketsOfLinks(log)).toEqual([]);
      expect(tables()).toBe(before);
    }));

  test("14 links erased during a rewrite of the log wait for one more rewrite, and are in no answer in the meantime", () =>
    inObject(async (storage) => {
      const links = Array.from({ length: 40 }, (_, i) => testLink(`lnk_${i}`, plainClicks(600)));
      let log = new AccountLog(storage, SIZES);
      for (const link of links) stageAll(log, link);
      const until = START + DAY_MS;
      await log.merge(until);
      const tables = () => storage.sql.exec("SELECT name FROM sqlite_master").toArray().length;
      const before = tables();
      let interrupted = 0;
      for (const [i, { id }] of links.slice(1).entries()) {
        log.erase([id]);
        expect([log.asOf, await bucketsOfLinks(log)]).toEqual([0, []]);
        if (i % 10 === 9) log = new AccountLog(storage, SIZES);
        // Part of the log is written between two erasures.
        if (!(await log.merge(until, { pieces: 1 }))) interrupted++;
        expect(tables()).toBeLessThanOrEqual(3 * before);
      }
      expect(interrupted).toBeGreaterThan(20);
      await log.merge(until);
      expect(await bucketsOfLinks(log)).toEqual([["lnk_0", 600]]);
      expect([tables(), storage.sql.exec("SELECT link FROM erased_links").toArray()]).toEqual([before, []]);
    }));

  test("14 a query during which links are erased again and again is rejected", () =>
    inObject(async (storage) => {
      const log = new AccountLog(storage);
      for (let i = 0; i < 20; i++) stageAll(log, testLink(`lnk_${i}`, plainClicks(10)));
      await log.merge(START + DAY_MS);
      const run = vi.spyOn(log.scans, "run");
      /** A scan before the query, which waits while a link is erased, and another after it. */
      const hold = () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        void log.scans.run(() => promise);
        return resolve;
      };
      let release = hold();
      let answer: unknown = null;
      const asked = log.stats({ ...QUESTION, filters: [{ grouping: "country", values: ["DE"] }] }, () => []);
      void asked.then((result) => (answer = result));
      for (let i = 0; i < 10 && !answer; i++) {
        log.erase([`lnk_${i}`]);
        await log.merge(START + DAY_MS);
        const releaseNext = hold();
        const asks = run.mock.calls.length;
        release();
        await vi.waitFor(() => expect(answer !== null || run.mock.calls.length > asks).toBe(true));
        release = releaseNext;
      }
      expect(answer).toMatchObject({ kind: "packing" });
      release();
    }));

  test("14 a repeated erasure of a link, while the log is rewritten without it, delays no query", () =>
    inObject(async (storage) => {
      const log = new AccountLog(storage, SIZES);
      for (let i = 0; i < 20; i++) stageAll(log, testLink(`lnk_${i}`, plainClicks(600)));
      await log.merge(START + DAY_MS);
      log.erase(["lnk_0"]);
      expect(await log.merge(START + DAY_MS, { pieces: 1 })).toBe(false);
      const run = vi.spyOn(log.scans, "run");
      const { promise, resolve } = Promise.withResolvers<void>();
      void log.scans.run(() => promise);
      const asked = log.stats({ ...QUESTION, filters: [{ grouping: "country", values: [""] }] }, () => []);
      log.erase(["lnk_0"]);
      resolve();
      expect(await asked).toMatchObject({ kind: "stats" });
      expect(run).toHaveBeenCalledTimes(2);
    }));

  test("14 clicks are stored once their rules and destinations fill the memory for drawn clicks", () =>
    inObject(async (storage) => {
      const log = new AccountLog(storage, SIZES);
      const link = testLink("lnk_long", plainClicks(2));
      const routes = { "1.": { rule: "", destination: "x".repeat(SIZES.stagedBytes) } };
      log.stage(link, { ...draw(link, 0, 1), routes }, 1);
      expect(new AccountLog(storage, SIZES).positionOf(link.id)).toBe(1);
    }));

  test("14 over 1,000 links: the rest is other", () =>
    inObject(async (storage) => {
      const log = new AccountLog(storage);
      for (let n = 0; n < 1_500; n++) {
        stageAll(log, testLink(`lnk_${String(n).padStart(4, "0")}`, plainClicks(n < 1_000 ? 5 : 3)));
      }
      await log.merge(START + DAY_MS);
      const buckets = await bucketsOfLinks(log);
      expect(buckets).toHaveLength(1_001);
      expect(buckets).toContainEqual(["lnk_0999", 5]);
      expect(buckets).toContainEqual(["other", 1_500]);
    }));

  test("14 no row is larger than 1 MB, whatever visitors send", () =>
    inObject(async (storage) => {
      const log = new AccountLog(storage);
      const hostile = plainClicks(9_000).map((click, i) => {
        const text = `${i} ${"ü€".repeat(100)}`;
        return { ...click, city: text, referrer: text, utm_source: text, utm_term: text, rule: String(i) };
      });
      const link = testLink("lnk_hostile", hostile);
      for (let from = 0; from < 9_000; from += 500) log.stage(link, draw(link, from, from + 500), from + 500);
      await log.merge(START + DAY_MS);
      for (const name of tablesOf(storage)) {
        for (const row of storage.sql.exec(`SELECT * FROM ${name}`)) {
          expect(Object.values(row).reduce((sum: number, value) => sum + sizeOf(value), 0)).toBeLessThan(1_000_000);
        }
      }
      const result = await log.stats({ ...QUESTION, groupBy: "city" }, () => []);
      expect(result).toMatchObject({ kind: "stats", total: 9_000 });
    }));
});

function tablesOf({ sql }: DurableObjectStorage): string[] {
  const query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'";
  return sql
    .exec<{ name: string }>(query)
    .toArray()
    .map(({ name }) => name);
}

function textOf(value: unknown): string {
  return value instanceof ArrayBuffer ? new TextDecoder().decode(value) : String(value);
}

function sizeOf(value: unknown): number {
  if (value instanceof ArrayBuffer) return value.byteLength;
  return typeof value === "string" ? new TextEncoder().encode(value).length : 8;
}
