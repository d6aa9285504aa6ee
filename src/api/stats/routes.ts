/** What became of a link: grouped statistics and the exact click log (spec 2.3, 4.3). */
import { Hono } from "hono";

import { ClickPage, ClicksQuery } from "../../core/contract/clicks.ts";
import { Stats, StatsQuery } from "../../core/contract/stats.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { SERIES_BINS_MAX } from "../../core/clicks/groupings.ts";
import { wireClick } from "../../core/clicks/wire-click.ts";
import { timestamp } from "../../core/timestamp.ts";
import { readClicks, readStats } from "../../store/link-object-client.ts";
import { access } from "../middleware/access.ts";
import type { ApiEnv } from "../context.ts";
import { routeDoc } from "../openapi/route-doc.ts";
import { query } from "../middleware/input.ts";
import { loadLink } from "../links/routes.ts";

/** How far the clock behind an earlier answer's `to` may be ahead of this one: who goes on from there is not refused. */
const CLOCK_SKEW_MAX_MS = 10_000;

export const statsRoutes = new Hono<ApiEnv>()
  .get(
    "/links/:id/stats",
    access("stats:read"),
    routeDoc({
      id: "getLinkStats",
      tag: "Statistics",
      summary: "Click statistics",
      description:
        "Counts every click in `[from, to)`, exact to the millisecond. A finished range never changes, so polling with the last `to` as `from` adds up. The sum of buckets, the sum of the series and `total` are always equal.",
      ok: { status: 200, description: "The statistics.", schema: Stats },
      errors: ["too_many_intervals"],
    }),
    loadLink,
    query(StatsQuery),
    async (c) => {
      const { link } = c.var;
      const asked = c.req.valid("query");
      const from = asked.from === undefined ? link.createdAt : Date.parse(asked.from);
      const to = asked.to === undefined ? null : Date.parse(asked.to);
      if (from > (to ?? Date.now() + CLOCK_SKEW_MAX_MS)) throw rangeReversed();
      const question = {
        groupBy: asked.group_by,
        from,
        to,
        interval: asked.interval ?? null,
        timezone: asked.timezone,
        includeBots: asked.include_bots === "true",
      };
      const answer = await readStats(c.env, link, question);
      if (answer.kind === "too_many_bins") throw tooManyIntervals();
      const body: Stats = {
        total: answer.total,
        group_by: asked.group_by,
        buckets: answer.buckets,
        interval: question.interval,
        series: answer.series.map(({ start, clicks }) => ({ start: timestamp(start), clicks })),
        from: timestamp(from),
        to: timestamp(answer.to),
      };
      return c.json(body, 200);
    },
  )
  .get(
    "/links/:id/clicks",
    access("stats:read"),
    routeDoc({
      id: "listClicks",
      tag: "Statistics",
      summary: "The click log",
      description:
        "Every recorded click, people and bots, in the order of `seq`. Go on with `next_after` while `has_more` is true: where rules or destinations are very long, a page has fewer clicks than `limit`. An empty page means that you are up to date.",
      ok: { status: 200, description: "A page of clicks.", schema: ClickPage },
    }),
    loadLink,
    query(ClicksQuery),
    async (c) => {
      const { after, limit } = c.req.valid("query");
      const { clicks, hasMore } = await readClicks(c.env, c.var.link, { after, limit });
      const data = clicks.map(wireClick);
      const page: ClickPage = { data, has_more: hasMore, next_after: data.at(-1)?.seq ?? after };
      return c.json(page, 200);
    },
  );

function rangeReversed(): ApiError {
  return validationFailed([{ path: "from", code: "out_of_range", message: "from must not be later than to" }]);
}

function tooManyIntervals(): ApiError {
  const message = `The range holds more than ${SERIES_BINS_MAX} intervals: choose a longer interval or a shorter range`;
  return new ApiError("too_many_intervals", message, { param: "interval" });
}
