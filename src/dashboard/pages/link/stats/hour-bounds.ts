/** A range of any length in pieces that the API counts by the hour. Pure. */
import { SERIES_BINS_MAX } from "../../../../core/clicks/groupings.ts";
import { HOUR_MS } from "../../../../core/durations.ts";
import type { TimeBounds } from "./time-range.ts";

/** Two bins fewer than the API takes: where clocks change by part of an hour, an hour has two. */
const REQUEST_HOURS_MAX = SERIES_BINS_MAX - 2;
/** Some two and a half years. */
const REQUESTS_MAX = 12;

/** The range in pieces that the API counts by the hour; null when there would be too many. */
export function splitBounds({ from, to }: TimeBounds, createdAt: number, now: number): TimeBounds[] | null {
  // There are no clicks before the link.
  const start = Math.max(from ?? createdAt, createdAt);
  const spanMs = Math.max(0, Math.min(to ?? now, now) - start);
  const count = Math.max(1, Math.ceil(spanMs / (REQUEST_HOURS_MAX * HOUR_MS)));
  if (count > REQUESTS_MAX) return null;
  return Array.from({ length: count }, (_, i) => ({
    from: start + i * REQUEST_HOURS_MAX * HOUR_MS,
    to: i === count - 1 ? to : start + (i + 1) * REQUEST_HOURS_MAX * HOUR_MS,
  }));
}
