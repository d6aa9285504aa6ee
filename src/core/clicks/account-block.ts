/**
 * A block of an account's click log: the clicks of many links, in the order of time, each column by itself
 * (block-sections.ts): times, positions, visitors, texts, numbers. Pure.
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
  type ValueColumn,
} from "./block-sections.ts";
import { type AccountField, isNumberField, NUMBER_FIELDS, TEXT_FIELDS } from "./account-fields.ts";
import { ByteReader, ByteWriter } from "./varint-bytes.ts";

export type AccountColumn = ValueColumn<string | number>;

/** Clicks with the columns of an account's log: of a stored block, or such that are not stored yet. */
export interface AccountColumns {
  readonly count: number;
  times: () => Float64Array;
  /** Where each click is in the log of its link, from 0. */
  positions: () => Float64Array;
  /** Six bytes a click; null when none is known. */
  visitors: () => Uint8Array | null;
  column: (field: AccountField) => AccountColumn;
}

const ACCOUNT_BLOCK_FORMAT = 1;
const [TIMES_SECTION, POSITIONS_SECTION, VISITORS_SECTION, FIRST_FIELD_SECTION] = [0, 1, 2, 3];
const BLOCK_FIELDS: readonly AccountField[] = [...TEXT_FIELDS, ...NUMBER_FIELDS];

export function encodeAccountBlock(clicks: AccountColumns): Uint8Array {
  const sections = BLOCK_FIELDS.map((field) => {
    const { values, indexes } = clicks.column(field);
    const each = indexes ?? new Uint16Array(clicks.count);
    return isNumberField(field) ? encodeNumbers(values as number[], each) : encodeTexts(values as string[], each);
  });
  const numbers = [encodeTimes(clicks.times()), encodePositions(clicks), clicks.visitors() ?? new Uint8Array()];
  return encodeSections(ACCOUNT_BLOCK_FORMAT, clicks.count, [...numbers, ...sections]);
}

/** Each as its distance to the one that would follow the last click of the link: 0 for nearly all. */
function encodePositions(clicks: AccountColumns): Uint8Array {
  const positions = clicks.positions();
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

function decodePositions(section: Uint8Array, { values, indexes }: AccountColumn, count: number): Float64Array {
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
export class AccountBlock implements AccountColumns {
  readonly count: number;
  readonly #sections: SectionReader;
  readonly #columns = new Map<AccountField, AccountColumn>();
  #times: Float64Array | null = null;
  #positions: Float64Array | null = null;

  constructor(bytes: Uint8Array) {
    this.#sections = new SectionReader(bytes, ACCOUNT_BLOCK_FORMAT);
    this.count = this.#sections.count;
  }

  times(): Float64Array {
    return (this.#times ??= decodeTimes(this.#sections.at(TIMES_SECTION), this.count));
  }

  positions(): Float64Array {
    const section = this.#sections.at(POSITIONS_SECTION);
    return (this.#positions ??= decodePositions(section, this.column("link"), this.count));
  }

  visitors(): Uint8Array | null {
    const section = this.#sections.at(VISITORS_SECTION);
    return section.length === 0 ? null : section;
  }

  column(field: AccountField): AccountColumn {
    const known = this.#columns.get(field);
    if (known) return known;
    const section = this.#sections.at(FIRST_FIELD_SECTION + BLOCK_FIELDS.indexOf(field));
    const column = isNumberField(field) ? decodeNumbers(section, this.count) : textsOf(section, this.count);
    this.#columns.set(field, column);
    return column;
  }
}

function textsOf(section: Uint8Array, count: number): AccountColumn {
  return section.length === 0 ? { values: [""], indexes: null } : decodeTexts(section, count);
}
