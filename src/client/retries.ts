/** Decides whether and when a request is retried. Pure. */
import { fullJitterBackoffMs } from "../core/retries.ts";

import { HoplinkConnectionError, HoplinkError } from "./errors.ts";

/** A per-minute limit admits a client again within one minute. */
const TOTAL_WAIT_MAX_MS = 120_000;
const BACKOFF = { firstMs: 500, longestMs: 8_000 };
/** Spreads the retries of clients that were refused together. */
const JITTER_MS = 500;

/** Longest wait of a stream or delivery, whatever the other side requests: its `Retry-After` may be years away. */
const ASKED_WAIT_MAX_MS = 3_600_000;

/** Returned while the service, or a proxy in front of it, is briefly unavailable. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

export interface FailedAttempt {
  error: unknown;
  /** Failed attempts so far, at least 1. */
  tries: number;
  /** Total wait between them so far. */
  waitedMs: number;
  /** Whether the request is idempotent. */
  isRepeatable: boolean;
}

/** @param random  at least 0, below 1 @returns ms; null if the error is final */
export function retryWaitMs(attempt: FailedAttempt, maxRetries: number, random: number): number | null {
  const { error, tries, waitedMs } = attempt;
  if (tries > maxRetries || !mayBeRepeated(attempt)) return null;
  const wait = waitFor(error instanceof HoplinkError ? error.retryAfter : undefined, tries, random);
  return waitedMs + wait > TOTAL_WAIT_MAX_MS ? null : wait;
}

/** A request refused with 429 was not begun; after other failures this is unknown. */
function mayBeRepeated({ error, isRepeatable }: FailedAttempt): boolean {
  if (error instanceof HoplinkConnectionError) return isRepeatable;
  if (!(error instanceof HoplinkError)) return false;
  return error.status === 429 || (isRepeatable && PASSING_STATUSES.has(error.status));
}

/** @param retryAfter  seconds */
function waitFor(retryAfter: number | undefined, tries: number, random: number): number {
  if (retryAfter === undefined) return fullJitterBackoffMs(tries, random, BACKOFF);
  return retryAfter * 1_000 + random * JITTER_MS;
}

/** Parses the header `Retry-After`: seconds, or a date. @param now  epoch ms @returns null without a valid value */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (!header) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(at - now, 0);
}

/** How long a stream or a delivery waits. @param askedMs  what the other side requests; null if it requests nothing */
export function boundedWaitMs(askedMs: number | null): number {
  return Math.min(askedMs ?? 0, ASKED_WAIT_MAX_MS);
}
