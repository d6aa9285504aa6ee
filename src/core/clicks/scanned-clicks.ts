/** Clicks of a log as a scan reads them, from a packed block or from a batch, and those among them that match. Pure. */
import { type Column, humanCounts } from "./click-batch.ts";
import type { ValueColumn } from "./block-sections.ts";
import { type BlockField, type ClickBlock, storedValue } from "./click-block.ts";
import type { ClickSlice } from "./click-slice.ts";
import type { FieldFilter } from "./filters.ts";

/** The clicks at indexes from `from` to before `to` of some columns. */
export interface ScannedClicks {
  readonly from: number;
  readonly to: number;
  column: (field: BlockField) => Column;
  times: () => ArrayLike<number>;
  /** When the visits were, before their times were raised. */
  visits: () => ArrayLike<number>;
  /** Two bytes a click; null when none is known. */
  splits: () => Uint8Array | null;
  /** Six bytes a click; null when none is known. */
  visitors: () => Uint8Array | null;
}

export function clicksOfBlock(block: ClickBlock, from: number, to: number): ScannedClicks {
  return {
    from,
    to,
    column: (field) => block.column(field),
    times: () => block.times(),
    visits: () => block.visits(),
    splits: () => block.splits(),
    visitors: () => block.visitors(),
  };
}

export function clicksOfSlice({ columns, times, visits = times, revision, from, to }: ClickSlice): ScannedClicks {
  return {
    from,
    to,
    column: (field) => {
      const { values, indexes } = columns[field === "route" ? "rule" : field];
      return { values: values.map((value) => storedValue(field, revision, value)), indexes };
    },
    times: () => times,
    visits: () => visits,
    splits: () => columns.splits,
    visitors: () => columns.visitors,
  };
}

/** Indexes of the clicks that match, ascending. Valid until the next call: the buffer is reused. */
export function matchingClicks(
  clicks: ScannedClicks,
  filters: readonly FieldFilter[],
  includeBots: boolean,
): Uint16Array {
  let matching = allClicks(clicks);
  if (!includeBots) {
    const { counts, indexes } = humanCounts(clicks.column("class"));
    matching = narrow(matching, indexes, counts);
  }
  return narrowTo(matching, clicks, filters);
}

/** What scans read of the clicks of a link or an account. */
interface FilteredColumns<F, V> {
  column: (field: F) => ValueColumn<V>;
}

/** As a filter of a link's clicks, of fields and values of other logs too. */
export interface ValueFilter<F, V> {
  field: F;
  matches: (value: V) => boolean;
}

/** Of some clicks, those that match. */
export function narrowTo<F, V>(
  clicks: Uint16Array,
  columns: FilteredColumns<F, V>,
  filters: readonly ValueFilter<F, V>[],
): Uint16Array {
  let matching = clicks;
  for (const { field, matches } of filters) {
    if (matching.length === 0) break;
    const { values, indexes } = columns.column(field);
    const wanted = values.map((value) => (matches(value) ? 1 : 0));
    matching = narrow(matching, indexes, wanted);
  }
  return matching;
}

let buffer = new Uint16Array(1_024);

/** The indexes of clicks, in a buffer that the next call uses again. */
export function allClicks({ from, to }: Pick<ScannedClicks, "from" | "to">): Uint16Array {
  if (to - from > buffer.length) buffer = new Uint16Array(to - from);
  for (let i = from; i < to; i++) buffer[i - from] = i;
  return buffer.subarray(0, to - from);
}

/** Keeps the clicks whose value has a 1, in place. */
function narrow(matching: Uint16Array, indexes: Column["indexes"], wanted: readonly number[]): Uint16Array {
  if (!wanted.includes(0)) return matching;
  if (!wanted.includes(1)) return matching.subarray(0, 0);
  let kept = 0;
  for (let n = 0; n < matching.length; n++) {
    const i = matching[n] ?? 0;
    matching[kept] = i;
    kept += wanted[indexes?.[i] ?? 0] ?? 0;
  }
  return matching.subarray(0, kept);
}
