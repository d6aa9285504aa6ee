/** Scans of one log wait for each other, but not for long. */
import { expect, test } from "vitest";

import { ScanQueue } from "../../src/clicks/scan-queue.ts";

function held() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { scan: () => promise, end: resolve };
}

test("scans run one after the other, also behind one that fails", async () => {
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

test("one that has waited too long does not run, and holds up none behind it", async () => {
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

test("of too many the last are sent away at once", async () => {
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
