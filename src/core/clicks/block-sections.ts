/**
 * A block of clicks as sections: the number of the format, of clicks and of sections, the length of each section, then the
 * sections. So a reader decodes only the columns that it needs; an empty section is "not known". Pure.
 */
import type { ValueColumn } from "./click-columns.ts";
import { packedLength, packIndexes, unpackIndexes } from "./packed-indexes.ts";
import { ByteReader, ByteWriter } from "./varint-bytes.ts";

export function encodeSections(format: number, count: number, sections: readonly Uint8Array[]): Uint8Array {
  const bytes = new ByteWriter();
  for (const value of [format, count, sections.length]) bytes.varint(value);
  for (const { length } of sections) bytes.varint(length);
  for (const section of sections) bytes.bytes(section);
  return bytes.toBytes();
}

export class SectionReader {
  readonly count: number;
  readonly #sections: Uint8Array[];

  constructor(bytes: Uint8Array, format: number) {
    const reader = new ByteReader(bytes);
    if (reader.varint() !== format) throw new Error("a block of clicks has a format that is not known");
    this.count = reader.varint();
    const lengths = Array.from({ length: reader.varint() }, () => reader.varint());
    this.#sections = lengths.map((length) => reader.bytes(length));
  }

  at(index: number): Uint8Array {
    return this.#sections[index] ?? new Uint8Array();
  }
}

/** The first, epoch ms, then ms from each to the next. */
export function encodeTimes(times: ArrayLike<number>): Uint8Array {
  const bytes = new ByteWriter();
  for (let i = 0, last = 0; i < times.length; i++) {
    const at = times[i] ?? 0;
    bytes.varint(at - last);
    last = at;
  }
  return bytes.toBytes();
}

export function decodeTimes(section: Uint8Array, count: number): Float64Array {
  const reader = new ByteReader(section);
  const times = new Float64Array(count);
  for (let i = 0, last = 0; i < count; i++) times[i] = last += reader.varint();
  return times;
}

/** The number of values, the indexes, and the values in lines. */
export function encodeTexts({ values, indexes }: ValueColumn<string>): Uint8Array {
  if (values.length === 1 && values[0] === "") return new Uint8Array();
  const bytes = new ByteWriter();
  bytes.varint(values.length);
  bytes.bytes(packIndexes(indexes ?? [], values.length));
  bytes.text(values.join("\n"));
  return bytes.toBytes();
}

export function decodeTexts(section: Uint8Array, count: number): ValueColumn<string> {
  if (section.length === 0) return { values: [""], indexes: null };
  const reader = new ByteReader(section);
  const size = reader.varint();
  const indexes = unpackIndexes(reader.bytes(packedLength(count, size)), count, size);
  return { values: reader.remainingText().split("\n"), indexes };
}

/** As texts, but of numbers, in ascending order, each as its distance to the one before. */
export function encodeNumbers({ values, indexes }: ValueColumn<number>): Uint8Array {
  if (values.length === 1 && values[0] === 0) return new Uint8Array();
  const order = values.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const places = new Uint16Array(values.length);
  const bytes = new ByteWriter();
  bytes.varint(values.length);
  let last = 0;
  for (const [place, i] of order.entries()) {
    places[i] = place;
    bytes.varint((values[i] ?? 0) - last);
    last = values[i] ?? 0;
  }
  const placed = new Uint16Array(indexes?.length ?? 0);
  for (let i = 0; i < placed.length; i++) placed[i] = places[indexes?.[i] ?? 0] ?? 0;
  bytes.bytes(packIndexes(placed, values.length));
  return bytes.toBytes();
}

export function decodeNumbers(section: Uint8Array, count: number): ValueColumn<number> {
  if (section.length === 0) return { values: [0], indexes: null };
  const reader = new ByteReader(section);
  const size = reader.varint();
  let last = 0;
  const values = Array.from({ length: size }, () => (last += reader.varint()));
  return { values, indexes: unpackIndexes(reader.bytes(packedLength(count, size)), count, size) };
}
