/**
 * CPU of the largest step of work that is limited in units (clicks, pieces), on a machine of half the reference's speed.
 * A loop that is timed before and after the work converts the time of this machine, at its present speed, to the
 * reference's.
 */
import { pause } from "../support/eventually.ts";
import type { Figure } from "./figures.ts";
import { cpuSeconds, type Server } from "./server.ts";

/** CPU of the loop on the reference: the machine of the latest results (benchmarks.md), without other work. */
const REFERENCE_LOOP_MS = 20;
const LOOPS = 3;
const SLOWER_MACHINE = 2;
/** Lets the client notice that the server closed a connection while the loop ran. */
const CLOSED_MS = 50;
const STEP_MAX_S = 3;

/** CPU of the server's process, and how many times as long as on the reference the loop took. */
export interface CalibratedCpu {
  cpuMs: number;
  slowness: number;
}

export async function calibrated<T>(server: Server, work: () => Promise<T>): Promise<T & CalibratedCpu> {
  const loops = Array.from({ length: LOOPS }, loopMs);
  await pause(CLOSED_MS);
  const before = cpuSeconds(server.pid);
  const result = await work();
  const cpuMs = (cpuSeconds(server.pid) - before) * 1_000;
  loops.push(...Array.from({ length: LOOPS }, loopMs));
  return { ...result, cpuMs, slowness: slownessOf(loops) };
}

/** The median of several measurements of the same work. */
export function middleOf(measured: readonly CalibratedCpu[]): CalibratedCpu {
  const sorted = [...measured].sort((one, other) => onReference(one) - onReference(other));
  return sorted[sorted.length >> 1] ?? { cpuMs: NaN, slowness: NaN };
}

export function slower(one: CalibratedCpu, other: CalibratedCpu): CalibratedCpu {
  return onReference(one) > onReference(other) ? one : other;
}

function onReference({ cpuMs, slowness }: CalibratedCpu): number {
  return cpuMs / slowness;
}

export function slownessOf(loops: readonly number[]): number {
  return loops.reduce((sum, ms) => sum + ms, 0) / loops.length / REFERENCE_LOOP_MS;
}

/** @param units  that took this CPU  @param unitsMax  of a step  @param secondsMax  that a step may take */
export function stepFigures(
  name: string,
  measured: CalibratedCpu,
  units: number,
  unitsMax: number,
  secondsMax = STEP_MAX_S,
): Figure[] {
  const seconds = ((onReference(measured) / units) * unitsMax * SLOWER_MACHINE) / 1_000;
  return [
    { name: `${name}: time of the calibration loop`, value: measured.slowness, unit: "of the reference's" },
    { name: `${name}, at half the reference's speed`, value: seconds, unit: "s", target: `<= ${secondsMax}` },
  ];
}

/** CPU of a fixed loop, which counts made-up numbers in a table of a quarter of a megabyte, as scans count keys. */
export function loopMs(): number {
  const counts = new Uint32Array(65_536);
  const before = process.cpuUsage();
  for (let i = 0, hash = 1; i < 10_000_000; i++) {
    hash = (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + i) | 0;
    const at = hash & 65_535;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
