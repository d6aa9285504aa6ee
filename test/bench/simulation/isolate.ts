/**
 * One simulated isolate: the links it has read, and the objects it has called. Its cache is the product's own, with the
 * product's memory. Times are whole ms.
 */
import { GenerationCache } from "../../../src/core/memory/caches.ts";
import { LINK_CACHE_GENERATION_BYTES } from "../../../src/edge/link-lookup.ts";
import { snapshotBytes } from "../../../src/core/links/link-snapshot.ts";
import { snapshotAt } from "../bench-link.ts";
import type { Traffic } from "./traffic.ts";

const LINK_BYTES = snapshotBytes(snapshotAt(1));
const SWEEP_MIN_LINKS = 512;

/** When a link was read, by its rank. */
export type LinkCache = GenerationCache<number, number>;

export function newLinkCache(): LinkCache {
  return new GenerationCache(LINK_CACHE_GENERATION_BYTES, () => LINK_BYTES);
}

/** @returns how the visit was answered; except after a hit, the link was read at `now` */
export function visitCache(
  cache: LinkCache,
  rank: number,
  now: number,
  { cacheSeconds, refreshSeconds }: Traffic,
): "hit" | "cold" | "refreshed" {
  const readAt = cache.get(rank);
  const age = readAt === undefined ? Infinity : now - readAt;
  if (age < refreshSeconds * 1_000) return "hit";
  cache.set(rank, now);
  return age < cacheSeconds * 1_000 ? "refreshed" : "cold";
}

/** The clicks of an isolate in flight to links' objects, as `edge/recorder.ts` sends them. */
export class SimulatedSender {
  /** When each link's object may be called again; negative while clicks wait for that. */
  readonly #callAt = new Map<number, number>();
  readonly #onCall: (rank: number, at: number) => void;
  #sweepAtLinks = SWEEP_MIN_LINKS;

  constructor(onCall: (rank: number, at: number) => void) {
    this.#onCall = onCall;
  }

  /** @param gapMs  from one call to the next, while clicks arrive */
  click(rank: number, now: number, gapMs: number): void {
    const callAt = this.#callIfDue(rank, this.#callAt.get(rank) ?? 0, now, gapMs);
    if (callAt > now) {
      this.#callAt.set(rank, -callAt);
    } else {
      this.#onCall(rank, now);
      this.#callAt.set(rank, now + gapMs);
      if (this.#callAt.size > this.#sweepAtLinks) this.#sweep(now, gapMs);
    }
  }

  /** Sends the call that clicks waited for, if it is due. @returns when the object may be called next */
  #callIfDue(rank: number, state: number, now: number, gapMs: number): number {
    if (state >= 0 || -state > now) return Math.abs(state);
    this.#onCall(rank, -state);
    return -state + gapMs;
  }

  /** Forgets links without waiting clicks. */
  #sweep(now: number, gapMs: number): void {
    for (const [rank, state] of this.#callAt) {
      if (state < 0 && -state > now) continue;
      const callAt = this.#callIfDue(rank, state, now, gapMs);
      if (callAt > now) this.#callAt.set(rank, callAt);
      else this.#callAt.delete(rank);
    }
    this.#sweepAtLinks = Math.max(2 * this.#callAt.size, SWEEP_MIN_LINKS);
  }
}
