/** Copies of click logs: the contents of an object, moved part by part into an empty object. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import type { LogPart, LogPlace } from "../../src/core/contract/backup.ts";
import { GROUPINGS } from "../../src/core/clicks/counting/groupings.ts";
import type { StatsData } from "../../src/core/clicks/counting/stats.ts";
import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import { ClickMix } from "../bench/click-mix.ts";
import { type Click, newClick, packClicks } from "../support/pack-clicks.ts";
import { randomElement, randomInteger, seededRandom } from "../support/seeded-random.ts";

// Thousands of clicks on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const BEGINNING: LogPlace = { imported: 0, position: 0, revision: 0 };

type LinkObject = ReturnType<Env["LINK_CLICKS"]["getByName"]>;

let objects = 0;

function newObject(): LinkObject {
  return env.LINK_CLICKS.getByName(`log-copy.example/object-${++objects}`);
}

function snapshotOf(id: string, revision = 1): LinkSnapshot {
  return {
    id,
    accountId: "acc_copied",
    mode: "live",
    origin: "api",
    domain: "log-copy.example",
    slug: id,
    url: `https://example.com/${revision}`,
    routing: Array.from({ length: 5 }, (_, rule) => ({ if: { country: "DE" }, to: `https://example.com/${rule}` })),
    expiresAt: null,
    revision,
    state: "active",
    qrKey: "00112233445566778899aabbccddeeff",
  };
}

/** Records clicks in batches, under one revision after the other. */
async function fill(object: LinkObject, id: string, batches: number, from = 0): Promise<void> {
  const mix = new ClickMix();
  for (let i = from; i < from + batches; i++) {
    const snapshot = snapshotOf(id, 1 + Math.floor(i / 5));
    const clicks = packClicks(mix.batch(START + i * 60_000, mix.size(300)));
    await object.record({ id: i + 1, linkId: id, revision: snapshot.revision, snapshot, clicks });
  }
}

/** @returns the parts of a copy, with little in each */
async function copy(object: LinkObject, linkId: string, betweenParts = async () => {}) {
  const parts: Pick<LogPart, "batches" | "revisions" | "floor" | "imports">[] = [];
  let end: number | null = null;
  for (let from: LogPlace | null = BEGINNING; from;) {
    const part = await object.copyLog({ linkId, from, end, maxChars: 4_000 });
    if (part.kind !== "copied") throw new Error(part.kind);
    parts.push(part);
    [from, end] = [part.next, part.end];
    await betweenParts();
  }
  return { parts, end: end ?? 0 };
}

async function restore(object: LinkObject, linkId: string, { parts }: Awaited<ReturnType<typeof copy>>) {
  for (const [i, { batches, revisions, floor, imports }] of parts.entries()) {
    const snapshot = i === parts.length - 1 ? snapshotOf(linkId, 99) : null;
    const rows = { batches, revisions, ...(imports && { imports }) };
    const result = await object.restoreLog({ linkId, ...rows, floor, snapshot });
    expect(result.kind).toBe("restored");
  }
}

async function statsOf(object: LinkObject, linkId: string) {
  const range = { from: START, to: START + DAY_MS, interval: "minute" as const, timezone: "UTC" };
  const asked = GROUPINGS.map((groupBy) => object.stats({ ...range, groupBy, includeBots: true, linkId }));
  return Promise.all(asked);
}

