/** Counts over clicks, one column at a time. Pure. */
import { CLASS_LETTERS, valueAt } from "../encoding/click-batch.ts";
import type { CountedField, ValueColumn } from "../encoding/click-columns.ts";
import { type Histogram, HistogramBuilder } from "./histogram.ts";
import type { ScannedClicks } from "./scanned-clicks.ts";
import { addCounts, emptyTally, type Tally, type TallyOf } from "./tally.ts";

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

/** Counts of each value, in buffers that the next call uses again. */
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

/** Reused: a block may lie in hundreds of batches, each of which has every field. */
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
