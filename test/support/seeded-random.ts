/** Chance that comes out the same in every run, so that a failure comes again. */

/** Numbers from 0 to under 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomInteger(chance: () => number, end: number): number {
  return Math.floor(chance() * end);
}

export function randomElement<T>(chance: () => number, values: readonly T[]): T {
  const value = values[randomInteger(chance, values.length)];
  if (value === undefined) throw new Error("nothing to choose from");
  return value;
}
