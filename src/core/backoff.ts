/** Exponential backoff with jitter, so that what failed together is not tried again together. */

const DEFAULT_BOUNDS = { firstMs: 1_000, longestMs: 600_000 };

/**
 * How long to wait after a failed try, in ms: between half and all of 1 s, 2 s, 4 s, ... 10 min.
 * @param tries  how many have failed, from 1
 * @param random  from 0 to below 1
 * @param bounds  in place of 1 s and 10 min
 */
export function backoffMs(tries: number, random: number, { firstMs, longestMs } = DEFAULT_BOUNDS): number {
  return Math.round((maxWaitMs(tries, { firstMs, longestMs }) * (1 + random)) / 2);
}

/** The same with full jitter, between nothing and all: where many senders have one receiver (core/clicks/call-pacing.ts). */
export function fullJitterBackoffMs(tries: number, random: number, bounds: typeof DEFAULT_BOUNDS): number {
  return random * maxWaitMs(tries, bounds);
}

function maxWaitMs(tries: number, { firstMs, longestMs }: typeof DEFAULT_BOUNDS): number {
  return Math.min(firstMs * 2 ** (tries - 1), longestMs);
}
