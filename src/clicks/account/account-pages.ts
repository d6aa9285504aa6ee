/**
 * Pages of an account's clicks in the order of time, as the text of their rows. Read in pieces between which other calls
 * run; a page looks at so many clicks at most, and the next one goes on. Writes nothing.
 */
import type { AccountClicksPage, AccountClicksRequest } from "../../core/clicks/account-export.ts";
import { type AccountLookup, compileAccountFilters } from "../../core/clicks/account-stats.ts";
import { clickRow } from "../../core/clicks/click-rows.ts";
import { type ClickPlace, comparePlaces } from "../../core/clicks/click-place.ts";
import { allClicks, narrowTo } from "../../core/clicks/scanned-clicks.ts";
import { nextTurn } from "../next-turn.ts";
import { AccountReader } from "./account-reader.ts";
import { ACCOUNT_BLOCK_CLICKS } from "./account-summaries.ts";
import type { Generation } from "./generation.ts";
import { ListedPart } from "./listed-part.ts";

/** A page ends with the row that reaches it: some 2,000 clicks. */
const PAGE_CHARS = 1024 * 1024;
/** Clicks read without a pause, some 30 ms; and those that a page looks at. */
const PIECE_CLICKS = 24 * ACCOUNT_BLOCK_CLICKS;
const PAGE_CLICKS = 5 * PIECE_CLICKS;

interface PageQuestion {
  generation: Generation;
  /** Every click before this is in the log, epoch ms. */
  asOf: number;
  request: AccountClicksRequest;
  tagsOf: AccountLookup["tagsOf"];
  /** Whether the generation still answers. */
  isOpen: () => boolean;
}

/** @returns null when the log does not have all clicks up to the end of the export, because some are being erased */
export async function accountPage(question: PageQuestion): Promise<AccountClicksPage | null> {
  const { generation, asOf, request, isOpen } = question;
  const { after, from, to } = request;
  const end = request.end ?? Math.min(to ?? asOf, asOf);
  if (end > asOf) return null;
  const reader = new AccountReader(generation);
  const first = Math.max(from === null ? 0 : reader.positionAt(from), after ? positionAfter(generation, after) : 0);
  const last = Math.max(reader.positionAt(end), first);
  const page = new PageBuilder(question, after);
  const stop = Math.min(first + PAGE_CLICKS, last);
  let position = first;
  while (position < stop && !page.isFull) {
    position = page.read(reader, position, Math.min(position + PIECE_CLICKS, stop));
    if (position < stop && !page.isFull) await nextTurn();
    if (!isOpen()) return null;
  }
  const { rows, next } = page;
  return { bytes: page.bytes(), rows, next, isLast: position >= last, end, clicks: last - first };
}

class PageBuilder {
  rows = 0;
  next: ClickPlace | null;
  readonly #generation: Generation;
  readonly #request: AccountClicksRequest;
  readonly #filters: ReturnType<typeof compileAccountFilters>;
  #text = "";

  constructor({ generation, request, tagsOf }: PageQuestion, after: ClickPlace | null) {
    this.next = after;
    this.#generation = generation;
    this.#request = request;
    const textOf: AccountLookup["textOf"] = (field, number) => generation.texts[field].textOf(number);
    this.#filters = compileAccountFilters({ ...request, includeBots: true }, { tagsOf, textOf });
  }

  get isFull(): boolean {
    return this.rows === this.#request.limit || this.#text.length >= PAGE_CHARS;
  }

  bytes(): Uint8Array {
    return new TextEncoder().encode(this.#text);
  }

  /** Takes clicks from a position on. @returns the position after the last one that was looked at */
  read(reader: AccountReader, from: number, to: number): number {
    let start = from;
    for (const { clicks, ...part } of reader.parts(from, to)) {
      const listed = new ListedPart(clicks, this.#generation.texts);
      for (const i of narrowTo(allClicks(part), clicks, this.#filters)) {
        this.#text += clickRow(this.#request.format, listed.click(i));
        this.rows++;
        if (!this.isFull) continue;
        this.next = listed.place(i);
        return start + i - part.from + 1;
      }
      start += part.to - part.from;
      this.next = listed.place(part.to - 1);
    }
    return to;
  }
}

/** Position of the first click after a place. */
function positionAfter(generation: Generation, place: ClickPlace): number {
  const reader = new AccountReader(generation);
  let position = reader.positionAt(place.at);
  for (const { clicks, from, to } of reader.parts(position, reader.positionAt(place.at + 1))) {
    const listed = new ListedPart(clicks, generation.texts);
    for (let i = from; i < to; i++, position++) if (comparePlaces(listed.place(i), place) > 0) return position;
  }
  return position;
}
