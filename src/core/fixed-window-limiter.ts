/**
 * Counts events by key in windows of time, for a limit that needs no storage. Memory is bounded: when more keys come
 * than it holds, those that were quiet longest are forgotten. Pure: the clock comes in as an argument.
 */
import { GenerationCache } from "./generation-cache.ts";

interface CountedWindow {
  count: number;
  /** Start of the window, epoch ms. */
  startedAt: number;
}

export class FixedWindowLimiter {
  readonly #windows: GenerationCache<CountedWindow>;
  readonly #max: number;
  readonly #windowMs: number;

  /** @param maxKeys  half of the keys that are kept at most */
  constructor({ max, windowMs, maxKeys }: { max: number; windowMs: number; maxKeys: number }) {
    this.#max = max;
    this.#windowMs = windowMs;
    this.#windows = new GenerationCache(maxKeys);
  }

  /** Ms until the key may go on; 0 when it may now. */
  retryAfterMs(key: string, now: number): number {
    const window = this.#windows.get(key);
    return window && window.count >= this.#max ? Math.max(window.startedAt + this.#windowMs - now, 0) : 0;
  }

  count(key: string, now: number): void {
    const window = this.#windows.get(key);
    if (window && now < window.startedAt + this.#windowMs) window.count++;
    else this.#windows.set(key, { count: 1, startedAt: now });
  }

  /** What was counted at that time was none; nothing is taken from a window that began later. */
  refund(key: string, countedAt: number): void {
    const window = this.#windows.get(key);
    if (window && window.count > 0 && countedAt >= window.startedAt) window.count--;
  }
}
