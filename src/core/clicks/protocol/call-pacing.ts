/**
 * Flow control between the isolates that serve a link and its object: a busy link has thousands of isolates and one
 * object. The object gives each caller a slot for its next call (GCRA, virtual scheduling). So callers share its rate,
 * however many there are, and do not call in waves. Senders comply within bounds. Pure: time and random numbers are
 * arguments.
 */
import { fullJitterBackoffMs } from "../../retries.ts";

/** Calls a second that an object accepts. Cloudflare's guidance for objects that write is 200 to 500. @internal */
export const CALLS_PER_SECOND = 450;

/**
 * Upper bound of the delay, whatever the object requests. A killed isolate loses at most this much time of a link's
 * clicks.
 */
const SEND_DELAY_MAX_MS = 5_000;
/**
 * Senders shorten their delay by a random share of up to this, so that those with the same delay do not call
 * simultaneously.
 */
const SEND_DELAY_JITTER = 0.1;

/** Longest round trip without queueing. The rest of a call's time is spent in the object's input queue. */
const ROUND_TRIP_MAX_MS = 300;
/** Delay for each ms in that queue. With 4, senders are queued for a fifth of their cycle, so one in five is queued. */
const QUEUED_DELAY_FACTOR = 4;

const LOCAL_DELAY_MIN_MS = 40;
const LOCAL_DELAY_MAX_MS = 1_000;
/**
 * Delay due to volume alone, for a link with a click every millisecond in one isolate. A call takes the isolate at
 * least a millisecond, during which visits wait. With five calls a second, more than one visit in a hundred would wait.
 */
const VOLUME_DELAY_MAX_MS = 300;

const BACKOFF_MIN_MS = 100;
const OVERLOADED_BACKOFF_MIN_MS = 3_000;
/** Two thousand isolates that retry within ten seconds (five on average) make 400 calls a second. */
const BACKOFF_MAX_MS = 10_000;

/**
 * Calls per second that an isolate makes for links that it has not called before, as long as none of them waits too
 * long.
 */
const FIRST_CALLS_PER_SECOND = 500;

/** Slots for calls (GCRA). Its whole state is one number, however many callers there are. */
export class CallPacer {
  readonly #intervalMs: number;
  readonly #delayMaxMs: number;
  #nextFreeAt = 0;

  private constructor(callsPerSecond: number, delayMaxMs: number) {
    this.#intervalMs = 1_000 / callsPerSecond;
    this.#delayMaxMs = delayMaxMs;
  }

  /** The object's side. */
  static ofObject(): CallPacer {
    return new CallPacer(CALLS_PER_SECOND, SEND_DELAY_MAX_MS);
  }

  /**
   * An isolate's side: its calls to objects that it has not called before, which therefore could not delay it. Most
   * such objects have to start. When thousands of links are visited for the first time, replies come first.
   */
  static ofFirstCalls(): CallPacer {
    return new CallPacer(FIRST_CALLS_PER_SECOND, LOCAL_DELAY_MAX_MS);
  }

  /**
   * Reserves the next free slot for a caller's next call. If the caller does not return, the slot passes unused.
   * @param now  ms; after the clock is set back, slots are correct again within the longest delay
   * @returns ms from now until the slot, at most the longest delay
   */
  reserve(now: number): number {
    const slot = Math.min(Math.max(this.#nextFreeAt, now), now + this.#delayMaxMs);
    this.#nextFreeAt = slot + this.#intervalMs;
    return slot - now;
  }
}

/**
 * The delay of a sender before its next call: the object's request, extended when the last call was queued, which the
 * object cannot see.
 * @param requestedMs  requested by the object; undefined from an object that runs an earlier release
 * @param tookMs  duration of the last call
 * @param chance  at least 0, below 1
 */
export function sendDelayMs(requestedMs: number | undefined, tookMs: number, chance: number): number {
  const queued = QUEUED_DELAY_FACTOR * Math.max(tookMs - ROUND_TRIP_MAX_MS, 0);
  return Math.min(Math.max(requestedMs ?? 0, queued), SEND_DELAY_MAX_MS) * (1 - SEND_DELAY_JITTER * chance);
}

/**
 * The rate of a link's clicks, measured over at least the shortest delay. Otherwise two clicks in one millisecond would
 * look like a busy link, whose clicks wait longest.
 * @param spanMs  time in which the clicks arrived
 */
export function clicksPerMs(clicks: number, spanMs: number): number {
  return clicks / Math.max(spanMs, LOCAL_DELAY_MIN_MS);
}

/**
 * The delay that an isolate chooses: a millisecond per link with clicks, so that the isolate makes about a thousand
 * calls a second whatever the traffic; longer for a busy link, so that its batches are larger.
 * @param links  number of links with clicks that are waiting or being sent
 * @param perMs  clicks of this link
 */
export function localDelayMs(links: number, perMs: number): number {
  const byVolume = Math.min(perMs, 1) * VOLUME_DELAY_MAX_MS;
  return Math.min(Math.max(links, byVolume, LOCAL_DELAY_MIN_MS), LOCAL_DELAY_MAX_MS);
}

/**
 * The delay after a failed call: exponential backoff with full jitter.
 * @param failures  consecutive failures, at least 1
 * @param chance  at least 0, below 1
 */
export function senderBackoffMs(failures: number, isOverloaded: boolean, chance: number): number {
  const firstMs = isOverloaded ? OVERLOADED_BACKOFF_MIN_MS : BACKOFF_MIN_MS;
  return fullJitterBackoffMs(failures, chance, { firstMs, longestMs: BACKOFF_MAX_MS });
}
