/**
 * One generation of an account's click log: its texts, its runs (drawn clicks that are not in the log yet:
 * click-merge.ts), the log, and its summaries. A generation changes only at its ends. To remove clicks, the log is
 * merged into a new generation and the old tables are dropped, so that nothing of the clicks is left.
 */
import { ClickBlock, encodeBlock } from "../../core/clicks/encoding/click-block.ts";
import {
  ACCOUNT_FIELDS,
  type ClickColumns,
  type CountedField,
  DICTIONARY_FIELDS,
  type DictionaryField,
} from "../../core/clicks/encoding/click-columns.ts";
import { type ClickPool, joinClicks } from "../../core/clicks/encoding/click-pool.ts";
import { linkIdIn } from "../../core/clicks/counting/groupings.ts";
import { firstIndex } from "../../core/clicks/counting/link-ranking.ts";
import { clicksOfBlock, type ScannedClicks } from "../../core/clicks/counting/scanned-clicks.ts";
import { type TallyOf, visitedTally } from "../../core/clicks/counting/tally.ts";
import { hasTable } from "../schema.ts";
import { BlobTable } from "../blob-table.ts";
import { type BlockPlace, CountedLog, Summaries, summaryId, type SummaryRows, unknownTally } from "../summaries.ts";
import { NumberedTexts } from "./numbered-texts.ts";

export type Dictionaries = Record<DictionaryField, NumberedTexts>;

export class Generation extends CountedLog {
  protected readonly summaries: Summaries;
  readonly number: number;
  readonly texts: Dictionaries;
  /** Blocks of the log, by index. */
  readonly blocks: BlobTable;
  /** Blocks of the runs: number of the run * `RUN_MAX_BLOCKS` + index. */
  readonly runs: BlobTable;
  readonly #summaryTable: BlobTable;
  #count = 0;
  #lastAt = 0;
  /** The block that is not full yet; null when all are full. */
  #tail: ClickBlock | null = null;

