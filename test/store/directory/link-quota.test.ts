/** Quotas that several databases count independently. */
import { expect, test } from "vitest";

import { DividedQuota, reserveOf } from "../../../src/store/directory/link-quota.ts";
import { randomInteger, seededRandom } from "../../support/seeded-random.ts";

test("one database has the whole quota and claims nothing", () => {
  expect(reserveOf(10_000, 1)).toBe(10_000);
  const quota = new DividedQuota(10, [9]);
  expect([quota.limitOf(0), quota.hasRoomIn(0)]).toEqual([10, true]);
  quota.addTo(0);
  expect([quota.hasRoomIn(0), quota.total]).toEqual([false, 10]);
});

test("four databases that claim beyond their reserve never exceed the quota together, in whichever order they are filled", () => {
  const chance = seededRandom(7);
  for (let round = 0; round < 200; round++) {
    const max = 8 + randomInteger(chance, 200);
    const counts = [0, 0, 0, 0];
    const favourite = randomInteger(chance, 4);
    for (let i = 0; i < 4 * max; i++) {
      const at = chance() < 0.5 ? favourite : randomInteger(chance, 4);
      const count = counts[at] ?? 0;
      if (count < reserveOf(max, 4) || new DividedQuota(max, counts).hasRoomIn(at)) counts[at] = count + 1;
    }
    expect(counts.reduce((sum, count) => sum + count)).toBe(max);
  }
});

test("a database whose count cannot be read counts as an equal part", () => {
  expect(new DividedQuota(100, [30, 30, null, 10]).limitOf(0)).toBe(100 - 30 - 25 - 12);
});

test("a reduced quota leaves no room", () => {
  const quota = new DividedQuota(100, [200, 0]);
  expect([quota.hasRoomIn(0), quota.limitOf(1)]).toEqual([false, -100]);
});
