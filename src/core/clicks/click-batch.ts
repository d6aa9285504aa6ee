/**
 * A batch of clicks in a compact form: what travels from an isolate to the link's object and lies in its log.
 * Each field is a column: its distinct values once, then one index for each click. Some 25 bytes a click in a
 * batch of fifty, some 70 for a lone one.
 * Pure. Values are kept as given; "" stands for "not known".
 */
import { CLICK_FIELDS, CLICK_FORMATS } from "./click-formats.ts";
import type { ClickField, NewClick } from "./facts.ts";
import type { ClickClass } from "../visitors/visitor.ts";
import { ByteReader, ByteWriter } from "./varint-bytes.ts";

export interface PackedClicks {
  /** Time of the first click. */
  at: number;
  count: number;
  /** Ms from each click to the next, as varints; null when all have the same time. */
  times: Uint8Array | null;
  /** The number of the format, how many clicks, and the columns one after the other. */
  columns: Uint8Array;
}

/** Most clicks in one batch, and about how many bytes of text: with its indexes a row stays under 500 KB. */
const BATCH_MAX_CLICKS = 4_096;
const BATCH_MAX_TEXT_BYTES = 256 * 1024;
/** Of a character in UTF-8, at most. */
const CHAR_MAX_BYTES = 3;

/** Classes are the most frequent value of all, so one letter each. */
const CLASS_LETTERS: Record<ClickClass, string> = { human: "h", bot: "b", prefetch: "p" };

/** What V8 holds, estimated from above: an empty builder, an array's element (arrays grow by half), a map, its entry. */
const BUILDER_BYTES = 600;
const ELEMENT_BYTES = 12;
const MAP_BYTES = 350;
const ENTRY_BYTES = 60;

/** Collects clicks column by column, so that a busy isolate keeps a few small numbers for each and no objects. */
export class BatchBuilder {
  readonly #times: number[] = [];
  readonly #columns = CLICK_FIELDS.map((field) => new ColumnBuilder(field));
  /** Distinct values of all columns, and their characters. */
  #values = 0;
  #chars = 0;
  /** Columns that have an index for each click. */
  #indexed = 0;

  get count(): number {
    return this.#times.length;
  }

  /** Whether it is to be sealed before another click is added. */
  get isFull(): boolean {
    return this.count >= BATCH_MAX_CLICKS || this.#chars * CHAR_MAX_BYTES >= BATCH_MAX_TEXT_BYTES;
  }

  /** About how much memory this takes; V8 may keep a character in two bytes. */
  get bytes(): number {
    const indexes = this.#indexed * MAP_BYTES + (1 + this.#indexed) * this.count * ELEMENT_BYTES;
    return BUILDER_BYTES + indexes + this.#values * ENTRY_BYTES + 2 * this.#chars;
  }

  /** A time that runs back (a clock was set) is raised to the one before. */
  add(click: NewClick): void {
    const before = this.#times.length;
    // By index: an iterator's steps are garbage that every visit would leave behind.
    for (let i = 0; i < CLICK_FIELDS.length; i++) {
      const column = this.#columns[i];
      const chars = column?.add(click, before) ?? 0;
      if (chars === 0) continue;
      this.#values++;
      this.#chars += chars;
      if (column?.size === 2) this.#indexed++;
    }
    this.#times.push(Math.max(click.visit.at, this.#times[before - 1] ?? 0));
  }

  pack(): PackedClicks {
    const bytes = new ByteWriter();
    bytes.varint(CLICK_FORMATS.length);
    bytes.varint(this.count);
    const texts: string[] = [];
    for (const column of this.#columns) {
      bytes.varint(column.size);
      if (column.indexes) bytes.varints(column.indexes);
      for (const value of column.values()) texts.push(value.replaceAll("\n", " "));
    }
    bytes.text(texts.join("\n"));
    return { at: this.#times[0] ?? 0, count: this.count, times: packTimes(this.#times), columns: bytes.toBytes() };
  }
}

/** One field. Visitors who follow each other often share a value: neighbours are compared before anything is looked up. */
class ColumnBuilder {
  /** Of each click's value; null while all share one. */
  indexes: number[] | null = null;
  readonly #field: ClickField;
  /** By value; null while there is one at most, so that a lone click needs no map. */
  #byValue: Map<string, number> | null = null;
  #last = "";
  #lastIndex = -1;

  constructor(field: ClickField) {
    this.#field = field;
  }

  /** How many distinct values there are. */
  get size(): number {
    return this.#byValue?.size ?? this.#lastIndex + 1;
  }

  /** Distinct values in the order of their indexes. */
  values(): Iterable<string> {
    return this.#byValue?.keys() ?? [this.#last].slice(0, this.size);
  }

