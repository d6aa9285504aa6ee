/**
 * Byte encoding of batch and block columns: indexes of as few bits as needed, numbers of a fixed width, and the
 * sections of a block. A block consists of its format number, the numbers of clicks and of sections, the length of each
 * section, and the sections. So a reader decodes only the columns that it needs. An empty section means unknown. Pure.
 */
import { keepHiddenClass } from "../../hidden-classes.ts";
import type { ValueColumn } from "./click-columns.ts";

/** Bits per index, at most 16; 0 if all indexes are 0. */
function bitsFor(size: number): number {
  return size <= 1 ? 0 : 32 - Math.clz32(size - 1);
}

/** Size of packed indexes in bytes. */
export function packedLength(count: number, size: number): number {
  return Math.ceil((count * bitsFor(size)) / 8);
}

/** @param size  at most 65,536 */
export function packIndexes(indexes: ArrayLike<number>, size: number): Uint8Array {
  const bytes = new Uint8Array(packedLength(indexes.length, size));
  const bits = bitsFor(size);
  let [at, rest, restBits] = [0, 0, 0];
  for (let i = 0; i < indexes.length; i++) {
    rest |= (indexes[i] ?? 0) << restBits;
    for (restBits += bits; restBits >= 8; restBits -= 8) {
      bytes[at++] = rest & 255;
      rest >>>= 8;
    }
  }
  if (restBits > 0) bytes[at] = rest;
  return bytes;
}

/** @returns null if all indexes are 0; a view if an index is a byte */
export function unpackIndexes(bytes: Uint8Array, count: number, size: number): Uint8Array | Uint16Array | null {
  const bits = bitsFor(size);
  if (bits === 0) return null;
  if (bits === 8) return bytes;
  const indexes = bits < 8 ? new Uint8Array(count) : new Uint16Array(count);
  const mask = (1 << bits) - 1;
  let [at, rest, restBits] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    for (; restBits < bits; restBits += 8) rest |= (bytes[at++] ?? 0) << restBits;
    indexes[i] = rest & mask;
    rest >>>= bits;
    restBits -= bits;
  }
  return indexes;
}

/** Bytes of a click's numbers. */
export const SPLIT_BYTES = 2;
export const VISITOR_BYTES = 6;

/**
 * One number per click of a batch, in a fixed number of bytes, lowest first. Nothing is kept while it is unknown for
 * every click.
 */
export class NumberColumn {
  /** Null while none is known. */
  #values: number[] | null = null;
  readonly #width: number;
  readonly #unknown: number;

  /** @param width  bytes per number, at most 6 @param unknown  value that means unknown */
  constructor(width: number, unknown: number) {
    this.#width = width;
    this.#unknown = unknown;
  }

  get isUsed(): boolean {
    return this.#values !== null;
  }

  /** @param before  number of clicks before this one */
  add(value: number, before: number): void {
    if (value !== this.#unknown) this.#values ??= this.#unknowns(before);
    this.#values?.push(value);
  }

  /** @param count  number of all clicks */
  set(click: number, value: number, count: number): void {
    (this.#values ??= this.#unknowns(count))[click] = value;
  }

  write(bytes: ByteWriter): void {
    for (const value of this.#values ?? []) bytes.fixedWidth(value, this.#width);
  }

  #unknowns(count: number): number[] {
    return Array.from({ length: count }, () => this.#unknown);
  }
}

/** The number of the i-th click. @internal */
export function numberAt(bytes: Uint8Array, width: number, i: number): number {
  let value = 0;
  for (let at = (i + 1) * width - 1; at >= i * width; at--) value = value * 256 + (bytes[at] ?? 0);
  return value;
}

/** @param width  bytes per number */
export function fixedNumbers(bytes: Uint8Array, width: number): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < bytes.length / width; i++) numbers.push(numberAt(bytes, width, i));
  return numbers;
}

/** Empty sections at the end are left out. */
export function encodeSections(format: number, count: number, sections: readonly Uint8Array[]): Uint8Array {
  const bytes = new ByteWriter();
  const used = sections.slice(0, sections.findLastIndex(({ length }) => length > 0) + 1);
  for (const value of [format, count, used.length]) bytes.varint(value);
  for (const { length } of used) bytes.varint(length);
  for (const section of sections) bytes.bytes(section);
  return bytes.toBytes();
}

export class SectionReader {
  readonly count: number;
  readonly #bytes: Uint8Array;
  readonly #lengths: readonly number[];
  /** Where each section begins. */
  readonly #starts: number[] = [];

  constructor(bytes: Uint8Array, format: number) {
    const reader = new ByteReader(bytes);
    if (reader.varint() !== format) throw new Error("a block of clicks has an unknown format");
    this.count = reader.varint();
    this.#bytes = bytes;
    this.#lengths = Array.from({ length: reader.varint() }, () => reader.varint());
    let start = bytes.length - this.#lengths.reduce((sum, length) => sum + length, 0);
    for (const length of this.#lengths) {
      this.#starts.push(start);
      start += length;
    }
  }

  at(index: number): Uint8Array {
    const [start = 0, length = 0] = [this.#starts[index], this.#lengths[index]];
    return this.#bytes.subarray(start, start + length);
  }
}

/** Encodes the first time, epoch ms, then ms from each to the next. */
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

/** Encodes the number of values, the indexes, and the values: numbers one by one, texts as lines. */
export function encodeColumn({ values, indexes }: ValueColumn): Uint8Array {
  if (values.length === 1 && (values[0] === "" || values[0] === 0)) return new Uint8Array();
  const bytes = new ByteWriter();
  bytes.varint(values.length);
  bytes.bytes(packIndexes(indexes ?? [], values.length));
  if (typeof values[0] === "string") bytes.text(values.join("\n"));
  else for (const value of values) bytes.varint(Number(value));
  return bytes.toBytes();
}

/** @param section  not empty */
export function decodeColumn(section: Uint8Array, count: number, isOfNumbers: boolean): ValueColumn {
  const reader = new ByteReader(section);
  const size = reader.varint();
  const indexes = unpackIndexes(reader.bytes(packedLength(count, size)), count, size);
  const numbers = isOfNumbers ? Array.from({ length: size }, () => reader.varint()) : null;
  return { values: numbers ?? reader.remainingText().split("\n"), indexes };
}

/**
 * Writer and reader of the stored click formats: unsigned varints (LEB128) and numbers of a fixed width, with UTF-8
 * text at the end. The reader does not check bounds: past the end every number reads as 0.
 */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  varint(value: number): void {
    this.#reserve(8);
    while (value >= 128) {
      this.#bytes[this.#length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.#bytes[this.#length++] = value;
  }

  /** Writes the lowest byte first. */
  fixedWidth(value: number, width: number): void {
    this.#reserve(width);
    for (let byte = 0, rest = value; byte < width; byte++, rest = Math.floor(rest / 256)) {
      this.#bytes[this.#length++] = rest % 256;
    }
  }

  text(text: string): void {
    this.bytes(new TextEncoder().encode(text));
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** A byte order mark is kept as a character of the text. */
const utf8 = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

export class ByteReader {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  }

  /** Returns a view without copying; shorter than `count` if the bytes end. */
  bytes(count: number): Uint8Array {
    return this.#bytes.subarray(this.#at, (this.#at += count));
  }

  remainingText(): string {
    return utf8.decode(this.#bytes.subarray(this.#at));
  }
}

keepHiddenClass(new ByteWriter());
keepHiddenClass(new ByteReader(new Uint8Array()));
