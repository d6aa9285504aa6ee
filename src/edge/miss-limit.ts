/**
 * How many unknown names one visitor may have looked up. Scanners try names by the thousand, and what no cache may keep
 * as missing costs the database a look each time. Links that the isolate knows are never limited.
 */
import { NetworkRateLimit } from "../store/network-limit.ts";

/** Far above what people behind one address mistype. */
const MISSES_MAX_PER_MINUTE = 100;

export const missLimit = new NetworkRateLimit(MISSES_MAX_PER_MINUTE);
