/**
 * Changes that affect where visitors go: agents may make them only after a backtest. The digest of a backtest proves
 * that exactly this change was tried on the clicks of this link at this revision. Nothing is stored. It is signed with
 * the deployment's secret, so only a backtest can create one.
 */
import type { Context } from "hono";

import { canonicalJson } from "../../core/contract/primitives.ts";
import { constantTimeEqual } from "../../core/identifiers.ts";
import { LINK_MEMBER_LIST, type MemberWith } from "../../core/links/link-members.ts";
import { HOUR_MS } from "../../core/time.ts";
import { ApiError } from "../../core/errors.ts";
import { keyedDigest } from "../../core/derived-keys.ts";
import { hexOf, utf8 } from "../../core/encoding/bytes.ts";
import type { Caller } from "../../store/accounts/api-keys.ts";
import type { ApiEnv } from "../context.ts";

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

/** Long enough for a person to review the agent's proposal, and too short for a different mix of visitors. */
export const DIGEST_TTL_MS = HOUR_MS;

/** The backtested change, as sent: update_link must send the same. */
export interface TriedChange {
  linkId: string;
  /** Identifies the members that the change leaves unchanged. */
  revision: number;
  members: object;
}

const DIGEST_PATTERN = /^([0-9a-z]{1,10})\.[0-9a-f]{64}$/;

/** @param now  epoch ms */
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
