/**
 * How many unknown names one visitor may have looked up. Scanners try names by the thousand, and what no cache may keep
 * as missing costs the database a look each time. Links that the isolate knows are never limited.
 */
import { NetworkLimit } from "../store/network-limit.ts";

/** Far above what people behind one address mistype. */
export const MISSES_MAX = 100;

const limit = new NetworkLimit(MISSES_MAX);

/** Seconds until this visitor may have an unknown name looked up; 0 when now. */
export function secondsUntilLookup(headers: Headers): number {
  return limit.secondsToWait(headers);
}

/** A name that this visitor asked for could not be found. */
export function countMiss(headers: Headers): void {
  limit.count(headers);
}
