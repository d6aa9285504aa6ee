/** The list of the latest clicks: newest first, each once, bounded; and whether clicks come too fast for it. Pure. */
import type { AccountGrouping } from "../../../../core/clicks/counting/groupings.ts";
import type { Click } from "../../../../core/contract/clicks.ts";
import { clickEventId } from "../../../../core/identifiers.ts";
import { linkName } from "../../../formatting/hosts.ts";
import type { StatsFilters } from "../stats/stats-params.ts";

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
  /** The link that was clicked, in the feed of an account. */
  link?: { id: string; name: string };
}

const FEED_KEYS: Partial<Record<AccountGrouping, (click: FeedClick) => string | undefined>> = {
  country: ({ country }) => country,
  device: ({ device }) => device,
  referrer: ({ referrer }) => referrer,
  rule: ({ rule }) => rule,
  destination: ({ destination }) => destination,
  source: ({ source }) => source,
  link: ({ link }) => link?.id,
};

/** Which clicks of the stream match; null where the stream does not tell what the filters are about. */
export function feedFilter(filters: StatsFilters): ((click: FeedClick) => boolean) | null {
  const tests = Object.entries(filters).map(([grouping, values]) => {
    const key = FEED_KEYS[grouping as AccountGrouping];
    return key ? (click: FeedClick) => values.includes(key(click) ?? "") : null;
  });
  if (tests.includes(null)) return null;
  return (click) => tests.every((isMatch) => isMatch?.(click));
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

type ClickFields = Omit<FeedClick, "id" | "occurredAt" | "link">;

function clickFields({ country, device, referrer, rule, destination, source }: ClickFields): ClickFields {
  return { country, device, referrer, rule, destination, source };
}

/** @param data  of a `click` event; null when it is not one, such as with a missing member */
export function feedClickFromEvent(data: string): FeedClick | null {
  try {
    const event: unknown = JSON.parse(data);
    if (!isStreamedClick(event)) return null;
    const { id, occurred_at, link_id, short_url } = event;
    const link = link_id && short_url ? { link: { id: link_id, name: linkName({ short_url }) } } : {};
    return { ...clickFields(event), ...link, id, occurredAt: occurred_at };
  } catch {
    return null;
  }
}

type StreamedClick = ClickFields & { id: string; occurred_at: string; link_id?: string; short_url?: string };

const EVENT_FIELDS = ["id", "occurred_at", "country", "device", "referrer", "rule", "destination", "source"] as const;

function isStreamedClick(event: unknown): event is StreamedClick {
  if (typeof event !== "object" || event === null) return false;
  const record: Partial<Record<string, unknown>> = { ...event };
  return EVENT_FIELDS.every((name) => typeof record[name] === "string");
}

/** More clicks than this in one second: a row that fades in would be pushed away before it can be read. */
const READABLE_PER_SECOND = 2;
const SECOND_MS = 1_000;

/** The arrivals of the last second. @param arrivals  epoch ms, ascending */
export function recentArrivals(arrivals: readonly number[], added: number, now: number): number[] {
  return [...arrivals.filter((at) => at > now - SECOND_MS), ...Array.from({ length: added }, () => now)];
}

export function isTooFast(arrivals: readonly number[]): boolean {
  return arrivals.length > READABLE_PER_SECOND;
}
