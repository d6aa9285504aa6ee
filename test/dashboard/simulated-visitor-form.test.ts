/** Small parts of the rule editor: order, and pretend visitors. */
import { describe, expect, test } from "vitest";

import { SimulatedVisitor } from "../../src/core/contract/contract.ts";
import { moveItem } from "../../src/dashboard/pages/link/rules/move-item.ts";
import { UNKNOWN_VISITOR, toSimulatedVisitor } from "../../src/dashboard/pages/link/rules/simulated-visitor-form.ts";

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

describe("4 a pretend visitor", () => {
  test("of whom nothing is known is sent as such", () => {
    expect(toSimulatedVisitor(UNKNOWN_VISITOR)).toEqual({ source: "link" });
  });

  test("is sent as the API takes it, names of the query with all their values", () => {
    const visitor = toSimulatedVisitor({
      ...UNKNOWN_VISITOR,
      country: "DE",
      language: " de-CH, fr;q=0.8 ",
      query: "?utm_source=a&utm_source=b&ref=&x=1",
      at: "2026-11-21T09:00:00.000Z",
    });
    expect(visitor).toEqual({
      country: "DE",
      language: "de-CH, fr;q=0.8",
      source: "link",
      query: { utm_source: ["a", "b"], ref: "", x: "1" },
      at: "2026-11-21T09:00:00.000Z",
    });
    expect(SimulatedVisitor.safeParse(visitor).success).toBe(true);
  });
});
