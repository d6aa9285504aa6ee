/**
 * Reads every click of a range of a log, in pieces, between which the object records clicks; the log only grows, so the
 * range's positions stay what they are. Loaded only for questions that need that.
 */
import type { ScannedClicks } from "../core/clicks/scanned-clicks.ts";
import type { ClickLog } from "./click-log.ts";
import type { StatsRange } from "./link-stats.ts";
import { BLOCK_CLICKS } from "./link-summaries.ts";
import { nextTurn } from "./next-turn.ts";

/** Clicks read without a pause, where their blocks are packed; and blocks packed without a pause. Some 30 ms. */
export const PIECE_CLICKS = 96 * BLOCK_CLICKS;
export const PIECE_PACKED_BLOCKS = 8;
/** Blocks that one question packs, about a million clicks: a few seconds of CPU, of the ten that a call may take. */
const QUESTION_PACKED_BLOCKS = 1_024;

export interface LogScan {
  log: ClickLog;
  range: Pick<StatsRange, "first" | "end">;
  /** Whether the log is still there. */
  isOpen: () => boolean;
}

/**
 * Why a scan has no answer: the log was erased meanwhile; or it had so many blocks to pack that the next question goes
 * on with them.
 */
export type Unfinished = "erased" | "packing";

interface ClickConsumer {
  /** Clicks read without a pause, where they take longer than to be counted. */
  pieceClicks?: number;
  add: (clicks: ScannedClicks) => void;
}

export async function readAll({ log, range, isOpen }: LogScan, reader: ClickConsumer): Promise<Unfinished | null> {
  const packedBefore = log.packedBlocks;
  for (let from = range.first; from < range.end;) {
    if (!isOpen()) return "erased";
    if (log.packedBlocks - packedBefore >= QUESTION_PACKED_BLOCKS) return "packing";
    from += readPiece(log, from, range.end, reader);
    if (from < range.end) await nextTurn();
  }
  return null;
}

/** @returns how many clicks were read */
function readPiece(log: ClickLog, from: number, end: number, reader: ClickConsumer): number {
  const packedBefore = log.packedBlocks;
  const { pieceClicks = PIECE_CLICKS } = reader;
  let read = 0;
  for (const clicks of log.scan(from, Math.min(from - (from % BLOCK_CLICKS) + pieceClicks, end))) {
    reader.add(clicks);
    read += clicks.to - clicks.from;
    if (log.packedBlocks - packedBefore >= PIECE_PACKED_BLOCKS) break;
  }
  return read;
}
