/** How often a link's isolates call its object, and how long clicks wait for that (support/simulated-load.ts). */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import type { LinkClicks } from "../../src/clicks/link-clicks.ts";
import type { RecordResult } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import {
  busiestSecond,
  type SimulatedLoad,
  longestWaitMs,
  simulateLoad,
  type SimulatedLoadResult,
} from "../support/simulated-load.ts";

const SEND_DELAY_MAX_MS = 5_000;

// Tens of thousands of clicks on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

/** At this time each isolate has had its first click, whose call no object can defer. */
const STARTED_MS = 5_000;
/** After this time, a call counts as failed and is sent again. */
const PATIENCE_MS = 5_000;

let objects = 0;

/** Sends the clicks of a simulated load and checks that all are counted. */
async function sent(crowd: SimulatedLoad): Promise<SimulatedLoadResult> {
  const object = env.LINK_CLICKS.getByName(`senders.example/crowd-${++objects}`);
  const outcome = await runInDurableObject(object, (instance: LinkClicks) => simulateLoad(instance, crowd));
  expect(outcome.counted).toBe(outcome.clicks);
  return outcome;
}

test("2,000 isolates with one viral link call its object less than 500 times a second, and lose nothing", async () => {
  const viral = await sent({ isolates: 2_000, clicksPerSecond: 2, seconds: 15 });
  expect(busiestSecond(viral, STARTED_MS)).toBeLessThan(500);
  expect(busiestSecond(viral, STARTED_MS)).toBeGreaterThan(400);
  // Until then each isolate has called once without an answer to go by.
  const early = viral.calls.filter(({ at }) => at < STARTED_MS).length;
  expect(early).toBeLessThan(2_000 + (500 * STARTED_MS) / 1_000);
  expect(longestWaitMs(viral)).toBeLessThan(SEND_DELAY_MAX_MS + 200);
});

test("every click on a link in 300 isolates is on its way within a second", async () => {
  const popular = await sent({ isolates: 300, clicksPerSecond: 5, seconds: 10 });
  expect(busiestSecond(popular, STARTED_MS)).toBeLessThan(500);
  expect(longestWaitMs(popular)).toBeLessThan(1_000);
});

test("an object that is slower than the rate it requests is called no more often than it can answer", async () => {
  const slow = await sent({ isolates: 1_000, clicksPerSecond: 2, seconds: 40, busyMs: 5 });
  const calls = slow.calls.filter(({ at }) => at >= 20_000 && at < 40_000);
  expect(calls.length / 20).toBeLessThan(210);
  expect(longestWaitMs(slow, 20_000)).toBeLessThan(SEND_DELAY_MAX_MS + PATIENCE_MS);
});

test("an object that returns no time to gather is called as before", async () => {
  const answer = (recorded: RecordResult): RecordResult =>
    recorded.kind === "recorded" ? { kind: "recorded", newer: recorded.newer } : recorded;
  const older = await sent({ isolates: 50, clicksPerSecond: 50, seconds: 4, alterResult: answer });
  expect(longestWaitMs(older)).toBeLessThan(150);
});
