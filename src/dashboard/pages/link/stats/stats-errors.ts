/** What refusals of statistics say beside their message. Pure. */
import { ApiError } from "../../../api/api-error.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";

/** The range has more clicks than can be counted one by one, as filters and visitors need. */
export function isRangeTooLarge(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "range_too_large";
}

/** The error to show: of too many questions at once the server says only that it has no answer. */
export function shownStatsError(error: unknown): unknown {
  return error instanceof ApiError && error.code === "unavailable" ? new Error(texts.busy) : error;
}
