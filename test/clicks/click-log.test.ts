/**
 * The click log alone, inside an object: its answers are compared with a list of all clicks that were sent. Randomness
 * is seeded, so failures are reproducible.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";

import { ClickLog } from "../../src/clicks/click-log.ts";
import { Revisions } from "../../src/clicks/link-state.ts";
import type { LinkClicks } from "../../src/clicks/link-clicks.ts";
import { classAt, unpackVisitTimes, valueAt } from "../../src/core/clicks/encoding/click-batch.ts";
import { type Click, packClicks } from "../support/pack-clicks.ts";
import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import { mapFacts, type StoredField } from "../../src/core/clicks/facts.ts";
import { type StatsRequest, STORED_FIELDS } from "../../src/core/clicks/counting/stats.ts";
import type { TextTally } from "../../src/core/clicks/counting/tally.ts";
import { randomElement, seededRandom, randomInteger } from "../support/seeded-random.ts";
import { freezeClockAt } from "../support/clock.ts";

const BATCH_MAX_CLICKS = 4_096;

// Thousands of requests on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 30_000 });

const START = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;

afterEach(() => {
  vi.useRealTimers();
});

let objects = 0;

/** A separate object for each test, named like a link that D1 does not know. */
function newObject() {
  return env.LINK_CLICKS.getByName(`click-log.example/object-${++objects}`);
}

const NOTHING_KNOWN = mapFacts(() => "");

function clickOf(chance: () => number, at: number): Click {
  const country = randomElement(chance, ["DE", "US", "FR", "JP", "XX"]);
  return {
    ...NOTHING_KNOWN,
    at,
    class: randomElement(chance, ["human", "human", "human", "bot", "prefetch"]),
    country,
    continent: randomElement(chance, ["EU", "NA", ""]),
    region: country === "XX" ? "" : `${country}-${randomInteger(chance, 5)}`,
    city: randomElement(chance, ["Berlin", "Zürich", "東京", ""]),
    device: randomElement(chance, ["mobile", "desktop", "other"]),
    os: randomElement(chance, ["ios", "windows", "other"]),
    browser: randomElement(chance, ["safari", "chrome", "other"]),
    language: randomElement(chance, ["de", "en-GB", ""]),
    referrer: chance() < 0.5 ? "" : `site-${randomInteger(chance, 40)}.example`,
    qr: chance() < 0.1 ? `qr_${randomInteger(chance, 3)}` : "",
    rule: randomElement(chance, ["", "0", "1", "2"]),
    address: chance() < 0.001 ? "go.example/alias" : "",
    ...(chance() < 0.3 ? { utm_source: randomElement(chance, ["news", "poster"]), utm_campaign: "spring" } : {}),
  };
}

interface StoredClick extends Click {
  revision: number;
}

/** A field of every click, as numbers of values: counting texts would take longer than the log takes. */
class NaiveColumn {
  readonly #numbers = new Map<string, number>();
  readonly #column: number[] = [];

