/** Chance that comes out the same in every run, so that a failure comes again. */

export { seededRandom } from "../../src/cli/demo/seeded-random.ts";

export function randomInteger(chance: () => number, end: number): number {
  return Math.floor(chance() * end);
}

export function randomElement<T>(chance: () => number, values: readonly T[]): T {
  const value = values[randomInteger(chance, values.length)];
  if (value === undefined) throw new Error("nothing to choose from");
  return value;
}
