/** The tool that backtests a change of a link on its past clicks, and returns the digest that update_link requires. */
import * as z from "zod";

import { earliestStart } from "../../core/clicks/counting/stats.ts";
import { Backtest, BacktestLink } from "../../core/contract/backtests.ts";
import { type Link, UpdateLink } from "../../core/contract/links.ts";
import { TimestampOut } from "../../core/contract/primitives.ts";
import { BACKTEST_DAYS } from "../../core/limits.ts";
import { isExpired, isNotOpen } from "../../core/links/routing.ts";
import { timestamp, timestampOrNull } from "../../core/time.ts";
import { backtestDigest, type DecidingMember, decidingPart, DIGEST_TTL_MS } from "./backtested-changes.ts";
import { type CallApi, RefusedByApi, revisionOf } from "./in-process-api.ts";
import { backtestOfClosed, shortBacktest } from "./short-answers.ts";
import { defineTool, LinkIdIn, linkPath } from "./tool.ts";

const { url, routing, starts_at, expires_at, fallback_url } = UpdateLink.shape;
const CHANGE = { url, routing, starts_at, expires_at, fallback_url } satisfies Record<DecidingMember, z.ZodType>;

const { include_bots } = BacktestLink.shape;
const RANGE = {
  from: BacktestLink.shape.from.meta({
    description: `Start of the range. With from or to, no digest is returned: it requires the default range, the last ${BACKTEST_DAYS} days.`,
  }),
  to: BacktestLink.shape.to,
};

export const backtestChange = defineTool({
  name: "backtest_change",
  title: "Backtest a change",
  description: `Shows what a change would have done to a link's clicks in the last ${BACKTEST_DAYS} days: how many would have gone elsewhere, where, and by which rule. Send the members to change. Send routing with all rules: it replaces those from get_link. Nothing is stored. Show the user moved, clicks and open before you continue. The digest lets update_link apply exactly this change within an hour, unless the link changes.`,
  scopes: ["links:read", "stats:read"],
  effect: "reads",
  input: z.strictObject({ id: LinkIdIn, ...CHANGE, ...RANGE, include_bots }),
  output: z.strictObject({
    ...Backtest.shape,
    open: z.boolean().meta({
      description:
        "Whether url and rules decide where visitors go after the change. If false, all visitors go to fallback_url, or get 404 before starts_at and 410 from expires_at on, so all clicks are moved.",
    }),
    starts_at: TimestampOut.nullable(),
    expires_at: TimestampOut.nullable().meta({ description: "After the change, like starts_at and fallback_url." }),
    fallback_url: z.string().nullable(),
    revision: z.int().meta({ description: "The revision of the link that was tested, for update_link." }),
    digest: z.string().optional().meta({ description: "Allows update_link to apply this change." }),
    digest_expires_at: TimestampOut.optional(),
  }),
  run: async ({ id, from, to, include_bots: includeBots, ...change }, { c, api }) => {
    // Read before the backtest: if the link changes in the meantime, the digest names an outdated revision.
    const reply = await api({ method: "GET", path: linkPath(id) });
    const link = reply.body as Link;
    const { url: triedUrl = link.url, routing: triedRouting = link.routing } = change;
    const range = { from, to, include_bots: includeBots };
    const backtest = await backtestOf(api, id, { url: triedUrl, routing: triedRouting, ...range });
    const [revision, now] = [revisionOf(reply), Date.now()];
    const opening = openingOf({ ...link, ...change }, now);
    const answer = {
      ...shortBacktest(opening.open ? backtest : backtestOfClosed(backtest), triedRouting.length),
      ...opening,
      revision,
    };
    if (from !== undefined || to !== undefined) return answer;
    const tried = { linkId: id, revision, members: decidingPart(change) };
    const digest = await backtestDigest(c.env, c.var.caller, tried, now);
    return { ...answer, digest, digest_expires_at: timestamp(now + DIGEST_TTL_MS) };
  },
});

/** Runs the backtest. Without a range, reads as many of the latest clicks as possible if 30 days have too many. */
async function backtestOf(api: CallApi, id: string, body: z.input<typeof BacktestLink>): Promise<Backtest> {
  const path = `${linkPath(id)}/backtest`;
  // Clicks keep arriving: without this end the shorter range would be too large again.
  const to = timestamp(Date.now());
  try {
    return (await api({ method: "POST", path, body })).body as Backtest;
  } catch (error) {
    const from = startThatWouldDo(error);
    if (from === null || body.from !== undefined || body.to !== undefined) throw error;
    return (await api({ method: "POST", path, body: { ...body, from: timestamp(from), to } })).body as Backtest;
  }
}

function startThatWouldDo(error: unknown): number | null {
  const isTooLarge = error instanceof RefusedByApi && error.detail.code === "range_too_large";
  return isTooLarge ? earliestStart(error.detail.errors ?? []) : null;
}

type OpeningMembers = Pick<UpdateLink, "starts_at" | "expires_at" | "fallback_url">;

/** Whether a link is open, and the times and fallback that decide it. @param now  epoch ms */
function openingOf({ starts_at: starts, expires_at: expires, fallback_url: fallback }: OpeningMembers, now: number) {
  const [startsAt, expiresAt] = [instantOf(starts), instantOf(expires)];
  return {
    open: !isExpired({ expiresAt }, now) && !isNotOpen({ startsAt }, now),
    starts_at: timestampOrNull(startsAt),
    expires_at: timestampOrNull(expiresAt),
    fallback_url: fallback ?? null,
  };
}

const instantOf = (text: string | null | undefined) => (text ? Date.parse(text) : null);
