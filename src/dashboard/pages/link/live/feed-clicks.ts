/** The list of the latest clicks: newest first, each once, bounded. Pure. */
import type { Click } from "../../../../core/contract/clicks.ts";
import { clickEventId } from "../../../../core/identifiers.ts";

export const FEED_MAX_CLICKS = 50;

/** A row of the feed, from an event of the stream or an entry of the click log. */
export interface FeedClick {
  /** As in the stream. */
  id: string;
  /** ISO 8601, UTC. */
  occurredAt: string;
  country: string;
  device: string;
  referrer: string;
  rule: string;
  destination: string;
  source: string;
}

/** @param newer  in the order in which they happened, unlike the feed */
export function mergeClicks(feed: readonly FeedClick[], newer: readonly FeedClick[]): FeedClick[] {
  const known = new Set(feed.map(({ id }) => id));
  const added = newer.filter(({ id }) => !known.has(id)).toReversed();
  return [...added, ...feed].slice(0, FEED_MAX_CLICKS);
}

export function feedClickFromLog(linkId: string, { seq, occurred_at, ...click }: Click): FeedClick {
  return { ...clickFields(click), id: clickEventId(linkId, seq), occurredAt: occurred_at };
}

type ClickFields = Omit<FeedClick, "id" | "occurredAt">;

function clickFields({ country, device, referrer, rule, destination, source }: ClickFields): ClickFields {
  return { country, device, referrer, rule, destination, source };
}

/** @param data  of a `click` event; null when it is not one, such as with a missing member */
export function feedClickFromEvent(data: string): FeedClick | null {
  try {
    const event: unknown = JSON.parse(data);
    return isStreamedClick(event) ? { ...clickFields(event), id: event.id, occurredAt: event.occurred_at } : null;
  } catch {
    return null;
  }
}

type StreamedClick = ClickFields & { id: string; occurred_at: string };

const EVENT_FIELDS = ["id", "occurred_at", "country", "device", "referrer", "rule", "destination", "source"] as const;

function isStreamedClick(event: unknown): event is StreamedClick {
  if (typeof event !== "object" || event === null) return false;
  const record: Partial<Record<string, unknown>> = { ...event };
  return EVENT_FIELDS.every((name) => typeof record[name] === "string");
}
