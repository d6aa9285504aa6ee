/**
 * Who may pass: the caller, then the scope, then the rate. The first checks of every `/v1` request, also of routes that
 * do not exist, so that nothing can be learnt without a key. The dashboard serves the same routes behind another door,
 * which it puts into the context (session-auth.ts).
 */
import type { Context, MiddlewareHandler } from "hono";

import type { Scope } from "../../core/account.ts";
import { abuseContact } from "../../core/abuse-contact.ts";

import { type ApiKeyParts, parseApiKey } from "../../core/credentials.ts";
import { ApiError } from "../../core/errors.ts";
import { findCallerByKey } from "../../store/accounts/api-keys.ts";
import type { Caller } from "../../store/accounts/caller.ts";
import { withTimeout } from "../../store/timeout.ts";
import { enforceRequestRate, type RateLimitName } from "../../store/accounts/rate-limits.ts";
import type { ApiEnv } from "../context.ts";
import { documented } from "../openapi/route-doc.ts";
import { limitedKeyLookup } from "./unauthenticated-limits.ts";

/** How a request says who asks: by a key, unless another door was set. */
export type Authenticate = (c: Context<ApiEnv>) => Promise<Caller>;

/** As long as a person waits; D1 stalls for up to a minute when it moves. */
export const DATABASE_TIMEOUT_MS = 5_000;

const BEARER_CHALLENGE = { "WWW-Authenticate": 'Bearer realm="hoplink"' };

/**
 * Lets callers through whose key has the scope; a null scope asks for a key alone.
 * @param limit  a rate that this route has of its own, beside that of all requests
 */
export function access(scope: Scope | null, limit: RateLimitName = "requests"): MiddlewareHandler<ApiEnv> {
  const middleware: MiddlewareHandler<ApiEnv> = async (c, next) => {
    const authenticate = c.var.authenticate ?? authenticateByKey;
    const caller = await authenticate(c);
    if (scope && !caller.scopes.includes(scope)) {
      throw new ApiError("insufficient_scope", `This key lacks the scope ${scope}`, { param: scope });
    }
    await enforceRequestRate(c.env, caller, "requests");
    if (limit !== "requests") await enforceRequestRate(c.env, caller, limit);
    c.set("caller", caller);
    c.set("isStillAllowed", async () => {
      const now = await authenticate(c).catch(nullIfRefused);
      return now !== null && (scope === null || now.scopes.includes(scope));
    });
    await next();
  };
  return documented(middleware, {
    ...(scope ? { scope } : {}),
    errors: [
      "missing_api_key",
      "invalid_api_key",
      "account_suspended",
      ...(scope ? (["insufficient_scope"] as const) : []),
      "rate_limited",
    ],
  });
}

async function authenticateByKey(c: Context<ApiEnv>): Promise<Caller> {
  const text = /^Bearer +(\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (!text) {
    throw new ApiError("missing_api_key", "Send your key as Authorization: Bearer <key>", {
      headers: BEARER_CHALLENGE,
    });
  }
  const key = parseApiKey(text);
  // The first look-up of every request: while the database stalls, all of them answer 503 here.
  const find = (parts: ApiKeyParts) => withTimeout(DATABASE_TIMEOUT_MS, findCallerByKey(c.env, parts, c.executionCtx));
  const caller = key && (await limitedKeyLookup(c.req.raw.headers, text, () => find(key)));
  if (!caller) {
    throw new ApiError("invalid_api_key", "This key is malformed, unknown or revoked", { headers: BEARER_CHALLENGE });
  }
  if (caller === "suspended") throw accountSuspended(c.env);
  return caller;
}

export function accountSuspended(env: Env): ApiError {
  const contact = abuseContact(env);
  const whom = contact && contact !== "invalid" ? `: write to ${contact.text}` : "";
  return new ApiError("account_suspended", `This account is suspended${whom}`);
}

/** A refusal of who asks, as no caller. @throws whatever else happened: it says nothing about who asks */
function nullIfRefused(error: unknown): null {
  if (error instanceof ApiError && (error.status === 401 || error.code === "account_suspended")) return null;
  throw error;
}
