/** The list of the latest clicks (newest first, each once, bounded), and whether clicks come too fast for it. Pure. */
import type { AccountClick, Click } from "../../../../core/contract/clicks.ts";
import { clickEventId } from "../../../../core/identifiers.ts";
import { linkName } from "../../../formatting/hosts.ts";
import { matchesFilters, type StatsFilters } from "../stats/stats-params.ts";

export const FEED_MAX_CLICKS = 50;

const FIELDS = ["country", "device", "referrer", "rule", "destination", "source"] as const;

/** A row of the feed, from a stream event or a click log entry. */
export interface FeedClick extends Pick<Click, (typeof FIELDS)[number] | "occurred_at"> {
  /** The id that the stream uses. */
  id: string;
  /** The clicked link, in the feed of an account. */
  link?: { id: string; name: string };
}

/** Whether a click from the stream matches; null if the stream lacks the facts that the filters need. */
export function feedFilter(filters: StatsFilters): ((click: FeedClick) => boolean) | null {
  const { exclude: _, ...included } = filters;
  const known: readonly string[] = ["link", ...FIELDS];
  if (!Object.keys(included).every((grouping) => known.includes(grouping))) return null;
  return ({ link, ...click }) => {
    const keys: Partial<Record<string, string>> = { ...click, link: link?.id };
    return matchesFilters(filters, (grouping) => keys[grouping] ?? "");
  };
}

/** @param newer  in chronological order, unlike the feed; earlier clicks may arrive after later ones */
export function mergeClicks(feed: readonly FeedClick[], newer: readonly FeedClick[]): FeedClick[] {
  const known = new Set(feed.map(({ id }) => id));
  const added = newer.filter(({ id }) => !known.has(id)).toReversed();
  const merged = [...added, ...feed].sort((a, b) => Date.parse(b.occurred_at) - Date.parse(a.occurred_at));
  return merged.slice(0, FEED_MAX_CLICKS);
}

export function feedClickFromLog(linkId: string, click: Click): FeedClick {
  return { ...click, id: clickEventId(linkId, click.seq) };
}

export function feedClickFromAccountLog(click: AccountClick): FeedClick {
  const link = { id: click.link_id, name: linkName({ short_url: `https://${click.address}` }) };
  return { ...feedClickFromLog(click.link_id, click), link };
}

const EVENT_MEMBERS = ["id", "occurred_at", ...FIELDS] as const;
type ClickEvent = Record<(typeof EVENT_MEMBERS)[number], string> & { link_id?: string; short_url?: string };

/** @param data  of a `click` event; null if it is invalid, e.g. lacks a member */
export function feedClickFromEvent(data: string): FeedClick | null {
  try {
    const event = JSON.parse(data) as ClickEvent | null;
    if (!event || EVENT_MEMBERS.some((name) => typeof event[name] !== "string")) return null;
    const { link_id, short_url } = event;
    const link = link_id && short_url ? { link: { id: link_id, name: linkName({ short_url }) } } : {};
    const members = EVENT_MEMBERS.map((name) => [name, event[name]]);
    return { ...(Object.fromEntries(members) as FeedClick), ...link };
  } catch {
    return null;
  }
}

/** With more clicks per second, a row that fades in would be pushed away before it can be read. */
const READABLE_PER_SECOND = 2;
const SECOND_MS = 1_000;

/** The arrivals of the last second. @param arrivals  epoch ms, ascending */
export function recentArrivals(arrivals: readonly number[], added: number, now: number): number[] {
  return [...arrivals.filter((at) => at > now - SECOND_MS), ...Array.from({ length: added }, () => now)];
}

export function isTooFast(arrivals: readonly number[]): boolean {
  return arrivals.length > READABLE_PER_SECOND;
}
