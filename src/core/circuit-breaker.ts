/**
 * Circuit breaker: after some failures in a row it opens, and what depends on a failing service fails at once instead of
 * waiting for it and adding to its load. When that time is over one probe is let through (half-open): its success closes
 * the breaker, its failure opens it again. Pure: the clock and the jitter come in as arguments.
 */

const FAILURES_TO_OPEN = 3;
const OPEN_MS = 1_000;
/** A probe that was cut off never reports: then the next one may go. */
const PROBE_TIMEOUT_MS = 1_500;

export class CircuitBreaker {
  #failures = 0;
  /** Until when nothing is let through, in ms of the caller's clock. */
  #openUntil = 0;

  /** Whether a call may be made now. In the half-open state the one that asks first is the probe. */
  allows(now: number): boolean {
    if (this.#failures < FAILURES_TO_OPEN) return true;
    if (now < this.#openUntil) return false;
    this.#openUntil = now + PROBE_TIMEOUT_MS;
    return true;
  }

  recordSuccess(): void {
    this.#failures = 0;
  }

  /** @param jitter  from 0 to 1, so that the isolates do not probe together */
  recordFailure(now: number, jitter: number): void {
    if (++this.#failures >= FAILURES_TO_OPEN) this.#openUntil = now + OPEN_MS * (0.5 + jitter);
  }
}
