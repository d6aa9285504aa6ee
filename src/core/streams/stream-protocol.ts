/**
 * WebSocket protocol between the Worker that serves a stream and the Durable Object that feeds it. Binary messages are
 * SSE bytes to forward unchanged; text messages are control messages for the Worker. Pure.
 */

/** Back-pressure. The object sends it when more events are ready; the Worker sends it back when the client has room. */
export const MORE_MESSAGE = "more";

/**
 * The feed requests a comment to the client. A failed write reveals that the client has left (clicks/account-feed.ts).
 */
export const PROBE_MESSAGE = "probe";

/** Reasons to refuse a stream, as HTTP statuses. */
export const REFUSAL_STATUSES = { link_not_found: 404, too_many_streams: 429, bad_cursor: 422 } as const;
export type Refusal = keyof typeof REFUSAL_STATUSES;
export const REFUSALS = Object.keys(REFUSAL_STATUSES) as Refusal[];

/** Status from an object whose storage was written by a later release. */
export const UNAVAILABLE_STATUS = 503;

/** Status from an object that stores another link's clicks (core/clicks/protocol/link-object-rpc.ts, `OtherLink`). */
export const OTHER_LINK_STATUS = 421;

/** Header of a feed's response: start of its current period, epoch ms. */
export const FEED_SINCE_HEADER = "X-Since";

/** Close code of a stream that has ended: its link was deleted, or its account closed. */
export const CLOSE_CODE_FINAL = 4_000;

/** Close code of a stream that its client may resume with its last id. */
export const CLOSE_CODE_RESUME = 4_001;

/** A link's events from a position onward, in order, for the feed of its account. */
export interface Announcement {
  linkId: string;
  from: number;
  /** `EVENTS_FORMAT` of the events. */
  format: number;
  /** `packEvents`; null when there are none. */
  events: string | null;
  /** Set when `from` is the first click at or after this time, epoch ms. */
  since?: number;
}

/** `erased`: the feed no longer stores anything of the link. `more`: some rows remain; call again. */
export type FeedEraseResult = { kind: "erased" } | { kind: "more" };

/** After `restored`, cursors from before the restore of the backup lead to a gap event. */
export type FeedRestoreResult = { kind: "restored" } | { kind: "unavailable" };

export type AnnouncementResult =
  /** The feed has this link's events up to `next`. */
  | { kind: "next"; next: number }
  /** The feed does not know this link yet, and requests its events at or after `since`, epoch ms. */
  | { kind: "unknown"; since: number }
  /** No client streams: the period has ended. */
  | { kind: "nobody" }
  /** The feed runs an older release than the one that wrote these events or its own storage; announce again later. */
  | { kind: "too_new" };
