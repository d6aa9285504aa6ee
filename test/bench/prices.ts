/**
 * What Cloudflare charges on the paid plan, in dollars for a million, beyond what a month includes; its price lists for
 * Workers, Durable Objects and D1 as read in November 2026. And what a redirect uses of each.
 */
const WORKER_REQUEST = 0.3;
const WORKER_CPU_MS = 0.02;
const OBJECT_REQUEST = 0.15;
const OBJECT_GB_SECOND = 12.5;
const ROW_READ = 0.001;
const ROW_WRITTEN = 1;

/** Assumed, generously: a redirect's CPU time, and how long an object is awake for one call. */
const REDIRECT_CPU_MS = 1.5;
const CALL_SECONDS = 0.02;
/** An object is billed for this much memory, whatever it uses. */
const OBJECT_GB = 0.128;
/** A link's row and its entry in the index of addresses, when the isolate does not have it. */
const LOOK_UP_ROWS = 2;

/** Of one redirect. */
export interface Usage {
  objectRequests: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Dollars for a million redirects. */
export function dollarsPerMillion({ objectRequests, rowsRead, rowsWritten }: Usage): number {
  const worker = WORKER_REQUEST + REDIRECT_CPU_MS * WORKER_CPU_MS;
  const call = OBJECT_REQUEST + CALL_SECONDS * OBJECT_GB * OBJECT_GB_SECOND;
  return worker + objectRequests * call + (rowsRead + LOOK_UP_ROWS) * ROW_READ + rowsWritten * ROW_WRITTEN;
}