  /**
   * @param before  how many clicks there are already
   * @returns how many characters it takes: none when the value is there already
   */
  add(click: NewClick, before: number): number {
    const value = textOf(click, this.#field);
    const chars = value === this.#last && before > 0 ? 0 : this.#setLast(value, before);
    this.indexes?.push(this.#lastIndex);
    return chars;
  }

  /** Makes another value the last one. @returns as `add` */
  #setLast(value: string, before: number): number {
    const byValue = before > 0 ? this.#valueMap(before) : null;
    const known = byValue?.get(value);
    this.#lastIndex = known ?? this.size;
    this.#last = value;
    if (known !== undefined) return 0;
    byValue?.set(value, this.#lastIndex);
    return value.length + 1;
  }

  /** The map, made for the second distinct value. */
  #valueMap(before: number): Map<string, number> {
    this.indexes ??= Array.from({ length: before }, () => 0);
    return (this.#byValue ??= new Map([[this.#last, 0]]));
  }
}

function textOf({ visit, rule, qr }: NewClick, field: ClickField): string {
  switch (field) {
    case "class":
      return CLASS_LETTERS[visit.class];
    case "rule":
      return rule ?? "";
    case "qr":
      return qr ?? "";
    default:
      return visit[field] ?? "";
  }
}

/** The same clicks with no time before `floor`. */
export function clampTimes(batch: PackedClicks, floor: number): PackedClicks {
  if (batch.at >= floor) return batch;
  const times = unpackTimes(batch).map((at) => Math.max(at, floor));
  return { ...batch, at: floor, times: packTimes(times) };
}

/** Absolute times of a batch's clicks, never falling. */
export function unpackTimes({ at, count, times }: PackedClicks): number[] {
  const reader = times && new ByteReader(times);
  const absolute = [at];
  for (let i = 1, last = at; i < count; i++) absolute.push((last += reader ? reader.varint() : 0));
  return absolute;
}

export function lastTime({ at, times }: PackedClicks): number {
  const reader = times && new ByteReader(times);
  let last = at;
  while (reader && !reader.done) last += reader.varint();
  return last;
}

/** One field of a batch: `values[indexes[i]]` is the i-th click's; no indexes when all share the one value. */
export interface Column {
  values: string[];
  indexes: ArrayLike<number> | null;
}

export type Columns = Record<ClickField, Column>;

/** Whether this release knows the format: a sender may be a release ahead. */
export function isKnownFormat({ columns }: PackedClicks): boolean {
  return readFormatFields(new ByteReader(columns)) !== undefined;
}

/** The columns of a batch. A field that its format does not have yet is not known for any click. */
export function unpackColumns(columns: Uint8Array): Columns {
  const reader = new ByteReader(columns);
  const fields = readFormatFields(reader);
  if (!fields) throw new Error("a batch of clicks has a format that is not known");
  const count = reader.varint();
  const sizes: number[] = [];
  const indexes: Column["indexes"][] = [];
  for (let field = 0; field < fields.length; field++) {
    const size = reader.varint();
    sizes.push(size);
    indexes.push(size > 1 ? reader.indexes(count, size) : null);
  }
  const texts = reader.remainingText().split("\n");
  let start = 0;
  const column = (field: number): Column => {
    const end = start + (sizes[field] ?? 0);
    const values = texts.slice(start, end);
    start = end;
    return { values, indexes: indexes[field] ?? null };
  };
  const known = Object.fromEntries(fields.map((name, field) => [name, column(field)]));
  return fields.length === CLICK_FIELDS.length ? (known as Columns) : { ...unknownColumns(), ...known };
}

/** How many clicks a packed batch holds. */
export function packedCount(columns: Uint8Array): number {
  const reader = new ByteReader(columns);
  reader.varint();
  return reader.varint();
}

/** Reads the number of the format. */
function readFormatFields(reader: ByteReader): readonly ClickField[] | undefined {
  return CLICK_FORMATS[reader.varint() - 1];
}

function unknownColumns(): Columns {
  return Object.fromEntries(CLICK_FIELDS.map((name) => [name, { values: [""], indexes: null }])) as unknown as Columns;
}

export function valueAt({ values, indexes }: Column, click: number): string {
  return values[indexes?.[click] ?? 0] ?? "";
}

/** The class of one click, from its column. */
export function classAt(column: Column, click: number): ClickClass {
  return classOf(valueAt(column, click));
}

function classOf(letter: string): ClickClass {
  return letter === "h" ? "human" : letter === "b" ? "bot" : "prefetch";
}

/** The class column as people: `counts[indexes[i]]` is 1 when the i-th click is a person's, else 0. */
export function humanCounts({ values, indexes }: Column): { counts: number[]; indexes: Column["indexes"] } {
  return { counts: values.map((letter) => (classOf(letter) === "human" ? 1 : 0)), indexes };
}

function packTimes(times: readonly number[]): Uint8Array | null {
  if (times[0] === times.at(-1)) return null;
  const bytes = new ByteWriter();
  for (let i = 1; i < times.length; i++) bytes.varint((times[i] ?? 0) - (times[i - 1] ?? 0));
  return bytes.toBytes();
}