  push(value: string): void {
    const number = this.#numbers.get(value) ?? this.#numbers.size;
    if (number === this.#numbers.size) this.#numbers.set(value, number);
    this.#column.push(number);
  }

  tally(clicks: readonly Click[], from: number, to: number): Record<string, [human: number, rest: number]> {
    const [human, rest] = [new Uint32Array(this.#numbers.size), new Uint32Array(this.#numbers.size)];
    for (let i = from; i < to; i++) {
      const number = this.#column[i] ?? 0;
      const counts = clicks[i]?.class === "human" ? human : rest;
      counts[number] = (counts[number] ?? 0) + 1;
    }
    const counted = [...this.#numbers].map(([value, number]): [string, [number, number]] => {
      return [value, [human[number] ?? 0, rest[number] ?? 0]];
    });
    return Object.fromEntries(counted.filter(([, [people, others]]) => people + others > 0));
  }
}

/** The expected log: every click, in order, with the time it must have. */
class NaiveLog {
  readonly clicks: StoredClick[] = [];
  readonly #columns = STORED_FIELDS.map((field) => ({ field, column: new NaiveColumn() }));

  append(revision: number, clicks: readonly Click[], floor: number): void {
    for (const click of clicks) {
      const last = this.clicks.at(-1)?.at ?? 0;
      this.clicks.push({ ...click, revision, at: Math.max(click.at, last, floor) });
      for (const { field, column } of this.#columns)
        column.push(field === "route" ? `${revision}.${click.rule}` : (click[field] ?? ""));
    }
  }

  positionAt(at: number): number {
    const found = this.clicks.findIndex((click) => click.at >= at);
    return found < 0 ? this.clicks.length : found;
  }

  tally(field: StoredField, from: number, to: number): Record<string, [human: number, rest: number]> {
    return this.#columns.find((one) => one.field === field)?.column.tally(this.clicks, from, to) ?? {};
  }

  /** Clicks by the start of their time slot. */
  histogram(from: number, to: number, slotMs: number): Record<number, [human: number, rest: number]> {
    const counts: Record<number, [number, number]> = {};
    for (let i = from; i < to; i++) {
      const click = this.clicks[i];
      if (!click) continue;
      const count = (counts[click.at - (click.at % slotMs)] ??= [0, 0]);
      count[click.class === "human" ? 0 : 1]++;
    }
    return counts;
  }
}

function counted(tally: TextTally): Record<string, [number, number]> {
  const named = [...tally].filter(([, { human, nonHuman }]) => human !== 0 || nonHuman !== 0);
  return Object.fromEntries(named.map(([key, { human, nonHuman }]) => [key, [human, nonHuman]]));
}

function histogramOf(log: ClickLog, from: number, to: number, fine: boolean): Record<number, [number, number]> {
  const slotMs = fine ? MINUTE_MS : QUARTER_MS;
  const counts: Record<number, [number, number]> = {};
  for (const { bins } of log.histograms(from, to, fine)) {
    for (const { start, human, nonHuman } of bins) {
      const count = (counts[start - (start % slotMs)] ??= [0, 0]);
      count[0] += human;
      count[1] += nonHuman;
    }
  }
  return counts;
}

function expectSame(log: ClickLog, naive: NaiveLog, from: number, to: number): void {
  for (const field of STORED_FIELDS) {
    expect(counted(log.tally(field, from, to)), `${field} of [${from}, ${to})`).toEqual(naive.tally(field, from, to));
  }
  for (const fine of [true, false]) {
    const counts = histogramOf(log, from, to, fine);
    const expected = naive.histogram(from, to, fine ? MINUTE_MS : QUARTER_MS);
    // `toEqual` takes long for a hundred thousand minutes.
    if (!areSame(counts, expected)) expect(counts, `histogram of [${from}, ${to})`).toEqual(expected);
  }
}

type Counts = Record<number, [human: number, rest: number]>;

function areSame(counts: Counts, expected: Counts): boolean {
  const [slots, others] = [Object.entries(counts), Object.entries(expected)];
  return (
    slots.length === others.length &&
    others.every(([start, [human, rest]]) => {
      const count = counts[Number(start)];
      return count?.[0] === human && count[1] === rest;
    })
  );
}

function expectSamePosition(log: ClickLog, naive: NaiveLog, at: number): void {
  expect(log.positionAt(at), `position at ${at}`).toBe(naive.positionAt(at));
}

/** Expects each stored click as it was sent, with the time it must have. */
function expectSameClicks(log: ClickLog, naive: NaiveLog, from: number, to: number): void {
  const stored = [...log.slices(from, to)].flatMap(({ position, revision, columns, times, ...slice }) =>
    times.slice(slice.from, slice.to).map((at, i) => {
      const index = slice.from + i;
      const { class: letters, query: _query, splits: _splits, visitors: _visitors, ...facts } = columns;
      const values = Object.entries(facts).map(([name, column]) => [name, valueAt(column, index)]);
      const click = { ...Object.fromEntries(values), class: classAt(letters, index), at, revision };
      return [position + index, click];
    }),
  );
  expect(stored).toEqual(naive.clicks.slice(from, to).map((click, i) => [from + i, click]));
}

/** Fills a log and its model with the same clicks; time advances, stands still, and sometimes goes back. */
function fill(log: ClickLog, naive: NaiveLog, sizes: readonly number[], chance: () => number, stepMs: number): void {
  let at = START;
  let floor = 0;
  for (const [i, size] of sizes.entries()) {
    const clicks = Array.from({ length: size }, () => {
      const draw = chance();
      at += draw < 0.3 ? 0 : draw < 0.35 ? -randomInteger(chance, 5_000) : randomInteger(chance, stepMs);
      return clickOf(chance, at);
    });
    if (chance() < 0.1) floor = at + randomInteger(chance, 3_000);
    const revision = 1 + Math.floor(i / 20);
    log.append({ id: i + 1, revision, clicks: packClicks(clicks) }, floor);
    naive.append(revision, clicks, floor);
  }
}

/** Ranges that begin and end anywhere, including exactly at the edges of blocks. */
function rangesOf(chance: () => number, count: number, howMany: number): [from: number, to: number][] {
  const edges = [0, 1_023, 1_024, 1_025, 16_383, 16_384, 16_385, 262_143, 262_144, 262_145, count - 1, count];
  const inside = edges.filter((edge) => edge <= count);
  const position = () =>
    chance() < 0.4 ? (inside[randomInteger(chance, inside.length)] ?? 0) : randomInteger(chance, count + 1);
  const drawn = Array.from({ length: howMany }, () => [position(), position()]);
  return [
    [0, count],
    [count, count],
    ...drawn.map(([a = 0, b = 0]): [number, number] => [Math.min(a, b), Math.max(a, b)]),
  ];
}

function manySizes(chance: () => number, clicks: number, sizes: readonly number[]): number[] {
  const drawn: number[] = [];
  for (let sum = 0; sum < clicks; sum += drawn.at(-1) ?? 0) drawn.push(sizes[randomInteger(chance, sizes.length)] ?? 1);
  return drawn;
}

describe("7 the log equals a list of all clicks", () => {
  test.for([
    ["lone clicks", 3_000, [1], 20_000, 9],
    ["batches of every size", 40_000, [1, 1, 1, 50, 50, 700, 4_096], 20_000, 12],
    ["clicks far apart", 20_000, [1, 50, 700], 3_600_000, 10],
    ["batches as long as blocks", 20_480, [1_024], 500, 15],
  ] as const)("7 %s", async ([, clicks, sizes, stepMs, howMany]) => {
    await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
      const chance = seededRandom(clicks);
      const [log, naive] = [new ClickLog(sql), new NaiveLog()];
      fill(log, naive, manySizes(chance, clicks, sizes), chance, stepMs);
      expect(log.count).toBe(naive.clicks.length);
      expect(log.lastAt).toBe(naive.clicks.at(-1)?.at);
      // A log opened later reads the same.
      for (const reader of [log, new ClickLog(sql)]) {
        for (const [from, to] of rangesOf(chance, log.count, howMany)) expectSame(reader, naive, from, to);
        for (let i = 0; i < 40; i++) {
          const { at } = naive.clicks[randomInteger(chance, log.count)] ?? { at: 0 };
          for (const time of [at - 1, at, at + 1]) expectSamePosition(reader, naive, time);
        }
        for (const time of [-1, 0, START - 1, log.lastAt, log.lastAt + 1, Number.MAX_SAFE_INTEGER]) {
          expectSamePosition(reader, naive, time);
        }
      }
      for (const [from, to] of rangesOf(chance, log.count, 3))
        expectSameClicks(log, naive, from, Math.min(to, from + 3_000));
    });
  });

  test("7 300,000 clicks, enough to complete blocks of four levels", { timeout: 120_000 }, async () => {
    await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
      const chance = seededRandom(300_000);
      const [log, naive] = [new ClickLog(sql), new NaiveLog()];
      fill(log, naive, manySizes(chance, 300_000, [BATCH_MAX_CLICKS, BATCH_MAX_CLICKS, 3_000]), chance, 60_000);
      expect(log.count).toBeGreaterThan(262_144 + 16_384);
      for (const [from, to] of rangesOf(chance, log.count, 6)) expectSame(log, naive, from, to);
      for (let i = 0; i < 20; i++)
        expectSamePosition(log, naive, naive.clicks[randomInteger(chance, log.count)]?.at ?? 0);
    });
  });

