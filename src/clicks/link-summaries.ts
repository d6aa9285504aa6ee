/**
 * The summaries of a link's click log (summaries.ts) in its object's SQLite: one row for each block, as each row that is
 * written is billed.
 */
import type { CountedField } from "../core/clicks/encoding/click-columns.ts";
import { isCodeField } from "../core/clicks/facts.ts";
import { STORED_FIELDS } from "../core/clicks/counting/stats.ts";
import { addEncodedTally, countsOf, encodeTally } from "../core/clicks/counting/tally.ts";
import { type BlockPlace, LEVELS, summaryId, type SummaryRows } from "./summaries.ts";

export const BLOCK_CLICKS = 1_024;
/**
 * Room for `LINK_QR_CODES_MAX` codes, so that no code's scans are ever folded into `other`. Visitors cannot add keys: a
 * token counts only with its keyed checksum (core/qr/token.ts).
 */
const QR_TALLY_MAX_BYTES = 192 * 1024;
/** Limit for fields whose values are codes of a short list: room for some 280. */
const CODES_TALLY_MAX_BYTES = 3 * 1024;
/** Room for some 3,000 cities. All tallies are in one row, and Cloudflare takes rows of 2 MB. */
const TALLY_MAX_BYTES = 64 * 1024;
/** A field that is not null in any row with tallies. */
const ALWAYS_STORED_FIELD = "country";

export class LinkSummaryRows implements SummaryRows {
  readonly fields = STORED_FIELDS;
  readonly blockClicks = BLOCK_CLICKS;
  readonly #sql: SqlStorage;
  #hasTable: boolean;

  constructor(sql: SqlStorage, tables: ReadonlySet<string>) {
    this.#sql = sql;
    this.#hasTable = tables.has("summaries");
  }

  maxBytesOf(field: CountedField): number {
    if (field === "qr") return QR_TALLY_MAX_BYTES;
    return isCodeField(field) ? CODES_TALLY_MAX_BYTES : TALLY_MAX_BYTES;
  }

  insert(place: BlockPlace, tallies: ReadonlyMap<CountedField, Uint8Array> | null, histogram: Uint8Array | null): void {
    if (!this.#hasTable) this.#createTable();
    this.#sql.exec(
      `INSERT INTO summaries (id, ${STORED_FIELDS.join(", ")}, histogram)
       VALUES (?, ${STORED_FIELDS.map(() => "?").join(", ")}, ?)`,
      summaryId(place),
      ...STORED_FIELDS.map((field) => tallies?.get(field) ?? null),
      histogram,
    );
  }

  readTally(place: BlockPlace, field: CountedField): Uint8Array {
    return this.#read(place, field) ?? this.#unknownTally(place);
  }

  readHistogram(place: BlockPlace): Uint8Array | null {
    return this.#read(place, "histogram");
  }

  /** The tally of a block that was summarised before the field existed: its value is not known for any click. */
  #unknownTally(place: BlockPlace): Uint8Array {
    const stored = this.#read(place, ALWAYS_STORED_FIELD);
    const counts = stored ? countsOf(addEncodedTally(new Map(), stored, 1)) : [];
    const human = counts.reduce((sum, count) => sum + count.human, 0);
    const nonHuman = counts.reduce((sum, count) => sum + count.nonHuman, 0);
    return encodeTally(new Map([["", { human, nonHuman }]]));
  }

  #read(place: BlockPlace, column: CountedField | "histogram"): Uint8Array | null {
    const { bytes } = this.#sql
      .exec<{ bytes: ArrayBuffer | null }>(`SELECT ${column} AS bytes FROM summaries WHERE id = ?`, summaryId(place))
      .one();
    return bytes && new Uint8Array(bytes);
  }

  #createTable(): void {
    this.#sql.exec(`
      CREATE TABLE summaries (
        id INTEGER PRIMARY KEY, -- index of the block * ${LEVELS} + level
        ${STORED_FIELDS.map((field) => `${field} BLOB,`).join(" ")} -- tallies (core/clicks/counting/tally.ts); null where the level above has them, and in rows older than the field
        histogram BLOB -- core/clicks/counting/histogram.ts; null where it would be too long, and its parts have it
      ) STRICT`);
    this.#hasTable = true;
  }
}
