/**
 * Clicks of several sources with one dictionary per field. Each value of a source is looked up once, however many
 * blocks its clicks are spread over. Sorted by time, a block has a few clicks from each of hundreds of links. Pure.
 */
import {
  CLICK_NUMBERS,
  type ClickColumns,
  type ClickNumber,
  type ColumnField,
  LazyColumns,
  unknownColumn,
  type ValueColumn,
} from "./click-columns.ts";
import type { ScannedClicks } from "../counting/scanned-clicks.ts";

type Values = readonly (string | number)[];

/** One field of all clicks. */
interface PooledColumn {
  values: Values;
  /** Index of each click's value; null if all clicks have the first value. */
  ids: Uint16Array | Uint32Array | null;
  /** For each value, its index in the block being picked plus one; 0 if it has none. */
  places: Uint32Array;
}

/** Concatenates the clicks of some ranges, at most 65,536. */
export function joinClicks(ranges: readonly ScannedClicks[]): ClickColumns {
  const [first] = ranges;
  if (first && ranges.length === 1 && first.to - first.from === first.count) return first;
  const pool = new ClickPool(ranges);
  const places = new Uint32Array(ranges.reduce((sum, { from, to }) => sum + to - from, 0));
  let count = 0;
  for (const [n, { from, to }] of ranges.entries()) {
    const start = pool.starts[n] ?? 0;
    for (let i = from; i < to; i++) places[count++] = start + i;
  }
  return pool.pick(places);
}

/** Clicks are identified by their place: those of the first source come first. */
export class ClickPool {
  readonly count: number;
  /** Place of the first click of each source. */
  readonly starts: readonly number[];
  readonly #sources: readonly ClickColumns[];
  readonly #columns = new Map<ColumnField, PooledColumn>();
  readonly #numbers = new Map<ClickNumber, Float64Array | null>();
  #times: Float64Array | null = null;

  constructor(sources: readonly ClickColumns[]) {
    this.#sources = sources;
    const starts: number[] = [];
    let count = 0;
    for (const source of sources) {
      starts.push(count);
      count += source.count;
    }
    this.starts = starts;
    this.count = count;
  }

  get times(): Float64Array {
    return (this.#times ??= this.#join(
      this.#sources.map((source) => source.times()),
      0,
    ));
  }

  numbers(name: ClickNumber): Float64Array | null {
    let joined = this.#numbers.get(name);
    if (joined !== undefined) return joined;
    const parts = this.#sources.map((source) => source.numbers(name));
    joined = parts.every((part) => part === null) ? null : this.#join(parts, CLICK_NUMBERS[name]);
    this.#numbers.set(name, joined);
    return joined;
  }

  /** @param places  at most 65,536 */
  pick(places: Uint32Array): ClickColumns {
    return new PickedClicks(this, places);
  }

  column(field: ColumnField): PooledColumn {
    const known = this.#columns.get(field);
    if (known) return known;
    const column = this.#pool(field);
    this.#columns.set(field, column);
    return column;
  }

  #pool(field: ColumnField): PooledColumn {
    const known = new Map<string | number, number>();
    let ids: Uint16Array | Uint32Array = new Uint16Array(this.count);
    let [last, idsOfLast]: [Values, number[]] = [[], []];
    // Loops by index, without calls for single clicks: a block may span a thousand batches.
    for (let n = 0; n < this.#sources.length; n++) {
      const { values, indexes }: ValueColumn = this.#sources[n]?.column(field) ?? unknownColumn(field);
      // Consecutive batches often share a value, or the column of an unknown field.
      if (values !== last && (values.length > 1 || last.length > 1 || values[0] !== last[0])) {
        idsOfLast = idsIn(known, values);
      }
      last = values;
      if (known.size > 2 ** 16 && ids instanceof Uint16Array) ids = new Uint32Array(ids);
      if (!indexes && idsOfLast[0] === 0) continue;
      const start = this.starts[n] ?? 0;
      const end = this.starts[n + 1] ?? this.count;
      for (let i = start; i < end; i++) ids[i] = idsOfLast[indexes?.[i - start] ?? 0] ?? 0;
    }
    const values = [...known.keys()];
    return { values, ids: values.length < 2 ? null : ids, places: new Uint32Array(values.length) };
  }

  #join(parts: readonly (ArrayLike<number> | null)[], unknown: number): Float64Array {
    const all = new Float64Array(this.count);
    for (let n = 0; n < parts.length; n++) {
      const part = parts[n];
      const start = this.starts[n] ?? 0;
      const end = this.starts[n + 1] ?? this.count;
      for (let i = start; i < end; i++) all[i] = part?.[i - start] ?? unknown;
    }
    return all;
  }
}

function idsIn(known: Map<string | number, number>, values: Values): number[] {
  return values.map((value) => {
    const id = known.get(value) ?? known.size;
    if (id === known.size) known.set(value, id);
    return id;
  });
}

class PickedClicks extends LazyColumns {
  readonly count: number;
  readonly #pool: ClickPool;
  readonly #places: Uint32Array;

  constructor(pool: ClickPool, places: Uint32Array) {
    super();
    this.#pool = pool;
    this.#places = places;
    this.count = places.length;
  }

  protected readTimes(): Float64Array {
    return this.#pick(this.#pool.times);
  }

  protected readNumbers(name: ClickNumber): Float64Array | null {
    const numbers = this.#pool.numbers(name);
    return numbers && this.#pick(numbers);
  }

  protected readColumn(field: ColumnField): ValueColumn {
    const { values, ids, places } = this.#pool.column(field);
    // Otherwise a value that no click has would be stored, even one of an erased link.
    if (!ids) return { values: this.count === 0 ? [] : [...values], indexes: null };
    const used: number[] = [];
    const indexes = new Uint16Array(this.count);
    for (let i = 0; i < indexes.length; i++) {
      const id = ids[this.#places[i] ?? 0] ?? 0;
      if (places[id] === 0) places[id] = used.push(id);
      indexes[i] = (places[id] ?? 0) - 1;
    }
    for (const id of used) places[id] = 0;
    return { values: used.map((id) => values[id] ?? ""), indexes: used.length > 1 ? indexes : null };
  }

  #pick(all: Float64Array): Float64Array {
    const picked = new Float64Array(this.count);
    for (let i = 0; i < picked.length; i++) picked[i] = all[this.#places[i] ?? 0] ?? 0;
    return picked;
  }
}

/** Integers are exact up to here: a time and an index must fit together. */
const NUMBERS_END = 2 ** 53;

/**
 * Returns the indexes of times in ascending order. Equal times keep their order.
 * @param times  epoch ms, at most 2,097,152 of them
 */
export function orderByTime(times: Float64Array): Uint32Array {
  const [first, last] = bounds(times);
  const unit = 2 ** Math.ceil(Math.log2(times.length + 1));
  if ((last - first + 1) * unit < NUMBERS_END) return orderWithin(times, first, unit);
  // The times are centuries apart.
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
