/**
 * What is said between the Worker that holds a stream open and the objects behind it. Events come as bytes that are
 * passed on as they are; what is text is said to the Worker itself. Plain data, and pure.
 */

/** From an object: there is more to read, ask when there is room. From the Worker: there is. */
export const MORE_MESSAGE = "more";

/** Why an object does not take a stream, as the status of its answer. */
export const REFUSAL_STATUSES = { link_not_found: 404, too_many_streams: 429, bad_cursor: 422 } as const;

/** Status of the answer of an object that finds what a later release has stored. */
export const UNAVAILABLE_STATUS = 503;

/** Status of the answer of an object that has another link's clicks (core/clicks/link-object-rpc.ts, `OtherLink`). */
export const OTHER_LINK_STATUS = 421;

/** Header of a feed's answer: since when links announce to it, epoch ms. */
export const FEED_SINCE_HEADER = "X-Since";

/** Close code when a stream may not go on: its link was deleted. */
export const CLOSE_CODE_FINAL = 4_000;

/** Close code when a stream cannot go on from where it is; its client comes back with the last id it has. */
export const CLOSE_CODE_RESUME = 4_001;

/** What a link's object hands to the feed of its account: its events from a position on, in order. */
export interface Announcement {
  linkId: string;
  from: number;
  /** Of the events. */
  format: number;
  /** `packEvents`; null when there are none. */
  events: string | null;
  /** Set when `from` is the first click at or after this time, epoch ms. */
  since?: number;
}

/** `erased`: the feed has nothing of the link any more. `more`: some of it is left, it is to be told again. */
export type FeedEraseResult = { kind: "erased" } | { kind: "more" };

export type AnnouncementResult =
  /** The feed has this link's events up to `next`. */
  | { kind: "next"; next: number }
  /** The feed has none of this link's: it wants those at or after `since`, epoch ms. */
  | { kind: "unknown"; since: number }
  /** Nobody listens. */
  | { kind: "nobody" }
  /** The feed is of an earlier release, than the events or than what is stored there: it is to be told again. */
  | { kind: "too_new" };
