/**
 * The clicks of a range from the click log, each with all of its facts, for statistics under filters, which the API does
 * not compute yet. Exact or refused: beyond `LOG_CLICKS_MAX` nothing is computed.
 */
import type { Click, ClickPage } from "../../../../core/contract/clicks.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { PAGE_CLICKS_MAX } from "../../../../core/limits.ts";
import { type ApiClient, unwrap } from "../../../api/client.ts";
import type { ClickLog } from "./filtered-stats.ts";
import { statsQueryOf } from "./stats-query.ts";
import type { TimeBounds } from "./time-range.ts";

/** Ten pages: some megabytes, read within the rate limit of a Free account. */
export const LOG_CLICKS_MAX = 10_000;

export class TooManyClicksError extends Error {
  /** Of the range. */
  readonly clicks: number;

  constructor(clicks: number) {
    super(`${clicks} clicks, at most ${LOG_CLICKS_MAX} can be filtered`);
    this.name = "TooManyClicksError";
    this.clicks = clicks;
  }
}

/**
 * @param known  an earlier log of the same link, whose clicks are not read again
 * @throws TooManyClicksError
 */
export async function readClickLog(
  api: ApiClient,
  link: Link,
  bounds: TimeBounds,
  known: ClickLog | undefined,
): Promise<ClickLog> {
  const [before, { total, from, to }] = await Promise.all([
    countBefore(api, link, bounds.from),
    readTotal(api, link, bounds),
  ]);
  if (total > LOG_CLICKS_MAX) throw new TooManyClicksError(total);
  // `seq` counts a link's clicks from 1, in the order of their time: the range is a run of it.
  const kept = (known?.clicks ?? []).filter(({ seq }) => seq > before && seq <= before + total);
  const start = kept.at(-1)?.seq ?? before;
  const isContinuous = kept.length === start - before;
  const newer = await readRun(api, link, isContinuous ? start : before, before + total);
  return { clicks: isContinuous ? [...kept, ...newer] : newer, from, to };
}

/** Clicks before the range, which is also the `seq` of the last one of them. */
async function countBefore(api: ApiClient, link: Link, from: number | null): Promise<number> {
  if (from === null || from <= Date.parse(link.created_at)) return 0;
  return (await readTotal(api, link, { from: null, to: from })).total;
}

function readTotal(api: ApiClient, { id }: Link, bounds: TimeBounds): Promise<Stats> {
  const query = statsQueryOf({ zone: "UTC", includeBots: true }, bounds, "source", undefined);
  return unwrap<Stats>(api.links[":id"].stats.$get({ param: { id }, query }));
}

/** The clicks with a `seq` after `after` and up to `last`, page beside page. */
async function readRun(api: ApiClient, link: Link, after: number, last: number): Promise<Click[]> {
  const starts = Array.from(
    { length: Math.ceil((last - after) / PAGE_CLICKS_MAX) },
    (_, i) => after + i * PAGE_CLICKS_MAX,
  );
  const pages = await Promise.all(
    starts.map((start) => readSlice(api, link, start, Math.min(start + PAGE_CLICKS_MAX, last))),
  );
  return pages.flat();
}

/** A page has fewer clicks than were asked for where rules or destinations are very long. */
async function readSlice(api: ApiClient, { id }: Link, start: number, last: number): Promise<Click[]> {
  const clicks: Click[] = [];
  for (let after = start; after < last;) {
    const query = { after, limit: last - after };
    const page = await unwrap<ClickPage>(api.links[":id"].clicks.$get({ param: { id }, query }));
    if (page.data.length === 0) throw new Error(`the click log has no click after ${after}`);
    clicks.push(...page.data);
    after = page.next_after;
  }
  return clicks;
}
