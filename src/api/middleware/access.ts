/**
 * Authentication, then scope, then rate limit. These are the first checks of every `/v1` request, including unknown
 * routes, so that nothing is disclosed without a key. For the dashboard, a session replaces the key (`sessionAuth`).
 */
import type { Context, MiddlewareHandler } from "hono";

import { type Mode, MODES, type Scope, SCOPES } from "../../core/account.ts";
import { suspensionText } from "../../core/deployment/settings.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import { bulkLinksPolicy, type RateLimitName, rateLimitPolicy } from "../../core/http/rate-limit-headers.ts";
import { type ApiKeyParts, type OperatorTokenPurpose, parseApiKey } from "../../core/identifiers.ts";
import { GenerationCache } from "../../core/memory/caches.ts";
import { suspendedSince } from "../../store/accounts/accounts.ts";
import { type Caller, exposeKey, findCallerByKey } from "../../store/accounts/api-keys.ts";
import { enforceRequestRate } from "../../store/accounts/rate-limits.ts";
import { NetworkRateLimit, saltedHash } from "../../store/network-limit.ts";
import { isOperatorToken } from "../../store/operators/operator-tokens.ts";
import { withTimeout } from "../../store/timeout.ts";
import type { ApiEnv } from "../context.ts";
import { documented, type RouteDoc } from "../openapi/route-doc.ts";

/** About as long as a person is willing to wait. D1 stalls for up to a minute while it moves a database. */
const DATABASE_TIMEOUT_MS = 5_000;

export const BEARER_CHALLENGE = { "WWW-Authenticate": 'Bearer realm="hoplink"' };

/**
 * @param scope  the scope that the key needs; null if any key will do
 * @param doc  documentation of the route
 * @param limit  a rate limit of this route, in addition to the one for all requests; `links` is only announced here,
 *   because it depends on the body (store/accounts/quotas.ts)
 */
export function access(
  scope: Scope | null,
  doc: RouteDoc = {},
  limit: RateLimitName | "links" = "requests",
): MiddlewareHandler<ApiEnv> {
  const middleware: MiddlewareHandler<ApiEnv> = async (c, next) => {
    const authenticate = c.var.authenticate ?? authenticateByKey;
    const caller = await authenticate(c);
    if (scope) requireScope(caller, scope);
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
    ...doc,
    ...(scope ? { scope } : {}),
    errors: [
      "missing_api_key",
      "invalid_api_key",
      "account_suspended",
      ...(scope ? (["insufficient_scope"] as const) : []),
      "rate_limited",
      ...(doc.errors ?? []),
    ],
  });
}

/** @throws ApiError insufficient_scope */
export function requireScope({ scopes }: Pick<Caller, "scopes">, scope: Scope): void {
  if (!scopes.includes(scope))
    throw new ApiError("insufficient_scope", `The API key lacks the scope ${scope}.`, { param: scope });
}

async function authenticateByKey(c: Context<ApiEnv>): Promise<Caller> {
  const text = bearerText(c);
  if (text === null) {
    throw new ApiError("missing_api_key", "The Authorization: Bearer <key> header is missing or malformed.", {
      headers: BEARER_CHALLENGE,
    });
  }
  const caller = await lookUpKey(c, text, (key) => findCallerByKey(c.env, key, c.executionCtx));
  if (!caller) {
    throw new ApiError("invalid_api_key", "The API key is malformed, unknown or revoked.", {
      headers: BEARER_CHALLENGE,
    });
  }
  if (caller === "suspended") throw accountSuspended(c.env);
  return caller;
}

/**
 * Marks the request's key as sent over plain HTTP, if it is valid. Costs no more than a wrong key: one look-up, limited
 * by network, and none once this isolate knows that the key is marked. Never fails: the next such request retries.
 */
export async function markExposedKey(c: Context<ApiEnv>): Promise<void> {
  const text = bearerText(c);
  if (text === null || exposedKeys.get(saltedHash(text))) return;
  const found = await lookUpKey(c, text, (key) => exposeKey(c.env, key)).catch(() => null);
  if (found) exposedKeys.set(saltedHash(text), true);
}

/**
 * Looks up a key's text. This is the first query of a request, so its time limit decides how soon a request answers 503
 * while the database stalls.
 * @param find  returns null when the key is unknown, wrong or revoked
 * @returns null also for a malformed key
 * @throws ApiError rate_limited, TimeoutError
 */
async function lookUpKey<T>(
  c: Context<ApiEnv>,
  text: string,
  find: (key: ApiKeyParts) => Promise<T | null>,
): Promise<T | null> {
  const key = parseApiKey(text);
  return key && limitedKeyLookup(c.req.raw.headers, text, () => withTimeout(DATABASE_TIMEOUT_MS, find(key)));
}

/** Whether a text is a valid operator's token for this purpose. @throws ApiError rate_limited, TimeoutError */
export async function isOperator(c: Context<ApiEnv>, text: string, purpose: OperatorTokenPurpose): Promise<boolean> {
  const find = async () => (await isOperatorToken(c.env, text, purpose, Date.now())) || null;
  return (await limitedKeyLookup(c.req.raw.headers, text, () => withTimeout(DATABASE_TIMEOUT_MS, find()))) !== null;
}

