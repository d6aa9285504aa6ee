/** Lets operators in: by a token that the command line issued, or by the session of an account that is an operator's. */
import type { Context } from "hono";

import { ApiError } from "../../core/errors.ts";
import { isOperatorToken } from "../../store/operators/operator-tokens.ts";
import { withTimeout } from "../../store/timeout.ts";
import type { ApiEnv } from "../context.ts";
import { BEARER_CHALLENGE, bearerText, DATABASE_TIMEOUT_MS } from "./access.ts";
import { authenticateBySession } from "./session-auth.ts";
import { limitedKeyLookup } from "./unauthenticated-limits.ts";

/** @throws ApiError invalid_operator_token; rate_limited after many wrong tokens */
export async function requireOperator(c: Context<ApiEnv>): Promise<void> {
  if ((await hasToken(c)) || (await hasSession(c))) return;
  throw new ApiError("invalid_operator_token", "Send an operator's token as Authorization: Bearer <token>", {
    command: "npm run admin -- operator token --remote",
    headers: BEARER_CHALLENGE,
  });
}

async function hasToken(c: Context<ApiEnv>): Promise<boolean> {
  const text = bearerText(c);
  if (text === null) return false;
  const find = () => withTimeout(DATABASE_TIMEOUT_MS, isOperatorToken(c.env, text, "operator", Date.now()));
  return (await limitedKeyLookup(c.req.raw.headers, text, async () => (await find()) || null)) ?? false;
}

async function hasSession(c: Context<ApiEnv>): Promise<boolean> {
  // Without a cookie there is no session to read; sign-in is not loaded for that.
  if (c.req.header("Cookie") === undefined) return false;
  try {
    await authenticateBySession(c);
    return c.var.account.isOperator;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
