/**
 * The packed form of a batch of clicks, in which it is sent to the link's object and stored in its log. Each field is a
 * column: its distinct values once, then one index per click. A click takes about 25 bytes in a batch of fifty, 70
 * alone, and up to 8 more for its numbers. Line breaks in values become spaces; "" means unknown. Pure.
 */
import type { ValueColumn } from "./click-columns.ts";
import { BATCH_FORMAT, CLICK_FIELDS } from "./click-formats.ts";
import { packedLength, SPLIT_BYTES, unpackIndexes, VISITOR_BYTES, ByteReader, ByteWriter } from "./column-encoding.ts";
import type { ClickField } from "../facts.ts";
import type { ClickClass } from "../../visitors/fact-values.ts";

export interface PackedClicks {
  /** Time of the first click. */
  at: number;
  count: number;
  /** Ms from each click to the next (click-batch.ts); null when all have the same time. */
  times: Uint8Array | null;
  /** Format number, number of clicks, then numbers and columns. */
  columns: Uint8Array;
}

/** One field of a batch. */
export type TextColumn = ValueColumn<string>;

export interface BatchColumns extends Record<ClickField, TextColumn> {
  /** Two bytes per click (core/visitors/split.ts); null when none is known. */
  splits: Uint8Array | null;
  /** Six bytes per click; null when none is known. */
  visitors: Uint8Array | null;
}

/** Contents of a batch. `fields` are the first ones of its format. */
export interface BatchLayout {
  count: number;
  fields: readonly ClickField[];
  hasSplits: boolean;
  hasVisitors: boolean;
}

const SPLITS_FLAG = 1;
const VISITORS_FLAG = 2;
const FLAGS = 4;

export function writeLayout(bytes: ByteWriter, { count, fields, ...has }: BatchLayout): void {
  bytes.varint(BATCH_FORMAT);
  bytes.varint(count);
  const flags = (has.hasSplits ? SPLITS_FLAG : 0) + (has.hasVisitors ? VISITORS_FLAG : 0);
  bytes.varint(fields.length * FLAGS + flags);
}

/** @returns null when the format is unknown */
function readLayout(reader: ByteReader): BatchLayout | null {
  const format = reader.varint();
  if (format < 1 || format > BATCH_FORMAT) return null;
  const count = reader.varint();
  const head = reader.varint();
  return {
    count,
    fields: CLICK_FIELDS.slice(0, Math.floor(head / FLAGS)),
    hasSplits: (head & SPLITS_FLAG) > 0,
    hasVisitors: (head & VISITORS_FLAG) > 0,
  };
}

/** Whether this release can read a batch. During a rollout, its sender may run a later release. */
export function isKnownFormat({ columns }: Pick<PackedClicks, "columns">): boolean {
  return readLayout(new ByteReader(columns)) !== null;
}

/**
 * The columns of a batch. A missing field is unknown for every click.
 * @param fields  the only fields to unpack; the columns of others are as if they were missing
 */
export function unpackColumns(columns: Uint8Array, fields: readonly string[] = CLICK_FIELDS): BatchColumns {
  const reader = new ByteReader(columns);
  const layout = readLayout(reader);
  if (!layout) throw new Error("a batch of clicks has an unknown format");
  const { count, hasSplits, hasVisitors } = layout;
  const splits = hasSplits ? reader.bytes(count * SPLIT_BYTES) : null;
  const visitors = hasVisitors ? reader.bytes(count * VISITOR_BYTES) : null;
  return { ...UNKNOWN_COLUMNS, ...readColumns(reader, layout, fields), splits, visitors };
}

function readColumns(
  reader: ByteReader,
  { count, fields }: BatchLayout,
  wanted: readonly string[],
): Partial<Record<ClickField, TextColumn>> {
  const packed = fields.map((name) => {
    const size = reader.varint();
    return { name, size, indexes: size > 1 ? reader.bytes(packedLength(count, size)) : null };
  });
  const texts = reader.remainingText().split("\n");
  const columns: Partial<Record<ClickField, TextColumn>> = {};
  let start = 0;
  for (const { name, size, indexes } of packed) {
    const end = start + size;
    if (wanted.includes(name)) {
      columns[name] = { values: texts.slice(start, end), indexes: indexes && unpackIndexes(indexes, count, size) };
    }
    start = end;
  }
  return columns;
}

