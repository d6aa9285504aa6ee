/** Some consecutive clicks of one stored batch, from index `from` to before `to`. Pure. */
import type { Columns } from "./click-batch.ts";

export interface ClickSlice {
  /** Position of the batch's first click in the log. */
  position: number;
  revision: number;
  columns: Columns;
  times: number[];
  /** The times before they were raised (click-times.ts); left out where they are the same, or not kept. */
  visits?: readonly number[];
  from: number;
  to: number;
}

/** The parts of slices that lie at positions `[from, to)`. */
export function clipSlices(slices: readonly ClickSlice[], from: number, to: number): ClickSlice[] {
  return slices.flatMap((slice) => {
    const [first, end] = [Math.max(from - slice.position, slice.from), Math.min(to - slice.position, slice.to)];
    return first < end ? [{ ...slice, from: first, to: end }] : [];
  });
}
