import { expect, test } from "vitest";

import { boundedPage } from "../../../src/core/streams/event-log.ts";

test.each<[string, number[], number[]]>([
  ["nothing", [], []],
  ["what fits", [1, 2], [1, 2]],
  ["as many as may be", [1, 1, 1, 1], [1, 1, 1]],
  ["as much as it may weigh", [4, 6, 1], [4, 6]],
  ["less, where the next would weigh too much", [4, 7, 1], [4]],
  ["one that weighs too much, alone", [11, 1], [11]],
  ["no other after one that weighs all", [10, 1], [10]],
  ["more of what weighs nothing", [10, 0, 0, 0], [10, 0, 0]],
])("a page of three items and weight ten holds %s", (_name, items, page) => {
  expect(boundedPage(items, { items: 3, weight: 10 }, (weight) => weight)).toEqual(page);
});

test("no item is asked for after the last of a page", () => {
  let asked = 0;
  const items = function* () {
    for (;;) yield asked++;
  };
  expect(boundedPage(items(), { items: 3, weight: 10 }, () => 1)).toEqual([0, 1, 2]);
  expect(asked).toBe(3);
});
