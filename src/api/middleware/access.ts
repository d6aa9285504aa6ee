/**
 * Authentication, then scope, then rate limit: the first checks of every `/v1` request, also of unknown routes, so that
 * nothing can be learnt without a key. The dashboard replaces the authentication by a session (session-auth.ts).
 */
import type { Context, MiddlewareHandler } from "hono";

import type { Scope } from "../../core/account.ts";
import { abuseContact } from "../../core/deployment/abuse-contact.ts";

import { type ApiKeyParts, parseApiKey } from "../../core/credentials.ts";
import { ApiError } from "../../core/errors.ts";
import { findCallerByKey } from "../../store/accounts/api-keys.ts";
import type { Caller } from "../../store/accounts/caller.ts";
import { withTimeout } from "../../store/timeout.ts";
import { bulkLinksPolicy, type RateLimitName, rateLimitPolicy } from "../../core/http/rate-limit-headers.ts";
import { enforceRequestRate } from "../../store/accounts/rate-limits.ts";
import type { ApiEnv } from "../context.ts";
import { documented } from "../openapi/route-doc.ts";
import { limitedKeyLookup } from "./unauthenticated-limits.ts";

/** As long as a person waits. D1 stalls for up to a minute while it moves a database. */
export const DATABASE_TIMEOUT_MS = 5_000;

export const BEARER_CHALLENGE = { "WWW-Authenticate": 'Bearer realm="hoplink"' };

/**
 * @param scope  what the key must have; null when any key will do
 * @param limit  a rate limit of this route's own, besides that of all requests; `links` is only announced here, because
 *   it counts what the body says (store/accounts/quotas.ts)
 */
export function access(scope: Scope | null, limit: RateLimitName | "links" = "requests"): MiddlewareHandler<ApiEnv> {
  const middleware: MiddlewareHandler<ApiEnv> = async (c, next) => {
    const authenticate = c.var.authenticate ?? authenticateByKey;
    const caller = await authenticate(c);
    if (scope && !caller.scopes.includes(scope)) {
      throw new ApiError("insufficient_scope", `This key lacks the scope ${scope}`, { param: scope });
    }
    const limits: RateLimitName[] = limit === "qr" ? ["requests", limit] : ["requests"];
    const policies = [
      rateLimitPolicy(caller.plan, limits),
      ...(limit === "links" ? [bulkLinksPolicy(caller.plan)] : []),
    ];
    c.set("rateLimitPolicy", policies.join(", "));
    for (const each of limits) await enforceRequestRate(c.env, caller, each);
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
  const text = bearerText(c);
  if (text === null) {
    throw new ApiError("missing_api_key", "Send your key as Authorization: Bearer <key>", {
      headers: BEARER_CHALLENGE,
    });
  }
  const key = parseApiKey(text);
  // This is the first query of every request: while the database stalls, it makes them answer 503 in time.
  const find = (parts: ApiKeyParts) => withTimeout(DATABASE_TIMEOUT_MS, findCallerByKey(c.env, parts, c.executionCtx));
  const caller = key && (await limitedKeyLookup(c.req.raw.headers, text, () => find(key)));
  if (!caller) {
    throw new ApiError("invalid_api_key", "This key is malformed, unknown or revoked", { headers: BEARER_CHALLENGE });
  }
  if (caller === "suspended") throw accountSuspended(c.env);
  return caller;
}

/** What is sent as `Authorization: Bearer`; null without it. */
export function bearerText(c: Context<ApiEnv>): string | null {
  return /^Bearer +(\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? null;
}

export function accountSuspended(env: Env): ApiError {
  const contact = abuseContact(env);
  const whom = contact && contact !== "invalid" ? `: write to ${contact.text}` : "";
  return new ApiError("account_suspended", `This account is suspended${whom}`);
}

/** Null when the caller was refused. @throws every other error: it does not show that the caller lost access */
function nullIfRefused(error: unknown): null {
  if (error instanceof ApiError && (error.status === 401 || error.code === "account_suspended")) return null;
  throw error;
}
