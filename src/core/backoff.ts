/** Exponential backoff with jitter, so that what failed together is not tried again together. */

const FIRST_MS = 1_000;
const LONGEST_MS = 600_000;

/**
 * How long to wait after a failed try, in ms: between half and all of 1 s, 2 s, 4 s, ... 10 min.
 * @param tries  how many have failed, from 1
 * @param random  from 0 to below 1
 */
export function backoffMs(tries: number, random: number): number {
  const longest = Math.min(FIRST_MS * 2 ** (tries - 1), LONGEST_MS);
  return Math.round((longest * (1 + random)) / 2);
}
