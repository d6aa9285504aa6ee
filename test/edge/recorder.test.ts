/**
 * How an isolate handles clicks whose object does not accept them: none is lost or doubled, and the cost is bounded.
 * The objects are real; the connection to them is broken. Time is virtual.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LinkClicks } from "../../src/clicks/link-clicks.ts";
import type { ClickBatch, RecordResult, LinkAnswer } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import type { StatsRequest } from "../../src/core/clicks/counting/stats.ts";
import type { Click } from "../support/pack-clicks.ts";
import { SimulatedIsolates, snapshotOf } from "../support/simulated-isolates.ts";
import { VirtualTime } from "../support/virtual-time.ts";

// Hundreds of thousands of clicks on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

const MEGABYTE = 1024 * 1024;
/** Longer than any request may work in the background. */
const GIVEN_UP_MS = 31_000;
/** Longer than a sender waits before it retries. */
const TRIED_AGAIN_MS = 11_000;
/** With a number before it, about as long as a host can be. */
const LONG_HOST = `${"a-long-name.".repeat(20)}example`;

/** One object replaces those of several links. It would refuse the clicks of a link with another id. */
const ONE_ID = "lnk_00000000000000000000000000";

let time: VirtualTime;

beforeEach(() => {
  time = new VirtualTime();
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

afterEach(() => {
  time.restore();
});

/** The connection to an object, and what happens to the batches sent over it. */
class Way {
  state: "open" | "cut" | "answers lost" | "refuses" = "open";
  /** Times of its calls, by `performance.now()`. */
  readonly calls: number[] = [];
  /** Number of arrivals of each batch. */
  readonly arrived = new Map<number, number>();
  readonly link: LinkSnapshot;
  readonly #object: LinkClicks;

  constructor(object: LinkClicks, link: LinkSnapshot) {
    this.#object = object;
    this.link = link;
  }

  async record(batch: ClickBatch): Promise<RecordResult> {
    this.calls.push(performance.now());
    await time.sleep(20);
    if (this.state === "cut") throw new Error("Network connection lost.");
    // An object that runs an earlier release responds like this to a batch from a later one.
    if (this.state === "refuses") return { kind: "too_new" } as unknown as RecordResult;
    this.arrived.set(batch.id, (this.arrived.get(batch.id) ?? 0) + 1);
    const recorded = this.#object.record(batch);
    if (this.state === "answers lost") throw new Error("Network connection lost.");
    return recorded;
  }

  /** Number of clicks of its link in the object. */
  get stored(): number {
    const outcome = this.#object.stats(EVERYTHING) as LinkAnswer<"stats">;
    if (outcome.kind !== "stats") throw new Error(outcome.kind);
    return outcome.buckets.find(({ key }) => key === this.link.slug)?.clicks ?? 0;
  }
}

const EVERYTHING: StatsRequest = {
  from: 0,
  to: null,
  groupBy: "city",
  interval: null,
  timezone: "UTC",
  includeBots: true,
};

let objects = 0;

/** Links with separate connections. One object stores all, as its code reaches no other; cities identify the links. */
async function withWays(count: number, work: (ways: Way[]) => Promise<void>): Promise<void> {
  const name = `senders.example/object-${++objects}`;
  await runInDurableObject(env.LINK_CLICKS.getByName(name), (object: LinkClicks) =>
    work(Array.from({ length: count }, (_, i) => new Way(object, snapshotOf(`link-${i}`, { id: ONE_ID })))),
  );
}

/** One isolate that serves these links. */
function isolateOf(ways: readonly Way[]) {
  const callObject = async (batch: ClickBatch, name: string) => {
    const way = ways[Number(name.split("-")[1])];
    if (!way) throw new Error(`no way to ${name}`);
    return way.record(batch);
  };
  const isolate = new SimulatedIsolates(1, callObject);
  const click = (link: number, facts: Partial<Click> = {}) => {
    const visited = ways[link]?.link;
    if (visited) isolate.click(0, visited, { city: visited.slug, ...facts });
  };
  const state = () => isolate.recorderState(0) ?? { links: NaN, bytes: NaN, dropped: NaN };
  return { click, state };
}

test("clicks that a link's leader gave up are sent by the leader of any other link", () =>
  withWays(2, async (ways) => {
    const [dead, other] = ways as [Way, Way];
    const { click, state } = isolateOf(ways);
    dead.state = "cut";
    for (let i = 0; i < 5; i++) click(0);
    await time.advance(GIVEN_UP_MS);
    const tries = dead.calls.length;
    await time.advance(GIVEN_UP_MS);
    expect(dead.calls.length, "no request retries anymore").toBe(tries);
    dead.state = "open";
    click(1);
    await time.advance(TRIED_AGAIN_MS);
    expect([dead.stored, other.stored]).toEqual([5, 1]);
    expect(state().links).toBe(0);
  }));

test("a leader adopts no more batches than it can serve, and the next leaders adopt the rest", () =>
  withWays(31, async (ways) => {
    const { click } = isolateOf(ways);
    const dead = ways.slice(1);
    for (const way of dead) way.state = "cut";
    for (let link = 1; link < ways.length; link++) click(link);
    await time.advance(GIVEN_UP_MS);
    for (const way of dead) {
      way.state = "open";
      way.calls.length = 0;
    }
    click(0);
    await time.advance(GIVEN_UP_MS);
    const adopted = dead.filter(({ calls }) => calls.length > 0).length;
    expect(adopted).toBeGreaterThan(0);
    expect(adopted).toBeLessThan(12);
    for (let leaders = 0; leaders < 6; leaders++) {
      click(0);
      await time.advance(GIVEN_UP_MS);
    }
    expect(dead.map(({ stored }) => stored)).toEqual(dead.map(() => 1));
  }));

test("a minute of failed calls leaves two batches, and few calls", () =>
  withWays(1, async (ways) => {
    const [dead] = ways as [Way];
    const { click } = isolateOf(ways);
    dead.state = "cut";
    for (let i = 0; i < 600; i++) {
      click(0);
      await time.advance(100);
    }
    expect(dead.calls.length).toBeLessThan(40);
    dead.state = "open";
    await time.advance(TRIED_AGAIN_MS);
    expect(dead.stored).toBe(600);
    expect(dead.arrived.size, "the batch that was tried, and all that came after it").toBe(2);
  }));

test("a batch that may be stored is sent again unchanged, whatever follows it", () =>
  withWays(1, async (ways) => {
    const [deaf] = ways as [Way];
    const { click } = isolateOf(ways);
    deaf.state = "answers lost";
    for (let i = 0; i < 100; i++) {
      click(0);
      await time.advance(100);
    }
    expect(deaf.arrived.size).toBe(1);
    expect(deaf.stored).toBe(1);
    deaf.state = "open";
    await time.advance(TRIED_AGAIN_MS);
    expect(deaf.stored).toBe(100);
  }));

test("a batch refused by an object that runs an earlier release is kept and sent again", () =>
  withWays(2, async (ways) => {
    const [older] = ways as [Way];
    const { click } = isolateOf(ways);
    older.state = "refuses";
    click(0);
    await time.advance(GIVEN_UP_MS);
    expect(older.stored).toBe(0);
    older.state = "open";
    click(1);
    await time.advance(TRIED_AGAIN_MS);
    expect(older.stored).toBe(1);
  }));

test("clicks keep their revision when a link changes while its object is dead", () =>
  withWays(1, async (ways) => {
    const [dead] = ways as [Way];
    const isolate = new SimulatedIsolates(1, (batch) => dead.record(batch));
    dead.state = "cut";
    for (let i = 0; i < 30; i++) {
      isolate.click(0, { ...dead.link, revision: 1 + Math.floor(i / 10) }, { city: dead.link.slug });
      await time.advance(10);
    }
    dead.state = "open";
    await time.advance(TRIED_AGAIN_MS);
    expect(dead.stored).toBe(30);
    // The first click was sent alone; a snapshot that was read again is not a change.
    expect(dead.arrived.size).toBe(4);
  }));

test("a click is sent after the response, and a single click does not keep a request waiting for the next one", () =>
  withWays(1, async (ways) => {
    const [way] = ways as [Way];
    const { click, state } = isolateOf(ways);
    click(0);
    await Promise.resolve();
    expect(way.calls).toEqual([]);
    await time.advance(25);
    expect([way.calls.length, way.stored]).toEqual([1, 1]);
    // The link's pause continues without a leader: the next one waits for its end.
    click(0);
    await time.advance(10);
    expect(way.calls).toHaveLength(1);
    await time.advance(100);
    expect(way.stored).toBe(2);
    expect(state()).toMatchObject({ links: 0, bytes: 0 });
  }));

test("objects of links first visited at the same time are called one after the other, all within a second", () =>
  withWays(2_000, async (ways) => {
    const { click } = isolateOf(ways);
    for (let link = 0; link < ways.length; link++) click(link);
    await time.advance(200);
    const called = () => ways.filter(({ calls }) => calls.length > 0).length;
    expect(called()).toBeGreaterThan(90);
    expect(called()).toBeLessThan(110);
    await time.advance(820);
    expect(ways.map(({ calls }) => calls.length)).toEqual(ways.map(() => 1));
  }));

test("isolates that fail together do not retry together", async () => {
  const isolates = new SimulatedIsolates(500, async () => {
    await time.sleep(20);
    throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });
  });
  const link = snapshotOf("overloaded");
  for (let isolate = 0; isolate < 500; isolate++) isolates.click(isolate, link);
  await time.advance(20_000);
  // Full jitter: after the first calls, which were simultaneous, no tenth of a second has many.
  const later = isolates.calls.filter(({ at }) => at > 100).map(({ at }) => Math.floor(at / 100));
  const tenths = later.reduce((counts, tenth) => counts.set(tenth, (counts.get(tenth) ?? 0) + 1), new Map());
  expect(Math.max(...tenths.values())).toBeLessThan(75);
  expect(isolates.calls.filter(({ at }) => at >= 15_000).length).toBeLessThan(5 * 200);
});

