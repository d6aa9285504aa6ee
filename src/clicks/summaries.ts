/**
 * Counts over a link's click log, so that any range costs a few rows, however many clicks it holds.
 *
 * Blocks of 1,024 clicks; 8 blocks of one level make one of the next. On the lowest level, which takes most of the
 * storage, a summary's tallies count its own block. Above they run from the start of the parent block (on the top
 * level: from the first click) to the end of the block, so that one row a level gives the counts up to any block. A
 * histogram covers its own block only: bins are added up, not subtracted.
 */
import { ClickBlock, encodeBlock } from "../core/clicks/click-block.ts";
import { histogramOf, tallyOf } from "../core/clicks/click-counts.ts";
import type { ClickSlice } from "../core/clicks/click-slice.ts";
import { decodeHistogram, encodeHistogram, type Histogram, joinHistograms } from "../core/clicks/histogram.ts";
import { isCodeField, type StoredField } from "../core/clicks/facts.ts";
import { STORED_FIELDS } from "../core/clicks/stats.ts";
import {
  addClicks,
  decodeTally,
  encodeTally,
  mergeTally,
  mergeEncodedTally,
  type Tally,
} from "../core/clicks/tally.ts";
import { hasTable } from "./schema.ts";

export const BLOCK_CLICKS = 1_024;
const FAN_OUT = 8;
const LEVELS = 5;
/**
 * Room for `LINK_QR_CODES_MAX` codes, so that no code's scans are ever folded into `other`. Visitors cannot add keys: a
 * token counts only with its keyed checksum (core/qr/token.ts).
 */
const QR_TALLY_MAX_BYTES = 192 * 1024;
/** Limit for fields whose values are codes of a short list: room for some 280. */
const CODES_TALLY_MAX_BYTES = 3 * 1024;
/** A packed block that would make its row longer is not stored; its clicks are read from their batches instead. */
const ROW_MAX_BYTES = 900_000;
/** A field that is not null in any row with tallies. */
const ALWAYS_STORED_FIELD = "country";

