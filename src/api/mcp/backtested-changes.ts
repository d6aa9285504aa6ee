/** Changes of where visitors go, which an agent may only make after a backtest of them. */
import type { Context } from "hono";

import type { UpdateLink } from "../../core/contract/links.ts";
import { ApiError } from "../../core/errors.ts";
import type { ApiEnv } from "../context.ts";
import { isDigestOf, type TriedChange } from "./backtest-digest.ts";

/** Whether a member decides where visitors go. */
const DECIDES = {
  url: true,
  routing: true,
  starts_at: true,
  expires_at: true,
  fallback_url: true,
  // Adds the visitor's parameters to the same destination. The log has nothing of them to try it on.
  forward_query: false,
  title: false,
  tags: false,
} as const satisfies Record<keyof UpdateLink, boolean>;

export type DecidingMember = {
  [Member in keyof UpdateLink]-?: (typeof DECIDES)[Member] extends true ? Member : never;
}[keyof UpdateLink];

/** @internal */
export const DECIDING_MEMBERS = Object.entries(DECIDES).flatMap(([member, decides]) => (decides ? [member] : []));

/** What a change has of them, as it was sent. */
export function decidingPart(change: object): object {
  return Object.fromEntries(Object.entries(change).filter(([member]) => DECIDING_MEMBERS.includes(member)));
}

/**
 * Lets a change through with the digest of a backtest of the same members. That the link still is as it was then,
 * `revision` makes sure of.
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
    throw refused(`A change of ${members.join(", ")} needs digest: call backtest_change first, with the same members`);
  }
  if (await isDigestOf(env, caller, change, digest, Date.now())) return;
  throw refused(
    `This digest is not of this change: it is too old, or of another link, revision, or other values of ${DECIDING_MEMBERS.join(", ")}. Call backtest_change again, and send these members exactly as there`,
  );
}

function refused(message: string): ApiError {
  return new ApiError("precondition_failed", message, { param: "digest" });
}
