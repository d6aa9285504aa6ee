/** Converts the form for a dry run's simulated visitor to the request. */
import { describe, expect, test } from "vitest";

import { SimulatedVisitor } from "../../src/core/contract/resolutions.ts";
import { UNKNOWN_VISITOR, toSimulatedVisitor } from "../../src/dashboard/pages/link/rules/condition-kinds.ts";

describe("4 a simulated visitor", () => {
  test("is sent without facts if none is known", () => {
    expect(toSimulatedVisitor(UNKNOWN_VISITOR)).toEqual({ source: "link" });
  });

  test("is sent in the API's format, with all values of each query parameter", () => {
    const visitor = toSimulatedVisitor({
      ...UNKNOWN_VISITOR,
      country: "DE",
      language: " de-CH, fr;q=0.8 ",
      query: "?utm_source=a&utm_source=b&ref=&x=1",
      path: " docs/a ",
      at: "2026-11-21T09:00:00.000Z",
    });
    expect(visitor).toEqual({
      country: "DE",
      language: "de-CH, fr;q=0.8",
      source: "link",
      query: { utm_source: ["a", "b"], ref: "", x: "1" },
      path: "/docs/a",
      at: "2026-11-21T09:00:00.000Z",
    });
    expect(SimulatedVisitor.safeParse(visitor).success).toBe(true);
  });
});