  test("7 positions continue beyond 2^31 and 2^32", async () => {
    await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
      new ClickLog(sql).append(batchOf(0, [START]), 0);
      const { columns } = batchOf(0, [0]).clicks;
      const positions = [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 3 * 2 ** 30, 2 ** 32, 2 ** 32 + 1, 2 ** 40];
      for (const [i, position] of positions.entries()) {
        sql.exec(
          "INSERT INTO batches (position, at, batch, revision, columns) VALUES (?, ?, ?, 1, ?)",
          position,
          START + 10 * (i + 1),
          i,
          columns,
        );
      }
      const log = new ClickLog(sql);
      expect(log.count).toBe(2 ** 40 + 1);
      for (const [i, position] of positions.entries()) expect(log.positionAt(START + 10 * (i + 1))).toBe(position);
    });
  });

  test("7 an empty log has no clicks anywhere", async () => {
    await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
      const log = new ClickLog(sql);
      expectSame(log, new NaiveLog(), 0, 0);
      for (const at of [-1, 0, 1, START]) expect(log.positionAt(at)).toBe(0);
      expect(sql.exec("SELECT name FROM sqlite_master WHERE name = 'batches'").toArray()).toEqual([]);
    });
  });
});

const SNAPSHOT: LinkSnapshot = {
  id: "lnk_click_log",
  accountId: "acc_click_log",
  mode: "live",
  origin: "api",
  domain: "click-log.example",
  slug: "object",
  url: "https://example.com/",
  routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
  expiresAt: null,
  revision: 1,
  state: "active",
  qrKey: "",
};

