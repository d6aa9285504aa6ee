/**
 * How often many isolates call the object of a link that all of them serve. Isolates are simulated by recorders of their
 * own; the object is real, and decides how long they gather. Time is virtual.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import type { LinkClicks } from "../../src/clicks/link-clicks.ts";
import { GATHER_MAX_MS } from "../../src/core/call-pacing.ts";
import type { ClickBatch, Recorded } from "../../src/core/link-object.ts";
import { seeded } from "../support/chance.ts";
import { Isolates, snapshotOf } from "../support/isolates.ts";
import { VirtualTime } from "../support/virtual-time.ts";

// Tens of thousands of clicks on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

const TICK_MS = 50;
/** A call's way to the object, at least and at most. */
const [WAY_MIN_MS, WAY_MAX_MS] = [10, 90];
/** By then each isolate has had its first click, whose call no object can put off. */
const STARTED_MS = 5_000;

interface Load {
  isolates: number;
  /** In each isolate. */
  clicksPerSecond: number;
  seconds: number;
}

/** Sends the clicks of a load to the object called `slug`, and looks whether all are counted. */
async function simulate(slug: string, load: Load, answer = (recorded: Recorded) => recorded): Promise<Isolates> {
  const link = snapshotOf(slug);
  return runInDurableObject(env.LINK_CLICKS.getByName(`senders.example/${slug}`), async (object: LinkClicks) => {
    const time = new VirtualTime();
    try {
      const chance = seeded(load.isolates);
      const isolates = new Isolates(load.isolates, async (batch: ClickBatch) => {
        await time.sleep(WAY_MIN_MS + chance() * (WAY_MAX_MS - WAY_MIN_MS));
        return answer(await object.record(batch));
      });
      const clicksPerTick = (load.isolates * load.clicksPerSecond * TICK_MS) / 1_000;
      for (let at = 0; at < load.seconds * 1_000; at += TICK_MS) {
        isolates.clickAnywhere(clicksPerTick, link, chance);
        await time.pass(TICK_MS);
      }
      await time.pass(GATHER_MAX_MS + WAY_MAX_MS);
      expect(object.clicks({ after: isolates.clicks - 1, limit: 10 })).toMatchObject({ clicks: [{}], hasMore: false });
      return isolates;
    } finally {
      time.restore();
    }
  });
}

test("2,000 isolates with one viral link call its object less than 500 times a second, and lose nothing", async () => {
  const isolates = await simulate("viral", { isolates: 2_000, clicksPerSecond: 2, seconds: 15 });
  expect(isolates.callsInBusiestSecond(STARTED_MS)).toBeLessThan(500);
  expect(isolates.callsInBusiestSecond(STARTED_MS)).toBeGreaterThan(400);
  // Until then each isolate has called once without an answer to go by.
  const early = isolates.calls.filter(({ at }) => at < STARTED_MS).length;
  expect(early).toBeLessThan(2_000 + (500 * STARTED_MS) / 1_000);
  expect(isolates.longestWait()).toBeLessThanOrEqual(GATHER_MAX_MS + WAY_MAX_MS + 10);
});

test("of a link in 300 isolates every click is on its way within a second", async () => {
  const isolates = await simulate("popular", { isolates: 300, clicksPerSecond: 5, seconds: 10 });
  expect(isolates.callsInBusiestSecond(STARTED_MS)).toBeLessThan(500);
  expect(isolates.longestWait()).toBeLessThan(1_000);
});

test("an object that does not say how long to gather is called as before", async () => {
  const silent = (recorded: Recorded): Recorded =>
    recorded.kind === "recorded" ? { kind: "recorded", newer: recorded.newer } : recorded;
  const isolates = await simulate("older", { isolates: 50, clicksPerSecond: 50, seconds: 4 }, silent);
  expect(isolates.longestWait()).toBeLessThan(250);
});