describe("a copy of a click log", () => {
  test("is restored with every click, statistic, scan and revision, and the link as in the database", async () => {
    const [original, restored] = [newObject(), newObject()];
    await fill(original, "lnk_whole", 40);
    const copied = await copy(original, "lnk_whole");
    expect(copied.parts.length).toBeGreaterThan(10);
    await restore(restored, "lnk_whole", copied);
    // Regardless of what the object has in memory.
    for (const evicted of [false, true]) {
      if (evicted) await evictDurableObject(restored);
      expect(await statsOf(restored, "lnk_whole")).toEqual(await statsOf(original, "lnk_whole"));
      const page = { linkId: "lnk_whole", after: 3_000, limit: 1_000 };
      expect(await restored.clicks(page)).toEqual(await original.clicks(page));
      const scans = { linkId: "lnk_whole", qr: "qr_0000000000000001" };
      expect(await restored.scans(scans)).toEqual(await original.scans(scans));
      expect((await restored.snapshot())?.revision).toBe(99);
    }
  });

  test("ends where the log ended when it began, and later batches count once in the restored log", async () => {
    const [original, restored] = [newObject(), newObject()];
    await fill(original, "lnk_growing", 10);
    let batches = 10;
    const copied = await copy(original, "lnk_growing", () => fill(original, "lnk_growing", 1, batches++));
    await restore(restored, "lnk_growing", copied);
    const page = { linkId: "lnk_growing", after: 0, limit: 1_000 };
    const all = await original.clicks(page);
    const some = await restored.clicks(page);
    if (all.kind !== "clicks" || some.kind !== "clicks") throw new Error("no clicks");
    expect(some.clicks.slice(0, copied.end)).toEqual(all.clicks.slice(0, Math.min(copied.end, 1_000)));
    // An isolate that got no answer sends the last batch of the backup again.
    await fill(restored, "lnk_growing", 1, 9);
    await fill(restored, "lnk_growing", 1, 200);
    const { total } = (await restored.stats({
      linkId: "lnk_growing",
      from: START,
      to: START + 3_600_000,
      groupBy: "country",
      interval: null,
      timezone: "UTC",
      includeBots: true,
    })) as { total: number };
    expect(total).toBe(copied.end);
  });

  test("has the times of visits that were stored later, if rules test the time", async () => {
    const [original, restored] = [newObject(), newObject()];
    const routing = [{ if: { after: "2026-01-01T00:00:00.000Z" }, to: "https://example.com/after" }];
    const snapshot = { ...snapshotOf("lnk_late"), routing };
    for (const [id, at] of [START + 50, START + 10, START + 60].entries()) {
      const clicks = packClicks([{ at, class: "human", qr: "", rule: "0" }]);
      await original.record({ id: id + 1, linkId: "lnk_late", revision: 1, snapshot, clicks });
    }
    await restore(restored, "lnk_late", await copy(original, "lnk_late"));
    const visited = (object: LinkObject) =>
      runInDurableObject(object, (_, { storage: { sql } }) =>
        sql.exec<{ visited: ArrayBuffer | null }>("SELECT visited FROM batches").toArray(),
      );
    const stored = (await visited(restored)).map((row) => row.visited && [...new Uint8Array(row.visited)]);
    expect(stored).toEqual([null, [40], null]);
  });

  test("may be sent again, part by part, without any change", async () => {
    const [original, restored] = [newObject(), newObject()];
    await fill(original, "lnk_again", 12);
    const copied = await copy(original, "lnk_again");
    await restore(restored, "lnk_again", copied);
    await restore(restored, "lnk_again", copied);
    expect(await statsOf(restored, "lnk_again")).toEqual(await statsOf(original, "lnk_again"));
  });

  test("is refused by an object with other clicks, or without the earlier ones", async () => {
    const [original, other] = [newObject(), newObject()];
    await fill(original, "lnk_apart", 12);
    const { parts } = await copy(original, "lnk_apart");
    const request = { linkId: "lnk_apart", floor: 0, snapshot: null };
    const [first, second] = parts;
    if (!first || !second) throw new Error("too few parts");
    expect(await other.restoreLog({ ...second, ...request })).toEqual({ kind: "conflict" });
    expect(await other.restoreLog({ ...first, ...request, linkId: "lnk_else" })).toEqual({ kind: "conflict" });
    await other.record({
      id: 7,
      linkId: "lnk_apart",
      revision: 1,
      snapshot: snapshotOf("lnk_apart"),
      clicks: packClicks([{ at: Date.now(), class: "human", qr: "", rule: "" }]),
    });
    expect(await other.restoreLog({ ...first, ...request })).toEqual({ kind: "conflict" });
    expect(await other.clicks({ linkId: "lnk_apart", after: 0, limit: 10 })).toMatchObject({
      clicks: [{ position: 0 }],
    });
  });

  test("is refused if it is damaged, or from a later release", async () => {
    const original = newObject();
    await fill(original, "lnk_damaged", 2);
    const [{ batches: [batch] } = { batches: [] }] = (await copy(original, "lnk_damaged")).parts;
    if (!batch) throw new Error("no batch");
    const { columns } = batch;
    const request = { linkId: "lnk_damaged", revisions: [], floor: 0, snapshot: null };
    for (const damaged of ["", columns.slice(1), `${columns}x`, `7F${columns.slice(2)}`]) {
      const batches = [{ ...batch, columns: damaged }];
      expect(await newObject().restoreLog({ ...request, batches })).toEqual({ kind: "unknown_format" });
    }
  });

  test("of a link without clicks is empty, and its object stores nothing", async () => {
    const object = newObject();
    const copied = await object.copyLog({ linkId: "lnk_none", from: BEGINNING, end: null, maxChars: 1_000 });
    expect(copied).toEqual({ kind: "copied", batches: [], revisions: [], next: null, end: 0, floor: 0 });
  });

  test("has imported clicks before the recorded ones, and the numbers of undone ones stay unused", async () => {
    for (const hasClicks of [true, false]) {
      const [original, restored] = [newObject(), newObject()];
      const id = `lnk_imported_${hasClicks}`;
      await sendInOrder(original, id, ["imp_a", "imp_b"]);
      await original.undoImport({ linkId: id, importId: "imp_b" });
      await sendInOrder(original, id, ["imp_c"]);
      if (hasClicks) await fill(original, id, 8);
      if (hasClicks) await original.undoImport({ linkId: id, importId: "imp_c" });
      const copied = await copy(original, id);
      await restore(restored, id, copied);
      await restore(restored, id, copied);
      for (const object of [original, restored]) await evictDurableObject(object);
      expect(await statsOf(restored, id)).toEqual(await statsOf(original, id));
      const page = { linkId: id, after: 900, limit: 1_000 };
      expect(await restored.clicks(page)).toEqual(await original.clicks(page));
      const undo = { linkId: id, importId: "imp_a" };
      expect(await restored.undoImport(undo)).toEqual(await original.undoImport(undo));
      expect(await restored.clicks(page)).toEqual(await original.clicks(page));
    }
  });
});

