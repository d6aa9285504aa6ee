/** Runs a bounded number of requests concurrently, in order, and none for a row that was removed. */
import { expect, test } from "vitest";

import { limitConcurrency } from "../../src/dashboard/api/waits.ts";

/** Tasks that the test ends one by one. */
function startTasks(max: number, count: number) {
  const run = limitConcurrency(max);
  const started: number[] = [];
  const tasks = Array.from({ length: count }, (_, number) => {
    const end = Promise.withResolvers<number>();
    const abort = new AbortController();
    const result = run(() => {
      started.push(number);
      return end.promise;
    }, abort.signal).catch((error: unknown) => String(error));
    return { end, abort, result };
  });
  return { started, tasks };
}

test("up to the limit run concurrently, and the next starts when one ends or fails", async () => {
  const { started, tasks } = startTasks(2, 4);
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  tasks[1]?.end.resolve(1);
  await expect.poll(() => started).toEqual([0, 1, 2]);
  tasks[0]?.end.reject(new Error("no"));
  await expect.poll(() => started).toEqual([0, 1, 2, 3]);
  tasks[2]?.end.resolve(2);
  tasks[3]?.end.resolve(3);
  expect(await Promise.all(tasks.map(({ result }) => result))).toEqual(["Error: no", 1, 2, 3]);
});

test("a task that is aborted while it waits never starts and uses no slot", async () => {
  const { started, tasks } = startTasks(1, 3);
  tasks[1]?.abort.abort("gone");
  expect(await tasks[1]?.result).toBe("gone");
  tasks[0]?.end.resolve(0);
  await expect.poll(() => started).toEqual([0, 2]);
  tasks[2]?.end.resolve(2);
  expect(await tasks[2]?.result).toBe(2);
});
