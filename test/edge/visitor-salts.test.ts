/**
 * Visitors in the clicks that an isolate sends, with a day's salt that is available, late or missing. Workers KV, the
 * maintenance object and the link's object are stubs; time is virtual.
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

/** An isolate, its batches to the link's object, and when it read salts in KV and in the maintenance object. */
function isolateWith(
  readKey: (key: string) => Promise<ArrayBuffer | null>,
  askObject = async (): Promise<VisitorSalt[]> => [],
) {
  const batches: { arrivedAt: number; visitors: number[] }[] = [];
  const reads: number[] = [];
  const asked: number[] = [];
  const record = async (batch: ClickBatch): Promise<RecordResult> => {
    const { visitors } = unpackColumns(batch.clicks.columns);
    const values = Array.from({ length: batch.clicks.count }, (_, i) =>
      visitors ? numberAt(visitors, VISITOR_BYTES, i) : 0,
    );
    batches.push({ arrivedAt: performance.now(), visitors: values });
    return { kind: "recorded" } as RecordResult;
  };
  const noted =
    <A extends unknown[], T>(times: number[], call: (...given: A) => T) =>
    (...given: A) => {
      times.push(performance.now());
      return call(...given);
    };
  const salts = { readKey: noted(reads, readKey), askObject: noted(asked, askObject) };
  const isolate = new SimulatedIsolates(1, record, () => {}, salts);
  const visit = (network: string, at?: number, link = LINK) =>
    isolate.click(0, link, { visitor: { network, userAgentDigest: 1 }, ...(at === undefined ? {} : { at }) });
  return { visit, batches, reads, asked, stored: () => batches.flatMap(({ visitors }) => visitors) };
}

/** Contents of KV: the salts of two days. */
async function stored(key: string): Promise<ArrayBuffer | null> {
  const day = utcDay(Date.parse(key.replace("visitor-salt/", "")));
  return SALTS.find((salt) => salt.day === day)?.salt.slice().buffer ?? null;
}

const storedAfter = (ms: number) => async (key: string) => {
  await time.sleep(ms);
  return stored(key);
};

test("14 an isolate reads the salt once, its first click waits for it, and no object is called", async () => {
  const isolate = isolateWith(storedAfter(30));
  isolate.visit("192.0.2.1");
  await time.advance(500);
  for (let click = 0; click < 5; click++) {
    isolate.visit("192.0.2.2");
    await time.advance(500);
  }
  expect(isolate.stored()).toEqual([hashOf("192.0.2.1"), ...Array<number>(5).fill(hashOf("192.0.2.2"))]);
  expect([isolate.reads.length, isolate.asked.length]).toEqual([1, 0]);
});

test("14 if KV has no salt, the maintenance object is called, which returns the same salt", async () => {
  const isolate = isolateWith(
    async () => null,
    async () => SALTS,
  );
  isolate.visit("192.0.2.1");
  await time.advance(500);
  isolate.visit("192.0.2.2");
  await time.advance(500);
  expect(isolate.stored()).toEqual([hashOf("192.0.2.1"), hashOf("192.0.2.2")]);
  expect([isolate.reads.length, isolate.asked.length]).toEqual([1, 1]);
});

test("14 simultaneous clicks of several links cause one read, and all have their visitors", async () => {
  const isolate = isolateWith(storedAfter(1_500));
  for (let link = 0; link < 20; link++) isolate.visit("192.0.2.1", undefined, snapshotOf(`link-${link}`));
  await time.advance(2_500);
  expect(isolate.stored()).toEqual(Array<number>(20).fill(hashOf("192.0.2.1")));
  expect(isolate.reads).toHaveLength(1);
});

test("14 without a salt, clicks are stored after two seconds anyway, and no request for it follows for ten", async () => {
  const { visit, batches, reads, stored: visitors } = isolateWith(() => new Promise(() => {}));
  visit("192.0.2.1");
  await time.advance(1_900);
  expect(batches).toHaveLength(0);
  await time.advance(200);
  expect(visitors()).toEqual([0]);
  for (let second = 0; second < 8; second++) {
    visit("192.0.2.1");
    await time.advance(1_000);
  }
  expect(reads).toHaveLength(1);
  expect(visitors()).toEqual(Array<number>(9).fill(0));
  expect(batches.slice(1).every(({ arrivedAt }, i) => arrivedAt < 2_100 + i * 1_000 + 500)).toBe(true);
});

test("14 when KV answers again, visitors are known again, without a call to the object", async () => {
  let isDown = true;
  const isolate = isolateWith(async (key) => {
    if (isDown) throw new Error("KV GET failed: 503 Service Unavailable");
    return stored(key);
  });
  isolate.visit("192.0.2.1");
  await time.advance(5_000);
  isDown = false;
  isolate.visit("192.0.2.1");
  await time.advance(6_000);
  isolate.visit("192.0.2.1");
  await time.advance(1_000);
  expect(isolate.stored()).toEqual([0, 0, hashOf("192.0.2.1")]);
  expect([isolate.reads.length, isolate.asked.length]).toEqual([2, 0]);
});

test("14 an object without a salt for the day is not called again and again", async () => {
  const isolate = isolateWith(async () => null);
  for (let second = 0; second < 9; second++) {
    isolate.visit("192.0.2.1");
    await time.advance(1_000);
  }
  expect(isolate.stored()).toEqual(Array<number>(9).fill(0));
  expect([isolate.reads.length, isolate.asked.length]).toEqual([1, 1]);
});

test("14 after midnight a visitor has another value, from the new day's salt", async () => {
  const isolate = isolateWith(storedAfter(30));
  const midnight = (TODAY + 1) * DAY_MS;
  for (const at of [midnight - 1, midnight]) {
    isolate.visit("192.0.2.1", at);
    await time.advance(500);
  }
  expect(isolate.stored()).toEqual([hashOf("192.0.2.1"), hashOf("192.0.2.1", TODAY + 1)]);
  expect(isolate.reads).toHaveLength(2);
});

test("14 the standby of a leader that was canceled while waiting requests the salt itself", async () => {
  const answers = [new Promise<null>(() => {})];
  const isolate = isolateWith((key) => answers.shift() ?? stored(key));
  isolate.visit("192.0.2.1");
  const { setTimeout } = globalThis;
  // A canceled request runs no more code: neither its timeout nor the code after it.
  globalThis.setTimeout = (() => 0) as unknown as typeof globalThis.setTimeout;
  await time.advance(1);
  globalThis.setTimeout = setTimeout;
  isolate.visit("192.0.2.2");
  await time.advance(10_000);
  expect(isolate.stored()).toEqual([hashOf("192.0.2.1"), hashOf("192.0.2.2")]);
  expect(isolate.reads).toHaveLength(2);
});
