/** Answers about an account's clicks, counted from a plain list of them. */
import { type AccountGrouping, GROUPINGS, type Interval } from "../../src/core/clicks/counting/groupings.ts";
import { binStarts } from "../../src/core/clicks/counting/calendar.ts";
import { SERIES_BINS_MAX } from "../../src/core/limits.ts";
import type { VisitFact } from "../../src/core/clicks/facts.ts";
import { tagKey } from "../../src/core/links/case-folding.ts";
import type { SentVisit } from "./random-visits.ts";

const DAY_MS = 86_400_000;

export interface ListedLink {
  id: string;
  domain: string;
  /** As they were typed; none once the link is deleted. */
  tags: readonly string[];
}

export interface ListedClick {
  link: ListedLink;
  seq: number;
  /** Time in the link's own log, epoch ms. */
  at: number;
  /** UTC day of the visit, whose salt determines the visitor. */
  day: number;
  visit: SentVisit;
  revision: number;
  rule: string;
  destination: string;
}

export interface Filter {
  name: AccountGrouping;
  values: readonly string[];
}

export interface Question {
  groupBy: AccountGrouping;
  from: number;
  to: number;
  interval: Interval | null;
  timezone: string;
  includeBots: boolean;
  uniques: boolean;
  filters: readonly Filter[];
}

/** The keys of a click: one, except for tags, which are folded. */
export function keysOf({ link, visit, ...click }: ListedClick, grouping: AccountGrouping): string[] {
  switch (grouping) {
    case "link":
      return [link.id];
    case "domain":
      return [link.domain];
    case "tag":
      return link.tags.length > 0 ? link.tags.map(tagKey) : ["none"];
    case "rule":
    case "destination":
      return [click[grouping]];
    case "revision":
      return [String(click.revision)];
    case "source":
      return [visit.qr ? "qr" : "link"];
    case "qr":
      return [visit.qr ?? "none"];
    case "imported":
      return ["false"];
    default:
      return [visit.facts[grouping satisfies VisitFact]];
  }
}

export function isWanted(
  click: ListedClick,
  { from, to, filters }: Pick<Question, "from" | "to" | "filters">,
): boolean {
  return (
    click.at >= from &&
    click.at < to &&
    filters.every(({ name, values }) => keysOf(click, name).some((key) => values.includes(key)))
  );
}

/**
 * The answer of `GET /v1/stats`; null if there are too many intervals.
 * @param nameOf  how a tag is shown
 */
export function countedStats(clicks: readonly ListedClick[], question: Question, nameOf: (tag: string) => string) {
  const { from, to, groupBy, interval, timezone } = question;
  const wanted = clicks.filter(
    (click) => isWanted(click, question) && (question.includeBots || click.visit.class === "human"),
  );
  const counted = (some: readonly ListedClick[]) => ({
    clicks: some.length,
    ...(question.uniques ? { unique_visitors: visitorsOf(some) } : {}),
  });
  const groups = new Map<string, ListedClick[]>();
  for (const click of wanted) {
    for (const key of keysOf(click, groupBy)) {
      const shown = groupBy === "tag" ? nameOf(key) : key;
      groups.set(shown, [...(groups.get(shown) ?? []), click]);
    }
  }
  const starts = interval ? binStarts(interval, timezone, from, to, SERIES_BINS_MAX) : [];
  if (!starts) return null;
  const { clicks: total, ...uniques } = counted(wanted);
  return {
    total,
    ...uniques,
    group_by: groupBy,
    buckets: [...groups]
      .map(([key, some]) => ({ key, ...counted(some) }))
      .sort((one, other) => other.clicks - one.clicks || (one.key < other.key ? -1 : 1)),
    interval,
    series: starts.map((start, i) => {
      const end = starts[i + 1] ?? Infinity;
      return { start: iso(start), ...counted(wanted.filter(({ at }) => at >= start && at < end)) };
    }),
    from: iso(from),
    to: iso(to),
  };
}

/** People without bots, each counted once a day. */
function visitorsOf(clicks: readonly ListedClick[]): number {
  const known = clicks.filter(({ visit }) => visit.visitor !== null && visit.class === "human");
  return new Set(known.map(({ day, visit }) => `${day} ${visit.visitor}`)).size;
}

/** A row of `GET /v1/clicks`. */
export function rowOf({ link, seq, at, visit, revision, rule, destination }: ListedClick) {
  return {
    link_id: link.id,
    domain: link.domain,
    seq,
    occurred_at: iso(at),
    class: visit.class,
    revision,
    ...visit.facts,
    rule,
    destination,
    source: visit.qr ? "qr" : "link",
    qr_id: visit.qr,
    imported: false,
  };
}

export function inOrderOfTime(one: ListedClick, other: ListedClick): number {
  return (
    one.at - other.at || (one.link.id < other.link.id ? -1 : one.link.id > other.link.id ? 1 : one.seq - other.seq)
  );
}

/** The parameters of a query or of a list of clicks. */
export function paramsOf({ filters, ...question }: Pick<Question, "from" | "to" | "filters"> & Partial<Question>) {
  const { groupBy, interval, timezone, includeBots, uniques } = question;
  return new URLSearchParams({
    from: iso(question.from),
    to: iso(question.to),
    ...(groupBy ? { group_by: groupBy } : {}),
    ...(interval ? { interval } : {}),
    ...(timezone ? { timezone } : {}),
    ...(includeBots === undefined ? {} : { include_bots: String(includeBots) }),
    ...(uniques ? { include: "uniques" } : {}),
    ...Object.fromEntries(
      filters.map(({ name, values }) => [
        name === "link" ? "link_id" : name,
        values.map((value) => value.replace(/[\\,]/g, "\\$&")).join(","),
      ]),
    ),
  });
}

export const ALL_GROUPINGS: readonly AccountGrouping[] = [...GROUPINGS, "link", "tag", "domain"];

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function utcDayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}