const FACTS = clickOf(seededRandom(1), START);

/** A batch of clicks as an isolate would send it. */
function batchOf(id: number, times: readonly number[], facts: Partial<Click> = {}) {
  const clicks = packClicks(times.map((at) => ({ ...FACTS, class: "human" as const, ...facts, at })));
  return { id, revision: 1, clicks, snapshot: SNAPSHOT };
}

const EVERYTHING: StatsRequest = {
  groupBy: "country",
  from: 0,
  to: null,
  interval: null,
  timezone: "UTC",
  includeBots: true,
};

async function totalOf(object: DurableObjectStub<LinkClicks>, question: Partial<StatsRequest> = {}) {
  const answer = await object.stats({ ...EVERYTHING, ...question });
  if (answer.kind !== "stats") throw new Error(answer.kind);
  return { total: answer.total, to: answer.to };
}

async function timesOf(object: DurableObjectStub<LinkClicks>) {
  const page = await object.clicks({ after: 0, limit: 1_000 });
  if (page.kind !== "clicks") throw new Error(page.kind);
  return page.clicks.map(({ at }) => at);
}

describe("6 a batch that is sent twice counts once", () => {
  test("6 immediately, and after the object was evicted", async () => {
    const object = newObject();
    const batch = batchOf(77, [START, START, START + 5]);
    await object.record(batch);
    await object.record(batch);
    expect(await object.clicks({ after: 0, limit: 1 })).toMatchObject({ hasMore: true });
    expect(await timesOf(object)).toEqual([START, START, START + 5]);
    await evictDurableObject(object);
    await object.record(batch);
    await object.record(batchOf(78, [START + 5]));
    await evictDurableObject(object);
    await object.record(batchOf(78, [START + 5]));
    await object.record(batch);
    expect(await timesOf(object)).toEqual([START, START, START + 5, START + 5]);
  });

  test("6 after statistics have moved its clicks to a later time", async () => {
    freezeClockAt(START + 60_000);
    const object = newObject();
    await object.record(batchOf(1, [START]));
    await totalOf(object);
    const late = batchOf(2, [START + 10]);
    await object.record(late);
    await object.record(batchOf(3, [START + 60_500]));
    await object.record(late);
    await evictDurableObject(object);
    await object.record(late);
    expect(await timesOf(object)).toEqual([START, START + 60_000, START + 60_500]);
  });

  test("the times of visits are kept besides the raised ones if rules test the time", async () => {
    await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
      const log = new ClickLog(sql);
      const byTime = { ...SNAPSHOT, routing: [{ if: { not: { after: "2030-01-01T00:00:00.000Z" } }, to: "x:" }] };
      const visits: [number[], LinkSnapshot][] = [
        [[START, START + 50], byTime],
        [[START + 20, START + 30, START + 70], byTime],
        [[START + 20, START + 90], SNAPSHOT],
        [[START + 95], byTime],
      ];
      for (const [id, [times, snapshot]] of visits.entries()) log.append({ ...batchOf(id, times), snapshot }, 0);
      const rows = sql.exec<{ at: number; visited: ArrayBuffer | null }>("SELECT at, visited FROM batches").toArray();
      const visited = rows.map(({ at, visited: packed }, i) => {
        const count = visits[i]?.[0].length ?? 0;
        return packed && unpackVisitTimes({ at, count, times: null }, new Uint8Array(packed));
      });
      expect(visited).toEqual([null, [START + 20, START + 30, START + 70], null, null]);
      expect(rows.map(({ at }) => at)).toEqual([START, START + 50, START + 70, START + 95]);
    });
  });

  test("6 after 10,000 other batches, at the same time or later", async () => {
    await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
      const log = new ClickLog(sql);
      const resend = (from: number, to: number) => {
        for (let id = from; id < to; id++) log.append(batchOf(id, [START + Math.floor(id / 100)]), 0);
      };
      resend(0, 25_000);
      expect(log.count).toBe(25_000);
      for (const from of [0, 1, 9_990, 9_999, 10_000, 10_050, 19_999, 20_000, 24_990]) resend(from, from + 10);
      resend(25_000, 25_010);
      expect(log.count).toBe(25_010);
      for (const from of [25_005, 19_995, 24_999]) resend(from, from + 5);
      expect(new ClickLog(sql).count).toBe(25_010);
    });
  });

  test("6 after a stall each row is read again once, however many batches were late", async () => {
    await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
      const batches = 40_000;
      const filled = new ClickLog(sql);
      for (let id = 0; id < batches; id++) filled.append(batchOf(id, [START + id]), 0);
      const meter = metered(sql);
      const log = new ClickLog(meter.sql);
      meter.rowsRead();
      let appended = 0;
      // Late batches, most of them stored before, between new ones.
      for (let i = 0; i < 15_000; i++) {
        const late = (i * 7_919) % batches;
        log.append(batchOf(late, [START + late]), 0);
        if (i % 10 === 0) log.append(batchOf(batches + ++appended, [START + (i % 500)]), 0);
        log.append(batchOf(batches + ++appended, [START + batches + i]), 0);
      }
      expect(log.count).toBe(batches + appended);
      // Each row once, and a few for each time that is looked up.
      expect(meter.rowsRead()).toBeLessThan(3 * batches);
    });
  });

  test("6 after a stall that is longer than the remembered batch ids cover", async () => {
    await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
      const batches = 220_000;
      const { clicks } = batchOf(1, [START]);
      new ClickLog(sql).append(batchOf(0, [START]), 0);
      sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
         INSERT INTO batches (position, at, batch, revision, columns) SELECT i, ?2 + i, i, 1, ?3 FROM n`,
        batches,
        START,
        clicks.columns,
      );
      const log = new ClickLog(sql);
      expect(log.count).toBe(batches);
      // Reading the summaries, which were never written, would fail: no block may be completed.
      for (const id of [5, 100, 19_990, 20_010, 150_000, batches - 1]) log.append(batchOf(id, [START + id]), 0);
      expect(log.count).toBe(batches);
    });
  });

  test("6 batches that share a time but not an id all count", async () => {
    const object = newObject();
    for (let id = 1; id <= 50; id++) await object.record(batchOf(id, [START]));
    await evictDurableObject(object);
    for (let id = 40; id <= 60; id++) await object.record(batchOf(id, [START]));
    expect(await timesOf(object)).toEqual(Array.from({ length: 60 }, () => START));
  });
});

/** SQLite that counts its billed rows. */
function metered(sql: SqlStorage) {
  const cursors: { rowsWritten: number; rowsRead: number }[] = [];
  const exec: SqlStorage["exec"] = (query, ...bindings) => {
    const cursor = sql.exec(query, ...bindings);
    cursors.push(cursor);
    return cursor as never;
  };
  const sum = (of: "rowsWritten" | "rowsRead") => cursors.splice(0).reduce((rows, cursor) => rows + cursor[of], 0);
  return { sql: { exec } as SqlStorage, rowsWritten: () => sum("rowsWritten"), rowsRead: () => sum("rowsRead") };
}

const tablesOf = (object: DurableObjectStub<LinkClicks>) =>
  runInDurableObject(object, (_, { storage: { sql } }) =>
    sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
      .toArray()
      .map(({ name }) => name),
  );

describe("7 cost of the log", () => {
  test("7 a single click writes one row, and one more in a thousand", async () => {
    await runInDurableObject(newObject(), (_, { storage }) => {
      const meter = metered(storage.sql);
      const log = new ClickLog(meter.sql);
      log.append(batchOf(1, [START]), 0);
      meter.rowsWritten();
      for (let id = 2; id <= 1_023; id++) {
        log.append(batchOf(id, [START + id]), 0);
        expect(meter.rowsWritten()).toBe(1);
      }
      log.append(batchOf(1_024, [START + 1_024]), 0);
      // Its summary and, once, the table for it.
      expect(meter.rowsWritten()).toBe(2 + 2);
      for (let id = 1_025; id <= 2_048; id++) log.append(batchOf(id, [START + id]), 0);
      expect(meter.rowsWritten()).toBe(1_024 + 1);
    });
  });

  test("7 a batch writes one row, and one for each thousand clicks it completes", async () => {
    await runInDurableObject(newObject(), (_, { storage }) => {
      const meter = metered(storage.sql);
      const log = new ClickLog(meter.sql);
      const times = (count: number) => Array.from({ length: count }, (_unused, i) => START + i);
      log.append(batchOf(1, times(1)), 0);
      meter.rowsWritten();
      log.append(batchOf(2, times(4_096)), 0);
      expect(meter.rowsWritten()).toBe(1 + 4 + 2);
    });
  });

  test("7 statistics read few rows, however many clicks there are", async () => {
    await runInDurableObject(newObject(), (_, { storage }) => {
      const meter = metered(storage.sql);
      const log = new ClickLog(meter.sql);
      const chance = seededRandom(5);
      for (let id = 1; id <= 40; id++) {
        const clicks = Array.from({ length: BATCH_MAX_CLICKS }, (_unused, i) =>
          clickOf(chance, START + id * 5_000 + i),
        );
        log.append({ id, revision: 1, clicks: packClicks(clicks) }, 0);
      }
      meter.rowsRead();
      log.tally("country", 1_000, log.count - 1_000);
      expect(meter.rowsRead()).toBeLessThan(20);
      log.positionAt(START + 100_000);
      expect(meter.rowsRead()).toBeLessThan(40);
    });
  });

  test("7 the first click of a link writes at most four rows, in one table, and takes at most 12 KB", async () => {
    await runInDurableObject(newObject(), (_, { storage }) => {
      const meter = metered(storage.sql);
      const log = new ClickLog(meter.sql);
      log.append(batchOf(1, [START]), 0);
      new Revisions(meter.sql).add(SNAPSHOT);
      expect(meter.rowsWritten()).toBeLessThanOrEqual(4);
      expect(storage.sql.databaseSize).toBeLessThanOrEqual(12 * 1024);
    });
    const object = newObject();
    await object.record(batchOf(1, [START]));
    expect(await tablesOf(object)).toEqual(["batches"]);
    const bytes = await runInDurableObject(object, (_, { storage: { sql } }) => sql.databaseSize);
    expect(bytes).toBeLessThanOrEqual(12 * 1024);
    await evictDurableObject(object);
    expect(await object.snapshot()).toEqual(SNAPSHOT);
  });

  test("7 an object without clicks stores nothing, whatever it receives", async () => {
    const object = newObject();
    expect(await totalOf(object, { interval: "month", from: START, to: START + 1 })).toMatchObject({ total: 0 });
    expect(await object.clicks({ after: 0, limit: 10 })).toEqual({
      kind: "clicks",
      clicks: [],
      hasMore: false,
    });
    expect(await object.scans({ qr: "qr_1" })).toEqual({ kind: "scans", scans: 0 });
    expect(await object.snapshot()).toBeNull();
    for (let revision = 1; revision <= 5; revision++) await object.learn({ ...SNAPSHOT, revision });
    await object.listen({ since: START });
    const { webSocket } = await object.fetch(`https://link/?log=${SNAPSHOT.id}`, { headers: { Upgrade: "websocket" } });
    webSocket?.accept();
    webSocket?.close();
    expect(await object.snapshot()).toMatchObject({ revision: 5 });
    expect(await tablesOf(object)).toEqual([]);
    expect(await runInDurableObject(object, (_, { storage }) => storage.getAlarm())).toBeNull();
  });

  test("7 data that an object received before its first click is stored with it", async () => {
    const object = newObject();
    await object.learn({ ...SNAPSHOT, revision: 3 });
    await object.learn({ ...SNAPSHOT, revision: 2 });
    const { snapshot, ...batch } = batchOf(1, [START]);
    expect(await object.record(batch)).toEqual({ kind: "snapshot_missing" });
    const newer = { ...SNAPSHOT, revision: 3 };
    expect(await object.record({ ...batch, snapshot })).toMatchObject({ kind: "recorded", newer });
    await evictDurableObject(object);
    expect(await object.snapshot()).toEqual(newer);
    expect(await object.record(batchOf(2, [START]))).toMatchObject({ kind: "recorded", newer });
    expect(await tablesOf(object)).toEqual(["batches", "revisions"]);
    await runInDurableObject(object, (_, { storage: { sql } }) => {
      expect(sql.exec("SELECT abs(revision) AS revision FROM revisions").toArray()).toEqual([{ revision: 3 }]);
    });
  });

  test("7 revisions without clicks are replaced by the next one, those with clicks are kept", async () => {
    const object = newObject();
    const revisionOf = (revision: number) => ({ ...SNAPSHOT, revision, url: `https://example.com/${revision}` });
    const record = (id: number, revision: number, snapshot: object = {}) =>
      object.record({ id, revision, clicks: batchOf(id, [START + id], { rule: "" }).clicks, ...snapshot });
    await record(1, 1, { snapshot: revisionOf(1) });
    for (let revision = 2; revision <= 50; revision++) await object.learn(revisionOf(revision));
    await evictDurableObject(object);
    expect(await object.snapshot()).toEqual(revisionOf(50));
    expect(await record(2, 30)).toEqual({ kind: "snapshot_missing" });
    expect(await record(2, 30, { snapshot: revisionOf(30) })).toMatchObject({ newer: revisionOf(50) });
    expect(await record(3, 50)).toMatchObject({ kind: "recorded", newer: null });
    for (const revision of [51, 53, 52]) await object.learn(revisionOf(revision));
    await evictDurableObject(object);
    expect(await object.snapshot()).toEqual(revisionOf(53));
    const listed = await object.clicks({ after: 0, limit: 10 });
    const destinations = listed.kind === "clicks" ? listed.clicks.map(({ destination }) => destination) : [];
    expect(destinations).toEqual([1, 30, 50].map((revision) => revisionOf(revision).url));
    await runInDurableObject(object, (_, { storage: { sql } }) => {
      expect(sql.exec("SELECT abs(revision) AS revision FROM revisions ORDER BY 1").toArray()).toEqual(
        [30, 50, 53].map((revision) => ({ revision })),
      );
    });
  });

  test("7 polling writes at most one row every ten seconds", async () => {
    const object = newObject();
    freezeClockAt(START);
    await object.record(batchOf(1, [START]));
    const stored = () =>
      runInDurableObject(object, (_, { storage: { sql } }) => sql.exec("SELECT * FROM times").toArray());
    const seen: unknown[] = [];
    for (let second = 1; second <= 30; second++) {
      freezeClockAt(START + second * 1_000);
      await totalOf(object);
      seen.push(...(await stored()));
    }
    expect(new Set(seen.map((row) => JSON.stringify(row))).size).toBe(3);
  });
});

