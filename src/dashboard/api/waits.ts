/** Waits that end early when a signal aborts, attempts with waits in between, and tasks that wait for each other. */
import { ApiError, errorMessage, isRetryable, retryDelayMs } from "./api-error.ts";

/** Maximum number of attempts, including the first. */
const ATTEMPTS_MAX = 4;
const RETRY_DEFAULT_MS = 3_000;
/** A per-minute limit admits the next request within a minute; a per-day limit is reported. */
const RETRY_MAX_MS = 60_000;

export interface Wait {
  reason: string;
  seconds: number;
}

export function isRateLimited(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429;
}

/**
 * Retries after a lost response, a 429 or a 5xx.
 * @param signal  ends the wait for another attempt
 * @param onWait  called with the reason and length of a wait, and with null when the attempt starts
 * @param isRetried  whether an error leads to another attempt, if not all of these do
 * @throws the last error
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  onWait: (wait: Wait | null) => void = () => {},
  isRetried: (error: unknown) => boolean = isRetryable,
): Promise<T> {
  for (let left = ATTEMPTS_MAX - 1; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = retryDelayMs(error) ?? RETRY_DEFAULT_MS;
      if (signal.aborted || left === 0 || !isRetried(error) || waitMs > RETRY_MAX_MS) throw error;
      onWait({ reason: errorMessage(error), seconds: waitMs / 1_000 });
      await sleep(waitMs, signal);
      onWait(null);
      if (signal.aborted) throw error;
    }
  }
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish);
  });
}

/** Keeps a hidden page from polling. */
export function waitUntilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!document.hidden || signal.aborted) return resolve();
    const finish = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", finish);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    document.addEventListener("visibilitychange", finish);
    signal.addEventListener("abort", finish);
  });
}

/** A new value for `Idempotency-Key`. Browsers have `crypto.randomUUID` only over HTTPS. */
export function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** Runs a limited number of tasks at a time; others wait in order. A task aborted while it waits never starts. */
export function limitConcurrency(max: number) {
  let running = 0;
  const waiting = new Set<() => void>();
  return async <T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    if (running < max) running++;
    else {
      const { promise, resolve: start, reject } = Promise.withResolvers<void>();
      waiting.add(start);
      const leave = () => {
        waiting.delete(start);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      await promise;
    }
    try {
      return await task();
    } finally {
      // The slot passes directly to the task that has waited longest, without becoming free in between.
      const [next] = waiting;
      if (next) waiting.delete(next);
      if (next) next();
      else running--;
    }
  };
}
