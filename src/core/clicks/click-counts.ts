/** Counts over stored clicks, batch by batch. Pure. */
import { humanCounts } from "./click-batch.ts";
import { storedValue } from "./click-block.ts";
import type { ClickSlice } from "./click-slice.ts";
import type { StoredField } from "./facts.ts";
import { type Histogram, HistogramBuilder } from "./histogram.ts";
import { addClicks, type Tally } from "./tally.ts";

/** Counts one field over some clicks. */
export function tallyOf(field: StoredField, clicks: Iterable<ClickSlice>): Tally {
  const tally: Tally = new Map();
  for (const slice of clicks) {
    const { values, indexes } = slice.columns[field === "route" ? "rule" : field];
    const [all, humans] = zeroedCountBuffers(values.length);
    const classes = humanCounts(slice.columns.class);
    for (let i = slice.from; i < slice.to; i++) {
      const value = indexes?.[i] ?? 0;
      all[value] = (all[value] ?? 0) + 1;
      humans[value] = (humans[value] ?? 0) + (classes.counts[classes.indexes?.[i] ?? 0] ?? 0);
    }
    for (const [i, value] of values.entries()) {
      const [clicks = 0, human = 0] = [all[i], humans[i]];
      if (clicks > 0) addClicks(tally, storedValue(field, slice.revision, value), human, clicks - human);
    }
  }
  return tally;
}

/** Buffers of `tallyOf`, reused: a block may lie in hundreds of batches, each of which has every field. */
let countBuffers = [new Uint32Array(256), new Uint32Array(256)] as const;

function zeroedCountBuffers(size: number): typeof countBuffers {
  if (size > countBuffers[0].length) countBuffers = [new Uint32Array(size * 2), new Uint32Array(size * 2)];
  else for (const counts of countBuffers) counts.fill(0, 0, size);
  return countBuffers;
}

export function histogramOf(clicks: Iterable<ClickSlice>): Histogram {
  const builder = new HistogramBuilder();
  for (const slice of clicks) {
    const classes = humanCounts(slice.columns.class);
    for (let i = slice.from; i < slice.to; i++) {
      const human = classes.counts[classes.indexes?.[i] ?? 0] ?? 0;
      builder.add(slice.times[i] ?? 0, human, 1 - human);
    }
  }
  return builder.build();
}