describe("7 a finished range never changes", () => {
  test("7 no click is dated before the end of returned statistics, even after an eviction", async () => {
    const object = newObject();
    freezeClockAt(START + 5_000);
    await object.record(batchOf(1, [START]));
    expect(await totalOf(object)).toEqual({ total: 1, to: START + 5_000 });
    await object.record(batchOf(2, [START + 1, START + 4_999, START + 5_001]));
    expect(await totalOf(object, { to: START + 5_000 })).toEqual({ total: 1, to: START + 5_000 });
    expect(await timesOf(object)).toEqual([START, START + 5_000, START + 5_000, START + 5_001]);

    freezeClockAt(START + 8_000);
    expect(await totalOf(object)).toEqual({ total: 4, to: START + 8_000 });
    await evictDurableObject(object);
    freezeClockAt(START + 8_001);
    await object.record(batchOf(3, [START + 6_000]));
    expect(await totalOf(object, { to: START + 8_000 })).toEqual({ total: 4, to: START + 8_000 });
    const last = (await timesOf(object)).at(-1) ?? 0;
    expect(last).toBeGreaterThanOrEqual(START + 8_000);
    expect(last).toBeLessThanOrEqual(START + 8_001);
  });

  test("7 an explicit end in the past binds as well; one in the future delays no click", async () => {
    const object = newObject();
    freezeClockAt(START + 10_000);
    await object.record(batchOf(1, [START]));
    await totalOf(object, { to: START + 3_000 });
    await object.record(batchOf(2, [START + 2_000, START + 3_500]));
    expect(await timesOf(object)).toEqual([START, START + 3_000, START + 3_500]);
    await totalOf(object, { to: START + 86_400_000 });
    freezeClockAt(START + 11_000);
    await object.record(batchOf(3, [START + 11_000]));
    expect((await timesOf(object)).at(-1)).toBe(START + 11_000);
  });

  test("7 a click of this millisecond belongs to statistics until now, and the next poll continues after it", async () => {
    const object = newObject();
    freezeClockAt(START);
    await object.record(batchOf(1, [START]));
    const first = await totalOf(object, { from: START });
    expect(first).toEqual({ total: 1, to: START + 1 });
    await object.record(batchOf(2, [START]));
    const second = await totalOf(object, { from: first.to });
    expect(second).toEqual({ total: 1, to: START + 2 });
    expect(await totalOf(object, { from: START, to: first.to })).toEqual(first);
  });

  test("7 a clock that is set back dates no click before the previous one", async () => {
    const object = newObject();
    freezeClockAt(START + 1_000);
    await object.record(batchOf(1, [START + 1_000]));
    freezeClockAt(START);
    await object.record(batchOf(2, [START, START + 500]));
    expect(await timesOf(object)).toEqual([START + 1_000, START + 1_000, START + 1_000]);
    expect(await totalOf(object)).toEqual({ total: 3, to: START + 1_001 });
  });
});

