/**
 * A block of a click log: one dictionary a field for all of its clicks, and each column by itself (column-encoding.ts), so
 * that a scan decodes only what it needs.
 *
 * Its sections are times; delays (ms from each visit to its time, empty where no time was raised); positions; splits;
 * visitors; then the fields. Pure.
 */
import {
  decodeNumbers,
  decodeTexts,
  decodeTimes,
  encodeNumbers,
  encodeSections,
  encodeTexts,
  encodeTimes,
  SectionReader,
} from "./column-encoding.ts";
import {
  type ClickColumns,
  type ColumnField,
  isNumberField,
  LazyColumns,
  NUMBER_FIELDS,
  TEXT_FIELDS,
  type ValueColumn,
} from "./click-columns.ts";
import { ByteReader, ByteWriter } from "./varint-bytes.ts";

const BLOCK_FORMAT = 1;
const BLOCK_FIELDS: readonly ColumnField[] = [...TEXT_FIELDS, ...NUMBER_FIELDS];
const [TIMES_SECTION, DELAYS_SECTION, POSITIONS_SECTION, SPLITS_SECTION, VISITORS_SECTION, FIRST_FIELD_SECTION] = [
  0, 1, 2, 3, 4, 5,
];
const NOTHING = new Uint8Array();

/** @param clicks  at most 65,536 */
export function encodeBlock(clicks: ClickColumns): Uint8Array {
  return encodeSections(BLOCK_FORMAT, clicks.count, [
    encodeTimes(clicks.times()),
    encodeDelays(clicks),
    encodePositions(clicks),
    clicks.splits() ?? NOTHING,
    clicks.visitors() ?? NOTHING,
    ...BLOCK_FIELDS.map((field) =>
      isNumberField(field) ? encodeNumbers(clicks.column(field)) : encodeTexts(clicks.column(field)),
    ),
  ]);
}

function encodeDelays(clicks: ClickColumns): Uint8Array {
  const [times, visits] = [clicks.times(), clicks.visits()];
  if (visits === times) return NOTHING;
  const bytes = new ByteWriter();
  for (let i = 0; i < times.length; i++) bytes.varint((times[i] ?? 0) - (visits[i] ?? 0));
  return bytes.toBytes();
}

/** Each as its distance to the one that would follow the last click of the link: 0 for nearly all. */
function encodePositions(clicks: ClickColumns): Uint8Array {
  const positions = clicks.positions();
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

  /** Whether this release can read a block: another one may have stored it. */
  static isKnown(bytes: Uint8Array): boolean {
    return bytes[0] === BLOCK_FORMAT;
  }

  constructor(bytes: Uint8Array) {
    super();
    this.#sections = new SectionReader(bytes, BLOCK_FORMAT);
    this.count = this.#sections.count;
  }

  visits(): ArrayLike<number> {
    const section = this.#sections.at(DELAYS_SECTION);
    if (section.length === 0) return this.times();
    const delays = new ByteReader(section);
    return Float64Array.from(this.times(), (at) => at - delays.varint());
  }

  splits(): Uint8Array | null {
    return this.#numbers(SPLITS_SECTION);
  }

  visitors(): Uint8Array | null {
    return this.#numbers(VISITORS_SECTION);
  }

  protected readTimes(): Float64Array {
    return decodeTimes(this.#sections.at(TIMES_SECTION), this.count);
  }

  protected readPositions(): Float64Array | null {
    const section = this.#numbers(POSITIONS_SECTION);
    return section && decodePositions(section, this.column("link"), this.count);
  }

  protected readColumn(field: ColumnField): ValueColumn {
    const section = this.#sections.at(FIRST_FIELD_SECTION + BLOCK_FIELDS.indexOf(field));
    return isNumberField(field) ? decodeNumbers(section, this.count) : decodeTexts(section, this.count);
  }

  #numbers(index: number): Uint8Array | null {
    const section = this.#sections.at(index);
    return section.length === 0 ? null : section;
  }
}