/** The credentials of `Authorization: Bearer`; null without them. */
export function bearerText(c: Context<ApiEnv>): string | null {
  return /^Bearer +(\S+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? null;
}

function accountSuspended(env: Env): ApiError {
  return new ApiError("account_suspended", suspensionText(env));
}

/** Null when the caller was refused. @throws every other error, which does not prove that the caller lost access */
function nullIfRefused(error: unknown): null {
  if (error instanceof ApiError && (error.status === 401 || error.code === "account_suspended")) return null;
  throw error;
}

/**
 * Limits the database queries that one network causes before it is authenticated: forged keys can have a valid
 * checksum. Counted in the isolate's memory (store/network-limit.ts).
 */

const FAILED_KEYS_MAX_PER_MINUTE = 100;
const KEY_CACHE_MAX_ENTRIES = 5_000;

const failedKeys = new NetworkRateLimit(FAILED_KEYS_MAX_PER_MINUTE);

/**
 * Keys that were valid at their last look-up, or whose first one is in flight; by hash, so that no key is stored. An
 * entry permits another look-up and nothing else.
 */
const keyCache = new GenerationCache<"valid" | "pending">(KEY_CACHE_MAX_ENTRIES);

/** Keys that are known to be marked as exposed, by hash. */
const exposedKeys = new GenerationCache<true>(KEY_CACHE_MAX_ENTRIES);

/**
 * Looks a key up, unless too many look-ups of this network failed. A key that was valid before is looked up in any
 * case, because customers share addresses with attackers. An unknown key is counted as a failure before its look-up and
 * refunded if it proves valid; otherwise any number sent concurrently would pass. Concurrent look-ups of the same
 * unknown key count once, until one fails.
 * @param find  returns null when the key is unknown, wrong or revoked
 * @throws ApiError rate_limited
 */
async function limitedKeyLookup<T>(headers: Headers, key: string, find: () => Promise<T | null>): Promise<T | null> {
  const hash = saltedHash(key);
  const isNew = !keyCache.get(hash);
  const askedAt = Date.now();
  if (isNew) {
    countRequest(failedKeys, headers, "This network has sent too many invalid keys within a minute.");
    keyCache.set(hash, "pending");
  }
  try {
    const found = await find();
    if (found) keyCache.set(hash, "valid");
    else keyCache.delete(hash);
    if (isNew && found) failedKeys.takeBack(headers, askedAt);
    if (!isNew && !found) failedKeys.count(headers);
    return found;
  } catch (error) {
    // The look-up failed, so the key may still be valid.
    if (keyCache.get(hash) === "pending") keyCache.delete(hash);
    if (isNew) failedKeys.takeBack(headers, askedAt);
    throw error;
  }
}

/** Counts a request of a network. @throws ApiError rate_limited if the network has made too many */
export function countRequest(limit: NetworkRateLimit, headers: Headers, message: string): void {
  const seconds = limit.secondsToWait(headers);
  if (seconds > 0) throw new ApiError("rate_limited", message, { retryAfterSeconds: seconds });
  limit.count(headers);
}

const MODE_HEADER = "Hoplink-Mode";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Authenticates the dashboard's requests with a session cookie instead of an API key. A session has every scope; a
 * header selects the mode. Browsers also send the cookie with requests that other sites cause (CSRF), so a request that
 * changes something must prove that it comes from the dashboard's own pages.
 */
export const sessionAuth: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (!SAFE_METHODS.has(c.req.method) && !isSameOrigin(c)) {
    throw new ApiError("invalid_origin", `The request comes from another origin. Send it from ${c.var.hosts.baseUrl}.`);
  }
  c.set("authenticate", authenticateBySession);
  await next();
  // A handler that returns a plain `Response`, such as a stream or a file, loses headers that were set before.
  for (const cookie of c.var.sessionCookies ?? []) c.header("Set-Cookie", cookie, { append: true });
};

/** Browsers set both headers, and no page can forge either. A browser that sends neither is too old to be trusted. */
function isSameOrigin(c: Context<ApiEnv>): boolean {
  const origin = c.req.header("Origin");
  return origin === undefined ? c.req.header("Sec-Fetch-Site") === "same-origin" : origin === c.var.hosts.baseUrl;
}

/**
 * better-auth is imported on first use, since API requests do not need it.
 * @throws ApiError, UnavailableError, and storage errors
 */
export async function authenticateBySession(c: Context<ApiEnv>): Promise<Caller> {
  // A stream repeats authentication after its headers were sent, when a cookie can no longer be set.
  const disableRefresh = c.finalized;
  const { createNotedAuth } = await import("../../store/auth/sign-in.ts");
  const { auth, rethrow } = createNotedAuth(c.env, c.var.hosts.baseUrl);
  const { headers: sent } = c.req.raw;
  const lookup = auth.api.getSession({ headers: sent, query: { disableRefresh }, returnHeaders: true });
  const { response, headers } = await withTimeout(DATABASE_TIMEOUT_MS, lookup).catch((error: unknown) => {
    rethrow();
    throw error;
  });
  if (!response) {
    throw new ApiError("missing_session", "You are not signed in, or your session has ended. Sign in again.");
  }
  if (!disableRefresh) c.set("sessionCookies", headers.getSetCookie());
  const { session, user } = response;
  const { id, email, name, plan, isOperator } = user;
  if (await withTimeout(DATABASE_TIMEOUT_MS, suspendedSince(c.env, id))) throw accountSuspended(c.env);
  const times = { createdAt: user.createdAt.getTime(), signedInAt: session.createdAt.getTime() };
  c.set("account", { id, email, name, plan, isOperator: isOperator === true, sessionId: session.id, ...times });
  return { accountId: id, mode: requestedMode(c), plan, scopes: SCOPES, origin: "dashboard", rateKey: id };
}

function requestedMode(c: Context<ApiEnv>): Mode {
  // A browser that saves a file sends no custom header, so its path contains the mode.
  const sent = c.req.param("mode") ?? c.req.header(MODE_HEADER) ?? "live";
  const mode = MODES.find((known) => known === sent);
  if (mode) return mode;
  const message = `${MODE_HEADER} must be ${MODES.join(" or ")}`;
  throw validationFailed([{ path: MODE_HEADER, code: "invalid_value", message }]);
}
