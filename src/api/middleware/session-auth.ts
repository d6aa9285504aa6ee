/**
 * Authenticates the dashboard's requests with a session cookie instead of an API key. A session has every scope; a
 * header selects the mode. Browsers also send the cookie with requests that other sites cause (CSRF), so a request that
 * changes something must prove that it comes from the dashboard's own pages.
 */
import type { Context, MiddlewareHandler } from "hono";

import { type Mode, MODES, SCOPES } from "../../core/account.ts";
import { ApiError, validationFailed } from "../../core/errors.ts";
import type { Caller } from "../../store/accounts/api-keys.ts";
import { suspendedSince } from "../../store/accounts/accounts.ts";
import { withTimeout } from "../../store/timeout.ts";
import { accountSuspended, DATABASE_TIMEOUT_MS } from "./access.ts";
import type { ApiEnv } from "../context.ts";

const MODE_HEADER = "Hoplink-Mode";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Refuses cross-site requests, and makes `access` authenticate by session. */
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
