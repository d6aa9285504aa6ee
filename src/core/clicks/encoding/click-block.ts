/**
 * A block of a click log: one dictionary per field for all of its clicks, and separate columns (column-encoding.ts), so
 * that a scan decodes only the columns it needs.
 *
 * Its sections are times; delays (ms from each visit to its time, empty if no time was raised); positions; splits;
 * visitors; then the fields. Pure.
 */
import {
  decodeColumn,
  decodeTimes,
  fixedNumbers,
  encodeColumn,
  encodeSections,
  encodeTimes,
  SectionReader,
  SPLIT_BYTES,
  VISITOR_BYTES,
  ByteReader,
  ByteWriter,
} from "./column-encoding.ts";
import {
  type ClickColumns,
  type ClickNumber,
  type ColumnField,
  isNumberField,
  LazyColumns,
  NUMBER_FIELDS,
  TEXT_FIELDS,
  unknownColumn,
  type ValueColumn,
} from "./click-columns.ts";

const BLOCK_FORMAT = 1;
const BLOCK_FIELDS: readonly ColumnField[] = [...TEXT_FIELDS, ...NUMBER_FIELDS, "imported"];
const TIMES_SECTION = 0;
const NUMBER_SECTIONS: Record<ClickNumber, number> = { delay: 1, position: 2, split: 3, visitor: 4 };
const FIRST_FIELD_SECTION = 5;
const NOTHING = new Uint8Array();

/** @param clicks  at most 65,536 */
export function encodeBlock(clicks: ClickColumns): Uint8Array {
  return encodeSections(BLOCK_FORMAT, clicks.count, [
    encodeTimes(clicks.times()),
    encodeEach(clicks.numbers("delay"), (bytes, delay) => bytes.varint(delay)),
    encodePositions(clicks),
    encodeEach(clicks.numbers("split"), (bytes, split) => bytes.fixedWidth(split, SPLIT_BYTES)),
    encodeEach(clicks.numbers("visitor"), (bytes, visitor) => bytes.fixedWidth(visitor, VISITOR_BYTES)),
    ...BLOCK_FIELDS.map((field) => encodeColumn(clicks.column(field))),
  ]);
}

function encodeEach(numbers: ArrayLike<number> | null, write: (bytes: ByteWriter, number: number) => void): Uint8Array {
  if (!numbers) return NOTHING;
  const bytes = new ByteWriter();
  for (let i = 0; i < numbers.length; i++) write(bytes, numbers[i] ?? 0);
  return bytes.toBytes();
}

/** Encodes each position as its distance from the one after the link's previous click: 0 for nearly all. */
function encodePositions(clicks: ClickColumns): Uint8Array {
  const positions = clicks.numbers("position");
  if (!positions) return NOTHING;
  const { values, indexes } = clicks.column("link");
  const next = new Float64Array(values.length);
  const bytes = new ByteWriter();
  for (let i = 0; i < positions.length; i++) {
    const link = indexes?.[i] ?? 0;
    const distance = (positions[i] ?? 0) - (next[link] ?? 0);
    bytes.varint(distance < 0 ? -2 * distance - 1 : 2 * distance);
    next[link] = (positions[i] ?? 0) + 1;
  }
  return bytes.toBytes();
}

function decodePositions(section: Uint8Array, { values, indexes }: ValueColumn, count: number): Float64Array {
  const reader = new ByteReader(section);
  const next = new Float64Array(values.length);
  const positions = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const link = indexes?.[i] ?? 0;
    const sent = reader.varint();
    positions[i] = (next[link] ?? 0) + (sent % 2 === 1 ? -(sent + 1) / 2 : sent / 2);
    next[link] = (positions[i] ?? 0) + 1;
  }
  return positions;
}

/** A stored block. Columns are decoded on first use. */
export class ClickBlock extends LazyColumns {
  readonly count: number;
  readonly #sections: SectionReader;

  /** Whether this release can read a block. Another release may have stored it. */
  static isKnown(bytes: Uint8Array): boolean {
    return bytes[0] === BLOCK_FORMAT;
  }

  constructor(bytes: Uint8Array) {
    super();
    this.#sections = new SectionReader(bytes, BLOCK_FORMAT);
    this.count = this.#sections.count;
  }

  protected readTimes(): Float64Array {
    return decodeTimes(this.#sections.at(TIMES_SECTION), this.count);
  }

  protected readNumbers(name: ClickNumber): ArrayLike<number> | null {
    const section = this.#sections.at(NUMBER_SECTIONS[name]);
    if (section.length === 0) return null;
    if (name === "position") return decodePositions(section, this.column("link"), this.count);
    if (name !== "delay") return fixedNumbers(section, name === "split" ? SPLIT_BYTES : VISITOR_BYTES);
    const reader = new ByteReader(section);
    return Float64Array.from({ length: this.count }, () => reader.varint());
  }

  protected readColumn(field: ColumnField): ValueColumn {
    const section = this.#sections.at(FIRST_FIELD_SECTION + BLOCK_FIELDS.indexOf(field));
    return section.length === 0 ? unknownColumn(field) : decodeColumn(section, this.count, isNumberField(field));
  }
}