/** Clicks of an import, a minute apart, after those of imports whose names sort before. */
function clicksOfImport(importId: string, clicks = 1_000): Click[] {
  const first = START - 1_000 * DAY_MS + importId.charCodeAt(4) * 10 * DAY_MS;
  const chance = seededRandom(importId.charCodeAt(4));
  return Array.from({ length: clicks }, (_, i) => ({
    at: first + i * 60_000,
    class: randomElement(chance, ["human", "human", "bot"]),
    country: randomElement(chance, ["DE", "US", "FR"]),
    city: `City ${randomInteger(chance, 40)}`,
    qr: "",
    rule: "",
  }));
}

const importInto = (object: LinkObject, linkId: string, importId: string, offset: number, clicks: readonly Click[]) =>
  object.importClicks({ linkId, importId, offset, clicks: clicks.map(newClick), snapshot: snapshotOf(linkId) });

async function sendInOrder(object: LinkObject, linkId: string, imports: readonly string[]): Promise<void> {
  for (const importId of imports) {
    expect((await importInto(object, linkId, importId, 0, clicksOfImport(importId))).kind).toBe("imported");
  }
}

describe("7 an import of clicks", () => {
  /** Counts as the statistics must be. */
  function expectedCounts(clicks: readonly Click[], key: "country" | "city", from: number, to: number) {
    const counts = new Map<string, number>();
    for (const click of clicks) {
      if (click.at < from || click.at >= to) continue;
      const value = click[key] ?? "";
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  async function expectExact(
    object: LinkObject,
    linkId: string,
    clicks: readonly Click[],
    chance: () => number,
    until = START,
  ) {
    const listed: unknown[] = [];
    for (let after = 0; ;) {
      const page = await object.clicks({ linkId, after, limit: 1_000 });
      if (page.kind !== "clicks") throw new Error(page.kind);
      listed.push(...page.clicks.map(({ at, country, class: kind }) => [at, country, kind]));
      after = (page.clicks.at(-1)?.position ?? 0) + 1;
      if (!page.hasMore) break;
    }
    expect(listed).toEqual(clicks.map(({ at, country, class: kind }) => [at, country, kind]));
    const times = [
      0,
      ...Array.from({ length: 6 }, () => clicks[randomInteger(chance, clicks.length)]?.at ?? 0),
      Infinity,
    ];
    for (const [one = 0, other = 0] of times.map((time, i) => [time, times[(i + 3) % times.length]])) {
      const [from, to] = [Math.min(one, other), Math.min(Math.max(one, other), until)];
      for (const groupBy of ["country", "city"] as const) {
        const wanted = { groupBy, from, to, interval: "month" as const, timezone: "UTC", includeBots: true, linkId };
        for (const request of [wanted, { ...wanted, uniques: true }]) {
          const stats = (await object.stats(request)) as StatsData & { kind: string };
          expect(stats.kind).toBe("stats");
          const buckets = stats.buckets.map(({ key, clicks: n }) => [key, n]);
          const expected = expectedCounts(clicks, groupBy, from, to);
          expect(buckets.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))).toEqual(expected);
          const sum = stats.series.reduce((total, bin) => total + bin.clicks, 0);
          expect([stats.total, sum]).toEqual([stats.total, stats.total]);
        }
      }
    }
  }

  test.for([1, 2])("7 gives the same log in any pieces, repeated and out of order (%i)", async (seed) => {
    const chance = seededRandom(seed);
    let object = newObject();
    const id = `lnk_pieces_${seed}`;
    const imports = ["imp_a", "imp_b"].map((name, i) => ({ name, clicks: clicksOfImport(name, [2_900, 1_700][i]) }));
    for (const { name, clicks } of imports) {
      for (let stored = 0; stored < clicks.length;) {
        const offset = Math.max(0, stored + randomInteger(chance, 400) - 300);
        const piece = clicks.slice(offset, offset + randomInteger(chance, 900));
        const twice = chance() < 0.2 ? 2 : 1;
        const sent = Array.from({ length: twice }, () => importInto(object, id, name, offset, piece));
        if (chance() < 0.1) await evictDurableObject(object).catch(() => undefined);
        const results = await Promise.allSettled(sent);
        // A stub whose call failed keeps failing.
        object = env.LINK_CLICKS.get(object.id);
        const [result] = results.flatMap((settled) => (settled.status === "fulfilled" ? [settled.value] : []));
        if (result?.kind === "imported") stored = Math.max(stored, result.clicks);
        else if (result) expect(result).toMatchObject({ kind: "offset_too_high" });
      }
    }
    const all = imports.flatMap(({ clicks }) => clicks);
    await expectExact(object, id, all, chance);
    const own = clicksOfImport("imp_c", 1_500).map((click, i) => ({ ...click, at: START + i * 60_000 }));
    for (let i = 0; i < own.length; i += 300) {
      const clicks = packClicks(own.slice(i, i + 300));
      await object.record({ id: i + 1, linkId: id, revision: 1, snapshot: snapshotOf(id), clicks });
    }
    await expectExact(object, id, [...all, ...own], chance, START + 10 * DAY_MS);
    for (const kept of [imports.slice(0, 1), []]) {
      const importId = kept.length === 1 ? "imp_b" : "imp_a";
      expect(await object.undoImport({ linkId: id, importId })).toEqual({ kind: "undone" });
      if (chance() < 0.5) await evictDurableObject(object);
      await expectExact(object, id, [...kept.flatMap(({ clicks }) => clicks), ...own], chance, START + 10 * DAY_MS);
    }
    const { clicks } = (await object.clicks({ linkId: id, after: 0, limit: 1 })) as { clicks: { position: number }[] };
    expect(clicks.map(({ position }) => position)).toEqual([all.length]);
  });

  test("7 that is undone while statistics are read leaves nothing of it in them", async () => {
    const [object, id] = [newObject(), "lnk_undone_meanwhile"];
    await sendInOrder(object, id, ["imp_a", "imp_b"]);
    const wanted = { groupBy: "country", from: 0, to: START, interval: null, timezone: "UTC", linkId: id } as const;
    const reads = Array.from({ length: 8 }, (_, i) =>
      object.stats({ ...wanted, includeBots: true, ...(i % 2 ? { uniques: true } : {}) }),
    );
    const undone = object.undoImport({ linkId: id, importId: "imp_b" });
    const totals = (await Promise.all(reads)).map((stats) => (stats as StatsData).total);
    expect(await undone).toEqual({ kind: "undone" });
    for (const total of totals) expect([1_000, 2_000]).toContain(total);
    expect(await object.stats({ ...wanted, includeBots: true, uniques: true })).toMatchObject({ total: 1_000 });
  });
});
