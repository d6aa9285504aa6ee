/**
 * Statistics under filters and unique visitors, inside an object: its answers are compared with a list of all clicks
 * that were sent. Randomness is seeded, so failures are reproducible.
 */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";

import { hasTable } from "../../src/clicks/schema.ts";
import type { LinkClicks } from "../../src/clicks/link-clicks.ts";
import { binStarts } from "../../src/core/clicks/counting/calendar.ts";
import { factKey, type VisitFact } from "../../src/core/clicks/facts.ts";
import type { Filter } from "../../src/core/clicks/counting/filters.ts";
import { type Grouping, GROUPINGS, INTERVALS } from "../../src/core/clicks/counting/groupings.ts";
import type { LinkAnswer } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import type { StatsData, StatsRequest } from "../../src/core/clicks/counting/stats.ts";
import { shortAddress } from "../../src/core/hosts.ts";
import { type LinkSnapshot, routeKeys, tombstoneOf } from "../../src/core/links/link-snapshot.ts";
import { ClickMix } from "../bench/click-mix.ts";
import { type Click, packClicks } from "../support/pack-clicks.ts";
import { randomElement, randomInteger, seededRandom } from "../support/seeded-random.ts";

// Tens of thousands of clicks on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

const START = Date.UTC(2026, 4, 1, 20);
const DAY_MS = 86_400_000;
const BLOCK_CLICKS = 1_024;

type LinkObject = ReturnType<Env["LINK_CLICKS"]["getByName"]>;
type SentClick = Click & { link: LinkSnapshot };

let objects = 0;

function newObject(): LinkObject {
  return env.LINK_CLICKS.getByName(`filters.example/object-${++objects}`);
}

function snapshotAt(revision: number): LinkSnapshot {
  return {
    id: "lnk_filtered",
    accountId: "acc_filtered",
    mode: "live",
    origin: "api",
    domain: "filters.example",
    slug: "filtered",
    url: `https://example.com/${revision % 2}`,
    // The same conditions under every revision, in another order.
    routing: Array.from({ length: 5 }, (_, rule) => ({
      if: { city: `of rule ${(rule + revision) % 5}, there` },
      to: `https://example.com/rule/${rule}?a,b\\c`,
    })),
    expiresAt: null,
    revision,
    state: "active",
    qrKey: "00112233445566778899aabbccddeeff",
  };
}

/** Records clicks of several days in batches of any size, under one revision after the other. */
async function fill(object: LinkObject, count: number, seed: number): Promise<SentClick[]> {
  const [mix, chance] = [new ClickMix(), seededRandom(seed)];
  const sent: SentClick[] = [];
  for (let id = 1; sent.length < count; id++) {
    const link = snapshotAt(1 + Math.floor((3 * sent.length) / count));
    const at = START + Math.floor((sent.length / count) * 3 * DAY_MS);
    const clicks = mix.batch(Math.max(at, sent.at(-1)?.at ?? 0), mix.size(400)).map((click): SentClick => {
      const day = Math.floor(click.at / DAY_MS);
      const visitor = chance() < 0.1 ? 0 : 2 ** 40 * (day % 100) + randomInteger(chance, 300) + 1;
      const address = chance() < 0.2 ? `go.example/alias-${randomInteger(chance, 3)}` : "";
      return { ...click, visitor, split: randomInteger(chance, 65_535), link, address };
    });
    await object.record({ id, linkId: link.id, revision: link.revision, snapshot: link, clicks: packClicks(clicks) });
    sent.push(...clicks);
  }
  return sent;
}

function keyOf(click: SentClick, grouping: Grouping): string {
  switch (grouping) {
    case "rule":
    case "destination":
      return routeKeys(click.link, click.rule)[grouping];
    case "revision":
      return String(click.link.revision);
    case "source":
      return click.qr ? "qr" : "link";
    case "qr":
      return click.qr || "none";
    case "imported":
      return "false";
    case "address":
      return click.address || shortAddress(click.link);
    default:
      return factKey(grouping, click[grouping satisfies VisitFact] ?? "");
  }
}

function visitorsOf(clicks: readonly SentClick[]): number {
  const days = clicks
    .filter((click) => click.visitor && click.class === "human")
    .map(({ at, visitor }) => `${Math.floor(at / DAY_MS)} ${visitor}`);
  return new Set(days).size;
}

/** The expected answer. */
function naiveStats(sent: readonly SentClick[], request: StatsRequest): StatsData {
  const { from, to, filters = [], uniques = false, interval, timezone, groupBy } = request;
  const end = to ?? Infinity;
  const counted = sent.filter(
    (click) =>
      click.at >= from &&
      click.at < end &&
      (request.includeBots || click.class === "human") &&
      filters.every(({ grouping, values }) => values.includes(keyOf(click, grouping))),
  );
  const groups = Map.groupBy(counted, (click) => keyOf(click, groupBy));
  const withUniques = (clicks: readonly SentClick[]) => ({
    clicks: clicks.length,
    ...(uniques ? { uniqueVisitors: visitorsOf(clicks) } : {}),
  });
  const starts = interval ? (binStarts(interval, timezone, from, end, 2_000) ?? []) : [];
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
    to: end,
  };
}

