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
import { BLOCK_CLICKS } from "./link-summaries.ts";
import { nextTurn } from "./next-turn.ts";

/** Clicks read without a pause: some 30 ms. */
const PIECE_CLICKS = 96 * BLOCK_CLICKS;
/** Clicks that a page looks at: some 150 ms. */
const PAGE_PIECES = 5;

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
  let position = first;
  for (let piece = 0; piece < PAGE_PIECES && position < end; piece++) {
    if (piece > 0) await nextTurn();
    if (!isOpen()) return null;
    const to = Math.min(position - (position % BLOCK_CLICKS) + PIECE_CLICKS, end);
    for (const click of reader.readMatching(position, to, compiled)) if (take(click)) return click.position + 1;
    position = to;
  }
  return position;
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
