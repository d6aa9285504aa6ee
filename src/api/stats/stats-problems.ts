/** What refuses a question for statistics, of a link or of an account. */
import { SERIES_BINS_MAX } from "../../core/clicks/groupings.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { figure, SCAN_CLICKS_MAX } from "../../core/limits.ts";
import { timestamp } from "../../core/timestamp.ts";

/**
 * How far the clock behind an earlier response's `to` may be ahead of this one, so that a client that polls with it as
 * `from` is not refused.
 */
const CLOCK_SKEW_MAX_MS = 10_000;

/** @param to  null means now @throws ApiError validation_failed */
export function requireInOrder({ from, to }: { from: number; to: number | null }): void {
  if (from > (to ?? Date.now() + CLOCK_SKEW_MAX_MS)) throw rangeReversed();
}

export function rangeReversed(): ApiError {
  return validationFailed([{ path: "from", code: "out_of_range", message: "from must not be later than to" }]);
}

/** @param from  that would do @param why  so many clicks are too many to do what */
export function rangeTooLarge(from: number, why: string): ApiError {
  const least = `from must be ${timestamp(from)} or later`;
  const message = `The range holds more than ${figure(SCAN_CLICKS_MAX)} clicks, too many to ${why}: ${least}`;
  return new ApiError("range_too_large", message, {
    param: "from",
    errors: [{ path: "from", code: "too_small", message: least }],
  });
}

/** What statistics need a scan for. */
export const COUNTED_ONE_BY_ONE = "count under filters or by visitor";

export function tooManyIntervals(): ApiError {
  const message = `The range holds more than ${SERIES_BINS_MAX} intervals: choose a longer interval or a shorter range`;
  return new ApiError("too_many_intervals", message, { param: "interval" });
}
