/** Splits a file of clicks into whole rows as it arrives, so that a broken export resumes after the last one. Pure. */
import { figure } from "../../../core/limits.ts";
import { Failure } from "../errors.ts";

export type RowFormat = "csv" | "ndjson";

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
/** No click is nearly as long. Endless input must not fill the memory. */
const ROW_MAX_BYTES = 1_000_000;

export class RowSplitter {
  readonly #format: RowFormat;
  #rest: Uint8Array = new Uint8Array();
  /** Whether the input is inside a quoted cell, which may contain line ends. */
  #isQuoted = false;
  #last: Uint8Array | null = null;
  rows = 0;

  constructor(format: RowFormat) {
    this.#format = format;
  }

  /** @returns the rows completed by this chunk, with their line ends @throws Failure if a row is too long */
  push(chunk: Uint8Array): Uint8Array {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let end = 0;
    for (let i = this.#rest.length; i < bytes.length; i++) {
      if (bytes[i] === QUOTE && this.#format === "csv") this.#isQuoted = !this.#isQuoted;
      if (bytes[i] !== LINE_FEED || this.#isQuoted) continue;
      this.#last = bytes.subarray(end, i + 1);
      this.rows++;
      end = i + 1;
    }
    if (bytes.length - end > ROW_MAX_BYTES) {
      throw new Failure(`This is not an export of clicks: a row has more than ${figure(ROW_MAX_BYTES)} bytes`);
    }
    // A copy: otherwise one row would keep its whole chunk in memory.
    this.#rest = Uint8Array.from(bytes.subarray(end));
    return bytes.subarray(0, end);
  }

  /** Whether an incomplete row remains. */
  get hasRest(): boolean {
    return this.#rest.length > 0;
  }

  /** Null before the first row. */
  get lastRow(): string | null {
    return this.#last && new TextDecoder().decode(this.#last).trimEnd();
  }
}

/**
 * The place where an export continues, as the API accepts it in `after`.
 * @param ofAccount  clicks of all links, which are in chronological order
 * @returns null for the header row, and for anything that is not a click
 */
export function placeAfter(row: string, format: RowFormat, ofAccount: boolean): string | null {
  const { link_id, seq, occurred_at } = format === "csv" ? csvPlace(row, ofAccount) : jsonPlace(row);
  if (!/^\d+$/.test(String(seq)) || (link_id !== undefined) !== ofAccount) return null;
  return ofAccount ? `${occurred_at},${link_id},${seq}` : String(seq);
}

interface Place {
  link_id?: string | undefined;
  seq?: string | number | undefined;
  occurred_at?: string | undefined;
}

function jsonPlace(row: string): Place {
  try {
    return (JSON.parse(row) as Place | null) ?? {};
  } catch {
    return {};
  }
}

/** These columns precede all columns that may contain commas. */
function csvPlace(row: string, ofAccount: boolean): Place {
  const [first, second, third, fourth] = row.split(",", 4);
  return ofAccount ? { link_id: first, seq: third, occurred_at: fourth } : { seq: first, occurred_at: second };
}
