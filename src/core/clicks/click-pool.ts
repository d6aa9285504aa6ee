/**
 * Clicks of several sources under one dictionary a field. Each value of a source is looked up once, however many blocks
 * its clicks are spread over: sorted by time, a block has a few clicks of each of hundreds of links. Pure.
 */
import type { AccountColumn, AccountColumns } from "./account-block.ts";
import type { AccountField } from "./account-fields.ts";
import { VISITOR_BYTES } from "./number-column.ts";

type Values = readonly (string | number)[];

/** A field of all clicks. */
interface PooledColumn {
  values: Values;
  /** Of each click, index of its value; null where all have the first. */
  ids: Uint16Array | Uint32Array | null;
  /** For each value, its index in the block that is being picked plus one; 0 where it has none. */
  places: Uint32Array;
}

/** Clicks are named by their place: those of the first source come first. */
export class ClickPool {
  readonly count: number;
  /** Place of the first click of each source. */
  readonly starts: readonly number[];
  readonly #sources: readonly AccountColumns[];
  readonly #columns = new Map<AccountField, PooledColumn>();
  #times: Float64Array | null = null;
  #positions: Float64Array | null = null;
  #visitors: Uint8Array | null | undefined;

  constructor(sources: readonly AccountColumns[]) {
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

  /** Epoch ms. */
  get times(): Float64Array {
    return (this.#times ??= this.#concat((source) => source.times()));
  }

  get positions(): Float64Array {
    return (this.#positions ??= this.#concat((source) => source.positions()));
  }

  /** Six bytes a click; null when none is known. */
  get visitors(): Uint8Array | null {
    if (this.#visitors === undefined) this.#visitors = this.#concatVisitors();
    return this.#visitors;
  }

  /** @param places  at most 65,536 */
  pick(places: Uint32Array): AccountColumns {
    return new PickedClicks(this, places);
  }

  column(field: AccountField): PooledColumn {
    const known = this.#columns.get(field);
    if (known) return known;
    const column = this.#pool(field);
    this.#columns.set(field, column);
    return column;
  }

  #pool(field: AccountField): PooledColumn {
    const known = new Map<string | number, number>();
    const columns = this.#sources.map((source) => source.column(field));
    const idsOfSources = columns.map((column) => idsIn(known, column.values));
    const values = [...known.keys()];
    const places = new Uint32Array(values.length);
    if (values.length < 2) return { values, ids: null, places };
    const ids = values.length <= 2 ** 16 ? new Uint16Array(this.count) : new Uint32Array(this.count);
    for (const [n, { indexes }] of columns.entries()) {
      const [start, end] = [this.starts[n] ?? 0, this.starts[n + 1] ?? this.count];
      const idOf = idsOfSources[n] ?? ids;
      if (!indexes) ids.fill(idOf[0] ?? 0, start, end);
      else for (let i = start; i < end; i++) ids[i] = idOf[indexes[i - start] ?? 0] ?? 0;
    }
    return { values, ids, places };
  }

  #concat(numbersOf: (source: AccountColumns) => Float64Array): Float64Array {
    const all = new Float64Array(this.count);
    for (const [n, source] of this.#sources.entries()) all.set(numbersOf(source), this.starts[n]);
    return all;
  }

  #concatVisitors(): Uint8Array | null {
    const parts = this.#sources.map((source) => source.visitors());
    if (parts.every((part) => part === null)) return null;
    const all = new Uint8Array(this.count * VISITOR_BYTES);
    for (const [n, part] of parts.entries()) if (part) all.set(part, (this.starts[n] ?? 0) * VISITOR_BYTES);
    return all;
  }
}

function idsIn(known: Map<string | number, number>, values: Values): Uint32Array {
  const ids = new Uint32Array(values.length);
  for (let i = 0; i < ids.length; i++) {
    const value = values[i] ?? "";
    let id = known.get(value);
    if (id === undefined) known.set(value, (id = known.size));
    ids[i] = id;
  }
  return ids;
}

class PickedClicks implements AccountColumns {
  readonly #pool: ClickPool;
  readonly #places: Uint32Array;
  readonly #columns = new Map<AccountField, AccountColumn>();
  #times: Float64Array | null = null;
  #positions: Float64Array | null = null;

  constructor(pool: ClickPool, places: Uint32Array) {
    this.#pool = pool;
    this.#places = places;
  }

  get count(): number {
    return this.#places.length;
  }

  times(): Float64Array {
    return (this.#times ??= this.#pick(this.#pool.times));
  }

  positions(): Float64Array {
    return (this.#positions ??= this.#pick(this.#pool.positions));
  }

  visitors(): Uint8Array | null {
    const all = this.#pool.visitors;
    if (!all) return null;
    const picked = new Uint8Array(this.count * VISITOR_BYTES);
    let to = 0;
    for (const place of this.#places) {
      const from = place * VISITOR_BYTES;
      for (let byte = 0; byte < VISITOR_BYTES; byte++) picked[to++] = all[from + byte] ?? 0;
    }
    return picked;
  }

  column(field: AccountField): AccountColumn {
    const known = this.#columns.get(field);
    if (known) return known;
    const column = this.#pickColumn(field);
    this.#columns.set(field, column);
    return column;
  }

  #pickColumn(field: AccountField): AccountColumn {
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
}
