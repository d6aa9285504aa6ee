/** Whether a request of an import is sent again, and when. Pure. */
import { backoffMs } from "../backoff.ts";

/** An import of an hour meets a restart of the network; one that cannot go on shall not wait for ever. */
const ATTEMPTS_MAX = 8;
/** A wait for the next minute of a rate limit is not a failure; one for the next day ends the import. */
const RATE_ATTEMPTS_MAX = 60;
const LONGEST_MS = 60_000;

export interface FailedRequest {
  /** 0: no response came. */
  status: number;
  /** Seconds, from `Retry-After`. */
  retryAfter: number | undefined;
}

/**
 * @param attempts  so far, at least 1
 * @param random  at least 0, below 1
 * @returns ms to wait; null: the failure is final
 */
export function retryDelayMs({ status, retryAfter }: FailedRequest, attempts: number, random: number): number | null {
  if (status !== 0 && status !== 429 && status < 500) return null;
  if (attempts >= (status === 429 ? RATE_ATTEMPTS_MAX : ATTEMPTS_MAX)) return null;
  if (status === 429 && retryAfter !== undefined && retryAfter * 1_000 > LONGEST_MS) return null;
  if (retryAfter !== undefined) return Math.min(retryAfter * 1_000, LONGEST_MS);
  return backoffMs(attempts, random, { firstMs: 1_000, longestMs: LONGEST_MS });
}
