/** Sorts clicks of several sources by time, in typed arrays: a log is merged in steps of a hundred thousand. Pure. */

/** Indexes and ms that fit together in the 53 bits of a number. */
const INDEX_UNIT = 2 ** 21;
const SPAN_MS = 2 ** 31;

/**
 * The indexes of times in their order; those of one time keep the order that they have.
 * @param times  at most 2,097,152
 */
export function orderByTime(times: Float64Array): Uint32Array {
  const spans = new Map<number, number[]>();
  for (let i = 0; i < times.length; i++) {
    const span = Math.floor((times[i] ?? 0) / SPAN_MS);
    const known = spans.get(span);
    if (known) known.push(i);
    else spans.set(span, [i]);
  }
  const order = new Uint32Array(times.length);
  let at = 0;
  for (const [span, indexes] of [...spans].sort(([a], [b]) => a - b)) {
    const keys = Float64Array.from(indexes, (i) => ((times[i] ?? 0) - span * SPAN_MS) * INDEX_UNIT + i);
    for (const key of keys.sort()) order[at++] = key % INDEX_UNIT;
  }
  return order;
}
