/**
 * The summaries of an account's click log (../summaries.ts): a row for each field of a block, since an account has more
 * keys than a row takes, and a question reads one field.
 */
import { ACCOUNT_FIELDS, type CountedField } from "../../core/clicks/click-columns.ts";
import type { BlobTable } from "../blob-table.ts";
import { type BlockPlace, summaryId, type SummaryRows } from "../summaries.ts";

/** Clicks of a block of an account's log. */
export const ACCOUNT_BLOCK_CLICKS = 4_096;
/** Limit of a tally by text: room for some 20,000 cities, beyond which keys are counted as `other`. */
const TEXTS_TALLY_MAX_BYTES = 512 * 1024;
/** Rows of a block: one for each field, and this one. */
const HISTOGRAM_SLOT = 63;
const SLOTS = 64;

export class AccountSummaryRows implements SummaryRows {
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
