/**
 * Cloudflare's prices on the paid plan of Workers, in dollars per million beyond the monthly included amount, as of
 * November 2026. Pure.
 * - https://developers.cloudflare.com/workers/platform/pricing/
 * - https://developers.cloudflare.com/durable-objects/platform/pricing/
 * - https://developers.cloudflare.com/d1/platform/pricing/
 * - https://developers.cloudflare.com/r2/pricing/
 * - https://developers.cloudflare.com/workers/observability/logs/workers-logs/, until 1 December 2026
 */
import measured from "./measured.json" with { type: "json" };

interface Price {
  /** Dollars per million. */
  perMillion: number;
  /** Included amount per month. */
  included: number;
}

const MILLION = 1_000_000;
const BILLION = 1_000 * MILLION;

/** Monthly price of the paid plan. */
export const PLAN_DOLLARS = 5;

/** D1 and Durable Objects charge the same for rows, and each includes the same amount. */
export const PRICES = {
  workerRequests: { perMillion: 0.3, included: 10 * MILLION },
  workerCpuMs: { perMillion: 0.02, included: 30 * MILLION },
  objectRequests: { perMillion: 0.15, included: MILLION },
  objectGbSeconds: { perMillion: 12.5, included: 400_000 },
  rowsRead: { perMillion: 0.001, included: 25 * BILLION },
  rowsWritten: { perMillion: 1, included: 50 * MILLION },
  imagesStored: { perMillion: 4.5, included: MILLION },
  logEvents: { perMillion: 0.6, included: 20 * MILLION },
} as const satisfies Record<string, Price>;

/** Dollars per gigabyte and month, and the included gigabytes. */
export const STORAGE_PRICES = {
  objects: { perGb: 0.2, includedGb: 5 },
  database: { perGb: 0.75, includedGb: 5 },
  images: { perGb: 0.015, includedGb: 10 },
} as const;

/** Generous assumptions: a redirect's CPU time, and how long an object is awake for one call. */
export const REDIRECT_CPU_MS = 1.5;
/** @internal */
export const CALL_SECONDS = 0.02;
/** An object is billed for this much memory, whatever it uses. @internal */
export const OBJECT_GB = 0.128;
export const CALL_GB_SECONDS = CALL_SECONDS * OBJECT_GB;
/** Assumption: what an object stores besides its SQLite pages, 4 to 8 kB according to Cloudflare's FAQ. */
export const OBJECT_METADATA_BYTES = 8_192;
/** Generous assumption: the Worker logs failures only. */
export const VISITS_PER_LOG_EVENT = 1_000;
/** Requests for the dashboard's files from a browser without a cache: the overview has 55. */
export const DASHBOARD_FILES = 60;
/** A link's row and its entry in the address index, when the isolate has not cached it. */
export const LOOK_UP_ROWS = measured["rows read for a visit that is not cached"];
