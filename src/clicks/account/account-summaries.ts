/**
 * The summaries of an account's click log (../summaries.ts): a row for each field of a block, since an account has more
 * keys than a row takes, and a question reads one field.
 */
import { type AccountTally, emptyAccountTally, mergeAccountTallies } from "../../core/clicks/account-counts.ts";
import { COUNTED_FIELDS, type CountedField, isNumberField } from "../../core/clicks/account-fields.ts";
import { decodeHistogram, encodeHistogram, type Histogram } from "../../core/clicks/histogram.ts";
import { decodeNumberTally, encodeNumberTally, mergeNumberTallies } from "../../core/clicks/number-tally.ts";
import { encodeTally, mergeEncodedTally } from "../../core/clicks/tally.ts";
import { type BlockPlace, type Summary, type SummaryRows, summaryId } from "../summaries.ts";
import { BlobTable } from "./blob-table.ts";

/** Clicks of a block of an account's log. */
export const ACCOUNT_BLOCK_CLICKS = 4_096;
/** Limit of a tally by text: room for some 20,000 cities, beyond which keys are counted as `other`. */
const TEXTS_TALLY_MAX_BYTES = 512 * 1024;
/** Rows of a block: one for each field, and this one. */
const HISTOGRAM_SLOT = 63;
const SLOTS = 64;

export class AccountSummaryRows implements SummaryRows<CountedField, AccountTally> {
  readonly fields = COUNTED_FIELDS;
  readonly blockClicks = ACCOUNT_BLOCK_CLICKS;
  readonly #table: BlobTable;

  constructor(sql: SqlStorage, generation: number) {
    this.#table = new BlobTable(sql, `summaries_${generation}`);
  }

  create(): void {
    this.#table.create();
  }

  drop(): void {
    this.#table.drop();
  }

  emptyTally(field: CountedField): AccountTally {
    return emptyAccountTally(field);
  }

  mergeTallies(tally: AccountTally, other: AccountTally): AccountTally {
    return mergeAccountTallies(tally, other);
  }

  addStored(tally: AccountTally, place: BlockPlace, field: CountedField, sign: 1 | -1): AccountTally {
    const stored = this.#table.get(slotId(place, COUNTED_FIELDS.indexOf(field)));
    if (!stored) throw new Error(`block ${place.index} of level ${place.level} has no tally of ${field}`);
    if (!(tally instanceof Map)) return mergeNumberTallies(tally, decodeNumberTally(stored), sign);
    mergeEncodedTally(tally, stored, sign);
    return tally;
  }

  readHistogram(place: BlockPlace): Histogram | null {
    const stored = this.#table.get(slotId(place, HISTOGRAM_SLOT));
    return stored && decodeHistogram(stored);
  }

  insert(place: BlockPlace, { tallies, histogram }: Summary<CountedField, AccountTally>): void {
    for (const [slot, field] of COUNTED_FIELDS.entries()) {
      const tally = tallies?.get(field);
      if (tally) this.#table.add(slotId(place, slot), encode(field, tally));
    }
    const encoded = histogram && encodeHistogram(histogram);
    if (encoded) this.#table.add(slotId(place, HISTOGRAM_SLOT), encoded);
  }
}

function encode(field: CountedField, tally: AccountTally): Uint8Array {
  if (tally instanceof Map) return encodeTally(tally, TEXTS_TALLY_MAX_BYTES);
  if (!isNumberField(field)) throw new Error(`${field} is not counted by number`);
  return encodeNumberTally(tally);
}

function slotId(place: BlockPlace, slot: number): number {
  return summaryId(place) * SLOTS + slot;
}
