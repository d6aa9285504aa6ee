/** What bulk routes share: each item of a body is validated on its own, and gets its result in its place. */
import { ApiError } from "../../core/errors.ts";
import { type ErrorDetail, errorDetail } from "../middleware/errors.ts";

/** Bounds the response: a hundred links could have a hundred problems each. */
const PROBLEMS_PER_LINK_MAX = 10;

/** What is to be done, or why it cannot be. */
export type BulkItem<Wanted> = { wanted: Wanted } | { error: ErrorDetail };

/** @param validate  throws ApiError when the item is not valid */
export function bulkItem<Wanted>(validate: () => Wanted): BulkItem<Wanted> {
  try {
    return { wanted: validate() };
  } catch (error) {
    if (error instanceof ApiError) return { error: errorDetail(error, PROBLEMS_PER_LINK_MAX) };
    throw error;
  }
}

export function validItems<Wanted>(items: readonly BulkItem<Wanted>[]): Wanted[] {
  return items.flatMap((item) => ("wanted" in item ? [item.wanted] : []));
}

/**
 * One result for each item, in order.
 * @param outcomes  of the valid items, in the same order
 */
export function bulkResults<Wanted, Outcome, Result>(
  items: readonly BulkItem<Wanted>[],
  outcomes: readonly Outcome[],
  toResult: (outcome: Outcome, wanted: Wanted) => Result,
): (Result | { error: ErrorDetail })[] {
  const next = outcomes.values();
  return items.map((item) => {
    if ("error" in item) return item;
    const { value, done } = next.next();
    if (done) throw new Error("an item of a bulk request has no outcome");
    return toResult(value, item.wanted);
  });
}
