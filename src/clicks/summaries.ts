/**
 * Counts over a click log. Any range costs a few rows, however many clicks it holds.
 *
 * The log is divided into blocks of a fixed number of clicks; 8 blocks of one level form one of the next. On the lowest
 * level, which takes most of the storage, a summary's tallies count only its own block. On higher levels they run from
 * the start of the parent block to the end of the block; on the top level, from the first click. So one row per level
 * gives the counts up to any block. A histogram covers its own block only: bins are only added, never subtracted.
 */
import { decodeHistogram, encodeHistogram, type Histogram, joinHistograms } from "../core/clicks/counting/histogram.ts";
import { histogramOf, tallyOf, type ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import { STORED_FIELDS } from "../core/clicks/counting/stats.ts";
import {
  addCounts,
  addEncodedTally,
  addTally,
  emptyTally,
  encodeTally,
  type Tally,
  countsOf,
  type TallyOf,
} from "../core/clicks/counting/tally.ts";
import { type ColumnField, type CountedField, isNumberField } from "../core/clicks/encoding/click-columns.ts";
import { isCodeField } from "../core/clicks/facts.ts";

export const FAN_OUT = 8;
export const LEVELS = 5;

/** Identifies the block of a summary. On the lowest level, 0, blocks have `blockClicks` clicks. */
export interface BlockPlace {
  level: number;
  index: number;
}

/** Storage of a log's summaries. */
export interface SummaryRows {
  readonly fields: readonly CountedField[];
  /** Number of clicks in a block of the lowest level. */
  readonly blockClicks: number;
  /** Size limit of a stored text tally. */
  maxBytesOf: (field: CountedField) => number;
  /** The stored tally of a block (core/clicks/counting/tally.ts). */
  readTally: (place: BlockPlace, field: CountedField) => Uint8Array;
  /** The stored histogram of a block (core/clicks/counting/histogram.ts); null if it was too long. */
  readHistogram: (place: BlockPlace) => Uint8Array | null;
  /** @param tallies  null if the next level has them */
  insert: (
    place: BlockPlace,
    tallies: ReadonlyMap<CountedField, Uint8Array> | null,
    histogram: Uint8Array | null,
  ) => void;
}

type Tallies = ReadonlyMap<CountedField, Tally>;

/** Fields whose tallies are stored only if a click has the fact: an account's tally is a row, and rows are billed. */
const RARE_FIELDS: ReadonlySet<CountedField> = new Set(["address", "alias"]);

function hasKnown(tally: Tally): boolean {
  return tally instanceof Map ? tally.size > (tally.has("") ? 1 : 0) : tally.numbers.some((number) => number > 0);
}

/**
 * The tally of a field that is unknown for every click of a block.
 * @param known  the tally of another field of the same kind; null if the block has no clicks
 */
export function unknownTally(field: CountedField, known: Uint8Array | null): Uint8Array {
  const counts = known ? countsOf(addEncodedTally(emptyTally(field), known, 1)) : [];
  const human = counts.reduce((sum, count) => sum + count.human, 0);
  const nonHuman = counts.reduce((sum, count) => sum + count.nonHuman, 0);
  return encodeTally(addCounts(emptyTally(field), [isNumberField(field) ? 0 : ""], [human], [nonHuman]));
}

export class Summaries {
  readonly #rows: SummaryRows;

  constructor(rows: SummaryRows) {
    this.#rows = rows;
  }

  get blockClicks(): number {
    return this.#rows.blockClicks;
  }

  /** Writes the summary of the block that ends at position `end`, and those of all larger blocks that it completes. */
  write(end: number, clicks: readonly ScannedClicks[]): void {
    let tallies: Tallies = new Map(this.#rows.fields.map((field) => [field, tallyOf(field, clicks)]));
    let histogram: Histogram | null = histogramOf(clicks);
    let index = end / this.blockClicks - 1;
    for (let level = 0; level < LEVELS; level++, index = (index + 1) / FAN_OUT - 1) {
      const place = { level, index };
      if (level > 0) {
        histogram = joinHistograms(childrenOf(place).map((child) => this.#readHistogram(child)));
        tallies = this.#addedToPreviousSibling(place, tallies);
      }
      const completes = level < LEVELS - 1 && (index + 1) % FAN_OUT === 0;
      this.#rows.insert(place, completes ? null : this.#encode(tallies), histogram && encodeHistogram(histogram));
      if (!completes) return;
      if (level === 0) tallies = this.#addedToAllSiblings(index, tallies);
    }
  }

  #encode(tallies: Tallies): ReadonlyMap<CountedField, Uint8Array> {
    const stored = [...tallies].filter(([field, tally]) => !RARE_FIELDS.has(field) || hasKnown(tally));
    return new Map(stored.map(([field, tally]) => [field, encodeTally(tally, this.#rows.maxBytesOf(field))]));
  }

  /**
   * Adds the counts of the clicks at `[from, to)`, both multiples of the block size. Rows that would cancel out are not
   * read.
   * @returns the sum; may change `tally`
   */
  addCounts(tally: Tally, field: CountedField, from: number, to: number): Tally {
    let sum = tally;
    const add = (level: number, index: number, sign: 1 | -1) => {
      sum = this.#addStored(sum, { level, index }, field, sign);
    };
    const [first, end] = [from / this.blockClicks, to / this.blockClicks];
    const haveSameParent = firstSibling(0, first) === firstSibling(0, end);
    for (let i = haveSameParent ? first : firstSibling(0, end); i < end; i++) add(0, i, 1);
    if (!haveSameParent) for (let i = firstSibling(0, first); i < first; i++) add(0, i, -1);
    for (let level = 1; level < LEVELS; level++) {
      const before = Math.floor(from / this.#clicksPerBlock(level));
      const upTo = Math.floor(to / this.#clicksPerBlock(level));
      if (before === upTo) break;
      if (upTo > firstSibling(level, upTo)) add(level, upTo - 1, 1);
      if (before > firstSibling(level, before)) add(level, before - 1, -1);
    }
    return sum;
  }

  #addStored(tally: Tally, place: BlockPlace, field: CountedField, sign: 1 | -1): Tally {
    return addEncodedTally(tally, this.#rows.readTally(place, field), sign);
  }

  /**
   * Yields the histograms of the largest blocks that make up `[from, to)`, in order. Both ends are multiples of the
   * block size.
   */
  *histograms(from: number, to: number, fine: boolean): Generator<Histogram> {
    for (let position = from; position < to;) {
      let level = LEVELS - 1;
      while (level > 0 && !this.#fits(level, position, to)) level--;
      yield* this.#histogramsOf({ level, index: position / this.#clicksPerBlock(level) }, fine);
      position += this.#clicksPerBlock(level);
    }
  }

  #fits(level: number, position: number, to: number): boolean {
    const clicks = this.#clicksPerBlock(level);
    return position % clicks === 0 && position + clicks <= to;
  }

  /** Yields a block's histogram, or its children's if its own is coarser than requested or was too long to store. */
  *#histogramsOf(place: BlockPlace, fine: boolean): Generator<Histogram> {
    const histogram = this.#readHistogram(place);
    if (histogram && (histogram.fine || !fine || place.level === 0)) yield histogram;
    else for (const child of childrenOf(place)) yield* this.#histogramsOf(child, fine);
  }

  /** Adds a block's tallies to those of its earlier siblings. */
  #addedToPreviousSibling({ level, index }: BlockPlace, tallies: Tallies): Tallies {
    return index === firstSibling(level, index) ? tallies : this.#addedTo(level, [index - 1], tallies);
  }

  /** Adds the tallies of a lowest-level block that completes its parent to those of all its siblings. */
  #addedToAllSiblings(index: number, tallies: Tallies): Tallies {
    return this.#addedTo(0, range(firstSibling(0, index), index), tallies);
  }

  /** Adds tallies to those of earlier blocks. Earlier keys come first: a key that is named once stays named. */
  #addedTo(level: number, earlier: readonly number[], tallies: Tallies): Tallies {
    return new Map(
      this.#rows.fields.map((field) => {
        let sum = emptyTally(field);
        for (const index of earlier) sum = this.#addStored(sum, { level, index }, field, 1);
        return [field, addTally(sum, tallies.get(field) ?? emptyTally(field))];
      }),
    );
  }

  #readHistogram(place: BlockPlace): Histogram | null {
    const stored = this.#rows.readHistogram(place);
    return stored && decodeHistogram(stored);
  }

  #clicksPerBlock(level: number): number {
    return this.blockClicks * FAN_OUT ** level;
  }
}

/** Unique number of a summary in its log. */
export function summaryId({ level, index }: BlockPlace): number {
  return index * LEVELS + level;
}

/** Index of the first block with the same parent as block `index`. All blocks of the top level share one parent. */
function firstSibling(level: number, index: number): number {
  return level === LEVELS - 1 ? 0 : index - (index % FAN_OUT);
}

function childrenOf({ level, index }: BlockPlace): BlockPlace[] {
  return range(index * FAN_OUT, (index + 1) * FAN_OUT).map((child) => ({ level: level - 1, index: child }));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

/**
 * The summaries of a link's click log, in its object's SQLite. There is one row per block, because each written row is
 * billed.
 */

export const BLOCK_CLICKS = 1_024;
/**
 * Room for `LINK_QR_CODES_MAX` codes, so that no code's scans are ever folded into `other`. Visitors cannot add keys: a
 * token counts only if its keyed checksum is valid (core/qr/token.ts).
 */
const QR_TALLY_MAX_BYTES = 192 * 1024;
/** Room for the 100 aliases that a link may have in its life, so that none is ever folded into `other`. */
const ADDRESS_TALLY_MAX_BYTES = 114 * 1024;
/** Limit for fields whose values are codes of a short list: room for about 280. */
const CODES_TALLY_MAX_BYTES = 3 * 1024;
/** Room for about 3,000 cities. All tallies share one row, and Cloudflare limits rows to 2 MB. */
const TALLY_MAX_BYTES = 64 * 1024;
/** A field that is not null in any row with tallies. */
const ALWAYS_STORED_FIELD = "country";

export class LinkSummaryRows implements SummaryRows {
  readonly fields = STORED_FIELDS;
  readonly blockClicks = BLOCK_CLICKS;
  readonly #sql: SqlStorage;
  #hasTable: boolean;

  readonly #table: string;

  /** @param prefix  of the table's name */
  constructor(sql: SqlStorage, tables: ReadonlySet<string>, prefix: string) {
    this.#sql = sql;
    this.#table = `${prefix}summaries`;
    this.#hasTable = tables.has(this.#table);
  }

  maxBytesOf(field: CountedField): number {
    if (field === "qr") return QR_TALLY_MAX_BYTES;
    if (field === "address") return ADDRESS_TALLY_MAX_BYTES;
    return isCodeField(field) ? CODES_TALLY_MAX_BYTES : TALLY_MAX_BYTES;
  }

  insert(place: BlockPlace, tallies: ReadonlyMap<CountedField, Uint8Array> | null, histogram: Uint8Array | null): void {
    if (!this.#hasTable) this.#createTable();
    this.#sql.exec(
      `INSERT INTO ${this.#table} (id, ${STORED_FIELDS.join(", ")}, histogram)
       VALUES (?, ${STORED_FIELDS.map(() => "?").join(", ")}, ?)`,
      summaryId(place),
      ...STORED_FIELDS.map((field) => tallies?.get(field) ?? null),
      histogram,
    );
  }

  readTally(place: BlockPlace, field: CountedField): Uint8Array {
    return this.#read(place, field) ?? unknownTally(field, this.#read(place, ALWAYS_STORED_FIELD));
  }

  readHistogram(place: BlockPlace): Uint8Array | null {
    return this.#read(place, "histogram");
  }

  #read(place: BlockPlace, column: CountedField | "histogram"): Uint8Array | null {
    const { bytes } = this.#sql
      .exec<{ bytes: ArrayBuffer | null }>(
        `SELECT ${column} AS bytes FROM ${this.#table} WHERE id = ?`,
        summaryId(place),
      )
      .one();
    return bytes && new Uint8Array(bytes);
  }

  #createTable(): void {
    this.#sql.exec(`
      CREATE TABLE ${this.#table} (
        id INTEGER PRIMARY KEY, -- index of the block * ${LEVELS} + level
        ${STORED_FIELDS.map((field) => `${field} BLOB,`).join(" ")} -- tallies (core/clicks/counting/tally.ts); null where the level above has them, in rows older than the field, and where no click has the fact
        histogram BLOB -- core/clicks/counting/histogram.ts; null where it would be too long, and its parts have it
      ) STRICT`);
    this.#hasTable = true;
  }
}

/**
 * A click log with summaries: the common base of a link's log and an account's log. A click is identified by its
 * position, from 0; times never decrease with position. Sums over any range read a few summaries and the clicks at both
 * ends.
 */

/** Reads clicks for scans, from packed blocks. */
export interface ClickScanner {
  /** The clicks at positions `[from, to)`, in order; must be read in one turn. */
  scan: (from: number, to: number) => Generator<ScannedClicks>;
  /** Number of blocks that this object has packed. Packing one takes as long as reading thirty. */
  readonly packed: number;
}

/** A log, or several that follow each other. */
export type ReadableLog = Pick<
  CountedLog,
  "blockClicks" | "count" | "histograms" | "lastAt" | "parts" | "positionAt" | "scanner" | "tally" | "timeAt"
>;

export abstract class CountedLog {
  /** Number of clicks. */
  abstract readonly count: number;
  /** Time of the last click, epoch ms; 0 when there is none. */
  abstract readonly lastAt: number;
  protected abstract readonly summaries: Summaries;

  /** Position of the first click at or after `at`; the count when there is none. */
  abstract positionAt(at: number): number;

  /**
   * The clicks at positions `[from, to)`, in order and as stored.
   * @param fields  the only columns that are read, so that the log need not unpack the others
   */
  abstract parts(from: number, to: number, fields?: readonly ColumnField[]): Generator<ScannedClicks>;

  /** Returns a reader of the same clicks for scans of many columns. */
  scanner(): Promise<ClickScanner> {
    return Promise.resolve({ scan: (from: number, to: number) => this.parts(from, to), packed: 0 });
  }

  /** Number of clicks in a block. */
  get blockClicks(): number {
    return this.summaries.blockClicks;
  }

  /** The time of the click at a position. */
  timeAt(position: number): number {
    const [click] = this.parts(position, position + 1, []);
    return click?.times()[click.from] ?? 0;
  }

  /** Counts the clicks at positions `[from, to)` by stored value. */
  tally<F extends CountedField>(field: F, from: number, to: number): TallyOf<F> {
    const { head, tail } = this.#wholeBlocks(from, to);
    const fields: readonly ColumnField[] = [field, "class"];
    let tally: Tally = tallyOf(field, this.parts(from, head, fields));
    if (tail > head) tally = this.summaries.addCounts(tally, field, head, tail);
    return addTally(tally, tallyOf(field, this.parts(tail, to, fields))) as TallyOf<F>;
  }

  /**
   * Clicks at positions `[from, to)` over time, in order.
   * @param fine  whether bins are minutes; otherwise long spans have bins of 15 minutes
   */
  *histograms(from: number, to: number, fine: boolean): Generator<Histogram> {
    const { head, tail } = this.#wholeBlocks(from, to);
    yield histogramOf(this.parts(from, head, ["class"]));
    yield* this.summaries.histograms(head, tail, fine);
    yield histogramOf(this.parts(tail, to, ["class"]));
  }

  /** `[head, tail)` are the whole blocks inside `[from, to)`. */
  #wholeBlocks(from: number, to: number): { head: number; tail: number } {
    const head = Math.ceil(from / this.blockClicks) * this.blockClicks;
    const tail = to - (to % this.blockClicks);
    return head <= tail ? { head, tail } : { head: to, tail: to };
  }
}