test("7 statistics by rule and destination are exact after 700 changes with the longest rules", async () => {
  const object = newObject();
  for (let revision = 1; revision <= 700; revision++) {
    const routing = [{ if: { city: `${revision}`.padEnd(50_000, "x") }, to: `https://example.com/${revision}` }];
    const clicks = packClicks([{ ...FACTS, class: "human", rule: "0" }]);
    const twice = revision === 700 ? [clicks, clicks] : [clicks];
    for (const [i, batch] of twice.entries()) {
      await object.record({
        id: revision * 2 + i,
        revision,
        clicks: batch,
        snapshot: { ...SNAPSHOT, revision, routing },
      });
    }
  }
  for (const groupBy of ["rule", "destination"] as const) {
    const answer = await object.stats({ ...EVERYTHING, groupBy });
    if (answer.kind !== "stats") throw new Error(answer.kind);
    expect(answer.total).toBe(701);
    expect(answer.buckets.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(701);
    expect(JSON.stringify(answer.buckets).length).toBeLessThan(5_000_000);
    // The most clicked are those that are named.
    const newest = groupBy === "rule" ? /^city=700x/ : /^https:\/\/example.com\/700$/;
    expect(answer.buckets.find(({ key }) => newest.test(key))?.clicks).toBe(2);
  }
});

test("decision 8: each of 5,000 codes on one link has its own scans, however many clicks the link has", async () => {
  await runInDurableObject(newObject(), (_, { storage: { sql } }) => {
    const log = new ClickLog(sql);
    const codes = Array.from({ length: 5_000 }, (_unused, i) => `qr_${String(i).padStart(26, "0")}`);
    for (let id = 0; id < 3; id++) {
      const clicks = codes.map((qr, i) => ({ ...FACTS, class: "human" as const, at: START + id * 5_000 + i, qr }));
      for (let from = 0; from < clicks.length; from += 1_000) {
        log.append({ id: id * 10_000 + from, revision: 1, clicks: packClicks(clicks.slice(from, from + 1_000)) }, 0);
      }
    }
    const scans = log.tally("qr", 0, log.count);
    expect(codes.filter((code) => scans.get(code)?.human !== 3)).toEqual([]);
  });
});

describe("7 a flood of made-up referrers", () => {
  test("7 30,000 of them are counted to the last, in any range, and listed as a thousand and other", async () => {
    const object = newObject();
    freezeClockAt(START + 1_000_000);
    const clicks = Array.from({ length: 90_000 }, (_, i) => ({
      ...FACTS,
      class: "human" as const,
      at: START + i,
      referrer: i % 3 === 0 ? "known.example" : `flood-${i % 45_000}.example`,
    }));
    for (let from = 0; from < clicks.length; from += BATCH_MAX_CLICKS) {
      const packed = packClicks(clicks.slice(from, from + BATCH_MAX_CLICKS));
      await object.record({ id: from + 1, revision: 1, clicks: packed, snapshot: SNAPSHOT });
    }
    for (const [from, to] of [
      [0, 90_000],
      [0, 89_999],
      [1, 89_000],
      [45_000, 90_000],
      [80_000, 89_088],
      [16_384, 17_408],
      [100, 200],
    ] as const) {
      const answer = await object.stats({
        ...EVERYTHING,
        groupBy: "referrer",
        from: START + from,
        to: START + to,
        interval: "month",
      });
      if (answer.kind !== "stats") throw new Error(answer.kind);
      const known = clicks.slice(from, to).filter(({ referrer }) => referrer === "known.example").length;
      expect(answer.total).toBe(to - from);
      expect(answer.series).toEqual([{ start: START, clicks: to - from }]);
      expect(answer.buckets.reduce((sum, bucket) => sum + bucket.clicks, 0)).toBe(to - from);
      expect(answer.buckets.filter((bucket) => bucket.clicks <= 0)).toEqual([]);
      expect(answer.buckets.find(({ key }) => key === "known.example")).toEqual({
        key: "known.example",
        clicks: known,
      });
      expect(answer.buckets.length).toBeLessThanOrEqual(1_001);
    }
  });
});
