/** Clicks of a log as read from a stored block or a batch, and the matching ones among them. Pure. */
import { type ClickSlice, humanCounts, valueAt } from "../encoding/click-batch.ts";
import {
  type ClickColumns,
  type ClickNumber,
  type ColumnField,
  isNumberField,
  unknownColumn,
  type ValueColumn,
  type ValueOf,
  type CountedField,
} from "../encoding/click-columns.ts";
import { fixedNumbers, SPLIT_BYTES, VISITOR_BYTES } from "../encoding/column-encoding.ts";
import { CLASS_LETTERS } from "../../visitors/fact-values.ts";
import type { FieldFilter } from "./filters.ts";
import { type Histogram, HistogramBuilder } from "./histogram.ts";
import { addCounts, emptyTally, type Tally, type TallyOf } from "./tally.ts";

/** Columns of which only the clicks at indexes `[from, to)` are scanned. */
export interface ScannedClicks extends ClickColumns {
  readonly from: number;
  readonly to: number;
}

export function clicksOfBlock(block: ClickColumns, from: number, to: number): ScannedClicks {
  return {
    from,
    to,
    count: block.count,
    times: () => block.times(),
    numbers: (name) => block.numbers(name),
    column: (field) => block.column(field),
  };
}

export function clicksOfSlice(slice: ClickSlice): ScannedClicks {
  return new SliceClicks(slice);
}

/**
 * A class, because a block may span a thousand batches: creating closures for each would take longer than counting it.
 */
class SliceClicks implements ScannedClicks {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly #slice: ClickSlice;
  #route: ValueColumn<string> | null = null;

  constructor(slice: ClickSlice) {
    this.from = slice.from;
    this.to = slice.to;
    this.count = slice.times.length;
    this.#slice = slice;
  }

  times(): readonly number[] {
    return this.#slice.times;
  }

  numbers(name: ClickNumber): ArrayLike<number> | null {
    const { columns, times, visits } = this.#slice;
    if (name === "position") return null;
    if (name === "delay") return visits ? visits.map((at, i) => (times[i] ?? 0) - at) : null;
    const bytes = name === "split" ? columns.splits : columns.visitors;
    return bytes && fixedNumbers(bytes, name === "split" ? SPLIT_BYTES : VISITOR_BYTES);
  }

  column<F extends ColumnField>(field: F): ValueColumn<ValueOf<F>> {
    return this.#column(field) as ValueColumn<ValueOf<F>>;
  }

  #column(field: ColumnField): ValueColumn {
    if (field === "route") return (this.#route ??= routeColumn(this.#slice));
    if (field === "domain" || field === "imported" || isNumberField(field)) return unknownColumn(field);
    return this.#slice.columns[field];
  }
}

/** Clicks are counted by route, which combines a rule with its revision. */
function routeColumn({ columns, revision }: ClickSlice): ValueColumn<string> {
  const { values, indexes } = columns.rule;
  return { values: values.map((rule) => `${revision}.${rule}`), indexes };
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
  for (const { field, matches } of filters) {
    if (matching.length === 0) break;
    const { values, indexes }: ValueColumn = clicks.column(field);
    const wanted = values.map((value) => (matches(value) ? 1 : 0));
    matching = narrow(matching, indexes, wanted);
  }
  return matching;
}

let buffer = new Uint16Array(1_024);

/** The indexes of clicks, in a buffer that the next call reuses. @internal */
export function allClicks({ from, to }: ScannedClicks): Uint16Array {
  if (to - from > buffer.length) buffer = new Uint16Array(to - from);
  for (let i = from; i < to; i++) buffer[i - from] = i;
  return buffer.subarray(0, to - from);
}

/** Keeps the clicks whose value has a 1 in `wanted`, in place. */
function narrow(matching: Uint16Array, indexes: ValueColumn["indexes"], wanted: readonly number[]): Uint16Array {
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

/** Counts over clicks, one column at a time. */

/** Counts one field over some clicks. */
export function tallyOf<F extends CountedField>(field: F, ranges: Iterable<ScannedClicks>): TallyOf<F> {
  let tally: Tally = emptyTally(field);
  for (const clicks of ranges) {
    const column: ValueColumn = clicks.column(field);
    const [human, nonHuman] = countsByValue(clicks, column);
    tally = addCounts(tally, column.values, human, nonHuman);
  }
  return tally as TallyOf<F>;
}

/** Counts of each value, in buffers that the next call reuses. */
function countsByValue(clicks: ScannedClicks, { values, indexes }: ValueColumn): typeof countBuffers {
  const buffers = zeroedCountBuffers(values.length);
  const [human, nonHuman] = buffers;
  const letters = clicks.column("class");
  for (let i = clicks.from; i < clicks.to; i++) {
    const value = indexes?.[i] ?? 0;
    const counts = valueAt(letters, i) === CLASS_LETTERS.human ? human : nonHuman;
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return buffers;
}

/** Reused, because a block may span hundreds of batches, each with every field. */
let countBuffers = [new Uint32Array(256), new Uint32Array(256)] as const;

function zeroedCountBuffers(size: number): typeof countBuffers {
  if (size > countBuffers[0].length) countBuffers = [new Uint32Array(size * 2), new Uint32Array(size * 2)];
  else for (const counts of countBuffers) counts.fill(0, 0, size);
  return countBuffers;
}

export function histogramOf(ranges: Iterable<ScannedClicks>): Histogram {
  const builder = new HistogramBuilder();
  for (const clicks of ranges) {
    const letters = clicks.column("class");
    const times = clicks.times();
    for (let i = clicks.from; i < clicks.to; i++) {
      const human = valueAt(letters, i) === CLASS_LETTERS.human ? 1 : 0;
      builder.add(times[i] ?? 0, human, 1 - human);
    }
  }
  return builder.build();
}
