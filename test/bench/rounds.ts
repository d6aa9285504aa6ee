/** Measures Hoplink and the floor alternately, so that a noisy machine affects both alike. */
import { median } from "./figures.ts";
import { type Load, type LoadMeasurement, percentile, runLoad } from "./load.ts";
import type { HoplinkServer, Server } from "./server.ts";

const ROUNDS = 3;
/** For figures that a moment of other work spoils: a high percentile, or a ratio with a target close by. */
export const MANY_ROUNDS = 15;

export interface RoundPair {
  floor: LoadMeasurement;
  ours: LoadMeasurement;
}

/** @param check  runs after each round's visits to Hoplink, and throws if something is wrong */
export async function rounds(
  floor: Server,
  ours: HoplinkServer,
  loadOf: (round: number) => Load,
  check: (measured: LoadMeasurement, round: number) => Promise<void>,
  count = ROUNDS,
): Promise<RoundPair[]> {
  const pairs: RoundPair[] = [];
  for (let round = 0; round < count; round++) {
    const load = loadOf(round);
    const pair = { floor: await runLoad(floor, { ...load, status: 302 }), ours: await runLoad(ours, load) };
    await check(pair.ours, round);
    pairs.push(pair);
  }
  return pairs;
}

function ratio(pairs: readonly RoundPair[], of: (measured: LoadMeasurement) => number): number {
  return median(pairs.map(({ floor, ours }) => of(ours) / of(floor)));
}

/**
 * The answer time of a share of the answers, as a ratio. It divides each side's own median, because a pause of the
 * runtime or the machine spoils a round of one side only, and with it the ratio of that round, in either direction.
 */
export function latencyRatio(pairs: readonly RoundPair[], share: number): number {
  const of = (side: keyof RoundPair) => median(pairs.map((pair) => percentile(pair[side].latencies, share)));
  return of("ours") / of("floor");
}

export const throughputRatio = (pairs: readonly RoundPair[]) => ratio(pairs, ({ perSecond }) => perSecond);
export const cpuRatio = (pairs: readonly RoundPair[]) => ratio(pairs, ({ cpuMicros }) => cpuMicros);
