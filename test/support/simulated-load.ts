/**
 * The isolates that serve one busy link, simulated by a recorder for each, and the link's real object, which decides
 * how long they gather. Time is virtual.
 */
import type { LinkClicks } from "../../src/clicks/link-clicks.ts";
import type { ClickBatch, RecordResult, LinkAnswer } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import { seededRandom } from "./seeded-random.ts";
import { SimulatedIsolates, snapshotOf } from "./simulated-isolates.ts";
import { VirtualTime } from "./virtual-time.ts";

export interface SimulatedLoad {
  isolates: number;
  /** In each isolate. */
  clicksPerSecond: number;
  seconds: number;
  /** How long the object is busy with a call; not at all when not given. */
  busyMs?: number;
  /** Changes an answer on its way. */
  alterResult?: (recorded: RecordResult) => RecordResult;
}

export interface SimulatedLoadResult {
  clicks: number;
  counted: number;
  /** When the object was called and for how long the oldest click of the batch had waited, ms from the start. */
  calls: SimulatedIsolates["calls"];
}

const TICK_MS = 50;
/** Minimum and maximum time of a call to reach the object. */
const [LATENCY_MIN_MS, LATENCY_MAX_MS] = [10, 90];
/** After this time all recorded clicks are stored, whether retried or not. */
const SETTLE_MS = 30_000;

/** Sends the clicks of a crowd to a new object. To be called within the object. */
export async function simulateLoad(object: LinkClicks, load: SimulatedLoad): Promise<SimulatedLoadResult> {
  const time = new VirtualTime();
  try {
    const chance = seededRandom(load.isolates);
    const link = snapshotOf("crowded");
    const isolates = new SimulatedIsolates(load.isolates, callObject(object, load, time, chance));
    const clicksPerTick = (load.isolates * load.clicksPerSecond * TICK_MS) / 1_000;
    for (let at = 0; at < load.seconds * 1_000; at += TICK_MS) {
      isolates.clickAnywhere(clicksPerTick, link, chance);
      await time.advance(TICK_MS);
    }
    await time.advance(SETTLE_MS);
    return { clicks: isolates.clicks, counted: countedClicks(object), calls: isolates.calls };
  } finally {
    time.restore();
  }
}

function callObject(
  object: LinkClicks,
  { busyMs = 0, alterResult }: SimulatedLoad,
  time: VirtualTime,
  chance: () => number,
) {
  let freeAt = 0;
  return async (batch: ClickBatch): Promise<RecordResult> => {
    await time.sleep(LATENCY_MIN_MS + chance() * (LATENCY_MAX_MS - LATENCY_MIN_MS));
    freeAt = Math.max(freeAt, performance.now()) + busyMs;
    if (busyMs > 0) await time.sleep(freeAt - performance.now());
    const recorded = await object.record(batch);
    return alterResult ? alterResult(recorded) : recorded;
  };
}

function countedClicks(object: LinkClicks): number {
  const question = {
    groupBy: "country",
    from: 0,
    to: null,
    interval: null,
    timezone: "UTC",
    includeBots: true,
  } as const;
  const outcome = object.stats(question) as LinkAnswer<"stats">;
  return outcome.kind === "stats" ? outcome.total : NaN;
}

/** Most calls in any second of a span, ms from the start. */
export function busiestSecond({ calls }: SimulatedLoadResult, from = 0, to = Infinity): number {
  const times = calls.map(({ at }) => at).filter((at) => at >= from && at < to);
  let first = 0;
  let most = 0;
  for (const [last, at] of times.entries()) {
    while ((times[first] ?? at) <= at - 1_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Longest that a click waited before it was sent, of calls in a span, ms. */
export function longestWaitMs({ calls }: SimulatedLoadResult, from = 0): number {
  return calls.reduce((longest, { at, waitedMs }) => (at >= from ? Math.max(longest, waitedMs) : longest), 0);
}
