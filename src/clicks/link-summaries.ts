/**
 * The summaries of a link's click log (summaries.ts) in its object's SQLite: a row for each block, which on the lowest
 * level also has the block's clicks, packed for scans, from the first scan on: a link that nobody asks about under
 * filters stores its clicks once.
 */
import { ClickBlock, encodeBlock } from "../core/clicks/click-block.ts";
import { histogramOf, tallyOf } from "../core/clicks/click-counts.ts";
import type { ClickSlice } from "../core/clicks/click-slice.ts";
import { decodeHistogram, encodeHistogram, type Histogram } from "../core/clicks/histogram.ts";
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
import { type BlockPlace, LEVELS, Summaries, type Summary, type SummaryRows, summaryId } from "./summaries.ts";

export const BLOCK_CLICKS = 1_024;
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

export class LinkSummaries {
  readonly #rows: LinkSummaryRows;
  readonly #tree: Summaries<StoredField, Tally>;

  constructor(sql: SqlStorage, tables: ReadonlySet<string>) {
    this.#rows = new LinkSummaryRows(sql, tables.has("summaries"));
    this.#tree = new Summaries(this.#rows);
  }

  /** Writes the summary of the block that ends at position `end`, and those of all larger blocks that it completes. */
  write(end: number, clicks: readonly ClickSlice[]): void {
    const tallies = new Map(STORED_FIELDS.map((field) => [field, tallyOf(field, clicks)]));
    this.#tree.write(end, { tallies, histogram: histogramOf(clicks) });
  }

  /** Adds the counts of the clicks at `[from, to)`, multiples of a block. */
  addCounts(tally: Tally, field: StoredField, from: number, to: number): void {
    this.#tree.addCounts(tally, field, from, to);
  }

  histograms(from: number, to: number, fine: boolean): Generator<Histogram> {
    return this.#tree.histograms(from, to, fine);
  }

  /** The clicks of a block; `unpacked` where none are stored here yet, `too_long` where they never are. */
  block(index: number): ClickBlock | "unpacked" | "too_long" {
    return this.#rows.readBlock(index);
  }

  /** Stores the clicks of a block, unless they would make its row too long. */
  pack(index: number, clicks: readonly ClickSlice[]): ClickBlock | "too_long" {
    const bytes = encodeBlock(clicks);
    return this.#rows.storeBlock(index, bytes) ? new ClickBlock(bytes) : "too_long";
  }
}

class LinkSummaryRows implements SummaryRows<StoredField, Tally> {
  readonly fields = STORED_FIELDS;
  readonly blockClicks = BLOCK_CLICKS;
  readonly #sql: SqlStorage;
  #hasTable: boolean;

  constructor(sql: SqlStorage, isCreated: boolean) {
    this.#sql = sql;
    this.#hasTable = isCreated;
  }

  emptyTally(): Tally {
    return new Map();
  }

  mergeTallies(tally: Tally, other: Tally): Tally {
    mergeTally(tally, other);
    return tally;
  }

  addStored(tally: Tally, place: BlockPlace, field: StoredField, sign: 1 | -1): Tally {
    const stored = this.#readTally(place, field);
    if (stored) mergeEncodedTally(tally, stored, sign);
    else this.#addAsUnknown(tally, place, sign);
    return tally;
  }

  insert(place: BlockPlace, { tallies, histogram }: Summary<StoredField, Tally>): void {
    if (!this.#hasTable) this.#createTable();
    const counts = STORED_FIELDS.map((field) => tallies && encodeFieldTally(field, tallies.get(field) ?? new Map()));
    this.#sql.exec(
      `INSERT INTO summaries (id, ${STORED_FIELDS.join(", ")}, histogram)
       VALUES (?, ${STORED_FIELDS.map(() => "?").join(", ")}, ?)`,
      summaryId(place),
      ...counts,
      histogram && encodeHistogram(histogram),
    );
  }

  readHistogram(place: BlockPlace): Histogram | null {
    const { histogram } = this.#sql
      .exec<{ histogram: ArrayBuffer | null }>("SELECT histogram FROM summaries WHERE id = ?", summaryId(place))
      .one();
    return histogram && decodeHistogram(new Uint8Array(histogram));
  }

  readBlock(index: number): ClickBlock | "unpacked" | "too_long" {
    const { clicks } = this.#sql
      .exec<{ clicks: ArrayBuffer | null }>("SELECT clicks FROM summaries WHERE id = ?", summaryId({ level: 0, index }))
      .one();
    if (!clicks) return "unpacked";
    if (clicks.byteLength === 0) return "too_long";
    const bytes = new Uint8Array(clicks);
    // What another release has packed in its own way is packed again.
    return ClickBlock.isKnown(bytes) ? new ClickBlock(bytes) : "unpacked";
  }

  /** @returns whether the row has room for the block; else it is noted, so that it is not packed by each scan */
  storeBlock(index: number, block: Uint8Array): boolean {
    const id = summaryId({ level: 0, index });
    const lengths = [...STORED_FIELDS, "histogram"].map((column) => `ifnull(length(${column}), 0)`);
    const { used } = this.#sql
      .exec<{ used: number }>(`SELECT ${lengths.join(" + ")} AS used FROM summaries WHERE id = ?`, id)
      .one();
    const fits = used + block.length <= ROW_MAX_BYTES;
    this.#sql.exec("UPDATE summaries SET clicks = ? WHERE id = ?", fits ? block : new Uint8Array(), id);
    return fits;
  }

  /** Counts a block that was summarised before the field existed: its value is not known for any click. */
  #addAsUnknown(tally: Tally, place: BlockPlace, sign: 1 | -1): void {
    const stored = this.#readTally(place, ALWAYS_STORED_FIELD);
    const counts = stored ? [...decodeTally(stored).values()] : [];
    for (const { human, nonHuman } of counts) addClicks(tally, "", sign * human, sign * nonHuman);
  }

  #readTally(place: BlockPlace, field: StoredField): Uint8Array | null {
    const { tally } = this.#sql
      .exec<{ tally: ArrayBuffer | null }>(`SELECT ${field} AS tally FROM summaries WHERE id = ?`, summaryId(place))
      .one();
    return tally && new Uint8Array(tally);
  }

  #createTable(): void {
    this.#sql.exec(`
      CREATE TABLE summaries (
        id INTEGER PRIMARY KEY, -- index of the block * ${LEVELS} + level
        ${STORED_FIELDS.map((field) => `${field} BLOB,`).join(" ")} -- tallies (core/clicks/tally.ts); null where the level above has them, and in rows older than the field
        histogram BLOB, -- core/clicks/histogram.ts; null where it would be too long, and its parts have it
        clicks BLOB -- core/clicks/click-block.ts, of the lowest level; null until they are scanned, empty where they would be too long
      ) STRICT`);
    this.#hasTable = true;
  }
}

function encodeFieldTally(field: StoredField, tally: Tally): Uint8Array {
  if (field === "qr") return encodeTally(tally, QR_TALLY_MAX_BYTES);
  return isCodeField(field) ? encodeTally(tally, CODES_TALLY_MAX_BYTES) : encodeTally(tally);
}
