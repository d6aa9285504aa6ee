/**
 * A rate limit per network, in the isolate's memory: counts by a salted hash of the IPv4 address or IPv6 /64 network,
 * for a minute. Addresses are neither stored nor logged. Requests without an address are not limited.
 */
import { FixedWindowLimiter } from "../core/memory/caches.ts";
import { MINUTE_MS } from "../core/time.ts";
import { hash32 } from "../core/visitors/split.ts";
import { networkOf } from "../core/visitors/visitor.ts";

const WINDOW_MS = MINUTE_MS;
const NETWORKS_MAX = 5_000;

/** Created on the first request: workerd provides no random numbers at start-up. */
let salt: string | undefined;

/** A number that identifies a text within this isolate without revealing it. */
export function saltedHash(text: string): string {
  salt ??= crypto.randomUUID();
  return String(hash32(salt + text));
}

export class NetworkRateLimit {
  readonly #limit: FixedWindowLimiter;

  /** @param max  per minute */
  constructor(max: number) {
    this.#limit = new FixedWindowLimiter({ max, windowMs: WINDOW_MS, maxKeys: NETWORKS_MAX });
  }

  /** @returns seconds until the network is allowed again; 0 when it is allowed now */
  secondsToWait(headers: Headers): number {
    const network = networkOf(headers);
    return network === null ? 0 : Math.ceil(this.#limit.retryAfterMs(saltedHash(network), Date.now()) / 1000);
  }

  count(headers: Headers): void {
    const network = networkOf(headers);
    if (network !== null) this.#limit.count(saltedHash(network), Date.now());
  }

  /**
   * Undoes a count.
   * @param countedAt  time of the count, epoch ms
   */
  takeBack(headers: Headers, countedAt: number): void {
    const network = networkOf(headers);
    if (network !== null) this.#limit.refund(saltedHash(network), countedAt);
  }
}
