/**
 * The digest of a backtest: shows later, without anything being stored, that exactly this change was tried on the clicks
 * of this link at this revision. Signed with the deployment's secret, so that nobody gets one without having asked.
 */
import { canonicalJson } from "../../core/contract/json-text.ts";
import { constantTimeEqual } from "../../core/credentials.ts";
import { HOUR_MS } from "../../core/durations.ts";
import { hexOf } from "../../core/hex.ts";
import type { Caller } from "../../store/accounts/caller.ts";

/** For a person to look at what the agent proposes, and not for days in which other visitors come. */
export const DIGEST_TTL_MS = HOUR_MS;

const HMAC = { name: "HMAC", hash: "SHA-256" };

/** What was tried, as it was sent: a change is let through when it sends the same. */
export interface TriedChange {
  linkId: string;
  /** What the change leaves as it is follows from it. */
  revision: number;
  members: object;
}

const DIGEST_PATTERN = /^([0-9a-z]{1,10})\.[0-9a-f]{64}$/;

/** @param now  epoch ms */
export function backtestDigest(env: Env, caller: Caller, tried: TriedChange, now: number): Promise<string> {
  return signedDigest(env, caller, tried, now + DIGEST_TTL_MS);
}

/** Whether a digest is of this change, and not too old. @param now  epoch ms */
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

/** The purpose comes first: the secret signs sessions as well, and no text must be valid as both. */
async function signedDigest(env: Env, caller: Caller, tried: TriedChange, expiresAt: number): Promise<string> {
  const { linkId, revision, members } = tried;
  const signed = ["backtest", caller.accountId, caller.mode, linkId, revision, members, expiresAt];
  const signature = await crypto.subtle.sign(HMAC.name, await signingKey(env), utf8(canonicalJson(signed)));
  return `${expiresAt.toString(36)}.${hexOf(new Uint8Array(signature))}`;
}

function signingKey({ BETTER_AUTH_SECRET = "" }: Env): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", utf8(BETTER_AUTH_SECRET), HMAC, false, ["sign"]);
}

const utf8 = (text: string) => new TextEncoder().encode(text);
