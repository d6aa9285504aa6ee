/**
 * 7 Clicks are counted exactly during a rollout: Workers and objects of two releases communicate for minutes, over the
 * same storage (test/releases/README.md).
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import type { StatsData } from "../../src/core/clicks/counting/stats.ts";
import { type Release, Rollout, UnavailableError } from "../releases/rollout.ts";
import { type Control, CONTROLS, DESTINATION, type Fetch, seenByVisitors } from "../support/controlled-links.ts";
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

/** Sends visits and waits until their clicks are stored, in addition to `before`. */
async function sendVisits(door: Release, link: LinkSnapshot, count: number, before: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 100) {
    const some = Array.from({ length: Math.min(100, count - sent) }, (_, i) => i);
    const places = await Promise.all(
      some.map((i) => rollout.visit(door, link, i % 10 === 0 ? "ruled" : `city ${sent + i}`)),
    );
    for (const [i, place] of places.entries()) expect(place).toBe(i % 10 === 0 ? ROUTING[0]?.to : link.url);
  }
  await eventually(() => rollout.hasClicks(door, link, before + count), `${before + count} clicks`);
}

/** Checks everything that can be read of a link, through the Worker of a release. */
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

/** A rollout of the next release. Once an object has the next release's schema, this release's code leaves it alone. */
const STAGES: readonly Stage[] = [
  ["current", "current", "current"],
  ["current", "current", "next"],
  ["current", "next", "next"],
  ["next", "next", "next"],
  ["current", "next", "next"],
];

describe("two releases on the same storage", () => {
  test("at every stage of a rollout clicks, statistics, changes and streams are exact", async () => {
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
      expect(await rollout.call("next", "snapshot", link)).toEqual(await rollout.call("current", "snapshot", link));
      // Each isolate learns of the change with a click. Objects of this release do not accept clicks of the next one.
      const doors = links === "next" ? (["current", "next"] as const) : (["current"] as const);
      for (const release of doors) {
        await rollout.visit(release, link, "learns");
        count++;
      }
      await eventually(async () => (await rollout.clicks(door, link)).length === count, "the doors have learnt");
    }
    await expectCountedOnce("current", link, count);
  });
});

const refused = () => rollout.log.filter((line) => line.includes("too_new")).length;

describe("the next release, with one more field in clicks", () => {
  test("clicks that this one cannot accept wait at their sender, and are counted once when the object can accept them", async () => {
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
    // The Worker of this release keeps working with objects of the next.
    await sendVisits("current", link, 30, MANY + 5);
    await expectCountedOnce("current", link, MANY + 35);
  });

  test("this one leaves data of the next alone, and says so", async () => {
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

  test("events that a feed of this one cannot accept are announced once it can", async () => {
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

  test("a grouping that only the next release knows is unavailable at an object of this one", async () => {
    const link = await rollout.createLink(ROUTING);
    await rollout.deploy("current", "current", link);
    await sendVisits("current", link, 3, 0);
    await expect(statsOf("next", link, "way")).rejects.toThrow(UnavailableError);
    await expectCountedOnce("next", link, 3);
  });
});

describe("17 the controls of visits", () => {
  const makeLinks = (prefix: string) =>
    Promise.all(CONTROLS.map(async ({ fields }) => rollout.createControlledLink(fields(prefix))));
  const deployAll = (links: readonly LinkSnapshot[], release: Release, feeds: Release) =>
    Promise.all(links.map((link) => rollout.deploy(release, feeds, link)));

  /** What visitors of each link get through the Worker of a release. @param gets  of each control */
  async function expectSeen(
    door: Release,
    links: readonly LinkSnapshot[],
    gets: (control: Control) => Control["gets"],
  ) {
    const expected = CONTROLS.map(gets);
    const seen = expected.map((each, i) => seenAt(links[i], each, rollout.fetchFrom(door)));
    expect(await Promise.all(seen)).toEqual(expected);
  }

  function seenAt(link: LinkSnapshot | undefined, gets: Control["gets"], fetchVisit: Fetch) {
    if (!link) throw new Error("no link");
    return seenByVisitors(rollout.shortUrl(link), { gets }, fetchVisit);
  }

  test("are obeyed at every stage of a rollout", async () => {
    const links = await makeLinks("rollout");
    for (const [door, objects, feeds] of STAGES) {
      await deployAll(links, objects, feeds);
      await expectSeen(door, links, ({ gets }) => gets);
    }
  });

  test("close a link in a release that does not know them, or have no effect there; the next one obeys them again", async () => {
    const links = await makeLinks("rollback");
    await deployAll(links, "current", "current");
    await expectSeen("current", links, ({ gets }) => gets);
    await deployAll(links, "previous", "previous");
    const inPrevious = ({ isClosing }: Control) => ({ plain: isClosing ? "410" : `302 ${DESTINATION}` });
    await expectSeen("previous", links, inPrevious);
    for (const link of links) await rollout.changeInPrevious(link);
    await expectSeen("previous", links, inPrevious);
    await deployAll(links, "current", "current");
    // A click brings the isolate the previous release's snapshot from the object, until it reads the link again.
    await expectSeen("current", links, ({ gets }) => gets).catch(() => {});
    const withoutForms = ({ gets: { right: _right, wrong: _wrong, ...others } }: Control) => others;
    const isReadAgain = () =>
      expectSeen("current", links, withoutForms).then(
        () => true,
        () => false,
      );
    await eventually(isReadAgain, "the links are read again");
    await expectSeen("current", links, ({ gets }) => gets);
  });
});
