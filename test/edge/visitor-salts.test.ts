/**
 * Visitors in what an isolate sends, while the salt of the day is there, late, or never comes. The maintenance object and
 * the link's object are stood in for; time is virtual.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { unpackColumns } from "../../src/core/clicks/encoding/click-batch.ts";
import type { ClickBatch, RecordResult } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import { numberAt, VISITOR_BYTES } from "../../src/core/clicks/encoding/column-encoding.ts";
import { VisitorHashes, type VisitorSalt } from "../../src/core/visitors/visitor-hashes.ts";
import { utcDay } from "../../src/core/time.ts";
import { CLOCK_START_MS, SimulatedIsolates, snapshotOf } from "../support/simulated-isolates.ts";
import { VirtualTime } from "../support/virtual-time.ts";

const DAY_MS = 86_400_000;
const TODAY = utcDay(CLOCK_START_MS);
const LINK = snapshotOf("visited");
const SALTS: VisitorSalt[] = [TODAY, TODAY + 1].map((day) => ({ day, salt: new Uint8Array(16).fill(day % 256) }));

let time: VirtualTime;
let warned: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  time = new VirtualTime();
  warned = vi.spyOn(console, "warn").mockImplementation(() => {});
});

afterEach(() => {
  time.restore();
  warned.mockRestore();
});

function hashOf(network: string, day = TODAY): number {
  const hashes = new VisitorHashes();
  hashes.learn(SALTS);
  return hashes.hash(LINK, day, network, 1) ?? NaN;
}

/** An isolate, what its link's object was sent, and how often the salts were asked for. */
function isolateWith(readSalts: () => Promise<VisitorSalt[]>) {
  const batches: { arrivedAt: number; visitors: number[] }[] = [];
  const asked: number[] = [];
  const record = async (batch: ClickBatch): Promise<RecordResult> => {
    const { visitors } = unpackColumns(batch.clicks.columns);
    const values = Array.from({ length: batch.clicks.count }, (_, i) =>
      visitors ? numberAt(visitors, VISITOR_BYTES, i) : 0,
    );
    batches.push({ arrivedAt: performance.now(), visitors: values });
    return { kind: "recorded" } as RecordResult;
  };
  const readCounted = () => {
    asked.push(performance.now());
    return readSalts();
  };
  const isolate = new SimulatedIsolates(1, record, () => {}, readCounted);
  const visit = (network: string, at?: number, link = LINK) =>
    isolate.click(0, link, { visitor: { network, userAgentDigest: 1 }, ...(at === undefined ? {} : { at }) });
  return { visit, batches, asked, stored: () => batches.flatMap(({ visitors }) => visitors) };
}

async function lateBy(ms: number): Promise<VisitorSalt[]> {
  await time.sleep(ms);
  return SALTS;
}

test("14 an isolate asks for the salts once, and its first click waits for them", async () => {
  const { visit, asked, stored } = isolateWith(() => lateBy(30));
  visit("192.0.2.1");
  await time.advance(500);
  for (let click = 0; click < 5; click++) {
    visit("192.0.2.2");
    await time.advance(500);
  }
  expect(stored()).toEqual([hashOf("192.0.2.1"), ...Array<number>(5).fill(hashOf("192.0.2.2"))]);
  expect(asked).toHaveLength(1);
});

test("14 clicks of several links that come together ask once, and all have their visitors", async () => {
  const { visit, asked, stored } = isolateWith(() => lateBy(1_500));
  for (let link = 0; link < 20; link++) visit("192.0.2.1", undefined, snapshotOf(`link-${link}`));
  await time.advance(2_500);
  expect(stored()).toEqual(Array<number>(20).fill(hashOf("192.0.2.1")));
  expect(asked).toHaveLength(1);
});

test("14 without a salt clicks are stored all the same after two seconds, and nobody asks for ten", async () => {
  const { visit, batches, asked, stored } = isolateWith(() => new Promise(() => {}));
  visit("192.0.2.1");
  await time.advance(1_900);
  expect(batches).toHaveLength(0);
  await time.advance(200);
  expect(stored()).toEqual([0]);
  for (let second = 0; second < 8; second++) {
    visit("192.0.2.1");
    await time.advance(1_000);
  }
  expect(asked).toHaveLength(1);
  expect(stored()).toEqual(Array<number>(9).fill(0));
  expect(batches.slice(1).every(({ arrivedAt }, i) => arrivedAt < 2_100 + i * 1_000 + 500)).toBe(true);
});

test("14 when the object answers again, visitors are known again", async () => {
  let isDown = true;
  const { visit, asked, stored } = isolateWith(async () => {
    if (isDown) throw new Error("Network connection lost.");
    return SALTS;
  });
  visit("192.0.2.1");
  await time.advance(5_000);
  isDown = false;
  visit("192.0.2.1");
  await time.advance(6_000);
  visit("192.0.2.1");
  await time.advance(1_000);
  expect(stored()).toEqual([0, 0, hashOf("192.0.2.1")]);
  expect(asked).toHaveLength(2);
});

test("14 an object without a salt for the day is not asked again and again", async () => {
  const { visit, asked, stored } = isolateWith(async () => []);
  for (let second = 0; second < 9; second++) {
    visit("192.0.2.1");
    await time.advance(1_000);
  }
  expect(stored()).toEqual(Array<number>(9).fill(0));
  expect(asked).toHaveLength(1);
});

test("14 after midnight the visitor has another value, for which the isolate has the salt already", async () => {
  const { visit, asked, stored } = isolateWith(() => lateBy(30));
  const midnight = (TODAY + 1) * DAY_MS;
  visit("192.0.2.1", midnight - 1);
  visit("192.0.2.1", midnight);
  await time.advance(500);
  expect(stored()).toEqual([hashOf("192.0.2.1"), hashOf("192.0.2.1", TODAY + 1)]);
  expect(asked).toHaveLength(1);
});

test("14 the standby of a leader that was cancelled while it waited asks itself", async () => {
  const answers = [new Promise<VisitorSalt[]>(() => {}), lateBy(0)];
  const { visit, asked, stored } = isolateWith(() => answers.shift() ?? lateBy(0));
  visit("192.0.2.1");
  const { setTimeout } = globalThis;
  // A cancelled request runs nothing any more: neither its timeout nor what would follow.
  globalThis.setTimeout = (() => 0) as unknown as typeof globalThis.setTimeout;
  await time.advance(1);
  globalThis.setTimeout = setTimeout;
  visit("192.0.2.2");
  await time.advance(10_000);
  expect(stored()).toEqual([hashOf("192.0.2.1"), hashOf("192.0.2.2")]);
  expect(asked).toHaveLength(2);
});
