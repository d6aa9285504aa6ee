/** Random values that are the same in every run, so that failures are reproducible. */

export { seededRandom } from "../../src/cli/demo/demo-links.ts";

export function randomInteger(chance: () => number, end: number): number {
  return Math.floor(chance() * end);
}

export function randomElement<T>(chance: () => number, values: readonly T[]): T {
  const value = values[randomInteger(chance, values.length)];
  if (value === undefined) throw new Error("nothing to choose from");
  return value;
}
