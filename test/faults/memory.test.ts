/**
 * Isolates under mixed traffic stay below the 128 MB that a deployed one has, with their garbage: workerd limits no heap
 * here. The soak test of the benchmark measures them for longer.
 */
import { expect, test } from "vitest";

import { MixedTraffic } from "../bench/mixed-traffic.ts";
import { startHoplink } from "../bench/server.ts";
import { type Peaks, readPeaks } from "../bench/soak.ts";
import { bundle } from "../support/bundle.ts";
import { program } from "../support/programs.ts";
import { shortOrLong } from "./suite-length.ts";

const ISOLATE_MAX_BYTES = 128 * 1024 * 1024;
const PER_SECOND = 100;
const SECONDS = shortOrLong(15, 120);
const taskset = program("taskset", "util-linux");

test.skipIf(!taskset.isThere)(
  `${SECONDS} s of mixed traffic keep the isolates of the Worker and of the objects below 128 MB${taskset.missing}`,
  async () => {
    const server = await startHoplink(await bundle(), { inspectorPort: 0, objectsApart: true, visitorHeaders: true });
    const traffic = await MixedTraffic.create(server);
    const peaks: Peaks = { edge: 0, objects: 0, simulation: 0 };
    try {
      const ended = traffic.run(PER_SECOND, SECONDS);
      await Promise.all([ended, readPeaks(server, peaks, ended)]);
      expect(traffic.answeredCount).toBeGreaterThan(0);
      for (const isolate of ["edge", "objects"] as const) {
        expect(peaks[isolate], isolate).toBeGreaterThan(0);
        expect(peaks[isolate], isolate).toBeLessThan(ISOLATE_MAX_BYTES);
      }
    } finally {
      traffic.stop();
      await server.stop();
    }
  },
);
