/**
 * How often a cache reads a link from the database, and an isolate calls its object, in closed form: visits come by
 * chance and independently of each other (Poisson). Pure.
 */
import { localDelayMs } from "../../../src/core/clicks/protocol/call-pacing.ts";
import type { Traffic } from "./traffic.ts";

/** A second, or a redirect. */
export interface Reads {
  /** While the visitor waits. */
  cold: number;
  /** In the background. */
  refreshed: number;
}

/**
 * Reads a second of one link by one cache. After a read nothing is read until the refresh age; the first visit after that
 * reads again, in the background if it comes before the entry's end. So a cycle is as long as the refresh age and the
 * wait for one visit.
 * @param rate  visits a second
 */
export function readsOf(rate: number, { cacheSeconds, refreshSeconds }: Traffic): Reads {
  const reads = rate / (1 + rate * refreshSeconds);
  const isLate = Math.exp(-rate * (cacheSeconds - refreshSeconds));
  return { cold: reads * isLate, refreshed: reads * (1 - isLate) };
}

/**
 * Calls a second that one isolate makes to a link's object. The first click is sent at once; those that come before the
 * object may be called again go together; where none came, the next click is a first one again.
 * @param rate  clicks a second
 */
export function callsOf(rate: number, traffic: Pick<Traffic, "callMs">): number {
  const clicks = rate * (callGapMs(rate, traffic) / 1_000);
  return rate / (Math.exp(-clicks) + clicks);
}

/** From one call of an isolate to its next, while clicks come. In an isolate with few other links that have clicks. */
export function callGapMs(rate: number, { callMs }: Pick<Traffic, "callMs">): number {
  return callMs + localDelayMs(1, rate / 1_000);
}
