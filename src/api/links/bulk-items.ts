/** What bulk routes share: each item of a body is validated on its own, and gets its result in its place. */
import { ApiError } from "../../core/errors.ts";
import type { DoneItems } from "../../store/links/links-request.ts";
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

/** By position; null where an item is not valid. */
export function wantedItems<Wanted>(items: readonly BulkItem<Wanted>[]): (Wanted | null)[] {
  return items.map((item) => ("wanted" in item ? item.wanted : null));
}

/**
 * One result for each item, in order. What an earlier attempt has stored of an item counts, though it be not valid now.
 * @param toResult  of an outcome
 * @param restore  a result from what is stored of it
 */
export function bulkResults<Outcome, Result>(
  items: readonly BulkItem<unknown>[],
  done: DoneItems<Outcome>,
  toResult: (outcome: Outcome, position: number) => Result,
  restore: (stored: unknown, position: number) => Result,
): (Result | { error: ErrorDetail })[] {
  return items.map((item, position) => {
    const each = done[position];
    if (each) return "stored" in each ? restore(each.stored, position) : toResult(each.outcome, position);
    if ("error" in item) return item;
    throw new Error("an item of a bulk request has no outcome");
  });
}

/** What is stored of a bulk request's items, with the errors of those that were not valid. */
export function storedResults(items: readonly BulkItem<unknown>[], stored: readonly unknown[]): unknown[] {
  return items.map((item, position) => stored[position] ?? item);
}