const QUESTION: StatsRequest = {
  groupBy: "country",
  from: START,
  to: START + 4 * DAY_MS,
  interval: null,
  timezone: "UTC",
  includeBots: false,
};

async function ask(object: LinkObject, request: Partial<StatsRequest>): Promise<LinkAnswer<"stats">> {
  return object.stats({ ...QUESTION, ...request, linkId: "lnk_filtered" });
}

function anyFilter(sent: readonly SentClick[], chance: () => number): Filter {
  const grouping = randomElement(chance, GROUPINGS);
  const values = Array.from({ length: 1 + randomInteger(chance, 3) }, () =>
    keyOf(randomElement(chance, sent), grouping),
  );
  return { grouping, values };
}

/** Most ranges begin or end at a block, a batch, or a click. */
function anyTime(sent: readonly SentClick[], chance: () => number): number {
  const block = BLOCK_CLICKS * randomInteger(chance, Math.ceil(sent.length / BLOCK_CLICKS));
  const position = chance() < 0.5 ? block : randomInteger(chance, sent.length);
  return (sent[position]?.at ?? START) + randomInteger(chance, 3) - 1;
}

function anyRequest(sent: readonly SentClick[], chance: () => number): StatsRequest {
  const times = [anyTime(sent, chance), anyTime(sent, chance)].toSorted((a, b) => a - b);
  const [from = START, to = START] = chance() < 0.3 ? [QUESTION.from, QUESTION.to ?? 0] : times;
  const interval = randomElement(chance, [null, ...INTERVALS.filter((name) => name !== "minute")]);
  const filters = Array.from({ length: randomInteger(chance, 4) }, () => anyFilter(sent, chance));
  return {
    groupBy: randomElement(chance, GROUPINGS),
    from,
    to,
    interval,
    timezone: randomElement(chance, ["UTC", "America/New_York", "Asia/Kolkata"]),
    includeBots: chance() < 0.3,
    filters: filters.length === 0 ? [anyFilter(sent, chance)] : filters,
    ...(chance() < 0.5 ? { uniques: true } : {}),
  };
}

async function expectAsSent(object: LinkObject, sent: readonly SentClick[], request: StatsRequest): Promise<void> {
  expect(await ask(object, request), JSON.stringify(request)).toEqual({
    kind: "stats",
    ...naiveStats(sent, request),
  });
}

describe("14 statistics under filters", () => {
  test.for([1, 2, 3])("14 answers every query like a list of all clicks, chance %i", async (seed) => {
    const object = newObject();
    const sent = await fill(object, 9_000, seed);
    const chance = seededRandom(seed);
    for (let i = 0; i < 60; i++) await expectAsSent(object, sent, anyRequest(sent, chance));
    for (const groupBy of GROUPINGS) await expectAsSent(object, sent, { ...anyRequest(sent, chance), groupBy });
  });

  test("14 a block is packed by the first query that reads it", async () => {
    const object = newObject();
    const packedBlocks = () =>
      runInDurableObject(object, (_, { storage: { sql } }) =>
        hasTable(sql, "blocks") ? sql.exec("SELECT count(*) AS packed FROM blocks").one() : { packed: 0 },
      );
    const sent = await fill(object, 5_000, 4);
    await ask(object, {});
    expect(await packedBlocks()).toEqual({ packed: 0 });
    await expectAsSent(object, sent, {
      ...QUESTION,
      from: sent[3_000]?.at ?? 0,
      filters: [anyFilter(sent, seededRandom(4))],
    });
    expect(await packedBlocks()).toEqual({ packed: 2 });
  });

  test("14 a block that another release has packed in another way is packed again", async () => {
    const object = newObject();
    const sent = await fill(object, 3_000, 6);
    const request = { ...QUESTION, filters: [anyFilter(sent, seededRandom(6))] };
    await expectAsSent(object, sent, request);
    const block = () =>
      runInDurableObject(object, (_, { storage: { sql } }) => {
        const { bytes } = sql.exec<{ bytes: ArrayBuffer }>("SELECT bytes FROM blocks ORDER BY id LIMIT 1").one();
        return new Uint8Array(bytes);
      });
    const packed = await block();
    const other = packed.with(0, 99);
    await runInDurableObject(object, (_, { storage: { sql } }) => {
      sql.exec("UPDATE blocks SET bytes = ? WHERE id = 0", other);
    });
    await expectAsSent(object, sent, request);
    expect(await block()).toEqual(packed);
  });

  test("14 a filter by values without clicks matches nothing, and one by all values matches everything", async () => {
    const object = newObject();
    const sent = await fill(object, 3_000, 5);
    const nothing = { grouping: "country", values: ["nowhere", ""] } as const;
    expect(await ask(object, { filters: [{ ...nothing, values: [...nothing.values] }] })).toMatchObject({ total: 0 });
    for (const grouping of GROUPINGS) {
      const values = [...new Set(sent.map((click) => keyOf(click, grouping)))];
      const { kind: _kind, ...plain } = (await ask(object, { groupBy: grouping })) as StatsData & { kind: string };
      expect(await ask(object, { groupBy: grouping, filters: [{ grouping, values }] })).toMatchObject(plain);
    }
  });

  test("14 over 1,000 keys: visitors in other count once", async () => {
    const object = newObject();
    const link = snapshotAt(1);
    const clicks = Array.from({ length: 2_500 }, (_, i): SentClick => {
      return { at: START, class: "human", city: `city ${i % 1_200}`, qr: "", rule: "", visitor: 1 + (i % 7), link };
    });
    await object.record({ id: 1, linkId: link.id, revision: 1, snapshot: link, clicks: packClicks(clicks) });
    await expectAsSent(object, clicks, { ...QUESTION, groupBy: "city", uniques: true });
  });
});