/** Number of clicks in a packed batch. */
export function packedCount(columns: Uint8Array): number {
  const reader = new ByteReader(columns);
  reader.varint();
  return reader.varint();
}

/** Column of a field that is unknown for every click. */
const UNKNOWN_COLUMN: TextColumn = { values: [""], indexes: null };

const UNKNOWN_COLUMNS = Object.fromEntries(CLICK_FIELDS.map((name) => [name, UNKNOWN_COLUMN])) as unknown as Record<
  ClickField,
  TextColumn
>;

export function valueAt({ values, indexes }: TextColumn, click: number): string {
  return values[indexes?.[click] ?? 0] ?? "";
}

/** The class of one click, from its column. */
export function classAt(column: TextColumn, click: number): ClickClass {
  return classOf(valueAt(column, click));
}

/** The class stored as a letter. */
function classOf(letter: string): ClickClass {
  return letter === "h" ? "human" : letter === "b" ? "bot" : "prefetch";
}

/** The class column as counts of human clicks: `counts[indexes[i]]` is 1 if the i-th click is human, else 0. */
export function humanCounts({ values, indexes }: TextColumn): { counts: number[]; indexes: TextColumn["indexes"] } {
  return { counts: values.map((letter) => (classOf(letter) === "human" ? 1 : 0)), indexes };
}

/** The times of a batch's clicks: the first, epoch ms, then ms from each click to the next as varints. */
type BatchTimes = Pick<PackedClicks, "at" | "count" | "times">;

/** @returns null when all times are the same */
export function packTimes(times: readonly number[]): Uint8Array | null {
  if (times[0] === times.at(-1)) return null;
  const bytes = new ByteWriter();
  for (let i = 1; i < times.length; i++) bytes.varint((times[i] ?? 0) - (times[i - 1] ?? 0));
  return bytes.toBytes();
}

/** Returns absolute times, which never decrease. */
export function unpackTimes({ at, count, times }: BatchTimes): number[] {
  const reader = times && new ByteReader(times);
  const absolute = [at];
  for (let i = 1, last = at; i < count; i++) absolute.push((last += reader ? reader.varint() : 0));
  return absolute;
}

export function lastTime({ at, times }: BatchTimes): number {
  const reader = times && new ByteReader(times);
  let last = at;
  while (reader && !reader.done) last += reader.varint();
  return last;
}

/** Raises times before `floor` to `floor`. */
export function clampTimes(batch: PackedClicks, floor: number): PackedClicks {
  if (batch.at >= floor) return batch;
  const times = unpackTimes(batch).map((at) => Math.max(at, floor));
  return { ...batch, at: floor, times: packTimes(times) };
}

/** Packs the times of visits before `clampTimes` raised them, which are stored beside the raised ones. */
export function packVisitTimes({ at, times }: BatchTimes, raised: BatchTimes): Uint8Array {
  const bytes = new ByteWriter();
  bytes.varint(raised.at - at);
  if (times) bytes.bytes(times);
  return bytes.toBytes();
}

/** @param raised  the batch as stored @param packed  by `packVisitTimes` */
export function unpackVisitTimes({ at, count }: BatchTimes, packed: Uint8Array): number[] {
  const reader = new ByteReader(packed);
  const first = at - reader.varint();
  const times = reader.done ? null : reader.bytes(packed.length);
  return unpackTimes({ at: first, count, times });
}

/** Some consecutive clicks of one stored batch, from index `from` to before `to`. */
export interface ClickSlice {
  /** Position of the batch's first click in the log. */
  position: number;
  revision: number;
  columns: BatchColumns;
  times: number[];
  /** The times before they were raised (click-batch.ts); omitted if they are the same or not stored. */
  visits?: readonly number[];
  from: number;
  to: number;
}

/** The parts of slices at positions `[from, to)`. */
export function clipSlices(slices: readonly ClickSlice[], from: number, to: number): ClickSlice[] {
  return slices.flatMap((slice) => {
    const [first, end] = [Math.max(from - slice.position, slice.from), Math.min(to - slice.position, slice.to)];
    return first < end ? [{ ...slice, from: first, to: end }] : [];
  });
}
