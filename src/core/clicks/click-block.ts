/**
 * A complete block of a click log, packed again by the first scan: one dictionary a field for all of its clicks, and each column
 * by itself, so that a scan decodes only what it needs.
 *
 * Stored as the number of the format, of clicks and of sections, the length of each section, then the sections: times
 * (the first, then ms from each to the next), splits, visitors, delays (ms from each visit to its time), the fields. A field is the number of its values, the
 * indexes (packed-indexes.ts), and the values in lines; an empty section is "not known". Pure.
 */
import { type Column, UNKNOWN_COLUMN } from "./click-batch.ts";
import { CLICK_FIELDS } from "./click-formats.ts";
import type { ClickSlice } from "./click-slice.ts";
import type { StoredField } from "./facts.ts";
import { SPLIT_BYTES, VISITOR_BYTES } from "./number-column.ts";
import { ByteReader, ByteWriter } from "./varint-bytes.ts";
import { encodeSections, encodeTexts, encodeTimes, decodeTexts, decodeTimes, SectionReader } from "./block-sections.ts";

export type BlockField = "class" | "query" | StoredField;

const BLOCK_FORMAT = 2;
const BLOCK_FIELDS: readonly BlockField[] = CLICK_FIELDS.map((field) => (field === "rule" ? "route" : field));
const [TIMES_SECTION, SPLITS_SECTION, VISITORS_SECTION, DELAYS_SECTION, FIRST_FIELD_SECTION] = [0, 1, 2, 3, 4];
const UNKNOWN_SPLIT_BYTE = 0xff;

export function encodeBlock(clicks: readonly ClickSlice[]): Uint8Array {
  const count = clicks.reduce((sum, { from, to }) => sum + to - from, 0);
  const sections = [
    encodeTimes(timesOf(clicks)),
    joinNumbers(clicks.map(numbersOf("splits", SPLIT_BYTES)), count * SPLIT_BYTES, UNKNOWN_SPLIT_BYTE),
    joinNumbers(clicks.map(numbersOf("visitors", VISITOR_BYTES)), count * VISITOR_BYTES, 0),
    encodeDelays(clicks),
    ...BLOCK_FIELDS.map((field) => encodeField(field, clicks, count)),
  ];
  return encodeSections(BLOCK_FORMAT, count, sections);
}

function* timesOf(clicks: readonly ClickSlice[]): Generator<number> {
  for (const { times, from, to } of clicks) for (let i = from; i < to; i++) yield times[i] ?? 0;
}

/** Nothing where no time was raised. */
function encodeDelays(clicks: readonly ClickSlice[]): Uint8Array {
  const bytes = new ByteWriter();
  if (clicks.every(({ visits }) => visits === undefined)) return bytes.toBytes();
  for (const { times, visits = times, from, to } of clicks) {
    for (let i = from; i < to; i++) bytes.varint((times[i] ?? 0) - (visits[i] ?? 0));
  }
  return bytes.toBytes();
}

interface NumbersPart {
  bytes: Uint8Array | null;
  length: number;
}

function numbersOf(name: "splits" | "visitors", width: number): (slice: ClickSlice) => NumbersPart {
  return ({ columns, from, to }) => ({
    bytes: columns[name]?.subarray(from * width, to * width) ?? null,
    length: (to - from) * width,
  });
}

function joinNumbers(parts: readonly NumbersPart[], length: number, unknown: number): Uint8Array {
  if (parts.every(({ bytes }) => bytes === null)) return new Uint8Array();
  const joined = new Uint8Array(length).fill(unknown);
  let at = 0;
  for (const part of parts) {
    if (part.bytes) joined.set(part.bytes, at);
    at += part.length;
  }
  return joined;
}

function encodeField(field: BlockField, clicks: readonly ClickSlice[], count: number): Uint8Array {
  const { values, indexes } = joinColumns(field, clicks, count);
  return encodeTexts(values, indexes);
}

function joinColumns(field: BlockField, clicks: readonly ClickSlice[], count: number) {
  const ids = new Map<string, number>();
  const indexes = new Uint16Array(count);
  let at = 0;
  for (const { columns, revision, from, to } of clicks) {
    if (from === to) continue;
    const column = columns[field === "route" ? "rule" : field];
    const idAt = (value: number) => idOf(ids, storedValue(field, revision, column.values[value] ?? ""));
    const known: number[] = [];
    if (!column.indexes) indexes.fill(idAt(0), at, at + to - from);
    for (let i = from; column.indexes && i < to; i++) {
      const value = column.indexes[i] ?? 0;
      indexes[at + i - from] = known[value] ??= idAt(value);
    }
    at += to - from;
  }
  return { values: [...ids.keys()], indexes };
}

/** What clicks are counted by: of a rule also the revision that it belongs to. */
export function storedValue(field: BlockField, revision: number, value: string): string {
  return field === "route" ? `${revision}.${value}` : value;
}

function idOf(ids: Map<string, number>, value: string): number {
  const known = ids.get(value);
  if (known !== undefined) return known;
  ids.set(value, ids.size);
  return ids.size - 1;
}

/** A packed block. Columns are decoded on first use. */
export class ClickBlock {
  readonly count: number;
  readonly #sections: SectionReader;
  readonly #columns = new Map<BlockField, Column>();

  /** Whether this release can read a block: an earlier one may have stored it. */
  static isKnown(bytes: Uint8Array): boolean {
    return bytes[0] === BLOCK_FORMAT;
  }

  constructor(bytes: Uint8Array) {
    this.#sections = new SectionReader(bytes, BLOCK_FORMAT);
    this.count = this.#sections.count;
  }

  times(): Float64Array {
    return decodeTimes(this.#sections.at(TIMES_SECTION), this.count);
  }

  /** When each visit was, before its time was raised (click-times.ts). */
  visits(): Float64Array {
    const times = this.times();
    const section = this.#sections.at(DELAYS_SECTION);
    if (section.length === 0) return times;
    const delays = new ByteReader(section);
    return times.map((at) => at - delays.varint());
  }

  /** As in a batch: two bytes a click; null when none is known. */
  splits(): Uint8Array | null {
    return this.#numbers(SPLITS_SECTION);
  }

  /** As in a batch: six bytes a click; null when none is known. */
  visitors(): Uint8Array | null {
    return this.#numbers(VISITORS_SECTION);
  }

  column(field: BlockField): Column {
    const known = this.#columns.get(field);
    if (known) return known;
    const section = this.#sections.at(FIRST_FIELD_SECTION + BLOCK_FIELDS.indexOf(field));
    const column = section.length === 0 ? UNKNOWN_COLUMN : decodeTexts(section, this.count);
    this.#columns.set(field, column);
    return column;
  }

  #numbers(index: number): Uint8Array | null {
    const section = this.#sections.at(index);
    return section.length === 0 ? null : section;
  }
}