describe("14 while an object counts clicks individually", () => {
  const filters: Filter[] = [{ grouping: "device", values: ["mobile"] }];

  /** An object with more clicks than are read without a pause. */
  async function filled(): Promise<LinkObject> {
    const object = newObject();
    const mix = new ClickMix();
    const link = snapshotAt(1);
    for (let id = 1; id <= 50; id++) {
      const clicks = packClicks(mix.batch(START + id * 60_000, 4_096));
      await object.record({ id, linkId: link.id, revision: 1, snapshot: link, clicks });
    }
    return object;
  }

  test("14 clicks are recorded, and are not in the answer for a range that was fixed before", async () => {
    const object = await filled();
    await runInDurableObject(object, async (instance: LinkClicks) => {
      const link = snapshotAt(1);
      const request = { ...QUESTION, to: null, filters, linkId: link.id };
      const asked = instance.stats(request);
      const clicks = packClicks([{ at: Date.now(), class: "human", device: "mobile", qr: "", rule: "" }]);
      let answered = false;
      void Promise.resolve(asked).then(() => (answered = true));
      await new Promise((done) => setTimeout(done, 0));
      expect(answered).toBe(false);
      expect(await instance.record({ id: 99, linkId: link.id, revision: 1, clicks })).toMatchObject({
        kind: "recorded",
      });
      const first = (await asked) as StatsData;
      const second = (await instance.stats({ ...request, from: first.to })) as StatsData;
      expect(second.total).toBe(1);
      expect(((await instance.stats(request)) as StatsData).total).toBe(first.total + 1);
    });
  });

  test("14 an erased link is answered like one without clicks", async () => {
    const object = await filled();
    await runInDurableObject(object, async (instance: LinkClicks) => {
      const asked = [1, 2].map(() => instance.stats({ ...QUESTION, filters, uniques: true, linkId: "lnk_filtered" }));
      await instance.erase({ ...tombstoneOf(snapshotAt(1)), revision: 2 });
      const none = { kind: "stats", total: 0, uniqueVisitors: 0, buckets: [], series: [] };
      expect(await Promise.all(asked)).toEqual([1, 2].map(() => ({ ...none, to: QUESTION.to })));
    });
  });

  test("14 more blocks than one query packs: the next query continues, and is answered", async () => {
    const object = newObject();
    const link = snapshotAt(1);
    const day = Array.from({ length: 4_096 }, (_, i): Click => {
      return { at: START, class: "human", device: i % 4 === 0 ? "mobile" : "desktop", qr: "", rule: "" };
    });
    const clicks = packClicks(day);
    for (let id = 1; id <= 260; id++) await object.record({ id, linkId: link.id, revision: 1, snapshot: link, clicks });
    expect(await ask(object, { filters })).toEqual({ kind: "packing" });
    expect(await ask(object, { filters })).toMatchObject({ kind: "stats", total: 260 * 1_024 });
  });

  test("14 many queries wait, more are rejected, and later ones are answered", async () => {
    const object = await filled();
    await runInDurableObject(object, async (instance: LinkClicks) => {
      const request = { ...QUESTION, filters, linkId: "lnk_filtered" };
      const results = await Promise.all(Array.from({ length: 70 }, () => instance.stats(request)));
      const kinds = results.map(({ kind }) => kind);
      expect([kinds[0], kinds.at(-1)]).toEqual(["stats", "busy"]);
      // In between, a turn may come just as its query gives up, and passes to the next one.
      expect(new Set(kinds)).toEqual(new Set(["stats", "busy"]));
      expect(await instance.stats(request)).toEqual(results[0]);
    });
  });
});
