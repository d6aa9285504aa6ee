/**
 * Limits the look-ups of unknown names by network. Scanners try thousands of names, and misses are not cached, so each
 * one costs a query. Links in the isolate's cache are never limited.
 */
import { NetworkRateLimit } from "../store/network-limit.ts";

/** Far above the typing errors of all visitors who share one address. */
const MISSES_MAX_PER_MINUTE = 100;

export const missLimit = new NetworkRateLimit(MISSES_MAX_PER_MINUTE);
