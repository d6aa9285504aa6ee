import { expect, test } from "vitest";

import {
  exportClicksMax,
  isFreePlan,
  objectCallsMax,
  queriesMax,
  streamLimits,
} from "../../../src/core/deployment/settings.ts";

test.each([
  [{ WORKERS_PLAN: "paid" }, false],
  [{ WORKERS_PLAN: "free" }, true],
  [{ WORKERS_PLAN: "" }, true],
  [{ WORKERS_PLAN: "Paid" }, true],
  [{}, true],
])("%j has the limits of the Free plan: %s", (settings, isFree) => {
  expect(isFreePlan(settings)).toBe(isFree);
  expect(exportClicksMax(settings)).toBe(isFree ? 50_000 : 10_000_000);
  // Cloudflare's limits of an invocation: 50 and 1,000 queries, 50 and 10,000 calls.
  expect(queriesMax(settings)).toBe(isFree ? 50 : 1_000);
  expect(objectCallsMax(settings)).toBe(isFree ? 32 : 500);
  expect(streamLimits(settings).lifetimeMs).toBe(isFree ? 60_000 : 1_200_000);
});
