/**
 * The complete blocks of a link's log. The first scan that reads a block packs it, so clicks that no filtered query
 * reads are stored only once. Loaded only for scans.
 */
import { ClickBlock, encodeBlock } from "../core/clicks/encoding/click-block.ts";
import { joinClicks } from "../core/clicks/encoding/click-pool.ts";
import { clicksOfBlock, type ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import { hasTable } from "./schema.ts";
import { BlobTable } from "./blob-table.ts";
import type { ClickScanner, CountedLog } from "./summaries.ts";

export class PackedBlocks implements ClickScanner {
  readonly #log: CountedLog;
  readonly #table: BlobTable;
  packed = 0;
  #hasTable: boolean;

  constructor(sql: SqlStorage, log: CountedLog, table: string) {
    this.#log = log;
    this.#table = new BlobTable(sql, table);
    this.#hasTable = hasTable(sql, table);
  }

  /** Yields packed blocks. The last, incomplete block is read from its batches. */
  *scan(from: number, to: number): Generator<ScannedClicks> {
    const { blockClicks, count } = this.#log;
    for (let position = from; position < to;) {
      const start = position - (position % blockClicks);
      const end = Math.min(start + blockClicks, to);
      if (start + blockClicks <= count) yield clicksOfBlock(this.#block(start), position - start, end - start);
      else yield* this.#log.parts(position, end);
      position = end;
    }
  }

  #block(start: number): ClickBlock {
    if (!this.#hasTable) this.#table.create();
    this.#hasTable = true;
    const index = start / this.#log.blockClicks;
    const stored = this.#table.get(index);
    // A block that another release packed in a different format is packed again.
    if (stored && ClickBlock.isKnown(stored)) return new ClickBlock(stored);
    const bytes = encodeBlock(joinClicks([...this.#log.parts(start, start + this.#log.blockClicks)]));
    this.#table.replace(index, bytes);
    this.packed++;
    return new ClickBlock(bytes);
  }
}
