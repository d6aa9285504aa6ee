/** The order of rules in the editor. */
import { describe, expect, test } from "vitest";

import { moveItem } from "../../src/dashboard/pages/link/rules/move-item.ts";

describe("5 the order of rules", () => {
  test.each([
    [0, 2, "bca"],
    [2, 0, "cab"],
    [1, 1, "abc"],
    [0, -1, "abc"],
    [2, 3, "abc"],
    [7, 0, "abc"],
  ])("from %d to %d", (from, to, order) => {
    expect(moveItem(["a", "b", "c"], from, to).join("")).toBe(order);
  });
});
