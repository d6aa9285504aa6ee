/**
 * Clicks of several sources under one dictionary a field. Each value of a source is looked up once, however many blocks
 * its clicks are spread over: sorted by time, a block has a few clicks of each of hundreds of links. Pure.
 */
import { type ClickColumns, type ColumnField, LazyColumns, type ValueColumn } from "./click-columns.ts";
import { SPLIT_BYTES, VISITOR_BYTES } from "./column-encoding.ts";
import type { ScannedClicks } from "../counting/scanned-clicks.ts";

type Values = readonly (string | number)[];

const UNKNOWN_SPLIT_BYTE = 0xff;

/** A field of all clicks. */
interface PooledColumn {
  values: Values;
  /** Of each click, index of its value; null where all have the first. */
  ids: Uint16Array | Uint32Array | null;
  /** For each value, its index in the block that is being picked plus one; 0 where it has none. */
  places: Uint32Array;
}

/** The clicks of some ranges, one after the other. At most 65,536. */
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

/** Clicks are named by their place: those of the first source come first. */
export class ClickPool {
  readonly count: number;
  /** Place of the first click of each source. */
  readonly starts: readonly number[];
  readonly #sources: readonly ClickColumns[];
  readonly #columns = new Map<ColumnField, PooledColumn>();
  /** What was joined, by its name. */
  readonly #joined = new Map<string, Float64Array | Uint8Array | null>();

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
    return this.#join("times", () => this.#concat((source) => source.times()));
  }

  /** Null where they are the times. */
  get visits(): Float64Array | null {
    const isRaised = (source: ClickColumns) => source.visits() !== source.times();
    return this.#join("visits", () =>
      this.#sources.some(isRaised) ? this.#concat((source) => source.visits()) : null,
    );
  }

  get positions(): Float64Array | null {
    const hasPositions = this.#sources.some((source) => source.positions() !== null);
    return this.#join("positions", () => (hasPositions ? this.#concat((source) => source.positions() ?? []) : null));
  }

  get splits(): Uint8Array | null {
    return this.#join("splits", () => this.#concatBytes((source) => source.splits(), SPLIT_BYTES, UNKNOWN_SPLIT_BYTE));
  }

  get visitors(): Uint8Array | null {
    return this.#join("visitors", () => this.#concatBytes((source) => source.visitors(), VISITOR_BYTES, 0));
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
    let [lastValues, lastIds]: [Values, number[]] = [[], []];
    for (const [n, source] of this.#sources.entries()) {
      const { values, indexes }: ValueColumn = source.column(field);
      // Batches of a field that is not known share one column, and single clicks mostly a value.
      if (values !== lastValues) [lastValues, lastIds] = [values, idsIn(known, values, lastValues, lastIds)];
      if (known.size > 2 ** 16 && ids instanceof Uint16Array) ids = new Uint32Array(ids);
      const [start, end] = [this.starts[n] ?? 0, this.starts[n + 1] ?? this.count];
      if (!indexes) ids.fill(lastIds[0] ?? 0, start, end);
      else for (let i = start; i < end; i++) ids[i] = lastIds[indexes[i - start] ?? 0] ?? 0;
    }
    const values = [...known.keys()];
    return { values, ids: values.length < 2 ? null : ids, places: new Uint32Array(values.length) };
  }

  #join<T extends Float64Array | Uint8Array | null>(name: string, join: () => T): T {
    if (!this.#joined.has(name)) this.#joined.set(name, join());
    return this.#joined.get(name) as T;
  }

  #concat(numbersOf: (source: ClickColumns) => ArrayLike<number>): Float64Array {
    const all = new Float64Array(this.count);
    for (const [n, source] of this.#sources.entries()) all.set(numbersOf(source), this.starts[n]);
    return all;
  }

  #concatBytes(
    bytesOf: (source: ClickColumns) => Uint8Array | null,
    width: number,
    unknown: number,
  ): Uint8Array | null {
    const parts = this.#sources.map(bytesOf);
    if (parts.every((part) => part === null)) return null;
    const all = new Uint8Array(this.count * width).fill(unknown);
    for (const [n, part] of parts.entries()) if (part) all.set(part, (this.starts[n] ?? 0) * width);
    return all;
  }
}

function idsIn(known: Map<string | number, number>, values: Values, lastValues: Values, lastIds: number[]): number[] {
  if (values.length === 1 && lastValues.length === 1 && values[0] === lastValues[0]) return lastIds;
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

  visits(): ArrayLike<number> {
    const { visits } = this.#pool;
    return visits ? this.#pick(visits) : this.times();
  }

  splits(): Uint8Array | null {
    return this.#pickBytes(this.#pool.splits, SPLIT_BYTES);
  }

  visitors(): Uint8Array | null {
    return this.#pickBytes(this.#pool.visitors, VISITOR_BYTES);
  }

  protected readTimes(): Float64Array {
    return this.#pick(this.#pool.times);
  }

  protected readPositions(): Float64Array | null {
    const { positions } = this.#pool;
    return positions && this.#pick(positions);
  }

  protected readColumn(field: ColumnField): ValueColumn {
    const { values, ids, places } = this.#pool.column(field);
    // A value that no click has would be stored, of an erased link too.
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

  #pickBytes(all: Uint8Array | null, width: number): Uint8Array | null {
    if (!all) return null;
    const picked = new Uint8Array(this.count * width);
    let to = 0;
    for (const place of this.#places) {
      const from = place * width;
      for (let byte = 0; byte < width; byte++) picked[to++] = all[from + byte] ?? 0;
    }
    return picked;
  }
}

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
