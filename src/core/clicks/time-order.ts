/** Sorts clicks of several sources by time, in typed arrays: a log is merged in steps of a hundred thousand. Pure. */

/** Numbers are exact up to here: a time and an index have to fit together. */
const NUMBERS_END = 2 ** 53;

/**
 * The indexes of times in their order; those of one time keep the order that they have.
 * @param times  epoch ms, at most 2,097,152 of them
 */
export function orderByTime(times: Float64Array): Uint32Array {
  const [first, last] = bounds(times);
  const unit = 2 ** Math.ceil(Math.log2(times.length + 1));
  if ((last - first + 1) * unit < NUMBERS_END) return orderWithin(times, first, unit);
  // Centuries lie between them.
  return Uint32Array.from(times.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
}

function bounds(times: Float64Array): [first: number, last: number] {
  let [first, last] = [Infinity, -Infinity];
  for (const time of times) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  return [first, last];
}

function orderWithin(times: Float64Array, first: number, unit: number): Uint32Array {
  const keys = new Float64Array(times.length);
  for (let i = 0; i < keys.length; i++) keys[i] = ((times[i] ?? 0) - first) * unit + i;
  keys.sort();
  const order = new Uint32Array(times.length);
  for (let i = 0; i < order.length; i++) order[i] = (keys[i] ?? 0) % unit;
  return order;
}
