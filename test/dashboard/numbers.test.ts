import { expect, test } from "vitest";

import { axisTicks, formatBytes, formatCount } from "../../src/dashboard/formatting/numbers.ts";

test.each([
  [0, "0 MB"],
  [200_000_000, "200 MB"],
  [999_900_000, "999.9 MB"],
  [5 * 1024 ** 3, "5.4 GB"],
  [100_000_000_000, "100 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [999.5, "999.5"],
  [1_000, "1,000"],
  [1_234_567, "1,234,567"],
])("a count of %d is %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [5, [0, 1, 2, 3, 4, 5]],
  [6, [0, 2, 4, 6]],
  [12, [0, 5, 10, 15]],
  [101, [0, 25, 50, 75, 100, 125]],
  [260, [0, 100, 200, 300]],
  [1_000, [0, 200, 400, 600, 800, 1_000]],
  [12_345, [0, 2_500, 5_000, 7_500, 10_000, 12_500]],
])("an axis up to %d has the numbers %j", (most, ticks) => {
  expect(axisTicks(most)).toEqual(ticks);
});

test("an axis of any length has two to six numbers, and at least half of it is used", () => {
  for (let most = 1; most < 100_000; most = Math.ceil(most * 1.01)) {
    const ticks = axisTicks(most);
    const last = ticks.at(-1) ?? 0;
    expect(ticks.length, String(most)).toBeLessThanOrEqual(6);
    expect([last >= most, last <= 2 * most, Number.isInteger(ticks[1])]).toEqual([true, true, true]);
  }
});
