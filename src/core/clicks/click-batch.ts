/**
 * The packed form of a batch of clicks, in which it is sent to the link's object and stored in its log.
 * Each field is a column: its distinct values once, then one index for each click. About 25 bytes a click in a batch of
 * fifty, 70 for a lone one. Line breaks in values become spaces; "" is "not known". Pure.
 */
import { CLICK_FIELDS, CLICK_FORMATS } from "./click-formats.ts";
import type { ClickField } from "./facts.ts";
import type { ClickClass } from "../visitors/visitor.ts";
import { ByteReader, ByteWriter } from "./varint-bytes.ts";

export interface PackedClicks {
  /** Time of the first click. */
  at: number;
  count: number;
  /** Ms from each click to the next, as varints; null when all have the same time. */
  times: Uint8Array | null;
  /** The number of the format, the number of clicks, then the columns. */
  columns: Uint8Array;
}

/** Stored letter of each class; every click has a class. */
export const CLASS_LETTERS: Record<ClickClass, string> = { human: "h", bot: "b", prefetch: "p" };

/** Raises times before `floor` to it. */
export function clampTimes(batch: PackedClicks, floor: number): PackedClicks {
  if (batch.at >= floor) return batch;
  const times = unpackTimes(batch).map((at) => Math.max(at, floor));
  return { ...batch, at: floor, times: packTimes(times) };
}

/** Absolute times of a batch's clicks, epoch ms, never falling. */
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

/** One field of a batch: `values[indexes[i]]` is the i-th click's; no indexes when all clicks share one value. */
export interface Column {
  values: string[];
  indexes: ArrayLike<number> | null;
}

export type Columns = Record<ClickField, Column>;

/** Whether this release can read a batch: during a rollout its sender may run a later one. */
export function isKnownFormat({ columns }: PackedClicks): boolean {
  return readFormatFields(new ByteReader(columns)) !== undefined;
}

/** The columns of a batch. A field that its format lacks is "not known" for every click. */
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

/** Number of clicks in a packed batch. */
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

/** The class column as counts of human clicks: `counts[indexes[i]]` is 1 if the i-th click is human, else 0. */
export function humanCounts({ values, indexes }: Column): { counts: number[]; indexes: Column["indexes"] } {
  return { counts: values.map((letter) => (classOf(letter) === "human" ? 1 : 0)), indexes };
}

export function packTimes(times: readonly number[]): Uint8Array | null {
  if (times[0] === times.at(-1)) return null;
  const bytes = new ByteWriter();
  for (let i = 1; i < times.length; i++) bytes.varint((times[i] ?? 0) - (times[i - 1] ?? 0));
  return bytes.toBytes();
}
