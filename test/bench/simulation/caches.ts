/**
 * How often a cache reads a link from the database, and an isolate calls its object, in closed form: visits arrive at
 * random and independently of each other (Poisson). Pure.
 */
import { localDelayMs } from "../../../src/core/clicks/protocol/call-pacing.ts";
import type { Traffic } from "./traffic.ts";

/** Per second, or per redirect. */
export interface Reads {
  /** While the visitor waits. */
  cold: number;
  /** In the background. */
  refreshed: number;
}

/**
 * Reads per second of one link by one cache. After a read nothing is read until the refresh age; the first visit after
 * that reads again, in the background if it arrives before the entry's end. A cycle therefore lasts the refresh age
 * plus the wait for one visit.
 * @param rate  visits a second
 */
export function readsOf(rate: number, { cacheSeconds, refreshSeconds }: Traffic): Reads {
  const reads = rate / (1 + rate * refreshSeconds);
  const isLate = Math.exp(-rate * (cacheSeconds - refreshSeconds));
  return { cold: reads * isLate, refreshed: reads * (1 - isLate) };
}

/**
 * Calls per second that one isolate makes to a link's object. The first click is sent immediately; those that arrive
 * before the object may be called again are sent together; if none arrived, the next click is a first one again.
 * @param rate  clicks a second
 */
export function callsOf(rate: number, traffic: Pick<Traffic, "callMs">): number {
  const clicks = rate * (callGapMs(rate, traffic) / 1_000);
  return rate / (Math.exp(-clicks) + clicks);
}

/** Time between an isolate's calls while clicks arrive, if few of its other links have clicks. */
export function callGapMs(rate: number, { callMs }: Pick<Traffic, "callMs">): number {
  return callMs + localDelayMs(1, rate / 1_000);
}
