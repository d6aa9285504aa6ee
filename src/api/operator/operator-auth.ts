/**
 * Lets the operator's commands in, by a token that they issue through the database. Tokens that read the deployment's
 * health, which monitoring has, are refused: here is the data of all accounts.
 */
import type { MiddlewareHandler } from "hono";

import { ApiError } from "../../core/errors.ts";
import { isOperatorToken } from "../../store/operators/operator-tokens.ts";
import { withTimeout } from "../../store/timeout.ts";
import type { ApiEnv } from "../context.ts";
import { DATABASE_TIMEOUT_MS } from "../middleware/access.ts";
import { limitedKeyLookup } from "../middleware/unauthenticated-limits.ts";

const BEARER_CHALLENGE = { "WWW-Authenticate": 'Bearer realm="hoplink operator"' };

export const operatorAuth: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const text = /^Bearer +(opr_\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (!text) throw refused("missing_api_key", "Send an operator's token as Authorization: Bearer opr_...");
  const find = async () =>
    (await withTimeout(DATABASE_TIMEOUT_MS, isOperatorToken(c.env, text, "backup", Date.now()))) || null;
  if (!(await limitedKeyLookup(c.req.raw.headers, text, find))) {
    throw refused("invalid_api_key", "This operator's token is unknown or has expired");
  }
  await next();
};

function refused(code: "missing_api_key" | "invalid_api_key", message: string): ApiError {
  return new ApiError(code, message, { headers: BEARER_CHALLENGE });
}
