import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { CALLS_PER_SECOND } from "../../../src/core/clicks/protocol/call-pacing.ts";
import { databaseLoad, demandOf } from "./demand.ts";
import { busiestOf, simulateVisits } from "./simulate-visits.ts";
import { type Traffic, USUAL_TRAFFIC } from "./traffic.ts";

const VISITS = 20_000;

/** Traffic of any kind, with caches large enough for its links. */
const traffics = fc
  .record({
    links: fc.integer({ min: 1, max: 1_000_000 }),
    zipf: fc.double({ min: 0, max: 1.5, noNaN: true }),
    redirectsPerSecond: fc.integer({ min: 20, max: 1_500 }),
    places: fc.integer({ min: 1, max: 50 }),
    placeSkew: fc.double({ min: 0, max: 1.5, noNaN: true }),
    isolates: fc.integer({ min: 1, max: 8 }),
    cacheSeconds: fc.integer({ min: 2, max: 10 }),
    refreshShare: fc.double({ min: 0.2, max: 1, noNaN: true }),
    isCacheShared: fc.boolean(),
    replicas: fc.integer({ min: 0, max: 6 }),
    callMs: fc.integer({ min: 5, max: 100 }),
  })
  .map(({ refreshShare, ...rest }): Traffic => {
    const refreshSeconds = Math.round(refreshShare * rest.cacheSeconds * 1_000) / 1_000;
    return { ...USUAL_TRAFFIC, ...rest, refreshSeconds };
  });

test("visits one by one need the calculated number of reads and calls", () => {
  fc.assert(
    fc.property(traffics, (traffic) => {
      const { redirectsPerSecond } = traffic;
      const seconds = Math.max(VISITS / redirectsPerSecond, 2 * traffic.cacheSeconds);
      const visits = simulateVisits(traffic, { seconds, seed: 3 });
      const { reads, calls } = demandOf(traffic);
      const off = (simulated: number, perSecond: number) =>
        Math.abs(simulated / visits.redirects - perSecond / redirectsPerSecond);

      expect(off(visits.cold, reads.cold)).toBeLessThan(0.015);
      expect(off(visits.refreshed, reads.refreshed)).toBeLessThan(0.015);
      expect(off(visits.calls, calls)).toBeLessThan(0.015);
    }),
    { seed: 1, numRuns: 40 },
  );
}, 120_000);

test("the reads of each database match those calculated for its links", () => {
  const traffic = { ...USUAL_TRAFFIC, links: 100_000, redirectsPerSecond: 2_000, unknown: 0, creations: 0, changes: 0 };
  const seconds = 30;
  const visits = simulateVisits(traffic, { seconds, seed: 5 });
  const demand = demandOf(traffic);
  for (const databases of [1, 4, 16, 64]) {
    const simulated = busiestOf(visits, databases);
    const calculated = databaseLoad(traffic, demand, databases);
    expect(simulated.reads / seconds / calculated.reads).toBeCloseTo(1, 1);
    expect(simulated.replica / seconds / calculated.replica).toBeCloseTo(1, 0.5);
  }
});

test("an isolate whose cache is too small for its links reads more often than calculated", () => {
  const traffic = {
    ...USUAL_TRAFFIC,
    links: 100_000,
    zipf: 0,
    redirectsPerSecond: 5_000,
    places: 1,
    isolates: 1,
    cacheSeconds: 40,
    refreshSeconds: 20,
  };
  const { cold, redirects } = simulateVisits(traffic, { seconds: 40, seed: 1 });
  expect(cold / redirects).toBeGreaterThan(2 * (demandOf(traffic).reads.cold / traffic.redirectsPerSecond));
});

describe("the calculation", () => {
  test("for visits that never return, all are read and each is a call", () => {
    const { reads, calls } = demandOf({ ...USUAL_TRAFFIC, links: 1e12, zipf: 0, redirectsPerSecond: 100 });
    expect(reads.cold).toBeCloseTo(100, 3);
    expect(reads.refreshed).toBeCloseTo(0, 3);
    expect(calls).toBeCloseTo(100, 3);
  });

  test("each isolate reads one busy link every five seconds, in the background, and its object sets the pace", () => {
    const traffic = { ...USUAL_TRAFFIC, links: 1, redirectsPerSecond: 1e6, placeSkew: 0 };
    const { reads, calls, busiestLink } = demandOf(traffic);
    expect(reads.cold).toBeLessThan(1);
    expect(reads.refreshed).toBeCloseTo(800 / 5, 0);
    expect(calls).toBe(CALLS_PER_SECOND);
    expect(busiestLink.calls).toBeGreaterThan(CALLS_PER_SECOND);
  });

  test("isolates that share a cache never read more", () => {
    fc.assert(
      fc.property(traffics, (traffic) => {
        const sum = (isCacheShared: boolean) => {
          const { cold, refreshed } = demandOf({ ...traffic, isCacheShared }).reads;
          return cold + refreshed;
        };
        expect(sum(true)).toBeLessThanOrEqual(sum(false) * (1 + 1e-9));
      }),
      { seed: 2, numRuns: 30 },
    );
  });

  test("one database has all reads; without replicas its primary has them", () => {
    const demand = demandOf(USUAL_TRAFFIC);
    const one = databaseLoad(USUAL_TRAFFIC, demand, 1);
    const known = demand.reads.cold + demand.reads.refreshed;
    expect(one.reads).toBeCloseTo(known + 100, 3);
    // Each unknown slug also queries the primary; 10 links are created and 10 changed a second, in 30 transactions.
    expect(one.primary).toBeCloseTo(100 + 30 * 5, 6);
    const unreplicated = { ...USUAL_TRAFFIC, replicas: 0 };
    const alone = databaseLoad(unreplicated, demandOf(unreplicated), 1);
    expect(alone).toEqual({
      reads: expect.closeTo(one.reads, 3),
      replica: 0,
      primary: expect.closeTo(one.reads + 30 * 5, 3),
    });
  });
});
