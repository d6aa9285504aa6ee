/**
 * Circuit breaker. After a few consecutive failures it opens: calls to the failing service are refused at once, without
 * waiting and without adding to its load. When the open time is over, one probe is allowed (half-open): its success
 * closes the breaker, its failure opens it again. Pure: clock and jitter are arguments.
 */

const FAILURES_TO_OPEN = 3;
const OPEN_MS = 1_000;
/** A probe whose request is cancelled never reports its result; after this time another may start. */
const PROBE_TIMEOUT_MS = 1_500;

export class CircuitBreaker {
  #failures = 0;
  /** End of the open state, in ms of the caller's clock. */
  #openUntil = 0;

  /** Whether a call may be made now. In the half-open state the first caller gets true and is the probe. */
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
