/**
 * How often the isolates that serve a link call its object: a busy link has thousands of isolates and one object.
 * The object gives each caller a slot for the next call (a leaky bucket with virtual scheduling, as GCRA), so that
 * callers share its rate however many they are, and never come in waves. Senders obey within bounds.
 * Pure: clock and chance come from outside.
 */
import { fullJitterBackoffMs } from "../backoff.ts";

/** Calls a second that an object asks for. Cloudflare's guidance for objects that write is 200 to 500. */
const CALLS_PER_SECOND = 450;
const CALL_INTERVAL_MS = 1_000 / CALLS_PER_SECOND;

/** Longest time that a sender gathers, whatever the object says: so much is lost of a link when an isolate is killed. */
const SEND_DELAY_MAX_MS = 5_000;
/** A sender comes up to so much earlier than its slot, at random: those that were told the same do not come together. */
const SEND_DELAY_JITTER = 0.1;

/** A call's way around the world and back; what takes longer has waited in a queue. */
const ROUND_TRIP_MAX_MS = 300;
/** How much longer than its call waited a sender gathers: of many senders one in five is in the queue. */
const QUEUED_DELAY_FACTOR = 4;

const BACKOFF_MIN_MS = 100;
const OVERLOADED_BACKOFF_MIN_MS = 3_000;
/** Two thousand isolates that try again within ten seconds, five on average, are 400 calls a second. */
const BACKOFF_MAX_MS = 10_000;

/** The object's side: one number, whatever comes. */
export class CallPacer {
  #nextFreeAt = 0;

  /**
   * Takes the next free slot for a caller's next call.
   * Slots of callers that do not come again pass unused; a clock that is set back is caught up within GATHER_MAX_MS.
   * @param now  ms
   * @returns ms from now until the slot, at most GATHER_MAX_MS
   */
  reserve(now: number): number {
    const slot = Math.min(Math.max(this.#nextFreeAt, now), now + SEND_DELAY_MAX_MS);
    this.#nextFreeAt = slot + CALL_INTERVAL_MS;
    return slot - now;
  }
}

/**
 * How long a sender gathers before its next call: as the object says, and longer when the call waited in a queue before
 * the object, which can see its calls but not its queue.
 * @param requestedMs  by the object, ms; undefined from an object of an earlier release
 * @param tookMs  how long the call took
 * @param chance  from 0 to under 1
 */
export function sendDelayMs(requestedMs: number | undefined, tookMs: number, chance: number): number {
  const queued = QUEUED_DELAY_FACTOR * Math.max(tookMs - ROUND_TRIP_MAX_MS, 0);
  return Math.min(Math.max(requestedMs ?? 0, queued), SEND_DELAY_MAX_MS) * (1 - SEND_DELAY_JITTER * chance);
}

/**
 * How long a sender waits after a failed call: exponential, with full jitter.
 * @param failures  in a row, from 1
 * @param chance  from 0 to under 1
 */
export function senderBackoffMs(failures: number, isOverloaded: boolean, chance: number): number {
  const firstMs = isOverloaded ? OVERLOADED_BACKOFF_MIN_MS : BACKOFF_MIN_MS;
  return fullJitterBackoffMs(failures, chance, { firstMs, longestMs: BACKOFF_MAX_MS });
}
