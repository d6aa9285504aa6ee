/**
 * Reads those clicks of a link's log that match filters, in pieces between which the object records clicks. Filters that
 * few clicks match must not keep the object busy: a page looks at so many clicks at most, and the next one goes on.
 * Writes nothing. Loaded only for that.
 */
import { compileFilters, type Filter } from "../core/clicks/filters.ts";
import {
  type ClicksRequest,
  type ClicksResult,
  type ListedClick,
  PAGE_MAX_CHARS,
} from "../core/clicks/link-object-rpc.ts";
import type { ClickReader } from "./click-reader.ts";
import { nextTurn } from "./next-turn.ts";
import { PIECE_CLICKS, PIECE_PACKED_BLOCKS } from "./log-scan.ts";

/** Clicks that a page looks at, half a million: some 150 ms, and half a second where their blocks are to be packed. */
const PAGE_CLICKS = 5 * PIECE_CLICKS;

interface MatchingClicks {
  reader: ClickReader;
  filters: readonly Filter[];
  /** Positions `[first, end)`. */
  first: number;
  end: number;
  /** Whether the log is still there. */
  isOpen: () => boolean;
}

/**
 * @param take  takes the next click that matches, and says whether the page is full with it
 * @returns the position after the last click that was looked at; null when the log was erased meanwhile
 */
export async function readMatching(
  { reader, filters, first, end, isOpen }: MatchingClicks,
  take: (click: ListedClick) => boolean,
): Promise<number | null> {
  const compiled = compileFilters(filters, (route) => reader.routeKeysOf(route));
  const last = Math.min(first + PAGE_CLICKS, end);
  for (let position = first; ; await nextTurn()) {
    if (!isOpen()) return null;
    if (position >= last) return position;
    const packedBefore = reader.packedBlocks;
    for (const part of reader.readMatching(position, Math.min(position + PIECE_CLICKS, last), compiled)) {
      for (const click of part.clicks) if (take(click)) return click.position + 1;
      position = part.end;
      if (reader.packedBlocks - packedBefore >= PIECE_PACKED_BLOCKS) break;
    }
  }
}

/** @returns null when the log was erased meanwhile */
export async function matchingPage(
  reader: ClickReader,
  { after, limit, from, to, filters = [] }: ClicksRequest,
  isOpen: () => boolean,
): Promise<ClicksResult | null> {
  const { first, end } = reader.positionsOf(after, from ?? null, to ?? null);
  const clicks: ListedClick[] = [];
  let chars = 0;
  const next = await readMatching({ reader, filters, first, end, isOpen }, (click) => {
    clicks.push(click);
    chars += JSON.stringify(click).length;
    return clicks.length === limit || chars >= PAGE_MAX_CHARS;
  });
  return next === null ? null : { kind: "clicks", clicks, hasMore: next < end, bounded: true, next };
}
