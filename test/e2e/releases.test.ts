/**
 * 7 Clicks are counted exactly while one release follows another: Workers and objects of two releases speak with each
 * other for minutes, over the same storage. The release before is kept as a bundle (test/releases/README.md).
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import type { StatsData } from "../../src/core/clicks/stats.ts";
import { type Release, Rollout, UnavailableError } from "../releases/rollout.ts";
import { eventually } from "../support/eventually.ts";

// Thousands of visits on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 180_000 });

const ROUTING = [{ if: { city: "ruled" }, to: "https://example.com/ruled" }];
/** More than a block of the log, so that there are summaries too. */
const MANY = 1_100;

let rollout: Rollout;

beforeAll(async () => {
  rollout = await Rollout.start();
});

afterAll(() => rollout.stop());

/** Sends visitors and waits until their clicks are stored, beside those that were. */
async function sendVisits(door: Release, link: LinkSnapshot, count: number, before: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 100) {
    const some = Array.from({ length: Math.min(100, count - sent) }, (_, i) => i);
    const places = await Promise.all(
      some.map((i) => rollout.visit(door, link, i % 10 === 0 ? "ruled" : `city ${sent + i}`)),
    );
    for (const [i, place] of places.entries()) expect(place).toBe(i % 10 === 0 ? ROUTING[0]?.to : link.url);
  }
  await eventually(async () => (await rollout.clicks(door, link)).length >= before + count, `${before + count} clicks`);
}

/** Everything that can be read of a link, by the Worker of a release. */
async function expectCountedOnce(door: Release, link: LinkSnapshot, count: number): Promise<void> {
  const clicks = await rollout.clicks(door, link);
  expect(clicks.map(({ position }) => position)).toEqual(Array.from({ length: count }, (_, i) => i));
  for (const groupBy of ["country", "city", "rule", "destination"]) {
    const { total, buckets, series } = await statsOf(door, link, groupBy);
    expect(total).toBe(count);
    expect(buckets.reduce((sum, bucket) => sum + bucket.clicks, 0)).toBe(count);
    expect(series.reduce((sum, bin) => sum + bin.clicks, 0)).toBe(count);
  }
  const ruled = clicks.filter(({ city }) => city === "ruled");
  expect(ruled.every(({ destination }) => destination === ROUTING[0]?.to)).toBe(true);
  expect((await statsOf(door, link, "destination")).buckets).toContainEqual({
    key: ROUTING[0]?.to,
    clicks: ruled.length,
  });
}

function statsOf(door: Release, link: LinkSnapshot, groupBy: string): Promise<StatsData> {
  const from = Date.now() - 3_600_000;
  return rollout.call(door, "stats", link, {
    groupBy,
    from,
    to: null,
    interval: "minute",
    timezone: "UTC",
    includeBots: true,
  });
}

/** One step of a rollout: the release of the door, of the links' objects, of the accounts' feeds. */
type Stage = [door: Release, links: Release, feeds: Release];

/** Every mixture. Objects of links come last or first: once they have this release's schema, the one before keeps off. */
const STAGES: readonly Stage[] = [
  ["previous", "previous", "previous"],
  ["current", "previous", "previous"],
  ["previous", "previous", "current"],
  ["current", "previous", "current"],
  ["previous", "previous", "previous"],
  ["previous", "current", "previous"],
  ["current", "current", "previous"],
  ["previous", "current", "current"],
  ["current", "current", "current"],
];

describe("the release before and this one, on the same storage", () => {
  test("in every mixture clicks, statistics, changes and streams are exact", async () => {
    let link = await rollout.createLink(ROUTING);
    let count = 0;
    for (const [door, links, feeds] of STAGES) {
      await rollout.deploy(links, feeds, link);
      const follower = await rollout.openStream(door, link);
      await eventually(() => follower.isReady, "a cursor");
      const more = count === 0 ? MANY : 60;
      await sendVisits(door, link, more, count);
      count += more;
      await eventually(() => follower.ids.length >= more, `${more} events`);
      expect(new Set(follower.ids).size).toBe(more);
      await follower.close();
      await expectCountedOnce(door, link, count);
      link = await rollout.change(door, link);
      expect(await rollout.call(door, "snapshot", link)).toEqual(await rollout.call("current", "snapshot", link));
      // Each isolate learns of the change with a click.
      for (const release of ["previous", "current"] as const) {
        await rollout.visit(release, link, "learns");
        count++;
      }
      await eventually(async () => (await rollout.clicks(door, link)).length === count, "both have learnt");
    }
    await expectCountedOnce("current", link, count);
  });
});