test("clicks that cannot be sent use 16 MB at most; dropped ones are counted and logged, other links are unaffected", () =>
  withWays(2, async (ways) => {
    const [dead, other] = ways as [Way, Way];
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    const { click, state } = isolateOf(ways);
    dead.state = "cut";
    const clicks = 60_000;
    for (let i = 0; i < clicks; i++) {
      click(0, { referrer: `${i}.${LONG_HOST}` });
      if (i % 1_500 === 0) await time.advance(1_000);
    }
    expect(state().dropped).toBeGreaterThan(0);
    expect(state().bytes).toBeLessThan(16 * MEGABYTE);
    for (let i = 0; i < 5_000; i++) click(1, { referrer: `${i}.${LONG_HOST}` });
    await time.advance(1_000);
    expect(other.stored).toBe(5_000);
    const { dropped } = state();
    expect(said.mock.calls.length, "one line in ten seconds").toBeLessThan(6);
    dead.state = "open";
    for (let i = 0; i < 12; i++) await time.advance(TRIED_AGAIN_MS);
    expect(dead.stored + dropped).toBe(clicks);
    const spoken = said.mock.calls.reduce((sum, [, { clicks: some }]) => sum + some, 0);
    expect(spoken).toBeGreaterThan(0);
    expect(spoken).toBeLessThanOrEqual(dropped);
    // A leader that ran out of time may have left an idle line, which the next leader removes.
    click(1);
    await time.advance(1_000);
    expect(state()).toEqual({ links: 0, bytes: 0, dropped });
  }));

test("one account's links, however many and however long their rules, leave room for the clicks of others", () =>
  withWays(201, async (ways) => {
    const [other, ...dead] = ways as [Way, ...Way[]];
    const { click, state } = isolateOf(ways);
    const routing = [{ if: { country: "DE" }, to: `https://example.com/${"a".repeat(60_000)}` }];
    for (const way of dead) {
      way.state = "cut";
      Object.assign(way.link, { routing, accountId: "acc_00000000000000000000000001" });
    }
    for (let link = 1; link < ways.length; link++) click(link);
    const { dropped } = state();
    expect(dropped).toBeGreaterThan(0);
    for (let i = 0; i < 10; i++) click(0);
    await time.advance(1_000);
    expect(state().dropped).toBe(dropped);
    expect(other.stored).toBe(10);
  }));
