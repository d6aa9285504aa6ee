/**
 * One generation of an account's click log: its texts, its runs (clicks that are drawn from links but not in the log yet:
 * click-merge.ts), the log, and its summaries. A generation is never changed but at its ends: to take clicks out, the log
 * is merged into a new one, and its tables are dropped, so that nothing of them is left.
 */
import { type AccountColumns, AccountBlock, encodeAccountBlock } from "../../core/clicks/account-block.ts";
import { ClickPool } from "../../core/clicks/click-pool.ts";
import { accountHistogramOf, accountTallyOf, type AccountTally } from "../../core/clicks/account-counts.ts";
import {
  COUNTED_FIELDS,
  type CountedField,
  DICTIONARY_FIELDS,
  type DictionaryField,
} from "../../core/clicks/account-fields.ts";
import { hasTable } from "../schema.ts";
import { Summaries } from "../summaries.ts";
import { ACCOUNT_BLOCK_CLICKS, AccountSummaryRows } from "./account-summaries.ts";
import { BlobTable } from "./blob-table.ts";
import { NumberedTexts } from "./numbered-texts.ts";

export type Dictionaries = Record<DictionaryField, NumberedTexts>;

export class Generation {
  readonly number: number;
  readonly texts: Dictionaries;
  readonly summaries: Summaries<CountedField, AccountTally>;
  /** Blocks of the log, by index. */
  readonly blocks: BlobTable;
  /** Blocks of the runs: number of the run * `RUN_MAX_BLOCKS` + index. */
  readonly runs: BlobTable;
  readonly #summaryRows: AccountSummaryRows;
  #count = 0;
  #lastAt = 0;
  /** The block that is not full yet; null when all are. */
  #tail: AccountBlock | null = null;

  constructor(sql: SqlStorage, number: number) {
    this.number = number;
    const textsOf = (field: DictionaryField) => new NumberedTexts(sql, field, number);
    this.texts = {
      link: textsOf("link"),
      rule: textsOf("rule"),
      destination: textsOf("destination"),
      qr: textsOf("qr"),
    };
    this.blocks = new BlobTable(sql, `blocks_${number}`);
    this.runs = new BlobTable(sql, `runs_${number}`);
    this.#summaryRows = new AccountSummaryRows(sql, number);
    this.summaries = new Summaries(this.#summaryRows);
    if (hasTable(sql, `blocks_${number}`)) this.#readEnd();
    else this.#create();
  }

  /** Clicks in the log. */
  get count(): number {
    return this.#count;
  }

  /** Time of the log's last click, epoch ms; 0 when there is none. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** Appends clicks of a pool, by their places in the order of time, none before the last click. */
  append(pool: ClickPool, places: Uint32Array): void {
    let from = 0;
    if (this.#tail && places.length > 0) {
      from = Math.min(ACCOUNT_BLOCK_CLICKS - this.#tail.count, places.length);
      this.#writeBlock(joined(this.#tail, pool.pick(places.subarray(0, from))));
    }
    for (; from < places.length; from += ACCOUNT_BLOCK_CLICKS) {
      this.#writeBlock(pool.pick(places.subarray(from, from + ACCOUNT_BLOCK_CLICKS)));
    }
  }

  /** The log's block with an index. */
  block(index: number): AccountColumns {
    const bytes = this.blocks.get(index);
    if (!bytes) throw new Error(`block ${index} of the account's log is missing`);
    return new AccountBlock(bytes);
  }

  saveTexts(): void {
    for (const field of DICTIONARY_FIELDS) this.texts[field].save();
  }

  drop(): void {
    this.blocks.drop();
    this.runs.drop();
    this.#summaryRows.drop();
    for (const field of DICTIONARY_FIELDS) this.texts[field].drop();
  }

  /** Writes the last block: the one that was not full, or the next. */
  #writeBlock(clicks: AccountColumns): void {
    const index = Math.floor(this.#count / ACCOUNT_BLOCK_CLICKS);
    const times = clicks.times();
    const bytes = encodeAccountBlock(clicks);
    this.blocks.replace(index, bytes, times[0]);
    this.#count = index * ACCOUNT_BLOCK_CLICKS + clicks.count;
    this.#lastAt = times.at(-1) ?? 0;
    this.#tail = clicks.count === ACCOUNT_BLOCK_CLICKS ? null : new AccountBlock(bytes);
    if (!this.#tail) this.#summarise(clicks);
  }

  #summarise(clicks: AccountColumns): void {
    const tallies = new Map(COUNTED_FIELDS.map((field) => [field, accountTallyOf(field, clicks, 0, clicks.count)]));
    this.summaries.write(this.#count, { tallies, histogram: accountHistogramOf(clicks, 0, clicks.count) });
  }

  #readEnd(): void {
    const last = this.blocks.last();
    if (last === null) return;
    const block = this.block(last);
    this.#count = last * ACCOUNT_BLOCK_CLICKS + block.count;
    this.#lastAt = block.times().at(-1) ?? 0;
    if (block.count < ACCOUNT_BLOCK_CLICKS) this.#tail = block as AccountBlock;
  }

  #create(): void {
    this.blocks.create();
    this.runs.create();
    this.#summaryRows.create();
    for (const field of DICTIONARY_FIELDS) this.texts[field].create();
  }
}

function joined(tail: AccountColumns, clicks: AccountColumns): AccountColumns {
  const pool = new ClickPool([tail, clicks]);
  return pool.pick(Uint32Array.from({ length: pool.count }, (_, place) => place));
}
