/**
 * Reads a range of a log in pieces, between which the object does other work. The log only grows, so the range's
 * positions stay valid. Loaded only for queries that need it.
 */
import { nextTurn, type ScanPieces } from "./scan-queue.ts";
import type { FieldFilter } from "../core/clicks/counting/filters.ts";
import { matchingClicks, type ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import type { RowFormat } from "../core/clicks/protocol/link-object-rpc.ts";
import { clickRow } from "../core/clicks/protocol/wire-click.ts";
import type { ClickScanner, ReadableLog } from "./summaries.ts";

/** Work done without a pause, up to 25 ms: clicks read from packed blocks, or blocks packed. */
export const PIECE_CLICKS = 98_304;
/** @internal */
export const PIECE_PACKED_BLOCKS = 8;
/** Blocks that one query may pack, about a million clicks: a few seconds of CPU, over several calls. */
const QUESTION_PACKED_BLOCKS = 1_024;
/** Clicks examined for one page, half a million: about 150 ms, or half a second if their blocks must be packed. */
const PAGE_CLICKS = 5 * PIECE_CLICKS;
/** A page ends with the row that reaches this size: about 2,500 clicks, in ten to thirty milliseconds. */
const PAGE_CHARS = 1024 * 1024;

export interface LogScan {
  log: ReadableLog;
  /** The clicks at positions `[first, end)`. */
  range: { first: number; end: number };
  /** Whether the log still exists. */
  isOpen: () => boolean;
}

/** A scan that reads every click of its range, over as many calls as needed. */
export interface WholeScan extends LogScan {
  pieces: ScanPieces;
}

/**
 * Why a scan has no result. `erased`: the log was erased in the meantime. `packing`: it had so many blocks to pack that
 * the next query must continue with them.
 */
export type Unfinished = "erased" | "packing";

interface ClickConsumer {
  /** Clicks read without a pause, if a click takes longer than just counting it. */
  pieceClicks?: number;
  add: (clicks: ScannedClicks) => void;
}

/** Reads every click of a range. */
export async function readAll(
  { log, range, isOpen, pieces }: WholeScan,
  consumer: ClickConsumer,
): Promise<Unfinished | null> {
  const { pieceClicks = PIECE_CLICKS } = consumer;
  const scanner = await log.scanner();
  const packedBefore = scanner.packed;
  let from = range.first;
  return pieces.run((): Unfinished | "more" | null => {
    if (from >= range.end) return null;
    if (!isOpen()) return "erased";
    if (scanner.packed - packedBefore >= QUESTION_PACKED_BLOCKS) return "packing";
    const end = Math.min(from - (from % log.blockClicks) + pieceClicks, range.end);
    for (const clicks of readPiece(scanner, from, end)) {
      consumer.add(clicks);
      from += clicks.to - clicks.from;
    }
    return from < range.end ? "more" : null;
  });
}

/** Ends early if blocks had to be packed. */
function* readPiece(scanner: ClickScanner, from: number, end: number): Generator<ScannedClicks> {
  const packedBefore = scanner.packed;
  for (const clicks of scanner.scan(from, end)) {
    yield clicks;
    if (scanner.packed - packedBefore >= PIECE_PACKED_BLOCKS) return;
  }
}

/** Lists clicks, each by its index. @param offset  position in the log of the click with index 0 */
type ClickLister<T> = (clicks: ScannedClicks, offset: number) => (i: number) => T;

export interface PageScan<T> extends LogScan {
  filters: readonly FieldFilter[];
  list: ClickLister<T>;
}

/**
 * Reads the matching clicks of a range, including bots. Filters that match few clicks must not keep the object busy, so
 * a page examines a limited number of clicks and the next page continues.
 * @param take  accepts the next click, and returns whether the page is now full
 * @returns the position after the last click examined; null when the log was erased in the meantime
 */
export async function readMatching<T>(
  { log, range, isOpen, filters, list }: PageScan<T>,
  take: (click: T) => boolean,
): Promise<number | null> {
  const last = Math.min(range.first + PAGE_CLICKS, range.end);
  const scanner = filters.length > 0 ? await log.scanner() : null;
  for (let position = range.first; ; await nextTurn()) {
    if (!isOpen()) return null;
    if (position >= last) return position;
    const end = Math.min(position + PIECE_CLICKS, last);
    for (const clicks of scanner ? readPiece(scanner, position, end) : log.parts(position, end)) {
      const offset = position - clicks.from;
      const click = list(clicks, offset);
      for (const i of matchingClicks(clicks, filters, true)) if (take(click(i))) return offset + i + 1;
      position += clicks.to - clicks.from;
    }
  }
}

/** A page of rows. The Worker, whose CPU is scarcer, passes them on unchanged. */
export interface RowsPage {
  /** Encoded in UTF-8. */
  bytes: Uint8Array;
  rows: number;
  /** Position after the last click examined. */
  next: number;
}

/**
 * @param limit  maximum number of rows; null for all
 * @returns null when the log was erased in the meantime
 */
export async function readRows(
  scan: PageScan<Parameters<typeof clickRow>[1]>,
  format: RowFormat,
  limit: number | null,
): Promise<RowsPage | null> {
  let [text, rows] = ["", 0];
  const next = await readMatching(scan, (click) => {
    text += clickRow(format, click);
    rows++;
    return rows === limit || text.length >= PAGE_CHARS;
  });
  return next === null ? null : { bytes: new TextEncoder().encode(text), rows, next };
}
