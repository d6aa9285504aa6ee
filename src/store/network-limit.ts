/**
 * A limit by network in the isolate's memory alone: by a salted hash of the address (of the network of 64 bits for
 * IPv6), for a minute. Addresses are neither stored nor logged. Requests without an address are not limited.
 */
import { MINUTE_MS } from "../core/durations.ts";
import { networkOf, hashToPercent } from "../core/visitors/visitor.ts";
import { FixedWindowLimiter } from "../core/fixed-window-limiter.ts";

const WINDOW_MS = MINUTE_MS;
const NETWORKS_MAX = 5_000;

/** Made with the first request: at start-up the runtime gives no random numbers. */
let salt: string | undefined;

/** A number that stands for a text in this isolate, as long as it lives, and does not tell it. */
export function saltedHash(text: string): string {
  salt ??= crypto.randomUUID();
  return String(hashToPercent(salt + text));
}

export class NetworkRateLimit {
  readonly #limit: FixedWindowLimiter;

  /** @param max  in a minute */
  constructor(max: number) {
    this.#limit = new FixedWindowLimiter({ max, windowMs: WINDOW_MS, maxKeys: NETWORKS_MAX });
  }

  /** Seconds until the network may go on; 0 when it may now. */
  secondsToWait(headers: Headers): number {
    const network = networkOf(headers);
    return network === null ? 0 : Math.ceil(this.#limit.retryAfterMs(saltedHash(network), Date.now()) / 1000);
  }

  count(headers: Headers): void {
    const network = networkOf(headers);
    if (network !== null) this.#limit.count(saltedHash(network), Date.now());
  }

  /** @param countedAt  when it was counted, epoch ms */
  takeBack(headers: Headers, countedAt: number): void {
    const network = networkOf(headers);
    if (network !== null) this.#limit.refund(saltedHash(network), countedAt);
  }
}
