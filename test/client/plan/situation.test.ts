/** Calls side by side. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";

import { inParallel } from "../../../src/client/plan/situation.ts";

const ITEMS = Array.from({ length: 100 }, (_, i) => i);

test("results are in the order of the items, whichever call ends first", async () => {
  const work = async (item: number) => {
    for (let i = 0; i < 100 - item; i++) await turn();
    return item * 2;
  };
  expect(await inParallel(4, ITEMS, work)).toEqual(ITEMS.map((item) => item * 2));
});

test("after a failure nothing more is begun", async () => {
  const begun: number[] = [];
  const running = inParallel(4, ITEMS, async (item) => {
    begun.push(item);
    await turn();
    if (item === 5) throw new Error("no");
  });
  await expect(running).rejects.toThrow("no");
  for (let i = 0; i < 200; i++) await turn();
  expect(begun.length).toBeLessThan(12);
});