export class Summaries {
  readonly #sql: SqlStorage;
  #hasTable: boolean;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#hasTable = hasTable(sql, "summaries");
  }

  /** Writes the summary of the block that ends at position `end`, and those of all larger blocks that it completes. */
  write(end: number, clicks: readonly ClickSlice[]): void {
    if (!this.#hasTable) this.#createTable();
    let tallies = new Map(STORED_FIELDS.map((field) => [field, tallyOf(field, clicks)]));
    let histogram: Histogram | null = histogramOf(clicks);
    for (let level = 0, index = end / BLOCK_CLICKS - 1; level < LEVELS; level++, index = (index + 1) / FAN_OUT - 1) {
      if (level > 0) {
        histogram = joinHistograms(this.#childHistograms(level, index));
        tallies = this.#addedToPreviousSibling(level, index, tallies);
      }
      const completes = level < LEVELS - 1 && (index + 1) % FAN_OUT === 0;
      this.#insert(level, index, completes ? null : tallies, histogram, level === 0 ? encodeBlock(clicks) : null);
      if (!completes) return;
      if (level === 0) tallies = this.#addedToAllSiblings(index, tallies);
    }
  }

  /** Adds the counts of the clicks at `[from, to)`, multiples of a block. Rows that would cancel out are not read. */
  addCounts(tally: Tally, field: StoredField, from: number, to: number): void {
    const [first, end] = [from / BLOCK_CLICKS, to / BLOCK_CLICKS];
    const haveSameParent = firstSibling(0, first) === firstSibling(0, end);
    for (let i = haveSameParent ? first : firstSibling(0, end); i < end; i++) this.#addBlock(tally, 0, i, field, 1);
    if (!haveSameParent) for (let i = firstSibling(0, first); i < first; i++) this.#addBlock(tally, 0, i, field, -1);
    for (let level = 1; level < LEVELS; level++) {
      const [before, upTo] = [from, to].map((position) => Math.floor(position / clicksPerBlock(level))) as [
        number,
        number,
      ];
      if (before === upTo) return;
      if (upTo > firstSibling(level, upTo)) this.#addBlock(tally, level, upTo - 1, field, 1);
      if (before > firstSibling(level, before)) this.#addBlock(tally, level, before - 1, field, -1);
    }
  }

  /** The histograms of the blocks that make up `[from, to)`, multiples of a block, in order; the largest that fit. */
  *histograms(from: number, to: number, fine: boolean): Generator<Histogram> {
    for (let position = from; position < to;) {
      let level = LEVELS - 1;
      while (level > 0 && (position % clicksPerBlock(level) > 0 || position + clicksPerBlock(level) > to)) level--;
      yield* this.#histogramsOf(level, position / clicksPerBlock(level), fine);
      position += clicksPerBlock(level);
    }
  }

  /** A block's histogram; those of its children when it is coarser than requested, or was too long to store. */
  *#histogramsOf(level: number, index: number, fine: boolean): Generator<Histogram> {
    const histogram = this.#readHistogram(level, index);
    if (histogram && (histogram.fine || !fine || level === 0)) yield histogram;
    else for (let i = 0; i < FAN_OUT; i++) yield* this.#histogramsOf(level - 1, index * FAN_OUT + i, fine);
  }

  /** Tallies of a block, added to those of its siblings before it. */
  #addedToPreviousSibling(level: number, index: number, tallies: Map<StoredField, Tally>): Map<StoredField, Tally> {
    if (index === firstSibling(level, index)) return tallies;
    return new Map(
      STORED_FIELDS.map((field) => {
        // The sibling's keys first: a key that is named once stays named (core/clicks/tally.ts).
        const tally: Tally = new Map();
        this.#addBlock(tally, level, index - 1, field, 1);
        mergeTally(tally, tallies.get(field) ?? new Map());
        return [field, tally];
      }),
    );
  }

  /** Tallies of a lowest block that completes its parent, and of all its siblings, the first one's keys first. */
  #addedToAllSiblings(index: number, tallies: Map<StoredField, Tally>): Map<StoredField, Tally> {
    return new Map(
      STORED_FIELDS.map((field) => {
        const tally: Tally = new Map();
        for (let i = firstSibling(0, index); i < index; i++) this.#addBlock(tally, 0, i, field, 1);
        mergeTally(tally, tallies.get(field) ?? new Map());
        return [field, tally];
      }),
    );
  }

  #childHistograms(level: number, index: number): (Histogram | null)[] {
    return Array.from({ length: FAN_OUT }, (_, i) => this.#readHistogram(level - 1, index * FAN_OUT + i));
  }

  #insert(
    level: number,
    index: number,
    tallies: Map<StoredField, Tally> | null,
    histogram: Histogram | null,
    block: Uint8Array | null,
  ): void {
    const counts = STORED_FIELDS.map((field) => tallies && encodeFieldTally(field, tallies.get(field) ?? new Map()));
    const blobs = [...counts, histogram && encodeHistogram(histogram)];
    const room = ROW_MAX_BYTES - blobs.reduce((sum, blob) => sum + (blob?.length ?? 0), 0);
    this.#sql.exec(
      `INSERT INTO summaries (id, ${STORED_FIELDS.join(", ")}, histogram, clicks)
       VALUES (?, ${STORED_FIELDS.map(() => "?").join(", ")}, ?, ?)`,
      summaryId(level, index),
      ...blobs,
      block && block.length <= room ? block : null,
    );
  }

  /** The clicks of a block; null where they are not stored here. */
  block(index: number): ClickBlock | null {
    const [row] = this.#sql
      .exec<{ clicks: ArrayBuffer | null }>("SELECT clicks FROM summaries WHERE id = ?", summaryId(0, index))
      .toArray();
    return row?.clicks ? new ClickBlock(new Uint8Array(row.clicks)) : null;
  }

  #addBlock(tally: Tally, level: number, index: number, field: StoredField, sign: 1 | -1): void {
    const stored = this.#readTally(level, index, field);
    if (stored) mergeEncodedTally(tally, stored, sign);
    else this.#addBlockAsUnknown(tally, level, index, sign);
  }

  /** Counts a block that was summarised before the field existed: its value is not known for any click. */
  #addBlockAsUnknown(tally: Tally, level: number, index: number, sign: 1 | -1): void {
    const stored = this.#readTally(level, index, ALWAYS_STORED_FIELD);
    const counts = stored ? [...decodeTally(stored).values()] : [];
    for (const { human, nonHuman } of counts) addClicks(tally, "", sign * human, sign * nonHuman);
  }

  #readTally(level: number, index: number, field: StoredField): Uint8Array | null {
    const { tally } = this.#sql
      .exec<{ tally: ArrayBuffer | null }>(
        `SELECT ${field} AS tally FROM summaries WHERE id = ?`,
        summaryId(level, index),
      )
      .one();
    return tally && new Uint8Array(tally);
  }

  #readHistogram(level: number, index: number): Histogram | null {
    const { histogram } = this.#sql
      .exec<{ histogram: ArrayBuffer | null }>("SELECT histogram FROM summaries WHERE id = ?", summaryId(level, index))
      .one();
    return histogram && decodeHistogram(new Uint8Array(histogram));
  }

  #createTable(): void {
    this.#sql.exec(`
      CREATE TABLE summaries (
        id INTEGER PRIMARY KEY, -- index of the block * ${LEVELS} + level
        ${STORED_FIELDS.map((field) => `${field} BLOB,`).join(" ")} -- tallies (core/clicks/tally.ts); null where the level above has them, and in rows older than the field
        histogram BLOB, -- core/clicks/histogram.ts; null where it would be too long, and its parts have it
        clicks BLOB -- core/clicks/click-block.ts, of the lowest level; null where it would be too long, and in rows older than it
      ) STRICT`);
    this.#hasTable = true;
  }
}

function encodeFieldTally(field: StoredField, tally: Tally): Uint8Array {
  if (field === "qr") return encodeTally(tally, QR_TALLY_MAX_BYTES);
  return isCodeField(field) ? encodeTally(tally, CODES_TALLY_MAX_BYTES) : encodeTally(tally);
}

function clicksPerBlock(level: number): number {
  return BLOCK_CLICKS * FAN_OUT ** level;
}

/** Index of the first block that shares its parent with block `index`; the top level has one parent for all. */
function firstSibling(level: number, index: number): number {
  return level === LEVELS - 1 ? 0 : index - (index % FAN_OUT);
}

function summaryId(level: number, index: number): number {
  return index * LEVELS + level;
}
