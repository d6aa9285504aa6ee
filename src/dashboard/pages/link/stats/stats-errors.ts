/** What refusals of statistics say beside their message. Pure. */
import { ApiError } from "../../../api/api-error.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";

const TIMESTAMP = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

/** The range has more clicks than can be counted one by one, as filters and visitors need. */
export function isRangeTooLarge(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "range_too_large";
}

/** The error to show: of too many questions at once the server says only that it has no answer. */
export function shownStatsError(error: unknown): unknown {
  return error instanceof ApiError && error.code === "unavailable" ? new Error(texts.busy) : error;
}

/** Where a range may begin, epoch ms, according to `range_too_large`; null where it does not say. */
export function earliestStart({ problems }: ApiError): number | null {
  const start = problems.find(({ path }) => path === "from")?.message.match(TIMESTAMP)?.[0];
  return start === undefined ? null : Date.parse(start);
}
