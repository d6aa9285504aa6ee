/**
 * A rate limit in memory: counts events by key in fixed windows of time. Memory is bounded: with more keys than fit,
 * the least recently counted ones are dropped. Pure: the clock is an argument.
 */
import { GenerationCache } from "./caches.ts";

interface CountedWindow {
  count: number;
  /** Start of the window, epoch ms. */
  startedAt: number;
}

export class FixedWindowLimiter {
  readonly #windows: GenerationCache<CountedWindow>;
  readonly #max: number;
  readonly #windowMs: number;

  /** @param maxKeys  limit of one generation; at most twice as many keys are kept */
  constructor({ max, windowMs, maxKeys }: { max: number; windowMs: number; maxKeys: number }) {
    this.#max = max;
    this.#windowMs = windowMs;
    this.#windows = new GenerationCache(maxKeys);
  }

  /** @returns ms until the key is allowed again; 0 when it is allowed now */
  retryAfterMs(key: string, now: number): number {
    const window = this.#windows.get(key);
    return window && window.count >= this.#max ? Math.max(window.startedAt + this.#windowMs - now, 0) : 0;
  }

  count(key: string, now: number): void {
    const window = this.#windows.get(key);
    if (window && now < window.startedAt + this.#windowMs) window.count++;
    else this.#windows.set(key, { count: 1, startedAt: now });
  }

  /** Undoes a count made at `countedAt`. Does nothing if a new window has begun since. */
  refund(key: string, countedAt: number): void {
    const window = this.#windows.get(key);
    if (window && window.count > 0 && countedAt >= window.startedAt) window.count--;
  }
}