describe("UTM parameters, which the release before does not know", () => {
  const byCampaign = async (link: LinkSnapshot) => (await statsOf("current", link, "utm_campaign")).buckets;

  test("clicks with them wait for the object, others do not, and each is counted once", async () => {
    const link = await rollout.createLink(ROUTING);
    await rollout.deploy("previous", "previous", link);
    await sendVisits("current", link, MANY, 0);
    for (let i = 0; i < 5; i++) await rollout.visit("current", link, `city ${i}`, "utm_campaign=Spring");
    await eventually(() => refused() > 0, "a batch is refused");
    await expectCountedOnce("previous", link, MANY);
    await rollout.deploy("current", "previous", link);
    await eventually(async () => (await rollout.clicks("current", link)).length >= MANY + 5, "what waited is stored");
    await expectCountedOnce("current", link, MANY + 5);
    expect(await byCampaign(link)).toEqual([
      { key: "none", clicks: MANY },
      { key: "spring", clicks: 5 },
    ]);
    // Blocks that were summarised by both releases.
    await sendVisits("previous", link, MANY, MANY + 5);
    expect(await byCampaign(link)).toEqual([
      { key: "none", clicks: 2 * MANY },
      { key: "spring", clicks: 5 },
    ]);
    await expectCountedOnce("previous", link, 2 * MANY + 5);
  });

  test("filters, which an object of the release before would ignore, are answered later", async () => {
    const link = await rollout.createLink(ROUTING);
    await rollout.deploy("previous", "previous", link);
    await sendVisits("current", link, 3, 0);
    const range = { from: 0, to: null, interval: null, timezone: "UTC", includeBots: true };
    const filters = [{ grouping: "city", values: ["ruled"] }];
    const ask = (more: object) =>
      rollout.call<StatsData>("current", "stats", link, { groupBy: "city", ...range, ...more });
    await expect(ask({ filters })).rejects.toThrow(UnavailableError);
    await expect(ask({ uniques: true })).rejects.toThrow(UnavailableError);
    expect((await ask({})).total).toBe(3);
  });

  test("what this release has stored the one before leaves alone", async () => {
    const link = await rollout.createLink(ROUTING);
    await rollout.deploy("current", "current", link);
    await rollout.visit("current", link, "first", "utm_source=poster");
    await eventually(async () => (await rollout.clicks("current", link)).length === 1, "a click");
    await rollout.deploy("previous", "current", link);
    await expect(statsOf("current", link, "country")).rejects.toThrow(UnavailableError);
    const before = refused();
    await rollout.visit("previous", link, "second");
    await eventually(() => refused() > before, "a batch is refused");
    await rollout.deploy("current", "current", link);
    await eventually(async () => (await rollout.clicks("current", link)).length === 2, "what waited is stored");
    expect((await statsOf("previous", link, "country")).total).toBe(2);
  });
});

const refused = () => rollout.log.filter((line) => line.includes("too_new")).length;

describe("the next release, with one field of clicks more", () => {
  test("what this one cannot take waits at its sender, and is counted once when the object can", async () => {
    const link = await rollout.createLink(ROUTING);
    await rollout.deploy("current", "current", link);
    await sendVisits("current", link, MANY, 0);
    const before = refused();
    for (let i = 0; i < 5; i++) await rollout.visit("next", link, `city ${i}`);
    await eventually(() => refused() > before, "a batch is refused");
    await expectCountedOnce("current", link, MANY);
    await rollout.deploy("next", "next", link);
    await eventually(async () => (await rollout.clicks("next", link)).length >= MANY + 5, "what had waited is stored");
    await expectCountedOnce("next", link, MANY + 5);
    expect((await statsOf("next", link, "way")).buckets).toEqual([
      { key: "none", clicks: MANY },
      { key: "link", clicks: 5 },
    ]);
    // The Worker of this release goes on with objects of the next.
    await sendVisits("current", link, 30, MANY + 5);
    await expectCountedOnce("current", link, MANY + 35);
  });

  test("what it has stored this one leaves alone, and says so", async () => {
    const link = await rollout.createLink(ROUTING);
    await rollout.deploy("next", "next", link);
    const follower = await rollout.openStream("next", link);
    await eventually(() => follower.isReady, "a cursor");
    await sendVisits("next", link, MANY, 0);
    await eventually(() => follower.ids.length === MANY, "all events");
    await follower.close();
    await rollout.deploy("current", "current", link);
    const before = refused();
    for (const door of ["current", "next"] as const) await rollout.visit(door, link, "late");
    await eventually(() => refused() > before + 1, "both are refused");
    await expect(statsOf("current", link, "country")).rejects.toThrow(UnavailableError);
    await expect(rollout.clicks("current", link)).rejects.toThrow(UnavailableError);
    await expect(rollout.call("current", "scans", link, { qr: "qr_1" })).rejects.toThrow(UnavailableError);
    await expect(rollout.openStream("current", link)).rejects.toThrow("503");
    expect(await rollout.call("current", "snapshot", link)).toBeNull();
    await expect(rollout.change("current", link)).rejects.toThrow("too_new");
    await rollout.deploy("next", "next", link);
    await eventually(async () => (await rollout.clicks("next", link)).length >= MANY + 2, "what had waited is stored");
    await expectCountedOnce("next", link, MANY + 2);
  });

  test("events that a feed of this one cannot take are announced once it can", async () => {
    const link = await rollout.createLink(ROUTING);
    await rollout.deploy("next", "next", link);
    const first = await rollout.openStream("next", link);
    await eventually(() => first.isReady, "a cursor");
    await sendVisits("next", link, 3, 0);
    await eventually(() => first.ids.length === 3, "3 events");
    await first.close();
    await rollout.deploy("next", "current", link);
    const before = rollout.log.length;
    await sendVisits("next", link, 3, 3);
    await eventually(() => rollout.log.slice(before).some((line) => line.includes("not yet announced")), "a refusal");
    await rollout.deploy("next", "next", link);
    const second = await rollout.openStream("next", link);
    await eventually(() => second.isReady, "a cursor");
    await sendVisits("next", link, 1, 6);
    await eventually(() => second.ids.length === 4, "4 events");
    expect(new Set([...first.ids, ...second.ids]).size).toBe(7);
    await second.close();
  });

  test("a grouping that only it knows is unavailable at an object of this one", async () => {
    const link = await rollout.createLink(ROUTING);
    await rollout.deploy("current", "current", link);
    await sendVisits("current", link, 3, 0);
    await expect(statsOf("next", link, "way")).rejects.toThrow(UnavailableError);
    await expectCountedOnce("next", link, 3);
  });
});
