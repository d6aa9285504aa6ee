/**
 * How many unknown names one visitor may have looked up. Scanners try names by the thousand, and what no cache may keep
 * as missing costs the database a look each time. Kept in the isolate's memory alone: by a salted hash of the address
 * (of the network of 64 bits for IPv6), for a minute. Links that the isolate knows are never limited.
 */
import { networkOf, pointOf } from "../core/visitor.ts";
import { WindowLimit } from "../core/window-limit.ts";

/** Far above what people behind one address mistype. */
export const MISSES_MAX = 100;
const WINDOW_MS = 60_000;
const VISITORS_MAX = 5_000;

const limit = new WindowLimit({ max: MISSES_MAX, windowMs: WINDOW_MS, maxKeys: VISITORS_MAX });

/** Made with the first visit: at start-up the runtime gives no random numbers. */
let salt: string | undefined;

/** Seconds until this visitor may have an unknown name looked up; 0 when now. */
export function secondsUntilLookup(headers: Headers): number {
  const key = keyOf(headers);
  return key === null ? 0 : Math.ceil(limit.wait(key, Date.now()) / 1000);
}

/** A name that this visitor asked for could not be found. */
export function countMiss(headers: Headers): void {
  const key = keyOf(headers);
  if (key !== null) limit.count(key, Date.now());
}

function keyOf(headers: Headers): string | null {
  const network = networkOf(headers);
  if (network === null) return null;
  salt ??= crypto.randomUUID();
  return String(pointOf(salt + network));
}
