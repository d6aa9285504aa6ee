/** Statistics and clicks on the wire. */
import type { ClickPage } from "../../core/contract/clicks.ts";
import type { Stats, StatsQuery } from "../../core/contract/stats.ts";
import type { StatsData, StatsRequest } from "../../core/clicks/stats.ts";
import { wireClick } from "../../core/clicks/wire-click.ts";
import { timestamp } from "../../core/timestamp.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import type { readClicks } from "../../store/link-object-client.ts";

/** The range begins with the link where no beginning was sent. */
export function toStatsRequest(sent: StatsQuery, link: LinkRecord): StatsRequest {
  return {
    groupBy: sent.group_by,
    from: sent.from === undefined ? link.createdAt : Date.parse(sent.from),
    to: sent.to === undefined ? null : Date.parse(sent.to),
    interval: sent.interval ?? null,
    timezone: sent.timezone,
    includeBots: sent.include_bots === "true",
  };
}

export function wireStats({ groupBy, from, interval }: StatsRequest, { total, buckets, series, to }: StatsData): Stats {
  return {
    total,
    group_by: groupBy,
    buckets,
    interval,
    series: series.map(({ start, clicks }) => ({ start: timestamp(start), clicks })),
    from: timestamp(from),
    to: timestamp(to),
  };
}

type ClickRecordPage = Awaited<ReturnType<typeof readClicks>>;

/** @param after  as it was sent: an empty page repeats it, so that a client that polls goes on from there */
export function wireClickPage({ clicks, hasMore }: ClickRecordPage, after: number): ClickPage {
  const data = clicks.map(wireClick);
  return { data, has_more: hasMore, next_after: data.at(-1)?.seq ?? after };
}
