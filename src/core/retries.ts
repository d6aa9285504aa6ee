/**
 * When to retry failed calls: exponential backoff with jitter, so that calls that failed together are not retried
 * together; a circuit breaker; the retries of an import. Pure: clock and random numbers are arguments.
 */

const DEFAULT_BOUNDS = { firstMs: 1_000, longestMs: 600_000 };

/**
 * The delay before the next attempt, in ms: randomly between half and all of 1 s, 2 s, 4 s, ... 10 min.
 * @param tries  failed attempts so far, at least 1
 * @param random  at least 0, below 1
 * @param bounds  replaces 1 s and 10 min
 */
export function backoffMs(tries: number, random: number, { firstMs, longestMs } = DEFAULT_BOUNDS): number {
  return Math.round((maxWaitMs(tries, { firstMs, longestMs }) * (1 + random)) / 2);
}

/** The delay with full jitter, from 0 to the whole, for many senders with one receiver (`clicks/call-pacing.ts`). */
export function fullJitterBackoffMs(tries: number, random: number, bounds: typeof DEFAULT_BOUNDS): number {
  return random * maxWaitMs(tries, bounds);
}

function maxWaitMs(tries: number, { firstMs, longestMs }: typeof DEFAULT_BOUNDS): number {
  return Math.min(firstMs * 2 ** (tries - 1), longestMs);
}

/**
 * A circuit breaker opens after a few consecutive failures: calls to the failing service are refused immediately,
 * without waiting and without adding to its load. After the open time, one probe is allowed (half-open): its success
 * closes the breaker, its failure opens it again. Pure: clock and jitter are arguments.
 */

const FAILURES_TO_OPEN = 3;
const OPEN_MS = 1_000;
/** A canceled probe never reports its result; after this time another may start. */
const PROBE_TIMEOUT_MS = 1_500;

export class CircuitBreaker {
  #failures = 0;
  /** End of the open state, in ms of the caller's clock. */
  #openUntil = 0;

  /** Whether a call is allowed now. In the half-open state the first caller gets true and is the probe. */
  allows(now: number): boolean {
    if (this.#failures < FAILURES_TO_OPEN) return true;
    if (now < this.#openUntil) return false;
    this.#openUntil = now + PROBE_TIMEOUT_MS;
    return true;
  }

  recordSuccess(): void {
    this.#failures = 0;
  }

  /** @param jitter  from 0 to 1, so that isolates do not probe at the same time */
  recordFailure(now: number, jitter: number): void {
    if (++this.#failures >= FAILURES_TO_OPEN) this.#openUntil = now + OPEN_MS * (0.5 + jitter);
  }
}

/** An import that takes an hour meets network restarts; one that cannot continue should not wait forever. */
const ATTEMPTS_MAX = 8;
/** Waiting for the next minute of a rate limit is not a failure; waiting for the next day ends the import. */
const RATE_ATTEMPTS_MAX = 60;
const LONGEST_MS = 60_000;

export interface FailedRequest {
  /** 0: no response was received. */
  status: number;
  /** Seconds, from `Retry-After`. */
  retryAfter: number | undefined;
}

/**
 * @param attempts  attempts so far, at least 1
 * @param random  at least 0, below 1
 * @returns ms to wait; null if the failure is final
 */
export function retryDelayMs({ status, retryAfter }: FailedRequest, attempts: number, random: number): number | null {
  if (status !== 0 && status !== 429 && status < 500) return null;
  if (attempts >= (status === 429 ? RATE_ATTEMPTS_MAX : ATTEMPTS_MAX)) return null;
  if (status === 429 && retryAfter !== undefined && retryAfter * 1_000 > LONGEST_MS) return null;
  if (retryAfter !== undefined) return Math.min(retryAfter * 1_000, LONGEST_MS);
  return backoffMs(attempts, random, { firstMs: 1_000, longestMs: LONGEST_MS });
}
