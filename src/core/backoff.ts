/** Exponential backoff with jitter, so that calls that failed together are not repeated together. Pure. */

const DEFAULT_BOUNDS = { firstMs: 1_000, longestMs: 600_000 };

/**
 * The delay before the next attempt, in ms: a random one between half and all of 1 s, 2 s, 4 s, ... 10 min.
 * @param tries  failed attempts so far, at least 1
 * @param random  at least 0, below 1
 * @param bounds  instead of 1 s and 10 min
 */
export function backoffMs(tries: number, random: number, { firstMs, longestMs } = DEFAULT_BOUNDS): number {
  return Math.round((maxWaitMs(tries, { firstMs, longestMs }) * (1 + random)) / 2);
}

/** The same with full jitter, between 0 and all of it, for many senders with one receiver (`clicks/call-pacing.ts`). */
export function fullJitterBackoffMs(tries: number, random: number, bounds: typeof DEFAULT_BOUNDS): number {
  return random * maxWaitMs(tries, bounds);
}

function maxWaitMs(tries: number, { firstMs, longestMs }: typeof DEFAULT_BOUNDS): number {
  return Math.min(firstMs * 2 ** (tries - 1), longestMs);
}
