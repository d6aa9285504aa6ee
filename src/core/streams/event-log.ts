/**
 * What the logs behind the live stream have in common: events as they are kept and as they go over the wire, and
 * cursors. Pure.
 */
import type { Mode } from "../account.ts";
import type { ClickEvent } from "../contract/streams.ts";

import { boundedPage } from "../bounded-page.ts";
import { timestamp } from "../timestamp.ts";

/** An event as logs keep it and objects hand it on. */
export interface LoggedEvent {
  /** When it happened, epoch ms. */
  at: number;
  /** Whether a person clicked; the others are left out unless asked for. */
  human: boolean;
  /** The event as JSON, on one line; "" when its link was erased: it keeps its position, and no stream is sent it. */
  data: string;
}

/** A place between two events of one log. */
export interface Cursor {
  /** Of the next event. */
  position: number;
  /** When the event before it happened, epoch ms: says from where a gap must be filled. */
  at: number;
}

/** What is kept of the events of an account: for so long, and so many. */
export const RETENTION_MS = 86_400_000;
export const RETAINED_EVENTS_MAX = 100_000;

/** Most events that are read, handed on or sent at once: mostly some 100 KB. */
export const PAGE_EVENTS_MAX = 256;
/**
 * Most characters of them. Links may be very long, so that so many events would fill megabytes, and a row of an
 * object's storage takes two. These are at most 480 KiB, three bytes each.
 */
const PAGE_MAX_CHARS = 160 * 1024;

/** Name of an account's log in its cursors, and of the object that keeps it. */
export function feedName(accountId: string, mode: Mode): string {
  return `${accountId}-${mode}`;
}

/** @param log  a link's id, or the name of a feed: a cursor is good for its own log alone */
function formatCursor(log: string, { position, at }: Cursor): string {
  return `${log}-${position.toString(36)}-${at.toString(36)}`;
}

/** Null when the text is no cursor of this log. */
export function parseCursor(log: string, text: string): Cursor | null {
  if (!text.startsWith(`${log}-`)) return null;
  const [, position = "", at = ""] = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})$/.exec(text.slice(log.length + 1)) ?? [];
  const cursor = { position: Number.parseInt(position, 36), at: Number.parseInt(at, 36) };
  // Only as it is written: no cursor has two texts.
  return Number.isSafeInteger(cursor.position) && formatCursor(log, cursor) === text ? cursor : null;
}

export function loggedEvent(at: number, human: boolean, event: ClickEvent): LoggedEvent {
  return { at, human, data: JSON.stringify(event) };
}

/** What is left of an event whose link was erased. @param at  epoch ms; not that of the click */
export function erasedEvent(at: number): LoggedEvent {
  return { at, human: false, data: "" };
}

/** As many of the events, from the first on, as go into one page; always one if there is any. */
export function eventPage(events: Iterable<LoggedEvent>): LoggedEvent[] {
  return boundedPage(events, { items: PAGE_EVENTS_MAX, weight: PAGE_MAX_CHARS }, ({ data }) => data.length);
}

/** The format of `packEvents`: a feed takes none that it does not know. */
export const EVENTS_FORMAT = 1;

/** Events as one text, a line each. */
export function packEvents(events: readonly LoggedEvent[]): string {
  return events.map(({ at, human, data }) => `${human ? "h" : "b"}${at.toString(36)} ${data}`).join("\n");
}

export function unpackEvents(text: string): LoggedEvent[] {
  return text.split("\n").map((line) => {
    const space = line.indexOf(" ");
    return { at: Number.parseInt(line.slice(1, space), 36), human: line[0] === "h", data: line.slice(space + 1) };
  });
}

/** A click as it is streamed. @param next  the cursor after it */
export function clickFrame(log: string, { at, data }: LoggedEvent, next: number): string {
  return `id: ${formatCursor(log, { position: next, at })}\nevent: click\ndata: ${data}\n\n`;
}

/** Tells a client where it stands, without an event: who is cut off before the first one misses nothing. */
export function cursorFrame(log: string, cursor: Cursor): string {
  return `id: ${formatCursor(log, cursor)}\n\n`;
}

/** Events between these times are no longer kept; what follows begins at `next`. */
export function gapFrame(log: string, from: number, next: Cursor): string {
  const data = JSON.stringify({ from: timestamp(from), to: timestamp(next.at) });
  return `id: ${formatCursor(log, next)}\nevent: gap\ndata: ${data}\n\n`;
}
