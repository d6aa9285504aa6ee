/** Whether a request is sent again, and when. Pure. */
import { fullJitterBackoffMs } from "../core/retries.ts";

import { HoplinkConnectionError, HoplinkError } from "./errors.ts";

/** A limit per minute lets a client in again within one. */
const TOTAL_WAIT_MAX_MS = 120_000;
const BACKOFF = { firstMs: 500, longestMs: 8_000 };
/** Clients that were refused together do not come back together. */
const JITTER_MS = 500;

/** A stream or a delivery waits no longer, whatever the other side asks for: its `Retry-After` may be years away. */
const ASKED_WAIT_MAX_MS = 3_600_000;

/** Of the service while it is not there for a moment, or of what stands before it. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

export interface FailedAttempt {
  error: unknown;
  /** Failed attempts so far, at least 1. */
  tries: number;
  /** Waited between them so far. */
  waitedMs: number;
  /** Whether to do it twice is the same as once. */
  isRepeatable: boolean;
}

/** @param random  at least 0, below 1 @returns ms; null when the error is final */
export function retryWaitMs(attempt: FailedAttempt, maxRetries: number, random: number): number | null {
  const { error, tries, waitedMs } = attempt;
  if (tries > maxRetries || !mayBeRepeated(attempt)) return null;
  const wait = waitFor(error instanceof HoplinkError ? error.retryAfter : undefined, tries, random);
  return waitedMs + wait > TOTAL_WAIT_MAX_MS ? null : wait;
}

/** What 429 refuses was not begun; after other failures nobody knows. */
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

/** The header `Retry-After`: seconds, or a date. @param now  epoch ms @returns null when it says nothing */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (!header) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(at - now, 0);
}

/** How long a stream or a delivery waits. @param askedMs  what the other side asks for; null when it asks for nothing */
export function boundedWaitMs(askedMs: number | null): number {
  return Math.min(askedMs ?? 0, ASKED_WAIT_MAX_MS);
}
