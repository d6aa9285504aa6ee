/** Changes of where visitors go, which an agent may only make after a backtest of them. */
import type { Context } from "hono";

import { ApiError, validationFailed } from "../../core/errors.ts";
import type { ApiEnv } from "../context.ts";
import { isDigestOf, type TriedChange } from "./backtest-digest.ts";

/**
 * The rules are sent with a new url too, as the backtest had both: so the digest covers all that decides, and needs no
 * look-up of the link. That the link still is as it was then, `revision` makes sure of.
 * @throws ApiError precondition_failed, validation_failed
 */
export async function requireBacktest(
  { env, var: { caller } }: Context<ApiEnv>,
  change: TriedChange,
  digest: string | undefined,
): Promise<void> {
  if (change.url === undefined && change.routing === undefined) return;
  if (change.routing === undefined) throw routingRequired();
  if (digest === undefined) {
    throw refused("A change of url or routing needs digest: call backtest_rules with the same url and routing first");
  }
  if (await isDigestOf(env, caller, change, digest, Date.now())) return;
  throw refused(
    "This digest is not of this change: it is too old, or of another link, revision, url or routing. Call backtest_rules again, and send url and routing exactly as there",
  );
}

function routingRequired(): ApiError {
  const message = "routing is required with url: send both as in backtest_rules, the link's own rules where they stay";
  return validationFailed([{ path: "routing", code: "required", message }]);
}

function refused(message: string): ApiError {
  return new ApiError("precondition_failed", message, { param: "digest" });
}
