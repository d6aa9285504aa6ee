/**
 * Shared by the logs of links and of feeds: the stored form of events, the frames sent to clients (SSE), and cursors.
 * Pure.
 */
import type { Mode } from "../account.ts";
import type { ClickEvent } from "../contract/streams.ts";
import type { LinkOrigin } from "../links/link-snapshot.ts";
import { DAY_MS, timestamp } from "../time.ts";

/** An event as stored in logs and passed between objects. */
export interface LoggedEvent {
  /** Time of the click, epoch ms. */
  at: number;
  /** Whether the click is human; others are sent only with `include_bots`. */
  human: boolean;
  /** Set if the link was created in the dashboard; such events are sent only with `origin=all`. */
  ofDashboard?: true;
  /** The event as JSON, on one line; "" when its link was erased: it keeps its position and is never sent. */
  data: string;
}

/** A place between two events of one log. */
export interface Cursor {
  /** Position of the next event. */
  position: number;
  /** Time of the event before it, epoch ms: where a gap begins. */
  at: number;
}

/** Retention of an account's events, by age and by number. */
export const RETENTION_MS = DAY_MS;
export const RETAINED_EVENTS_MAX = 100_000;

/** Limit of events read, announced or sent at a time: about 100 KB of ordinary events. */
export const PAGE_EVENTS_MAX = 256;
/**
 * Limit of their characters. Otherwise, pages of links with long rules would take megabytes, and a row of an object's
 * storage is limited to 2 MB. At most 480 KiB, at three bytes per character.
 */
const PAGE_MAX_CHARS = 160 * 1024;

/** Name of the log of an account and mode in its cursors, and of its Durable Object. */
export function feedName(accountId: string, mode: Mode): string {
  return `${accountId}-${mode}`;
}

/** @param log  a link's id, or the name of a feed: a cursor is valid for its own log only */
function formatCursor(log: string, { position, at }: Cursor): string {
  return `${log}-${position.toString(36)}-${at.toString(36)}`;
}

/** @returns null when the text is not a cursor of this log */
export function parseCursor(log: string, text: string): Cursor | null {
  if (!text.startsWith(`${log}-`)) return null;
  const [, position = "", at = ""] = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})$/.exec(text.slice(log.length + 1)) ?? [];
  const cursor = { position: Number.parseInt(position, 36), at: Number.parseInt(at, 36) };
  // Accepts only the canonical text: each cursor has exactly one.
  return Number.isSafeInteger(cursor.position) && formatCursor(log, cursor) === text ? cursor : null;
}

export function loggedEvent(at: number, human: boolean, event: ClickEvent, origin: LinkOrigin): LoggedEvent {
  return { at, human, ...(origin === "dashboard" ? { ofDashboard: true } : {}), data: JSON.stringify(event) };
}

/** Replaces an event whose link was erased. @param at  epoch ms; not the time of the click */
export function erasedEvent(at: number): LoggedEvent {
  return { at, human: false, data: "" };
}

/** The longest prefix of `events` that fits in one page, but at least one event. */
export function eventPage(events: Iterable<LoggedEvent>): LoggedEvent[] {
  return boundedPage(events, { items: PAGE_EVENTS_MAX, weight: PAGE_MAX_CHARS }, ({ data }) => data.length);
}

/** The format of `packEvents`. A feed refuses an unknown format. */
export const EVENTS_FORMAT = 2;

/** Encodes events as text, one line each. The first letter is the kind of visitor, in upper case `ofDashboard`. */
export function packEvents(events: readonly LoggedEvent[]): string {
  return events
    .map(({ at, human, ofDashboard, data }) => {
      const kind = human ? "h" : "b";
      return `${ofDashboard ? kind.toUpperCase() : kind}${at.toString(36)} ${data}`;
    })
    .join("\n");
}

export function unpackEvents(text: string): LoggedEvent[] {
  return text.split("\n").map((line) => {
    const space = line.indexOf(" ");
    const kind = line.charAt(0);
    return {
      at: Number.parseInt(line.slice(1, space), 36),
      human: kind === "h" || kind === "H",
      ...(kind === "H" || kind === "B" ? { ofDashboard: true } : {}),
      data: line.slice(space + 1),
    };
  });
}

/** The SSE frame of a click. @param next  position after the click */
export function clickFrame(log: string, { at, data }: LoggedEvent, next: number): string {
  return `id: ${formatCursor(log, { position: next, at })}\nevent: click\ndata: ${data}\n\n`;
}

/**
 * Reports where the stream begins, so that a client that is disconnected before the first click misses none. It has
 * data because many parsers drop an event without data, along with its id.
 */
export function readyFrame(log: string, cursor: Cursor): string {
  return `id: ${formatCursor(log, cursor)}\nevent: ready\ndata: {}\n\n`;
}

/** Reports that events between two times are no longer retained; the stream continues at `next`. */
export function gapFrame(log: string, from: number, next: Cursor): string {
  const data = JSON.stringify({ from: timestamp(from), to: timestamp(next.at) });
  return `id: ${formatCursor(log, next)}\nevent: gap\ndata: ${data}\n\n`;
}

interface PageBounds {
  items: number;
  weight: number;
}

/**
 * The longest prefix of `items` within both limits, but at least one item, so that an oversized item cannot block the
 * list. @internal
 */
export function boundedPage<T>(items: Iterable<T>, max: PageBounds, weigh: (item: T) => number): T[] {
  const page: T[] = [];
  let weight = 0;
  for (const item of items) {
    weight += weigh(item);
    if (page.length > 0 && weight > max.weight) break;
    page.push(item);
    if (page.length === max.items) break;
  }
  return page;
}
