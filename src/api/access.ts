/**
 * Who may pass: the caller, then the scope, then the rate. The first checks of every `/v1` request, also of routes that
 * do not exist, so that nothing can be learnt without a key. The dashboard serves the same routes behind another door,
 * which it puts into the context (session-door.ts).
 */
import type { Context, MiddlewareHandler } from "hono";

import { abuseContact } from "../core/abuse-contact.ts";
import type { Scope } from "../core/contract.ts";
import { type KeyParts, parseKey } from "../core/credentials.ts";
import { ApiError } from "../core/errors.ts";
import { callerOf } from "../store/accounts.ts";
import type { Caller } from "../store/caller.ts";
import { within } from "../store/patience.ts";
import { countRequest, type Limit } from "../store/rates.ts";
import type { Api } from "./context.ts";
import { documented } from "./describe.ts";
import { findKey } from "./network-limits.ts";

/** How a request says who asks: by a key, unless another door was set. */
export type Authenticate = (c: Context<Api>) => Promise<Caller>;

/** As long as a person waits; D1 stalls for up to a minute when it moves. */
export const DATABASE_PATIENCE_MS = 5_000;

const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="hoplink"' };

/**
 * Lets callers through whose key has the scope; a null scope asks for a key alone.
 * @param limit  a rate that this route has of its own, beside that of all requests
 */
export function access(scope: Scope | null, limit: Limit = "requests"): MiddlewareHandler<Api> {
  const door: MiddlewareHandler<Api> = async (c, next) => {
    const authenticate = c.var.authenticate ?? callerOfKey;
    const caller = await authenticate(c);
    if (scope && !caller.scopes.includes(scope)) {
      throw new ApiError("insufficient_scope", `This key lacks the scope ${scope}`, { param: scope });
    }
    await countRequest(c.env, caller, "requests");
    if (limit !== "requests") await countRequest(c.env, caller, limit);
    c.set("caller", caller);
    c.set("isStillAllowed", async () => {
      const now = await authenticate(c).catch(nobody);
      return now !== null && (scope === null || now.scopes.includes(scope));
    });
    await next();
  };
  return documented(door, {
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

async function callerOfKey(c: Context<Api>): Promise<Caller> {
  const text = /^Bearer +(\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (!text) {
    throw new ApiError("missing_api_key", "Send your key as Authorization: Bearer <key>", { headers: CHALLENGE });
  }
  const key = parseKey(text);
  // The first look-up of every request: while the database stalls, all of them answer 503 here.
  const find = (parts: KeyParts) => within(DATABASE_PATIENCE_MS, callerOf(c.env, parts, c.executionCtx));
  const caller = key && (await findKey(c.req.raw.headers, text, () => find(key)));
  if (!caller) {
    throw new ApiError("invalid_api_key", "This key is malformed, unknown or revoked", { headers: CHALLENGE });
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
function nobody(error: unknown): null {
  if (error instanceof ApiError && (error.status === 401 || error.code === "account_suspended")) return null;
  throw error;
}
