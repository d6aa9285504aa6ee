import { expect, test } from "vitest";

import { orderByTime } from "../../../src/core/clicks/time-order.ts";

test.each([
  [[], []],
  [[7], [0]],
  [
    [3, 1, 2, 1],
    [1, 3, 2, 0],
  ],
  [
    [8e15, 0, 8e15, 1],
    [1, 3, 0, 2],
  ],
])("the times %j are in the order %j, those of one time as they came", (times, order) => {
  expect([...orderByTime(Float64Array.from(times))]).toEqual(order);
});
