/** Scans of one log wait for each other, but not for long. */
import { expect, test } from "vitest";

import { CALL_PIECES, FIRST_PIECES, ScanQueue } from "../../src/clicks/scan-queue.ts";

function held() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { scan: () => promise, end: resolve };
}

test("scans run one after the other, even after one that fails", async () => {
  const queue = new ScanQueue();
  const first = held();
  const begun: string[] = [];
  const scan = (name: string) => async () => void begun.push(name);
  const results = [
    queue.run(first.scan),
    queue.run(() => Promise.reject(new Error("broken"))),
    queue.run(scan("third")),
  ];
  const settled = Promise.allSettled(results);
  expect(begun).toEqual([]);
  first.end("done");
  expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(begun).toEqual(["third"]);
});

test("a scan that has waited too long does not run, and delays no scan after it", async () => {
  const queue = new ScanQueue();
  const first = held();
  const running = queue.run(first.scan);
  let ran = 0;
  const late = await Promise.all([queue.run(async () => ran++), queue.run(async () => ran++)]);
  expect([late, ran]).toEqual([["busy", "busy"], 0]);
  const next = queue.run(async () => "next");
  first.end("first");
  expect(await Promise.all([running, next])).toEqual(["first", "next"]);
});

test("scans beyond the limit are rejected immediately", async () => {
  const queue = new ScanQueue();
  const first = held();
  const running = queue.run(first.scan);
  const waiting = Array.from({ length: 64 }, () => queue.run(async () => "waited"));
  const more = Array.from({ length: 3 }, () => queue.run(async () => "waited"));
  expect(await Promise.race([more.at(-1), ...waiting])).toBe("busy");
  first.end("first");
  expect(await running).toBe("first");
  const answers = await Promise.all([...waiting, ...more]);
  expect(answers.filter((answer) => answer === "waited").length).toBeGreaterThanOrEqual(63);
});

test("a scan is read over several calls, each of a bounded number of pieces", async () => {
  const calls = [0];
  const queue: ScanQueue = new ScanQueue((part) => {
    calls.unshift(0);
    return queue.readPart(part);
  });
  const answers = await queue.run(async (pieces) => {
    const read = (count: number) => {
      let left = count;
      return pieces.run(() => {
        calls[0] = (calls[0] ?? 0) + 1;
        return --left > 0 ? "more" : count;
      });
    };
    return [await read(100), await read(60)];
  });
  expect(answers).toEqual([100, 60]);
  expect(calls).toEqual([9, CALL_PIECES, 45, CALL_PIECES, FIRST_PIECES]);
});

test("a piece that fails ends the scan, and so does an object that was replaced", async () => {
  const failing: ScanQueue = new ScanQueue((part) => failing.readPart(part));
  let read = 0;
  const piece = () => {
    if (++read > FIRST_PIECES) throw new Error("broken");
    return "more" as const;
  };
  await expect(failing.run((pieces) => pieces.run(piece))).rejects.toThrow("broken");
  const replaced = new ScanQueue(() => new ScanQueue().readPart(1));
  await expect(replaced.run((pieces) => pieces.run(() => "more"))).rejects.toThrow("interrupted");
});
