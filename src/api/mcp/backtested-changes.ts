/**
 * Changes that affect where visitors go: agents may make them only after a backtest. The digest of a backtest proves
 * that exactly this change was tried on the clicks of this link at this revision. Nothing is stored. It is signed with
 * the deployment's secret, so only a backtest can create one. The tool backtest_change returns the digest that
 * update_link requires.
 */
import type { Context } from "hono";
import * as z from "zod";

import { earliestStart } from "../../core/clicks/counting/stats.ts";
import { Backtest, BacktestLink } from "../../core/contract/backtests.ts";
import { type Link, UpdateLink } from "../../core/contract/links.ts";
import { canonicalJson, TimestampOut } from "../../core/contract/primitives.ts";
import { constantTimeEqual } from "../../core/identifiers.ts";
import { BACKTEST_DAYS } from "../../core/limits.ts";
import { LINK_MEMBER_LIST, type MemberWith } from "../../core/links/link-members.ts";
import { isExpired, isNotOpen } from "../../core/links/routing.ts";
import { HOUR_MS, timestamp, timestampOrNull } from "../../core/time.ts";
import { ApiError } from "../../core/errors.ts";
import { keyedDigest } from "../../core/derived-keys.ts";
import { hexOf, utf8 } from "../../core/encoding/bytes.ts";
import type { Caller } from "../../store/accounts/api-keys.ts";
import type { ApiEnv } from "../context.ts";
import {
  backtestOfClosed,
  type CallApi,
  defineTool,
  LinkIdIn,
  linkPath,
  RefusedByApi,
  revisionOf,
  shortBacktest,
} from "./tool.ts";

/** The members that decide where visitors go. */
export type DecidingMember = MemberWith<{ affects: "destination" }>;

export const DECIDING_MEMBERS: readonly string[] = LINK_MEMBER_LIST.flatMap(({ name, affects }) =>
  affects === "destination" ? [name] : [],
);

/** The members of a change that affect where visitors go, as sent. */
export function decidingPart(change: object): object {
  return Object.fromEntries(Object.entries(change).filter(([member]) => DECIDING_MEMBERS.includes(member)));
}

/**
 * Allows a change with the digest of a backtest of the same members. `revision` ensures that the link has not changed
 * since.
 * @throws ApiError precondition_failed
 */
export async function requireBacktest(
  { env, var: { caller } }: Context<ApiEnv>,
  change: TriedChange,
  digest: string | undefined,
): Promise<void> {
  const members = Object.keys(change.members);
  if (members.length === 0) return;
  if (digest === undefined) {
    throw refused(`To change ${members.join(", ")}, send a digest: first call backtest_change with the same members`);
  }
  if (await isDigestOf(env, caller, change, digest, Date.now())) return;
  throw refused(
    `The digest is not valid for this change: it has expired, or is for another link or revision, or for other values of ${DECIDING_MEMBERS.join(", ")}. Call backtest_change again, then send exactly the same members`,
  );
}

function refused(message: string): ApiError {
  return new ApiError("precondition_failed", message, { param: "digest" });
}

/** Long enough for a person to review the agent's proposal, and too short for a different mix of visitors. @internal */
export const DIGEST_TTL_MS = HOUR_MS;

/** The backtested change, as sent: update_link must send the same. */
export interface TriedChange {
  linkId: string;
  /** Identifies the members that the change leaves unchanged. */
  revision: number;
  members: object;
}

const DIGEST_PATTERN = /^([0-9a-z]{1,10})\.[0-9a-f]{64}$/;

/** @param now  epoch ms @internal */
export function backtestDigest(env: Env, caller: Caller, tried: TriedChange, now: number): Promise<string> {
  return signedDigest(env, caller, tried, now + DIGEST_TTL_MS);
}

/** Whether a digest is for this change and has not expired. @param now  epoch ms @internal */
export async function isDigestOf(
  env: Env,
  caller: Caller,
  tried: TriedChange,
  digest: string,
  now: number,
): Promise<boolean> {
  const expiresAt = parseInt(DIGEST_PATTERN.exec(digest)?.[1] ?? "0", 36);
  if (expiresAt <= now) return false;
  return constantTimeEqual(utf8(digest), utf8(await signedDigest(env, caller, tried, expiresAt)));
}

async function signedDigest(env: Env, caller: Caller, tried: TriedChange, expiresAt: number): Promise<string> {
  const { linkId, revision, members } = tried;
  const signed = [caller.accountId, caller.mode, linkId, revision, members, expiresAt];
  const signature = await keyedDigest(env, "backtest", canonicalJson(signed));
  return `${expiresAt.toString(36)}.${hexOf(signature)}`;
}

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
