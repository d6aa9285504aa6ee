/** The salts of visitor hashes: one a day, stored in KV alone, even if the object is evicted or KV lags. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { VisitorSalt } from "../../src/core/visitors/visitor-hashes.ts";
import { utcDay } from "../../src/core/time.ts";
import { VisitorSaltTable } from "../../src/maintenance/visitor-salts.ts";
import { readVisitorSalts, saltKey } from "../../src/store/maintenance-client.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

let errors: ReturnType<typeof vi.spyOn>;
let firstDay = utcDay(Date.now());

beforeEach(() => {
  errors = vi.spyOn(console, "error").mockImplementation(() => {});
  // All tests of the file share one KV.
  firstDay += 10;
});

afterEach(() => {
  errors.mockRestore();
});

function noon(): number {
  return firstDay * DAY_MS + DAY_MS / 2;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** KV as one location sees it: keys that it does not see, writes that fail, and writes whose reply is lost. */
class Keys {
  isBlind = false;
  isDown = false;
  isSilent = false;
  puts = 0;

  get(key: string, type: "arrayBuffer"): Promise<ArrayBuffer | null> {
    return this.isBlind ? Promise.resolve(null) : env.VISITOR_SALTS.get(key, type);
  }

  async put(...stored: Parameters<KVNamespace["put"]>): Promise<void> {
    this.puts++;
    if (this.isDown) throw new Error("KV PUT failed: 500 Internal Server Error");
    await env.VISITOR_SALTS.put(...stored);
    if (this.isSilent) throw new Error("KV PUT failed: the reply was lost");
  }
}

/** Tables in one object, each as after an eviction: nothing is left in memory. */
async function withObject(
  work: (newTable: () => VisitorSaltTable, keys: Keys, sql: SqlStorage) => Promise<void>,
): Promise<void> {
  const object = env.MAINTENANCE.getByName(`salts-${firstDay}`);
  await runInDurableObject(object, async (_, { storage: { sql } }) => {
    const keys = new Keys();
    await work(() => new VisitorSaltTable(sql, keys as unknown as KVNamespace), keys, sql);
  });
}

function textOf(salts: readonly VisitorSalt[]): string[] {
  return salts.map(({ day, salt }) => `${day - firstDay} ${hexOf(salt)}`);
}

test("14 every caller gets the same salts, before and after an eviction", async () => {
  const object = env.MAINTENANCE.getByName(`salts-${firstDay}`);
  const first = await Promise.all([object.visitorSalts(), object.visitorSalts()]);
  await evictDurableObject(object);
  const later = await object.visitorSalts();
  const text = (salts: VisitorSalt[]) => salts.map(({ day, salt }) => `${day} ${hexOf(salt)}`);
  expect(text(first[1])).toEqual(text(first[0]));
  expect(text(later)).toEqual(text(first[0]));
  expect(later.length).toBeGreaterThanOrEqual(2);
  expect(new Set(later.map(({ salt }) => hexOf(salt))).size).toBe(later.length);
  expect(errors).not.toHaveBeenCalled();
});

test("14 salts are in KV until 48 hours after their day has begun, and nowhere else", () =>
  withObject(async (newTable, _, sql) => {
    const startedAt = Date.now();
    const salts = await newTable().read(noon());
    expect(salts.map(({ day }) => day)).toEqual([firstDay, firstDay + 1]);
    const { keys } = await env.VISITOR_SALTS.list();
    for (const { day, salt } of salts) {
      const { expiration = 0 } = keys.find(({ name }) => name === saltKey(day)) ?? {};
      // KV has its own clock.
      const aheadMs = (day + 2) * DAY_MS - noon();
      expect(expiration).toBeGreaterThanOrEqual(Math.floor((startedAt + aheadMs) / 1000));
      expect(expiration).toBeLessThanOrEqual(Math.ceil((Date.now() + aheadMs) / 1000));
      const stored = await env.VISITOR_SALTS.get(saltKey(day), "arrayBuffer");
      expect(stored && new Uint8Array(stored)).toEqual(salt);
    }
    const rows = sql.exec("SELECT * FROM salt_days ORDER BY day").toArray();
    expect(rows).toEqual([firstDay, firstDay + 1].map((day) => ({ day, missing_since: null })));
  }));

test("14 salts are stored after 2038, when the seconds since 1970 no longer fit 31 bits", () =>
  withObject(async (newTable) => {
    const now = Date.UTC(2038, 0, 18, 12) + firstDay * DAY_MS;
    const salts = textOf(await newTable().read(now));
    expect(salts).toHaveLength(2);
    expect(textOf(await newTable().read(now))).toEqual(salts);
    expect(errors).not.toHaveBeenCalled();
  }));