  constructor(sql: SqlStorage, number: number) {
    super();
    this.number = number;
    const textsOf = (field: DictionaryField) => new NumberedTexts(sql, field, number);
    this.texts = {
      link: new NumberedTexts(sql, "link", number, linkIdIn),
      rule: textsOf("rule"),
      destination: textsOf("destination"),
      code: textsOf("code"),
      alias: textsOf("alias"),
    };
    this.blocks = new BlobTable(sql, `blocks_${number}`);
    this.runs = new BlobTable(sql, `runs_${number}`);
    this.#summaryTable = new BlobTable(sql, `summaries_${number}`);
    this.summaries = new Summaries(new AccountSummaryRows(this.#summaryTable));
    if (hasTable(sql, `blocks_${number}`)) this.#readEnd();
    else for (const table of this.#tables()) table.create();
  }

  get count(): number {
    return this.#count;
  }

  get lastAt(): number {
    return this.#lastAt;
  }

  /** Appends clicks of a pool. Their places are in chronological order, none before the last click. */
  append(pool: ClickPool, places: Uint32Array): void {
    let from = 0;
    if (this.#tail && places.length > 0) {
      const tail = clicksOfBlock(this.#tail, 0, this.#tail.count);
      from = Math.min(ACCOUNT_BLOCK_CLICKS - tail.count, places.length);
      this.#writeBlock(joinClicks([tail, clicksOfBlock(pool.pick(places.subarray(0, from)), 0, from)]));
    }
    for (; from < places.length; from += ACCOUNT_BLOCK_CLICKS) {
      this.#writeBlock(pool.pick(places.subarray(from, from + ACCOUNT_BLOCK_CLICKS)));
    }
  }

  positionAt(at: number): number {
    if (at > this.#lastAt) return this.#count;
    const blocks = Math.ceil(this.#count / ACCOUNT_BLOCK_CLICKS);
    const last = firstIndex(blocks, (block) => this.blocks.timeOf(block) >= at) - 1;
    if (last < 0) return 0;
    const times = this.#block(last).times();
    return last * ACCOUNT_BLOCK_CLICKS + firstIndex(times.length, (i) => (times[i] ?? 0) >= at);
  }

  *parts(from: number, to: number): Generator<ScannedClicks> {
    for (let position = from; position < to;) {
      const index = Math.floor(position / ACCOUNT_BLOCK_CLICKS);
      const start = index * ACCOUNT_BLOCK_CLICKS;
      const end = Math.min(start + ACCOUNT_BLOCK_CLICKS, to);
      yield clicksOfBlock(this.#block(index), position - start, end - start);
      position = end;
    }
  }

  override tally<F extends CountedField>(field: F, from: number, to: number): TallyOf<F> {
    if (field !== "visited") return super.tally(field, from, to);
    const linkOf = (alias: number) => this.texts.link.find(this.texts.alias.textOf(alias)) ?? 0;
    return visitedTally(super.tally("link", from, to), super.tally("alias", from, to), linkOf) as TallyOf<F>;
  }

  saveTexts(): void {
    for (const field of DICTIONARY_FIELDS) this.texts[field].save();
  }

  drop(): void {
    for (const table of this.#tables()) table.drop();
  }

  #block(index: number): ClickBlock {
    const bytes = this.blocks.get(index);
    if (!bytes) throw new Error(`block ${index} of the account's log is missing`);
    return new ClickBlock(bytes);
  }

  /** Writes the last block: the incomplete one, or the next. */
  #writeBlock(clicks: ClickColumns): void {
    const index = Math.floor(this.#count / ACCOUNT_BLOCK_CLICKS);
    const times = clicks.times();
    const bytes = encodeBlock(clicks);
    this.blocks.replace(index, bytes, times[0]);
    this.#count = index * ACCOUNT_BLOCK_CLICKS + clicks.count;
    this.#lastAt = times[clicks.count - 1] ?? 0;
    this.#tail = clicks.count === ACCOUNT_BLOCK_CLICKS ? null : new ClickBlock(bytes);
    if (!this.#tail) this.summaries.write(this.#count, [clicksOfBlock(clicks, 0, clicks.count)]);
  }

  #readEnd(): void {
    const last = this.blocks.last();
    if (last === null) return;
    const block = this.#block(last);
    this.#count = last * ACCOUNT_BLOCK_CLICKS + block.count;
    this.#lastAt = block.times()[block.count - 1] ?? 0;
    if (block.count < ACCOUNT_BLOCK_CLICKS) this.#tail = block;
  }

  #tables(): readonly (BlobTable | NumberedTexts)[] {
    return [this.blocks, this.runs, this.#summaryTable, ...Object.values(this.texts)];
  }
}

/** Number of clicks in a block of an account's log. */
const ACCOUNT_BLOCK_CLICKS = 4_096;
/** Size limit of a text tally: room for about 20,000 cities, beyond which keys are counted as `other`. */
const TEXTS_TALLY_MAX_BYTES = 512 * 1024;
/** A block has one row per field, and this one for its histogram. */
const HISTOGRAM_SLOT = 63;
const SLOTS = 64;

/**
 * The summaries of an account's log (../summaries.ts): one row per field of a block, because an account has more keys
 * than fit in a row, and a query reads one field.
 */
class AccountSummaryRows implements SummaryRows {
  readonly fields = ACCOUNT_FIELDS;
  readonly blockClicks = ACCOUNT_BLOCK_CLICKS;
  readonly #table: BlobTable;

  constructor(table: BlobTable) {
    this.#table = table;
  }

  maxBytesOf(): number {
    return TEXTS_TALLY_MAX_BYTES;
  }

  readTally(place: BlockPlace, field: CountedField): Uint8Array {
    const stored = this.#table.get(slotId(place, slotOf(field)));
    if (!stored && field === "alias") return unknownTally(field, this.readTally(place, "revision"));
    if (!stored) throw new Error(`block ${place.index} of level ${place.level} has no tally of ${field}`);
    return stored;
  }

  readHistogram(place: BlockPlace): Uint8Array | null {
    return this.#table.get(slotId(place, HISTOGRAM_SLOT));
  }

  insert(place: BlockPlace, tallies: ReadonlyMap<CountedField, Uint8Array> | null, histogram: Uint8Array | null): void {
    for (const [field, tally] of tallies ?? []) this.#table.add(slotId(place, slotOf(field)), tally);
    if (histogram) this.#table.add(slotId(place, HISTOGRAM_SLOT), histogram);
  }
}

function slotOf(field: CountedField): number {
  return (ACCOUNT_FIELDS as readonly CountedField[]).indexOf(field);
}

function slotId(place: BlockPlace, slot: number): number {
  return summaryId(place) * SLOTS + slot;
}