test("14 a day's salt is the one that the day before had for tomorrow, and old days are forgotten", () =>
  withObject(async (newTable, _, sql) => {
    const table = newTable();
    const [, tomorrow] = textOf(await table.read(noon()));
    const [today] = textOf(await table.read(noon() + DAY_MS));
    expect(today).toBe(tomorrow);
    await table.read(noon() + 4 * DAY_MS);
    const days = sql.exec("SELECT day FROM salt_days ORDER BY day").toArray();
    expect(days.map(({ day }) => Number(day) - firstDay)).toEqual([4, 5]);
  }));

test("14 for five minutes after midnight, yesterday's salt is returned as well", () =>
  withObject(async (newTable) => {
    const midnight = (firstDay + 1) * DAY_MS;
    const before = textOf(await newTable().read(noon()));
    const after = textOf(await newTable().read(midnight + 4 * MINUTE_MS));
    expect(after.slice(0, 2)).toEqual(before);
    expect(textOf(await newTable().read(midnight + 5 * MINUTE_MS))).toEqual(after.slice(1));
  }));

test("14 a salt that KV does not show yet is not replaced", () =>
  withObject(async (newTable, keys) => {
    const salts = textOf(await newTable().read(noon()));
    const table = newTable();
    keys.isBlind = true;
    expect(await table.read(noon())).toEqual([]);
    expect(await newTable().read(noon() + MINUTE_MS)).toEqual([]);
    keys.isBlind = false;
    expect(textOf(await table.read(noon() + MINUTE_MS))).toEqual(salts);
    expect(keys.puts).toBe(2);
    expect(errors).not.toHaveBeenCalled();
  }));

test("14 a salt that stays lost for longer than KV can lag is created anew and logged", () =>
  withObject(async (newTable, keys) => {
    const [lost] = textOf(await newTable().read(noon()));
    keys.isBlind = true;
    expect(await newTable().read(noon())).toEqual([]);
    const again = textOf(await newTable().read(noon() + 2 * MINUTE_MS));
    expect(again).toHaveLength(2);
    expect(again[0]).not.toBe(lost);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining("salt was lost"), { day: saltKey(firstDay) });
    keys.isBlind = false;
    expect(textOf(await newTable().read(noon() + 2 * MINUTE_MS))).toEqual(again);
  }));

test("14 no caller gets a salt before it is stored, and it is the same when storing succeeds later", () =>
  withObject(async (newTable, keys) => {
    const table = newTable();
    keys.isDown = true;
    const random = vi.spyOn(crypto, "getRandomValues");
    expect(await table.read(noon())).toEqual([]);
    const drawn = random.mock.results.map(({ value }) => hexOf(value as Uint8Array));
    keys.isDown = false;
    const salts = await table.read(noon());
    random.mockRestore();
    expect(salts.map(({ salt }) => hexOf(salt))).toEqual(drawn);
    expect(textOf(await newTable().read(noon()))).toEqual(textOf(salts));
  }));

test("14 a salt that was stored although the write failed is the day's salt for every later instance", () =>
  withObject(async (newTable, keys) => {
    keys.isSilent = true;
    expect(await newTable().read(noon())).toEqual([]);
    const isolates = await Promise.all([firstDay, firstDay + 1].map((day) => readVisitorSalts(env, day)));
    keys.isSilent = false;
    expect(textOf(await newTable().read(noon()))).toEqual(textOf(isolates.flat()));
    expect(keys.puts).toBe(2);
  }));

test("14 an instance that does not know whether a salt was stored creates another only when KV cannot have it", () =>
  withObject(async (newTable, keys) => {
    keys.isDown = true;
    expect(await newTable().read(noon())).toEqual([]);
    keys.isDown = false;
    expect(await newTable().read(noon() + MINUTE_MS)).toEqual([]);
    expect(textOf(await newTable().read(noon() + 2 * MINUTE_MS))).toHaveLength(2);
  }));

test("14 the job of each minute creates today's salt and tomorrow's, which isolates read without the object", async () => {
  const days = [utcDay(Date.now()), utcDay(Date.now()) + 1];
  for (const day of days) await env.VISITOR_SALTS.delete(saltKey(day));
  await env.MAINTENANCE.getByName(`job-${firstDay}`).runScheduled("minute");
  const isolate = { ...env, MAINTENANCE: {} } as unknown as Env;
  const found = await Promise.all(days.map((day) => readVisitorSalts(isolate, day)));
  expect(found.map(([salt]) => salt?.day)).toEqual(days);
});

test("14 a job that knows both salts to be stored sends KV no request", () =>
  withObject(async (newTable, keys) => {
    await newTable().prepare(noon());
    expect(keys.puts).toBe(2);
    const get = vi.spyOn(keys, "get");
    await newTable().prepare(noon() + MINUTE_MS);
    expect([keys.puts, get.mock.calls.length]).toEqual([2, 0]);
    await newTable().prepare(noon() + DAY_MS);
    expect(keys.puts).toBe(3);
  }));
